"""``ipuaro fit``: how well a model answers questions, in each way to ask it."""

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from ipuaro_jupyter.cli.terminal import json_text, stoppable, told
from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.views.markup import visible

if TYPE_CHECKING:
    from ipuaro_jupyter.fit import FitProgress


@click.command("fit", short_help="Try a model out, and find out how to ask it.")
@click.argument("model")
@click.option(
    "--tasks",
    type=click.IntRange(1, 12),
    metavar="N",
    help="Questions, and tasks, in each way; usually 12.",
)
@click.option("--forms", metavar="LIST", help="Forms of calls: native,text,constrained.")
@click.option("--sizes", metavar="LIST", help="Sizes of the evidence in tokens: 800,1500.")
@click.option("--save", is_flag=True, help="Write the best way into your settings.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def command(model: str, save: bool, as_json: bool, **options: Any) -> None:  # noqa: FBT001 - click's
    """Ask MODEL questions about the demo's code, and print how often it was right in each way.

    Each question is asked by evidence of two sizes, and by the loop, whose calls are first
    tried on small tasks: by schema, as text and constrained. What is right is known, and nothing is
    changed. Ctrl-C ends it with the table so far. Exit status: 0 done, 2 an option or a setting is
    wrong, 4 the model cannot be used, 130 stopped.
    """
    from ipuaro_jupyter.fit import fit  # noqa: PLC0415 - heavy, not needed for --help
    from ipuaro_jupyter.fit.choice import plan_of, saved  # noqa: PLC0415 - the same
    from ipuaro_jupyter.views import fitted  # noqa: PLC0415 - the same

    with ExitStack() as stack:
        stack.enter_context(told())
        plan = plan_of(**options)
        cancel = stack.enter_context(stoppable())
        line = _Line()
        stack.callback(line.end)
        report = fit(model, plan, progress=line.show, cancel=cancel)
        line.end()
        click.echo(json_text(report.to_dict()) if as_json else fitted.text(report))
        if save and report.best is not None and not report.stopped:
            click.echo(visible(saved(report)), err=True)
        if report.stopped:
            raise Cancelled


class _Line:
    """The progress on standard error: one line on a terminal, else only how long it takes."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._is_shown = False

    def show(self, progress: "FitProgress") -> None:
        """Show how much is done, and once how long the others take."""
        if progress.estimate:
            self.end()
            click.echo(progress.estimate, err=True)
        if self._is_terminal:
            line = f"Question {progress.done} of {progress.total}"
            click.echo(f"\r\x1b[K{line}", nl=False, err=True)
            self._is_shown = True

    def end(self) -> None:
        """Remove the line."""
        if self._is_shown:
            click.echo("\r\x1b[K", nl=False, err=True)
            self._is_shown = False

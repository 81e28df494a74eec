"""``ipuaro fit``: how well a model calls tools, in each way to ask it."""

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
@click.option("--tasks", type=click.IntRange(1), metavar="N", help="Tasks in each way; usually 40.")
@click.option("--forms", metavar="LIST", help="Forms of calls: native,text,constrained.")
@click.option("--profiles", metavar="LIST", help="Profiles of tools: core,full.")
@click.option("--windows", metavar="LIST", help="Windows in tokens: 8192,32768.")
@click.option("--save", is_flag=True, help="Write the best way into your settings.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def command(model: str, save: bool, as_json: bool, **options: Any) -> None:  # noqa: FBT001 - click's
    """Give MODEL small tasks on the demo's code, and print how often its first call was right.

    Each task is asked with calls by schema, as text and constrained, with few and all tools, in a
    small and a large window. The index knows what is right, and nothing is changed. Ctrl-C ends it
    with the table so far. Exit status: 0 done, 2 an option or a setting is wrong, 4 the model
    cannot be used, 130 stopped.
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
        """Show how many tasks are done, and once how long the others take."""
        if progress.estimate:
            self.end()
            click.echo(progress.estimate, err=True)
        if self._is_terminal:
            line = f"Task {progress.done} of {progress.total}"
            click.echo(f"\r\x1b[K{line}", nl=False, err=True)
            self._is_shown = True

    def end(self) -> None:
        """Remove the line."""
        if self._is_shown:
            click.echo("\r\x1b[K", nl=False, err=True)
            self._is_shown = False

"""``ipuaro evidence``: what a question is about, without a model."""

import click

from ipuaro_jupyter.cli.project_folder import folders
from ipuaro_jupyter.cli.terminal import ProgressLine, json_text, stoppable, tell_notices, told


@click.command("evidence", short_help="Show what a question is about, without a model.")
@click.argument("question", nargs=-1, required=True)
@click.option(
    "--path",
    default=".",
    shell_complete=folders,
    help="The folder of the project. Default: the current folder.",
)
@click.option(
    "--tokens",
    type=click.IntRange(100, 100_000),
    default=1500,
    show_default=True,
    help="The maximum size of the text.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
def command(question: tuple[str, ...], *, path: str, tokens: int, as_json: bool) -> None:
    """Print the files and functions that QUESTION is about, with their source, and exact facts.

    The index ranks them by the words of the question and by what it names; no model is asked.
    """
    from contextlib import ExitStack  # noqa: PLC0415 - not needed for --help

    from ipuaro_jupyter.assistant import start  # noqa: PLC0415 - heavy, not needed for --help
    from ipuaro_jupyter.views.receipts import evidence  # noqa: PLC0415 - the same

    line = ProgressLine()
    with ExitStack() as stack:
        stack.enter_context(told())
        stack.callback(line.end)
        cancel = stack.enter_context(stoppable())
        assistant = stack.enter_context(start(path, new=True, progress=line.show, cancel=cancel))
        line.end()
        tell_notices(assistant)
        found = assistant.evidence(" ".join(question), tokens=tokens)
        click.echo(json_text(found.to_dict()) if as_json else evidence.text(found))

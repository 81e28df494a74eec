"""``ipuaro replay``: run a recorded session again and report the differences."""

import sys
from contextlib import ExitStack

import click

from ipuaro_jupyter.cli.project_folder import project_option
from ipuaro_jupyter.cli.terminal import ProgressLine, json_text, stoppable, told


@click.command("replay", short_help="Run an exported session again.")
@click.argument("file", type=click.Path(dir_okay=False))
@project_option
@click.option("--in-place", is_flag=True, help="Run in the project itself, not in a copy.")
@click.option("--trust", is_flag=True, help="Run it even if it was recorded elsewhere.")
@click.option(
    "--check", is_flag=True, help="Run nothing; tell which of its answers are no longer true."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def command(  # noqa: PLR0917 - click's
    file: str,
    project: str,
    in_place: bool,  # noqa: FBT001 - the same
    trust: bool,  # noqa: FBT001 - the same
    check: bool,  # noqa: FBT001 - the same
    as_json: bool,  # noqa: FBT001 - the same
) -> None:
    """Run the session exported to FILE again, and report the differences.

    The model's replies and your decisions are repeated, the tools run for real: in a temporary copy
    of the project, unless you say --in-place. Commands can reach outside the copy, so a recording
    that changes something or runs commands has to come from this machine's own sessions; otherwise
    say --trust.

    With --check nothing is run, and FILE may be any saved notebook with questions: the files, lines
    and symbols that its answers name are looked up in the project as it is. What an answer says of
    the behaviour of code is not checked.

    Exit status: 0 no difference, 1 differences, or answers that are no longer true, 2 the file, the
    project or a setting is wrong, 3 Redis cannot be reached.
    """
    if check:
        _check(file, project, as_json=as_json)
    from ipuaro_jupyter.replay import replay  # noqa: PLC0415 - heavy, not needed for --help
    from ipuaro_jupyter.views.replayed import text  # noqa: PLC0415 - the same

    line = ProgressLine()
    with ExitStack() as stack:
        stack.enter_context(told())
        stack.callback(line.end)
        cancel = stack.enter_context(stoppable())
        report = replay(
            file, project, in_place=in_place, trust=trust, progress=line.show, cancel=cancel
        )
        line.end()
    if as_json:
        click.echo(json_text(report.to_dict()))
    else:
        click.echo(text(report))
    sys.exit(1 if report.differences else 0)


def _check(file: str, project: str, *, as_json: bool) -> None:
    """Print which answers are no longer true, and exit."""
    from ipuaro_jupyter.assistant import start  # noqa: PLC0415 - heavy, not needed for --help
    from ipuaro_jupyter.replay import check_answers  # noqa: PLC0415 - the same
    from ipuaro_jupyter.views.receipts.checked_answers import text  # noqa: PLC0415 - the same

    line = ProgressLine()
    with ExitStack() as stack:
        stack.enter_context(told())
        stack.callback(line.end)
        cancel = stack.enter_context(stoppable())
        opened = start(project, new=True, progress=line.show, cancel=cancel)
        assistant = stack.enter_context(opened)
        report = check_answers(file, assistant.project(cancel), ignored=assistant.tool_names)
        line.end()
    click.echo(json_text(report.to_dict()) if as_json else text(report))
    sys.exit(1 if report.untrue else 0)

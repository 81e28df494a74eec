"""``ipuaro index``: bring the index of a project up to date and print a summary."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ipuaro_jupyter.cli.project_folder import path_argument
from ipuaro_jupyter.cli.terminal import (
    ProgressLine,
    json_text,
    removed_option,
    stoppable,
    tell_notices,
    told,
    write,
)
from ipuaro_jupyter.views.markup import counted, visible

if TYPE_CHECKING:
    from ipuaro_jupyter.records.index_report import IndexReport
    from ipuaro_jupyter.status import Status


@click.command("index", short_help="Bring the index of a project up to date.")
@path_argument
@click.option("--full", is_flag=True, help="Read every file again, also unchanged ones.")
@click.option("--dump", type=click.Path(dir_okay=False), help="Write one JSON object per file.")
@removed_option("--export", instead="each project is indexed by itself", is_flag=False)
@click.option("--json", "as_json", is_flag=True, help="Print a summary of the index as JSON.")
def command(
    *,
    path: str | None,
    full: bool,
    dump: str | None,
    as_json: bool,
) -> None:
    """Index the project at PATH, by default the current folder."""
    from ipuaro_jupyter.assistant import start  # noqa: PLC0415 - heavy, not needed for --help

    line = ProgressLine()
    with ExitStack() as stack:
        stack.enter_context(told())
        stack.callback(line.end)
        cancel = stack.enter_context(stoppable())
        assistant = stack.enter_context(
            start(path or ".", new=True, progress=line.show, cancel=cancel)
        )
        report = assistant.reindex(line.show, cancel) if full else assistant.index_report()
        line.end()
        tell_notices(assistant)
        if as_json:
            click.echo(json_text(report.to_dict()))
        else:
            _tell(assistant.status(), report)
        if dump is not None:
            lines = (json.dumps(file, ensure_ascii=False) + "\n" for file in assistant.dump())
            write(Path(dump), lines)


def _tell(status: "Status", report: "IndexReport") -> None:
    """Print a summary of the index on standard output, and its gaps on standard error."""
    from ipuaro_jupyter.records.index_report import indexing  # noqa: PLC0415 - see above

    kinds = ((status.files, "file"), (status.symbols, "symbol"), (status.edges, "import"))
    counts = ", ".join(counted(*kind) for kind in kinds)
    took = indexing(report.parsed, report.known, report.seconds)
    click.echo(f"{status.root}: {counts}; {took}")
    for path, reason in report.skipped.items():
        click.echo(visible(f"skipped {path}: {reason}"), err=True)
    for path, reason in report.not_analysed.items():
        click.echo(visible(f"only the lines of {path}: {reason}"), err=True)
    if report.notice:
        click.echo(report.notice, err=True)

"""The command line: ``ipuaro index``, ``ipuaro tool`` and ``ipuaro demo``.

Exit status: 0 done; 1 the tool, the demo or the index failed; 2 wrong arguments, settings or
project; 3 Redis cannot be reached; 130 stopped.
"""

import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ipuaro_jupyter import __version__
from ipuaro_jupyter.errors import Cancelled, IpuaroError, SettingsError, StorageError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.whole_file import write_whole

if TYPE_CHECKING:
    from ipuaro_jupyter.cancellation import CancelToken
    from ipuaro_jupyter.records.events import IndexProgress
    from ipuaro_jupyter.records.index_report import IndexReport
    from ipuaro_jupyter.status import Status


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ipuaro")
def main() -> None:
    """Work with the assistant for a codebase from the command line."""


@contextmanager
def _told() -> Iterator[None]:
    """Tell the user an error in one line instead of a traceback."""
    try:
        yield
    except Cancelled:
        click.echo("ipuaro: stopped", err=True)
        sys.exit(130)
    except IpuaroError as error:
        click.echo(f"ipuaro: {error}", err=True)
        sys.exit(3 if isinstance(error, StorageError) else 2)


@contextmanager
def _stoppable() -> Iterator["CancelToken"]:
    """Give a token that Ctrl-C sets; a second one ends the program as ever."""
    from ipuaro_jupyter.cancellation import CancelToken  # noqa: PLC0415 - not needed for --help

    token = CancelToken()

    def stop(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, before)
        threading.Thread(target=token.cancel).start()  # this thread may hold the token's lock

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield token
    finally:
        signal.signal(signal.SIGINT, before)


class _ProgressLine:
    """How far the index is, on standard error: one line on a terminal, else one per phase."""

    def __init__(self) -> None:
        self._phase = ""
        self._is_terminal = sys.stderr.isatty()

    def show(self, progress: "IndexProgress") -> None:
        """Show it, unless that was done."""
        from ipuaro_jupyter.views.progress import index_text  # noqa: PLC0415 - see above

        if self._is_terminal:
            click.echo(f"\r\x1b[K{index_text(progress)}", nl=False, err=True)
        elif progress.phase != self._phase:
            click.echo(index_text(progress), err=True)
        self._phase = progress.phase

    def end(self) -> None:
        """Take the line away."""
        if self._is_terminal and self._phase:
            click.echo("\r\x1b[K", nl=False, err=True)


@main.command()
@click.argument("path", default=".")
@click.option("--full", is_flag=True, help="Read every file again, also unchanged ones.")
@click.option("--dump", type=click.Path(dir_okay=False), help="Write one JSON object per file.")
def index(path: str, full: bool, dump: str | None) -> None:  # noqa: FBT001 - click's
    """Index the project at PATH, by default the current folder."""
    from ipuaro_jupyter.assistant import start  # noqa: PLC0415 - heavy, not needed for --help

    line = _ProgressLine()
    with ExitStack() as stack:
        stack.enter_context(_told())
        stack.callback(line.end)
        cancel = stack.enter_context(_stoppable())
        assistant = stack.enter_context(start(path, new=True, progress=line.show, cancel=cancel))
        report = assistant.reindex(line.show, cancel) if full else assistant.index_report()
        line.end()
        _tell(assistant.status(), report)
        if dump is not None:
            lines = (json.dumps(file, ensure_ascii=False) + "\n" for file in assistant.dump())
            _write(Path(dump), lines)


def _tell(status: "Status", report: "IndexReport") -> None:
    """Say what the index holds on standard output, what it lacks on standard error."""
    click.echo(
        f"{status.root}: {status.files} files, {status.symbols} symbols, "
        f"{status.edges} imports in {status.index_seconds:.2f} s"
    )
    for path, reason in report.skipped.items():
        click.echo(f"skipped {path}: {reason}", err=True)
    for path, reason in report.not_analysed.items():
        click.echo(f"only the lines of {path}: {reason}", err=True)
    if report.notice:
        click.echo(report.notice, err=True)


@main.command()
@click.argument("name")
@click.argument("arguments", default="{}", metavar="JSON")
@click.option("--project", default=".", help="The project's folder; by default this one.")
@click.option("--yes", is_flag=True, help="Apply what the tool proposes without a question.")
def tool(name: str, arguments: str, project: str, yes: bool) -> None:  # noqa: FBT001 - click's
    """Run the tool NAME with the arguments of a JSON object; print its result as JSON.

    Without --yes, proposals are shown and asked for when this is a terminal, else rejected.
    """
    from ipuaro_jupyter.assistant import start  # noqa: PLC0415 - heavy, not needed for --help

    given = _arguments(arguments)
    confirm = _approve if yes else _ask if sys.stdin.isatty() else None
    with _told(), start(project, confirm=confirm, new=True) as assistant:
        result = assistant.call(name, given)
    click.echo(json.dumps(result.to_dict(), ensure_ascii=False, indent=2))
    sys.exit(0 if result.success else 1)


@main.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("--model", help="Ask this Ollama model instead of the recorded one.")
@click.option("--lab", is_flag=True, help="Open the notebook in JupyterLab afterwards.")
def demo(folder: str | None, model: str | None, lab: bool) -> None:  # noqa: FBT001 - click's
    """Run the quickstart notebook on a small TypeScript application in FOLDER.

    By default in ./ipuaro-demo. Needs neither Ollama nor Redis nor a network.
    """
    from ipuaro_jupyter.demo import run_demo  # noqa: PLC0415 - heavy, not needed for --help

    with _told():
        sys.exit(run_demo(Path(folder) if folder else None, model=model, lab=lab))


def _arguments(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no JSON: {error}", param_hint="JSON") from None
    if not isinstance(given, dict):
        raise click.BadParameter(f"{text!r} is no JSON object", param_hint="JSON")
    return given


def _approve(proposal: Proposal) -> Decision:
    if proposal.kind == "settings":  # --yes is about what the tool proposes
        return Decision(action="reject", by="nobody")
    return Decision(action="apply")


def _ask(proposal: Proposal) -> Decision:
    """Show a proposal in the terminal and ask."""
    from ipuaro_jupyter.views.proposal import detail_text  # noqa: PLC0415 - rarely needed

    click.echo(detail_text(proposal), err=True)
    try:
        return Decision(action="apply" if click.confirm("Apply?", err=True) else "reject")
    except click.Abort:
        raise Cancelled from None


def _write(path: Path, lines: Iterator[str]) -> None:
    try:
        write_whole(path, lines)
    except OSError as error:
        raise SettingsError(f"{str(path)!r} cannot be written: {error.strerror}.") from error


if __name__ == "__main__":
    main()

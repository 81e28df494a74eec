"""Output and questions of commands in a terminal."""

import codecs
import json
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ipuaro_jupyter.errors import (
    Cancelled,
    IpuaroError,
    ModelError,
    SettingsError,
    StorageError,
    ToolError,
)
from ipuaro_jupyter.views.markup import visible
from ipuaro_jupyter.whole_file import write_whole

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant import Assistant
    from ipuaro_jupyter.cancellation import CancelToken
    from ipuaro_jupyter.records.change import Decision, Proposal
    from ipuaro_jupyter.records.events import IndexProgress


_Command = TypeVar("_Command", bound=Callable[..., Any])


@contextmanager
def told() -> Iterator[None]:
    """Print an error in one line instead of a traceback, and end the program."""
    try:
        yield
    except Cancelled:
        click.echo("ipuaro: stopped", err=True)
        sys.exit(130)
    except IpuaroError as error:
        click.echo(visible(f"ipuaro: {error}"), err=True)
        sys.exit(_exit_status(error))


def _exit_status(error: IpuaroError) -> int:
    if isinstance(error, ToolError):
        return 1
    if isinstance(error, StorageError):
        return 3
    return 4 if isinstance(error, ModelError) else 2


@contextmanager
def stoppable() -> Iterator["CancelToken"]:
    """Provide a token that Ctrl-C sets; a second Ctrl-C ends the program as usual."""
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


@contextmanager
def interruptible(token: "CancelToken") -> Iterator[None]:
    """Let Ctrl-C end a question inside `stoppable`; otherwise it would keep waiting for input.

    Raises:
        Cancelled: It was pressed; ``token`` is set then.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        token.cancel()
        raise Cancelled from None
    finally:
        signal.signal(signal.SIGINT, before)


class ProgressLine:
    """The progress of indexing on standard error.

    On a terminal it is one line. Elsewhere it is one as a phase begins, and one at each quarter of
    it, at most one in ``pause_s`` seconds.
    """

    def __init__(self, *, pause_s: float = 1.0) -> None:
        self._phase = ""
        self._quarter = 0
        self._next_s = 0.0
        self._pause_s = pause_s
        self._is_terminal = sys.stderr.isatty()

    def show(self, progress: "IndexProgress") -> None:
        """Show the progress, unless it has already been shown."""
        from ipuaro_jupyter.views.progress import progress_text  # noqa: PLC0415 - see above

        quarter = 4 * progress.done // progress.total if progress.total else 0
        is_begun = progress.phase != self._phase
        if self._is_terminal:
            click.echo(f"\r\x1b[K{progress_text(progress)}", nl=False, err=True)
        elif is_begun or (quarter > self._quarter and time.monotonic() >= self._next_s):
            click.echo(progress_text(progress), err=True)
            self._quarter, self._next_s = quarter, time.monotonic() + self._pause_s
        self._phase = progress.phase

    def end(self) -> None:
        """Remove the line."""
        if self._is_terminal and self._phase:
            click.echo("\r\x1b[K", nl=False, err=True)


def tell_notices(assistant: "Assistant") -> None:
    """Print remarks about the settings on standard error."""
    for notice in assistant.notices:
        click.echo(visible(notice), err=True)


def removed_option(name: str, *, instead: str, is_flag: bool) -> Callable[[_Command], _Command]:
    """Declare an option that no longer exists: it is told what to do instead, and ignored."""

    def tell(_context: click.Context, _option: click.Parameter, value: object) -> None:
        if value:
            click.echo(f"{name} no longer exists and is ignored: {instead}.", err=True)

    return click.option(name, is_flag=is_flag, hidden=True, expose_value=False, callback=tell)


def json_text(value: Any) -> str:
    """JSON text, with letters escaped where standard output would replace some."""
    is_whole = codecs.lookup(sys.stdout.encoding).name == "utf-8"
    return json.dumps(value, ensure_ascii=not is_whole, indent=2)


def can_ask() -> bool:
    """Whether a question on standard error would be seen, and can be answered here."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(proposal: "Proposal") -> "Decision":
    """Show a proposal in the terminal and ask.

    Raises:
        Cancelled: The user interrupted the question.
    """
    from ipuaro_jupyter.records.change import Decision  # noqa: PLC0415 - not needed for --help
    from ipuaro_jupyter.terminal_turn import forget_typed  # noqa: PLC0415 - rarely needed
    from ipuaro_jupyter.views.diffs.unseen import unseen_note  # noqa: PLC0415 - the same
    from ipuaro_jupyter.views.proposal import detail_text, unseen_in  # noqa: PLC0415 - the same

    forget_typed()
    click.echo(detail_text(proposal, offers_check=False), err=True)
    left = unseen_in(proposal)
    try:
        while left.lines and click.confirm(f"Show more ({unseen_note(left.lines)})?", err=True):
            click.echo(left.page(), err=True)
        unseen = f" ({unseen_note(left.lines)})" if left.lines else ""
        applied = click.confirm(f"Apply{unseen}?", err=True)
        return Decision(action="apply" if applied else "reject")
    except click.Abort:
        raise Cancelled from None


def nobody(proposal: "Proposal", *, edits: str, others: str) -> "Decision":
    """Reject, because there is no terminal to ask in.

    Args:
        proposal: The proposal.
        edits: The option that allows edits, creates and deletes.
        others: The option that allows everything else except a project's own settings.
    """
    from ipuaro_jupyter.records.change import Decision  # noqa: PLC0415 - not needed for --help
    from ipuaro_jupyter.workspace.approval import EDITS  # noqa: PLC0415 - the same

    if proposal.kind == "settings":
        return Decision(action="reject", by="nobody")
    is_edit = proposal.kind in EDITS
    allowed_by = edits if is_edit else others
    return Decision(action="reject", by="nobody", allowed_by=allowed_by)


def write(path: Path, lines: Iterable[str]) -> None:
    """Write a file atomically.

    Raises:
        SettingsError: It cannot be written.
    """
    try:
        write_whole(path, lines)
    except OSError as error:
        raise SettingsError(f"{str(path)!r} cannot be written: {error.strerror}.") from error

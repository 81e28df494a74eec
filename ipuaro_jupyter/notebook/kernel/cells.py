"""The cells that a kernel has run: their errors, and their outputs as text."""

import logging
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ipuaro_jupyter.notebook.awaiting import is_ours
from ipuaro_jupyter.notebook.kernel.stored_fields import (
    bases,
    class_name,
    native_field,
    stored,
)
from ipuaro_jupyter.records.kernel import FailedCell, RaisedError, RanCell
from ipuaro_jupyter.records.terminal_codes import without_codes

if TYPE_CHECKING:
    from ipuaro_jupyter.notebook.kernel.brief import Hidden

_MOST_CELLS, _MOST_FAILED, _SOURCE, _OUTPUT, _READ = 30, 20, 4000, 4000, 50_000
_AWAITS = re.compile(r"\bawait\b|\basync\s+(?:for|with)\b")
_PARTIAL = 1000
_NUMBER = re.compile(r"\d+")
_log = logging.getLogger(__name__)
_COMMAND = re.compile(r"^\s*!(?![=!])", re.MULTILINE)
_SURELY_RUN = re.compile(r"^!(?![=!])", re.MULTILINE)
"""One in a block may not have run, and the status is that of an earlier cell."""
_PROCESS = ("subprocess.CalledProcessError", "subprocess.TimeoutExpired")
_KEPT = ("tb", "stdout", "output", "stderr")
"""Where errors of other processes keep what those have printed, or their traceback as text."""
_MOST, _ERRORS = 200_000, 5
_LONGEST_S, _STEP_S = 0.3, 0.03
_MAY_BE_FINE = (1, -signal.SIGINT, -getattr(signal, "SIGPIPE", 0))
"""Nothing found, stopped by the user, no reader left: the output has to tell of an error too."""


class _KeptFailure(NamedTuple):
    """A cell that failed; ``id`` tells it from others of the notebook where it has one.

    ``output`` is what its error keeps of the output of a command, with secrets.
    """

    cell: FailedCell
    id: str | None
    output: str = ""


class _UnreadError(NamedTuple):
    """An error that is read once it is known how to remove secrets from it.

    ``error`` is a record where no exception, but a command has ended the cell.
    """

    number: int
    source: str
    id: str | None
    error: BaseException | RaisedError


class RunCells:
    """Follows the cells of one kernel, except for ours.

    Args:
        shell: IPython's shell, which keeps the sources and the outputs.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._failed: list[_KeptFailure] = []
        self._unread: list[_UnreadError] = []
        self._numbers: list[int] = []
        self._commands: dict[int, str] = {}
        self._hidden: Hidden | None = None
        self._shown_before: int | None = None

    def hide(self, hidden: "Hidden") -> None:
        """Use this to remove secrets from texts; no error is read before.

        What is cut before secrets are removed may end in a part of one.
        """
        self._hidden = hidden
        unread, self._unread = self._unread, []
        for one in unread:
            self._failed.append(self._read(one, hidden))

    def begin(self) -> None:
        """Take what has run before as far as IPython has kept it."""
        self._shown_before = _id_of_shown()
        exceptions = getattr(self._shell.history_manager, "exceptions", None)
        error = getattr(sys, "last_value", None)
        if exceptions and error is not None:
            number = max(exceptions)
            source = self._source(number)
            if not is_ours(source):
                self._note_error(_UnreadError(number, source, None, error))

    def about_to_run(self, info: Any) -> None:
        """Note which error was shown last; IPython calls it with what it knows of the next cell."""
        if info is not None and info.store_history:
            self._shown_before = _id_of_shown()

    def note(self, result: Any) -> None:
        """Note a cell that has run; IPython calls it with its result after each."""
        try:
            self._note(result)
        except Exception:  # noqa: BLE001 - it must never disturb the user's cell
            _log.exception("A cell could not be noted")
        self.about_to_run(result.info)

    def failed(self, number: int | None = None) -> FailedCell | None:
        """A cell that failed and was not repeated without an error since; None without one.

        Args:
            number: Its number; None for the latest.
        """
        found = [one for one in self._failed if number in (None, one.cell.number)]
        if not found:
            return None
        failed = found[-1].cell
        printed = "\n".join(one for one in (self._output(failed.number), found[-1].output) if one)
        update = {
            "later": sum(number > failed.number for number in self._numbers),
            "source": self._shown(failed.source, _READ),
            "printed": self._shown(without_codes(printed), _READ),
        }
        return failed.model_copy(update=update)

    def failures(self) -> tuple[tuple[int, str | None], ...]:
        """The number, and the id in the notebook where it has one, of each that `failed` finds."""
        return tuple((one.cell.number, one.id) for one in self._failed)

    def ran(self) -> tuple[RanCell, ...]:
        """The latest cells in the order in which they ran, with their outputs."""
        return tuple(self._ran())

    def _note(self, result: Any) -> None:
        info = result.info
        if info is None or not info.store_history:
            return
        source = info.raw_cell
        if is_ours(source):
            return
        error = result.error_before_exec
        error = result.error_in_exec if error is None else error
        if error is None and _id_of_shown() != self._shown_before:
            error = getattr(
                sys, "last_value", None
            )  # %run and %%capture show it, and do not raise it again
        number = result.execution_count
        if number is None and error is not None:  # IPython has failed to show the error
            number = len(self._shell.history_manager.input_hist_raw) - 1
        if number is None:
            return
        if error is None:
            self._commands[number] = command_end(self._shell, source)
            error = failed_command(self._shell, source, self._output(number))
        else:
            let_output_come(error, partial(self._output, number))
        self._numbers.append(number)
        mine = info.cell_id
        self._failed = [
            one for one in self._failed if not _is_again(source, mine, one.cell.source, one.id)
        ]
        self._unread = [
            one for one in self._unread if not _is_again(source, mine, one.source, one.id)
        ]
        if error is not None:
            self._note_error(_UnreadError(number, source, mine, error))

    def _note_error(self, unread: _UnreadError) -> None:
        if self._hidden is None:
            self._unread = [*self._unread, unread][-_MOST_FAILED:]
        else:
            failure = self._read(unread, self._hidden)
            self._failed = [*self._failed, failure][-_MOST_FAILED:]

    def _read(self, unread: _UnreadError, hidden: "Hidden") -> _KeptFailure:
        """The failure of a cell; at least the class of its error."""
        from ipuaro_jupyter.notebook.kernel.raised import raised  # noqa: PLC0415 - loads every room

        error = unread.error
        cell = FailedCell(number=unread.number, source=unread.source, errors=())
        if isinstance(error, RaisedError):
            told = cell.model_copy(update={"errors": (error,), "of_command": True})
            return _KeptFailure(told, unread.id)
        errors: tuple[RaisedError, ...] = (
            RaisedError(type=class_name(type(error)), message="", frames=()),
        )
        output = ""
        try:
            shown = self._exception(unread.number).get("evalue")
            shown = shown if type(shown) is str else ""
            errors = raised(error, cell_of=self._cell_of, hidden=hidden, told=shown) or errors
            output = kept_output(error)
        except Exception:  # noqa: BLE001 - the class of an error is better than the error before it
            _log.exception("An error could not be read")
        update = {"errors": errors, "of_command": is_of_command(error)}
        return _KeptFailure(cell.model_copy(update=update), unread.id, output)

    def _shown(self, text: str, most: int) -> str:
        """A text without secrets: all of it, or its beginning and its end."""
        hidden = self._hidden or _nothing
        if len(text) <= 2 * _READ:
            return _ends(_clean(hidden(text)), most)
        head, end, cut = text[:_READ].rpartition("\n")
        start, begin, tail = text[-_READ:].partition("\n")
        head = head if end else cut[:-_PARTIAL]  # a secret is not found by a part of it
        tail = tail if begin else start[_PARTIAL:]
        first, last = (_clean(hidden(one)) for one in (head, tail))
        half = most // 2
        return f"{first[:half]}{_left_out(len(text) - 2 * half)}{last[-half:]}"

    def _cell_of(self, file: str) -> int | None:
        """The number of the cell with the code of this file name."""
        told = self._shell.compile.format_code_name(file)
        found = _NUMBER.search(told[1]) if told and told[0] == "Cell" else None
        return int(found.group()) if found else None

    def _ran(self) -> Iterator[RanCell]:
        sources = list(enumerate(self._shell.history_manager.input_hist_raw))[1:]
        told = [(number, source) for number, source in sources if not is_ours(source)]
        for number, source in told[-_MOST_CELLS:]:
            failure = self._exception(number)
            names = [failure.get("ename"), failure.get("evalue")]
            error = ": ".join(one for one in names if type(one) is str and one)
            error = error or self._commands.get(number, "")
            yield RanCell(
                number=number,
                source=self._shown(source, _SOURCE),
                output=self._shown(self._output(number), _OUTPUT),
                is_whole=self._keeps_outputs(source),
                error=self._shown(error, _SOURCE),
            )

    def _source(self, number: int) -> str:
        sources = self._shell.history_manager.input_hist_raw
        return sources[number] if number < len(sources) else ""

    def _exception(self, number: int) -> Mapping[str, Any]:
        """What IPython 9 keeps of the error of a cell."""
        known = getattr(self._shell.history_manager, "exceptions", None) or {}
        found = known.get(number)
        return found if type(found) is dict else {}

    def _keeps_outputs(self, source: str) -> bool:
        """Whether IPython keeps the outputs of a cell: IPython 9 does, unless the cell awaits."""
        return hasattr(self._shell.history_manager, "outputs") and not _AWAITS.search(source)

    def _output(self, number: int) -> str:
        """The outputs of a cell as text, as far as IPython 9 keeps them."""
        known = getattr(self._shell.history_manager, "outputs", None) or {}
        parts = [_text(one) for one in list(known.get(number, ()))]
        return without_codes("\n".join(part for part in parts if part))


def _id_of_shown() -> int | None:
    """Which error Python has shown last; to keep the error itself would keep all that it holds."""
    error = getattr(sys, "last_value", None)
    return None if error is None else id(error)


def _text(output: Any) -> str:
    """The text of one output; of a picture or a widget only its kind."""
    bundle = output.bundle
    if "stream" in bundle:
        return "".join(piece for piece in bundle["stream"] if type(piece) is str).rstrip("\n")
    for kind in ("text/plain", "text/markdown"):
        if type(bundle.get(kind)) is str:
            pictures = [name for name in bundle if name.startswith("image/")]
            return "\n".join([bundle[kind], *(f"[{name}]" for name in pictures)])
    return "\n".join(f"[{name}]" for name in bundle)


def _ends(text: str, most: int) -> str:
    """The text, or the beginning and the end of a long one."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}{_left_out(len(text) - 2 * half)}{text[-half:]}"


def _left_out(count: int) -> str:
    return f"\n… {count:,} characters left out …\n"


def _is_again(source: str, cell_id: str | None, known: str, known_id: str | None) -> bool:
    """Whether a cell that has run is one that was run before."""
    return source == known or (cell_id is not None and cell_id == known_id)


def _nothing(_text: str) -> str:
    """What is told of a text as long as secrets cannot be removed."""
    return ""


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def failed_command(shell: Any, source: str, output: str) -> RaisedError | None:
    """The failure of a ``!command``, which ends a cell without an exception; None without one.

    A status of 1 may only tell that nothing was found, so that the output has to tell of an error
    too; and IPython may miss the status, which then counts as zero, so that an error at the end of
    the output is enough.

    Args:
        shell: IPython's shell, which keeps the status of the last command.
        source: The cell as typed.
        output: What it has printed.
    """
    if not _COMMAND.search(source):
        return None
    from ipuaro_jupyter.project.traces.printed_errors import (  # noqa: PLC0415 - late
        ends_in_error,
        printed_errors,
    )

    status, told = _status(shell), output[-_MOST:]
    is_failure = status not in _MAY_BE_FINE and command_end(shell, source)
    if status and (is_failure or printed_errors(told)):
        return RaisedError(type=_ended(status), message="", frames=())
    if ends_in_error(told):
        return RaisedError(type="A command printed an error", message="", frames=())
    return None


def command_end(shell: Any, source: str) -> str:
    """How the last ``!command`` of a cell ended, in words; "" if well, or if it may not have run.

    Args:
        shell: IPython's shell, which keeps the status of the last command.
        source: The cell as typed.
    """
    status = _status(shell)
    return _ended(status) if status and _SURELY_RUN.search(source) else ""


def _status(shell: Any) -> int:
    status = shell.user_ns.get("_exit_code")
    return status if type(status) is int else 0


def _ended(status: int) -> str:
    how = f"exit status {status}" if status > 0 else f"signal {-status}"
    return f"A command ended with {how}"


def is_of_command(error: BaseException) -> bool:
    """Whether an error tells that a command has failed."""
    return any(class_name(kind) in _PROCESS for kind in bases(type(error)))


def let_output_come(error: object, output: Callable[[], str]) -> None:
    """Wait a little until ``output`` returns all that a failed command has printed.

    A thread of ipykernel reads what a command writes to the kernel's own streams, and IPython keeps
    what comes until the cell has ended.
    """
    if not isinstance(error, BaseException) or not is_of_command(error) or kept_output(error):
        return
    before, ends_s = "", time.monotonic() + _LONGEST_S
    while time.monotonic() < ends_s and not (before and before == output()):
        before = output()
        time.sleep(_STEP_S)


def kept_output(error: BaseException) -> str:
    """What an error, and those that led to it, keep of the output of other processes."""
    found: list[str] = []
    one: BaseException | None = error
    for _ in range(_ERRORS):
        if one is None:
            break
        for name, value in stored(one):
            if name in _KEPT and type(value) in (str, bytes):
                text = value if isinstance(value, str) else value.decode("utf-8", "replace")
                found.append(text[-_MOST:])
        cause = native_field(BaseException, one, "__cause__")
        one = native_field(BaseException, one, "__context__") if cause is None else cause
    return "\n".join(dict.fromkeys(text for text in found if text))

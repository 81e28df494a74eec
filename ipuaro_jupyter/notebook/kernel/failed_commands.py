"""What a cell's commands tell of their failures: the exit status, and what they have printed."""

import re
import signal
import time
from collections.abc import Callable
from typing import Any

from ipuaro_jupyter.notebook.kernel.stored_fields import (
    bases,
    class_name,
    native_field,
    stored,
)
from ipuaro_jupyter.records.kernel import RaisedError

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

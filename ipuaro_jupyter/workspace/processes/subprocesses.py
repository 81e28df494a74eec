"""Run programs with bounded output, a time limit, and nothing left running."""

import os
import selectors
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.found_programs import absolute_path
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.workspace.processes.environment import without_withheld
from ipuaro_jupyter.workspace.processes.head_tail import HeadTail

OUTPUT_LIMIT = 64 * 1024 * 1024
_TICK_S = 0.05  # the delay before the end is noticed when another process still holds the pipes
_GRACE_S = 0.5  # between SIGTERM, which lets git remove its locks, and SIGKILL
_DRAIN_S = 0.2  # for output still in the pipes when the program has ended
_GONE_S = 10.0  # a process that survives SIGKILL for so long hangs in the operating system
_CHUNK = 65536


class FinishedProcess(Record):
    """The result of a program: ``exit_code`` is -N when signal N ended it.

    ``truncated`` says that the middle of an output was left out; a line in it gives the amount.
    """

    stdout: bytes
    stderr: bytes
    exit_code: int
    duration_ms: int
    truncated: bool = False


class Child:
    """A program in a session of its own, whose output is collected while `wait` runs.

    Leaving the ``with`` block ends the program and everything it has started.

    Args:
        argv: The program and its arguments; no shell is involved.
        cwd: The folder to run in.
        env: The complete environment; None inherits ours.
        input_: The content of its standard input, which then ends.
        output_limit: Bytes kept of each output, half from each end.
        supervised: Run under `supervisor`: the whole tree, including processes that leave the
            group, then dies with this process too, even when this process is killed.
        merged: Both outputs become one, in the order in which they were written.

    Raises:
        ToolError: "command" when the program is missing or cannot be started.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        input_: bytes = b"",
        output_limit: int = OUTPUT_LIMIT,
        supervised: bool = False,
        merged: bool = False,
    ) -> None:
        self.program = argv[0]
        check_present(self.program, cwd, os.environ if env is None else env)
        self._lock, self._turns = threading.Lock(), threading.Lock()
        self._started = time.monotonic()
        self._ended: float | None = None
        self._kill_at: float | None = None
        self._tie, self._popen = _start(
            argv,
            cwd,
            env,
            stdin=subprocess.PIPE if input_ else subprocess.DEVNULL,
            stderr=subprocess.STDOUT if merged else subprocess.PIPE,
            supervised=supervised,
        )
        self._out, self._err = HeadTail(output_limit), HeadTail(output_limit)
        self._input = memoryview(input_)
        self._selector = selectors.DefaultSelector()
        for pipe, sink in ((self._popen.stdout, self._out), (self._popen.stderr, self._err)):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                self._selector.register(pipe, selectors.EVENT_READ, sink)
        if self._popen.stdin is not None:
            os.set_blocking(self._popen.stdin.fileno(), False)
            self._selector.register(self._popen.stdin, selectors.EVENT_WRITE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
        self.wait(_GONE_S)

    @property
    def pid(self) -> int:
        """The process id, which is also the id of the process group."""
        return self._popen.pid

    @property
    def running(self) -> bool:
        """Whether the end has not been seen yet; only `wait` notices it."""
        return self._ended is None

    def finished(self) -> FinishedProcess:
        """The result so far; ``exit_code`` is -1 while the program runs."""
        code = self._popen.returncode
        until = time.monotonic() if self._ended is None else self._ended
        return FinishedProcess(
            stdout=self._out.value(),
            stderr=self._err.value(),
            exit_code=-1 if code is None else code,
            duration_ms=round((until - self._started) * 1000),
            truncated=self._out.truncated or self._err.truncated,
        )

    def wait(self, timeout_s: float) -> bool:
        """Collect output until the program has ended; False when ``timeout_s`` passed first.

        Processes left in its group are killed.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            with self._turns:
                if self._ended is not None:
                    return True
                remaining = deadline - time.monotonic()
                if remaining <= 0:
                    return False
                self._pump(min(_TICK_S, remaining))
                self._escalate()
                if self._popen.poll() is not None:
                    self._finish()

    def follow(self) -> threading.Thread:
        """Collect output in a thread until the program ends; `stop` ends it early."""
        thread = threading.Thread(target=self.wait, args=(threading.TIMEOUT_MAX,), daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """Ask the whole tree to end, without waiting; from any thread, any number of times.

        The waiting thread kills processes that ignore SIGTERM.
        """
        with self._lock:
            if self._ended is not None or self._kill_at is not None:
                return
            self._kill_at = time.monotonic() + _GRACE_S
            if self._tie is None:
                self._signal(signal.SIGTERM)
            else:  # the supervisor does the same, and knows the whole tree
                self._kill_at += _GONE_S / 2
                self._untie()

    def _pump(self, timeout_s: float) -> bool:
        """Move data through the pipes; return whether there was any."""
        if not self._selector.get_map():
            with suppress(subprocess.TimeoutExpired):
                self._popen.wait(timeout_s)
            return False
        events = self._selector.select(timeout_s)
        for key, _ in events:
            if key.data is None:
                self._feed()
                continue
            chunk = os.read(key.fd, _CHUNK)
            if chunk:
                key.data.add(chunk)
            else:
                self._selector.unregister(key.fileobj)
        return bool(events)

    def _feed(self) -> None:
        pipe = self._popen.stdin
        assert pipe is not None  # noqa: S101 - it was registered
        try:
            self._input = self._input[os.write(pipe.fileno(), self._input[:_CHUNK]) :]
        except BrokenPipeError:  # the program has stopped reading
            self._input = self._input[:0]
        if not self._input:
            self._selector.unregister(pipe)
            pipe.close()

    def _escalate(self) -> None:
        if self._kill_at is not None and time.monotonic() > self._kill_at:
            self._signal(signal.SIGKILL)

    def _finish(self) -> None:
        """Kill the rest of the group, collect the last output and close everything."""
        self._signal(signal.SIGKILL)
        drained = time.monotonic() + _DRAIN_S
        while self._selector.get_map() and time.monotonic() < drained:
            if not self._pump(0.01):
                break
        self._selector.close()
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if pipe is not None:
                pipe.close()
        with self._lock:
            self._untie()
            self._ended = time.monotonic()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, number)

    def _untie(self) -> None:
        if self._tie is not None:
            tie, self._tie = self._tie, None
            end_supervised(tie)


def _start(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str] | None,
    *,
    stdin: int,
    stderr: int,
    supervised: bool,
) -> tuple[int | None, subprocess.Popen[bytes]]:
    """Start a program; return it with our end of the pipe that ties a supervisor to us."""
    program = argv[0]
    if env is None:
        env = {**os.environ, "PATH": absolute_path(os.environ)}
    with ExitStack() as stack:
        tie: int | None = None
        held: tuple[int, ...] = ()
        if supervised:
            read_end, tie = os.pipe()
            stack.callback(os.close, read_end)
            held = (read_end,)
            argv = supervised_argv(argv, read_end)
        try:
            popen = subprocess.Popen(  # noqa: S603 - the callers are the only ones who start
                list(argv),
                cwd=cwd,
                env=without_withheld(env),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                bufsize=0,
                start_new_session=True,
                pass_fds=held,
            )
        except (OSError, ValueError) as error:
            if tie is not None:
                os.close(tie)
            raise ToolError("command", f"Cannot run {program!r}: {error}") from error
    return tie, popen


def supervised_argv(argv: Sequence[str], control: int) -> list[str]:
    """The argv that runs a program under `supervisor`, which inherits the pipe ``control``."""
    supervisor = str(Path(__file__).with_name("supervisor.py"))
    return [sys.executable, "-I", "-S", supervisor, str(control), *argv]


def end_supervised(tie: int) -> None:
    """Make a supervisor end everything: close our end of its pipe after a signal byte."""
    with suppress(BrokenPipeError):
        os.write(tie, b"x")  # an end of file would wait for all processes that inherited this pipe
    os.close(tie)


def check_present(program: str, cwd: Path, env: Mapping[str, str]) -> None:
    """Raise ToolError unless the program exists, by its path or on the PATH of ``env``.

    Raises:
        ToolError: "command", naming the program.
    """
    found = (
        os.access(cwd / program, os.X_OK)
        if os.sep in program
        else shutil.which(program, path=env.get("PATH"))
    )
    if not found:
        raise ToolError(
            "command",
            f"The program {program!r} is not installed or not on the PATH.",
            suggestion=f"Install {program!r}, or do without it.",
        )


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    timeout_s: float,
    cancel: CancelToken | None = None,
    env: Mapping[str, str] | None = None,
    input_: bytes = b"",
    output_limit: int = OUTPUT_LIMIT,
    supervised: bool = False,
    merged: bool = False,
    too_slow: Callable[[FinishedProcess], ToolError] | None = None,
) -> FinishedProcess:
    """Run a program to its end. A non-zero exit code is a result.

    Args:
        argv: The program and its arguments; no shell is involved.
        cwd: The folder to run in.
        timeout_s: Seconds until the program and everything it has started are killed.
        cancel: Kills them when the user stops.
        env: The complete environment; None inherits ours.
        input_: The standard input.
        output_limit: Bytes kept of each output, half from each end.
        supervised: See `Child`; for programs that may run for long or start others.
        merged: See `Child`.
        too_slow: Makes the error for a time-out from the result so far; None names only the program
            and the time.

    Raises:
        ToolError: "command" when the program is missing, "timeout" when it takes too long.
        Cancelled: The user asked to stop.
    """
    with ExitStack() as stack:
        if cancel is not None:
            cancel.check()
        child = stack.enter_context(
            Child(
                argv,
                cwd=cwd,
                env=env,
                input_=input_,
                output_limit=output_limit,
                supervised=supervised,
                merged=merged,
            )
        )
        if cancel is not None:
            stack.enter_context(cancel.calling(child.stop))
        in_time = child.wait(timeout_s)
        if cancel is not None:
            cancel.check()
        if in_time:
            return child.finished()
        if too_slow is not None:
            raise too_slow(child.finished())
        name = Path(child.program).name
        raise ToolError("timeout", f"{name} took longer than {timeout_s:g} s and was stopped.")

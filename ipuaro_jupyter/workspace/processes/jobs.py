"""Programs that run in the background until they are stopped."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.terminal_codes import without_codes
from ipuaro_jupyter.workspace.processes.relied_files import relies_on
from ipuaro_jupyter.workspace.processes.subprocesses import Child

_OUTPUT_LIMIT = 48_000  # bytes
_MOST_RUNNING = 8
_MOST_KEPT = 32  # including those that have ended
_GONE_S = 10.0


class JobState(Record):
    """The present state of a background job.

    ``output`` holds both outputs, in the order in which they were written; one line replaces a
    middle that was left out. ``exit_code`` is None while the job runs, and 128 + N when signal N
    ended it. ``reason`` says why it was stopped other than on request.
    """

    id: str
    command: str
    state: Literal["running", "ended", "stopped"]
    output: str
    exit_code: int | None
    duration_ms: int
    reason: str = ""


class Job:
    """A program in the background; made by `Jobs.start`."""

    def __init__(
        self,
        id_: str,
        child: Child,
        *,
        command: str,
        relies_on: Collection[str] = (),
        settle: Callable[[], str] | None = None,
    ) -> None:
        self.id = id_
        self.command = command
        self.relies_on = tuple(relies_on)
        self._child = child
        self._settle = settle
        self._stopped: str | None = None
        self._thread = child.follow()

    @property
    def running(self) -> bool:
        """Whether its end has not been seen yet."""
        return self._child.running

    def state(self) -> JobState:
        """The state of the job, with its output so far."""
        running = self.running
        finished = self._child.finished()
        return JobState(
            id=self.id,
            command=self.command,
            state="running" if running else "ended" if self._stopped is None else "stopped",
            output=without_codes(finished.stdout.decode("utf-8", "replace"))
            + ("" if running else self._settled),
            exit_code=None if running else finished.exit_code,
            duration_ms=finished.duration_ms,
            reason=self._stopped or "",
        )

    @cached_property
    def _settled(self) -> str:
        told = "" if self._settle is None else self._settle()
        return f"\n[{told}]\n" if told else ""

    def stop(self, reason: str = "") -> None:
        """End it with everything it has started, and wait for that; a second call does nothing."""
        self.ask_to_stop(reason)
        self.wait(_GONE_S)

    def ask_to_stop(self, reason: str = "") -> None:
        """Like `stop`, without waiting."""
        if self.running:
            self._stopped = reason
            self._child.stop()

    def wait(self, timeout_s: float) -> bool:
        """Wait for its end, at most ``timeout_s`` seconds; return whether it has ended."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()


class Jobs:
    """The background jobs of a project. They end with this object's `close`, or this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._count = 0
        self._closed = False

    def start(
        self,
        argv: Sequence[str],
        *,
        command: str,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        relies_on: Collection[str] = (),
        settle: Callable[[], str] | None = None,
    ) -> Job:
        """Start a program in the background.

        Args:
            argv: The program and its arguments; no shell is involved.
            command: The text to show for it.
            cwd: The folder to run in.
            env: The complete environment; None inherits ours.
            relies_on: Patterns of file names, or paths with a slash; see `stop_relying_on`.
            settle: Called once it has ended; what it returns ends the output.

        Raises:
            ToolError: "command" when the program cannot be started, too many run already, or the
                jobs are closed.
        """
        with self._lock:
            self._check()
            self._count += 1
            child = Child(
                argv, cwd=cwd, env=env, output_limit=_OUTPUT_LIMIT, supervised=True, merged=True
            )
            job = Job(
                f"job-{self._count}", child, command=command, relies_on=relies_on, settle=settle
            )
            self._jobs[job.id] = job
            self._forget()
            return job

    def get(self, id_: str) -> Job:
        """The job with an id; its number alone is enough.

        Raises:
            ToolError: "validation", naming the existing jobs.
        """
        with self._lock:
            known = self._jobs.get(id_) or self._jobs.get(f"job-{id_}")
            if known is not None:
                return known
            there = "; ".join(f"{job.id} ({job.command})" for job in self._jobs.values())
        raise ToolError(
            "validation",
            f"There is no job {id_!r}.",
            suggestion=f"There are: {there}."
            if there
            else "No job was started yet: run_tests with watch starts one.",
        )

    def all(self) -> tuple[Job, ...]:
        """The jobs that run or have ended, in the order in which they were started."""
        with self._lock:
            return tuple(self._jobs.values())

    def stop_relying_on(self, path: str, *, seen: bool = True) -> None:
        """Stop the jobs whose permission relies on a file of the project about to change.

        A change that nobody has ``seen`` stops all: they would run it without a question.
        """
        for job in self.all():
            if job.running and relies_on(path, job.relies_on):
                job.stop(f"{path} was changed, on which it relies; start it again")
            elif job.running and not seen:
                job.stop(f"{path} was changed and nobody has looked at it; start it again")

    def close(self) -> None:
        """Stop all jobs; no more can be started."""
        with self._lock:
            self._closed = True
            jobs = tuple(self._jobs.values())
        for job in jobs:
            job.ask_to_stop("the project was closed")
        for job in jobs:
            job.wait(_GONE_S)

    def _check(self) -> None:
        if self._closed:
            raise ToolError("command", "The project is closed; nothing can be started in it.")
        running = [job.id for job in self._jobs.values() if job.running]
        if len(running) >= _MOST_RUNNING:
            raise ToolError(
                "command",
                f"{len(running)} jobs run already: {', '.join(running)}.",
                suggestion="Stop one of them with the tool job.",
            )

    def _forget(self) -> None:
        """Drop the oldest jobs that have ended."""
        ended = [job.id for job in self._jobs.values() if not job.running]
        for id_ in ended[: max(0, len(self._jobs) - _MOST_KEPT)]:
            del self._jobs[id_]

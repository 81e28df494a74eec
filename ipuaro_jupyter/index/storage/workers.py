"""Parsing in worker processes of our own; see `worker`."""

import os
import queue
import signal
import site
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ipuaro_jupyter.address_space import most_processes
from ipuaro_jupyter.alarms import ALARMS, Alarm
from ipuaro_jupyter.index.extract.batches import (
    NumberedFile,
    parse_batch,
    parse_batch_or_die,
    unparsed_batch,
)
from ipuaro_jupyter.index.storage import worker


class Workers(NamedTuple):
    """What parses large amounts, for one update of the index.

    Attributes:
        executor: Runs `parse_batch`; shut down after the update.
        most_waiting: How many batches it may have at a time.
    """

    executor: Executor
    most_waiting: int = 8


OpenWorkers = Callable[[], Workers]


class WorkerError(RuntimeError):
    """A call failed: its worker died or took too long, or the function raised."""


class _WorkerLostError(WorkerError):
    """The worker died or was killed for taking too long."""

    def __init__(
        self, message: str, *, is_late: bool = False, has_ended_itself: bool = False
    ) -> None:
        super().__init__(message)
        self.is_late = is_late
        self.has_ended_itself = has_ended_itself


@dataclass(frozen=True)
class _WorkerCall:
    module: str
    function: str
    arguments: list[Any]
    future: "Future[Any]"


class ParseExecutor(Executor):
    """Runs functions of importable modules in worker processes, which start on demand.

    Arguments and results must be MessagePack values (tuples arrive as lists). When a worker dies or
    hangs, it is replaced and its call fails with `WorkerError`. A `parse_batch` whose worker died
    is tried once more, since a worker may be killed for no fault of a file. When that fails too, or
    its worker hung, each file is tried alone: one that cannot be parsed gets facts with a
    ``parse_error``, the others are unaffected.

    Args:
        workers: The number of processes; None for one per processor. Fewer when memory is short.
        timeout_s: The time after which a call is abandoned and its worker killed.
    """

    def __init__(self, workers: int | None = None, *, timeout_s: float = 30.0) -> None:
        self._calls: queue.SimpleQueue[_WorkerCall | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._is_shut = False
        self._limit = most_processes(workers or os.cpu_count() or 1)
        self._timeout_s = timeout_s
        self._workers: list[_Worker] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """The future of ``fn(*args)``, run in a worker.

        Raises:
            TypeError: There are keyword arguments, or ``fn`` is not a function of a module.
            RuntimeError: The executor has been shut down.
        """
        if kwargs:
            raise TypeError(f"ParseExecutor passes no keyword arguments: {', '.join(kwargs)}")
        name = getattr(fn, "__qualname__", "")
        module = getattr(fn, "__module__", None)
        if module in {None, "__main__"} or not name.isidentifier():
            raise TypeError(f"{fn!r} is not a function of an importable module")
        call = _WorkerCall(str(module), name, list(args), Future())
        with self._lock:
            if self._is_shut:
                raise RuntimeError("cannot submit: the ParseExecutor has been shut down")
            self._calls.put(call)
            if not self._idle.acquire(blocking=False) and len(self._workers) < self._limit:
                self._workers.append(_Worker(self._calls, self._idle, timeout_s=self._timeout_s))
        return call.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the signature of Executor
        """End the workers: after all pending calls, or at once when these are cancelled.

        Args:
            wait: Return only when the workers have ended.
            cancel_futures: Cancel waiting calls, and kill the workers in the middle of theirs.
        """
        with self._lock:
            self._is_shut = True
            workers = list(self._workers)
        if cancel_futures:
            self._cancel_waiting()
            for worker in workers:
                worker.kill()
        for _ in workers:
            self._calls.put(None)
        if wait:
            for worker in workers:
                worker.join()

    def _cancel_waiting(self) -> None:
        while True:
            try:
                call = self._calls.get_nowait()
            except queue.Empty:
                return
            if call is not None:
                call.future.cancel()


class _Worker(threading.Thread):
    """A thread that owns one worker process at a time and gives it one call at a time."""

    def __init__(
        self,
        calls: "queue.SimpleQueue[_WorkerCall | None]",
        idle: threading.Semaphore,
        *,
        timeout_s: float,
    ) -> None:
        super().__init__(name="ipuaro-parse", daemon=True)
        self._idle = idle
        self._calls = calls
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self._is_killed = False
        self.start()

    def run(self) -> None:
        """Run calls until told to end."""
        try:
            while (call := self._calls.get()) is not None:
                if call.future.set_running_or_notify_cancel():
                    self._answer(call)
                self._idle.release()
        finally:
            self._end_process()

    def kill(self) -> None:
        """Kill the process now, in the middle of a call, and start no other."""
        self._is_killed = True
        process = self._process
        if process is not None:
            process.kill()

    def _answer(self, call: _WorkerCall) -> None:
        try:
            call.future.set_result(self._result(call))
        except (WorkerError, OSError, msgspec.MsgspecError, TypeError) as error:
            call.future.set_exception(error)

    def _result(self, call: _WorkerCall) -> Any:
        if (call.module, call.function) != (parse_batch.__module__, "parse_batch"):
            return self._ask(call.module, call.function, call.arguments)
        try:
            return self._ask(call.module, parse_batch_or_die.__name__, call.arguments)
        except _WorkerLostError as lost:
            if self._is_killed:
                raise
            return self._retry(call.arguments[0], lost)

    def _retry(self, files: list[NumberedFile], lost: _WorkerLostError) -> list[bytes]:
        """Run a lost `parse_batch` a second time."""
        if not lost.is_late and (len(files) == 1 or not lost.has_ended_itself):
            try:
                answers: list[bytes] = self._ask(parse_batch.__module__, "parse_batch", [files])
            except _WorkerLostError as again:
                lost = again
            else:
                return answers
        return self._one_by_one(files, str(lost))

    def _one_by_one(self, files: list[NumberedFile], reason: str) -> list[bytes]:
        """Run `parse_batch` for each file alone; one that fails gets facts with ``reason``."""
        if len(files) == 1:
            return [unparsed_batch(*files[0], reason=reason)]
        found: list[bytes] = []
        for file in files:
            try:
                found += self._ask(parse_batch.__module__, "parse_batch", [[file]])
            except _WorkerLostError as lost:
                found.append(unparsed_batch(*file, reason=str(lost)))
        return found

    def _ask(self, module: str, function: str, arguments: list[Any]) -> Any:
        """Run a function in the worker and return its result.

        Raises:
            WorkerError: The function raised.
            _WorkerLostError: The worker died or took too long.
        """
        message = msgspec.msgpack.encode([module, function, arguments])
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = self._start()
        late = threading.Event()

        def end(_: Alarm) -> None:
            late.set()
            process.kill()

        alarm = ALARMS.set(self._timeout_s, end)
        try:
            assert process.stdin is not None  # noqa: S101 - Popen was given PIPE
            assert process.stdout is not None  # noqa: S101 - the same
            worker.send(process.stdin, message)
            answer = worker.receive(process.stdout)
        except OSError:
            answer = None
        finally:
            ALARMS.cancel(alarm)
        if answer is None:
            raise self._lost(process, is_late=late.is_set())
        is_good, value = msgspec.msgpack.decode(answer)
        if not is_good:
            raise WorkerError(f"{module}.{function} raised {value}")
        return value

    def _lost(self, process: "subprocess.Popen[bytes]", *, is_late: bool) -> _WorkerLostError:
        self._end_process()
        if is_late:
            told = f"the parser took longer than {self._timeout_s:g} s"
            return _WorkerLostError(told, is_late=True)
        told = f"the parser died (exit status {process.returncode})"
        return _WorkerLostError(told, has_ended_itself=process.returncode == -signal.SIGPROF)

    def _start(self) -> "subprocess.Popen[bytes]":
        if self._is_killed:
            raise _WorkerLostError("the ParseExecutor has been shut down")
        return subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-P", "-m", worker.__name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,  # an interrupt goes to the whole process group of the kernel
        )

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                _close(pipe)


def _close(pipe: Any) -> None:
    try:
        pipe.close()
    except OSError:  # data still unsent to a dead worker
        return


def _environment() -> dict[str, str]:
    """An environment in which a worker finds this package, installed or not."""
    environment = dict(os.environ)
    home = str(Path(__file__).parents[2])
    if home not in {*site.getsitepackages(), site.getusersitepackages()}:
        known = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([home, *([known] if known else [])])
    return environment

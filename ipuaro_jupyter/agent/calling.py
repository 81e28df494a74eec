"""Run the calls of a reply: read-only ones in parallel, all others one by one."""

import contextvars
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from ipuaro_jupyter.agent.redaction import Redaction, path_of
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.records.chat import CalledTool, Message, ToolCall
from ipuaro_jupyter.records.outputs import ToolFailure, ToolResult
from ipuaro_jupyter.records.result_room import ResultRoom, cut
from ipuaro_jupyter.tools import Tools
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.workspace.approval import unasked_change

T = TypeVar("T")
_log = logging.getLogger(__name__)


class FinishedCall(NamedTuple):
    """A finished call: its result, and the message with it for the model."""

    result: ToolResult
    message: Message


class Calling:
    """Runs calls.

    Args:
        tools: The tools that may be called.
        in_parallel: The number of read-only calls that run at once.
        redaction: Hides secrets from the model, but not in the returned results.
        room: Returns the room of the result of a call with the given arguments.
    """

    def __init__(
        self,
        tools: Tools,
        *,
        in_parallel: int,
        redaction: Redaction,
        room: Callable[[Mapping[str, Any]], ResultRoom],
    ) -> None:
        self._tools = tools
        self._room = room
        self._redaction = redaction
        self._most = in_parallel

    def name(self, call: ToolCall) -> str:
        """The tool's own name; the called name when there is no such tool."""
        tool = self._tools.find(call.name, call.arguments)
        return call.name if tool is None else tool.name

    def only_reads(self, call: ToolCall) -> bool:
        """Whether the call asks for nothing that changes something."""
        tool = self._tools.find(call.name, call.arguments)
        return tool is not None and not tool.asks_first

    def changes(self, call: ToolCall) -> bool:
        """Whether the call asks for a change, also by a foreign name of a tool that changes."""
        tool = self._tools.find(call.name, call.arguments)
        if tool is not None:
            return tool.asks_first
        name = call.name.lower()
        return any(name in known.foreign for known in self._tools if known.asks_first)

    def one_reply(
        self, calls: Sequence[ToolCall], project: Project
    ) -> AbstractContextManager[None]:
        """Take the calls run in the block as those of one reply; see `Workspace.one_reply`."""
        if all(map(self.only_reads, calls)):
            return nullcontext()
        return project.workspace.one_reply()

    def batches(self, calls: Sequence[ToolCall]) -> Iterator[list[ToolCall]]:
        """Yield the calls in order, grouped by which may run in parallel."""
        batch: list[ToolCall] = []
        for call in calls:
            if self._is_alone(call):
                if batch:
                    yield batch
                batch = []
                yield [call]
            else:
                batch.append(call)
        if batch:
            yield batch

    def run(self, batch: Sequence[ToolCall], project: Project) -> Iterator[FinishedCall]:
        """Yield the finished calls of a batch, in order, each as soon as possible.

        Raises:
            Cancelled: Stop was asked for; no call is begun after that.
        """
        tasks = [
            _Task(self._tools, call, project, self._redaction, self._room(call.arguments)).run
            for call in batch
        ]
        return in_parallel(tasks, most=self._most, cancel=project.cancel)

    def _is_alone(self, call: ToolCall) -> bool:
        tool = self._tools.find(call.name, call.arguments)
        return tool is not None and tool.runs_alone


@dataclass(frozen=True)
class _Task:
    tools: Tools
    call: ToolCall
    project: Project
    redaction: Redaction
    room: ResultRoom

    def run(self) -> FinishedCall:
        call = self.call
        tool = self.tools.find(call.name, call.arguments)
        result = self.redaction.refusal(tool, call.arguments, self.project)
        if tool is not None and tool.writes and self.project.workspace.refuses != "nothing":
            result = ToolResult(tool=tool.name, error=ToolFailure.of(unasked_change(tool.name)))
        if result is None:
            result = self.tools.call(call.name, call.arguments, self.project)
        try:
            return FinishedCall(result, _message(call, result, self))
        except Exception as error:  # noqa: BLE001 - one tool's bug must not end the turn
            _log.exception("The result of %s cannot be told", call.name)
            told = f"{call.name} failed: {type(error).__name__}: {error}"
            failure = ToolFailure(type="internal", message=told, recoverable=False)
            failed = ToolResult(tool=call.name, error=failure, duration_ms=result.duration_ms)
            return FinishedCall(failed, _message(call, failed, self))


def _message(call: ToolCall, result: ToolResult, task: _Task) -> Message:
    """What the model is told; secrets are looked for in all of it, and in the files it shows."""
    path, redaction = path_of(call.arguments), task.redaction
    known = redaction.known(call.arguments, result.text(), task.project)
    hidden = redaction.text(result.within(task.room), path, known)
    return Message(
        role="tool",
        content=cut(hidden, task.room),
        call_id=call.id,
        tool=call.name,
        result=redaction.value(result.to_dict(), path, known),
    )


@dataclass
class _Outcome(Generic[T]):
    """The result or the exception of a task."""

    there: threading.Event = field(default_factory=threading.Event)
    value: list[T] = field(default_factory=list)
    error: BaseException | None = None


def in_parallel(tasks: Sequence[Callable[[], T]], *, most: int, cancel: CancelToken) -> Iterator[T]:
    """Yield the results of the tasks in order, running up to ``most`` of them at a time.

    A single task runs in this thread. A task's exception is raised in its place; results before it
    are not lost, and later tasks are not begun.

    Raises:
        Cancelled: Stop was asked for. Tasks that do not notice it are abandoned.
    """
    if len(tasks) == 1 or most == 1:
        for task in tasks:
            cancel.check()
            yield task()
        return
    outcomes: list[_Outcome[T]] = [_Outcome() for _ in tasks]
    waiting = deque(zip(tasks, outcomes, strict=True))
    for _ in range(min(most, len(tasks))):
        context = contextvars.copy_context()
        # A daemon: a kernel that is shutting down does not wait for a tool.
        threading.Thread(
            target=context.run, args=(_work, waiting, cancel), name="ipuaro-call", daemon=True
        ).start()
    try:
        for outcome in outcomes:
            yield _awaited(outcome, cancel)
    finally:
        waiting.clear()


def _work(waiting: "deque[tuple[Callable[[], T], _Outcome[T]]]", cancel: CancelToken) -> None:
    while not cancel.cancelled:
        try:
            task, outcome = waiting.popleft()
        except IndexError:
            return
        try:
            outcome.value.append(task())
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            outcome.error = error
        finally:
            outcome.there.set()


def _awaited(outcome: _Outcome[T], cancel: CancelToken) -> T:
    with cancel.calling(outcome.there.set):
        outcome.there.wait()
    if outcome.error is not None:
        raise outcome.error
    if not outcome.value:
        cancel.check()
        raise AssertionError  # only an outcome or stop ends the wait
    return outcome.value[0]


def unfinished(call: ToolCall) -> CalledTool:
    """The record of a call that was interrupted."""
    failure = ToolFailure(type="cancelled", message="Stopped before it had ended.")
    return CalledTool(call=call, result=ToolResult(tool=call.name, error=failure))

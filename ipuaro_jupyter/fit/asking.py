"""One task: the model is asked as the loop asks it, up to the first valid call."""

import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.fit.judging import Judge, Judgement
from ipuaro_jupyter.fit.task import FitTask
from ipuaro_jupyter.records.chat import Answer, ToolCall
from ipuaro_jupyter.records.events import (
    CallStarted,
    Event,
    PhaseChanged,
    TextAdded,
    TurnFinished,
    UsageReported,
)
from ipuaro_jupyter.records.fitted import TriedTask
from ipuaro_jupyter.views.call import line

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant import Assistant

REPLIES = 2  # the first, and one more when that was not valid
_MOST_TEXT = 4000  # characters: a reply that runs on longer is no call


@dataclass
class Asked:
    """What came of a task.

    Attributes:
        attempt: The first reply, judged.
        last: The judgement of the first valid call, perhaps of a later reply; else of the first.
        problem: Why the model could not be asked; "" when it could.
    """

    attempt: TriedTask
    last: Judgement
    problem: str = ""


@dataclass
class _Replies:
    """The calls of each reply, and the end of the turn."""

    calls: list[list[ToolCall]] = field(default_factory=list)
    answer: Answer | None = None
    first_s: float = 0.0
    said: int = 0


def asked(
    assistant: "Assistant",
    task: FitTask,
    judge: Judge,
    cancel: CancelToken,
    *,
    replies: int = REPLIES,
) -> Asked:
    """Ask a task in a session of its own, and judge the first call.

    The turn ends before a valid call is run; an invalid one is answered by its error.

    Args:
        assistant: It approves nothing.
        task: The task.
        judge: Judges the calls.
        cancel: Stops it.
        replies: How often the model is asked, at most.

    Raises:
        Cancelled: ``cancel`` was set.
    """
    began_s = time.monotonic()
    got = _Replies()
    events = assistant.stream(task.question, cancel)
    with closing(events):  # type: ignore[type-var] # it is a generator
        for event in events:
            if isinstance(event, UsageReported) and not got.calls:
                got.first_s = time.monotonic() - began_s
            _note(event, got)
            is_running = isinstance(event, PhaseChanged) and event.phase == "running"
            if got.said > _MOST_TEXT or (
                is_running
                and (
                    not task.steps
                    or _has_valid(task, judge, got.calls[-1])
                    or len(got.calls) >= replies
                )
            ):
                break
    assistant.clear()
    cancel.check()
    return _judged(task, judge, got, took_s=time.monotonic() - began_s)


def _note(event: Event, got: _Replies) -> None:
    if isinstance(event, UsageReported):
        got.calls.append([])
        got.said = 0
    elif isinstance(event, TextAdded):
        got.said += len(event.text)
    elif isinstance(event, CallStarted):
        got.calls[-1].append(event.call)
    elif isinstance(event, TurnFinished):
        got.answer = event.answer


def _has_valid(task: FitTask, judge: Judge, calls: list[ToolCall]) -> bool:
    return any(judge.judged(task, call).is_valid for call in calls)


def _judged(task: FitTask, judge: Judge, got: _Replies, *, took_s: float) -> Asked:
    answer = got.answer
    is_answer = answer is not None and answer.ended == "done"
    first = got.calls[0][0] if got.calls and got.calls[0] else None
    judgement = judge.judged(task, first, is_answer=is_answer and len(got.calls) == 1)
    judged = (judge.judged(task, call) for calls in got.calls for call in calls)
    last = next((one for one in judged if one.is_valid), judgement)
    is_problem = answer is not None and answer.ended == "error" and not got.calls
    return Asked(
        TriedTask(
            question=task.question,
            called="" if first is None else line(first),
            is_valid=judgement.is_valid,
            names_exist=judgement.names_exist,
            is_right=judgement.is_right,
            leads=judgement.leads,
            mended=last.is_valid,
            seconds=got.first_s or took_s,
        ),
        last,
        answer.notice if is_problem and answer is not None else "",
    )

"""One question, up to its answer, or one task, up to the first valid call."""

import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.fit.demo_questions import FitQuestion
from ipuaro_jupyter.fit.judging import Judge, Judgement
from ipuaro_jupyter.fit.task import FitTask
from ipuaro_jupyter.records.chat import Answer, ToolCall
from ipuaro_jupyter.records.events import (
    CallFinished,
    CallStarted,
    Event,
    Noticed,
    PhaseChanged,
    TextAdded,
    TurnFinished,
    UsageReported,
)
from ipuaro_jupyter.records.fitted import Tried
from ipuaro_jupyter.views.call import line

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant import Assistant

_MOST_TEXT = 4000  # characters: a reply that runs on longer is neither a call nor an answer


@dataclass
class Asked:
    """What came of a question or a task.

    Attributes:
        attempt: The answer, or the first reply, judged.
        problem: Why the model could not be asked; "" when it could.
        last: The judgement of the first valid call, perhaps of a later reply; else of the first.
            None for a question.
    """

    attempt: Tried
    problem: str = ""
    last: Judgement | None = None


@dataclass
class _Replies:
    """The calls of each reply, and the end of the turn."""

    calls: list[list[ToolCall]] = field(default_factory=list)
    answer: Answer | None = None
    first_s: float = 0.0
    tokens: int = 0
    said: int = 0


def answered(assistant: "Assistant", question: FitQuestion, cancel: CancelToken) -> Asked:
    """Ask a question in a session of its own, and judge the answer.

    The index's own answer, where the model gives none, is not right.

    Raises:
        Cancelled: ``cancel`` was set.
    """
    began_s, first_s, said = time.monotonic(), 0.0, ""
    answer = Answer(question=question.text, ended="stopped")
    with closing(assistant.stream(question.text, cancel)) as events:  # type: ignore[type-var]
        for event in events:
            if isinstance(event, CallFinished):  # what was said before a call is no answer
                first_s, said = 0.0, ""
            elif isinstance(event, TextAdded):
                first_s, said = first_s or time.monotonic() - began_s, said + event.text
                if len(said) > _MOST_TEXT:
                    break
            elif isinstance(event, TurnFinished):
                answer = event.answer
    assistant.clear()
    cancel.check()
    read, is_valid = answer.usage.read_tokens, answer.ended == "done" and not answer.notice
    attempt = Tried(
        question=question.text,
        said=answer.text or said,
        is_valid=is_valid,
        is_right=is_valid and question.is_answered_by(answer.text),
        false_names=len({mark.named for mark in answer.receipt.marks}),
        tokens=read,
        seconds=first_s or time.monotonic() - began_s,
    )
    return Asked(attempt, answer.notice if answer.ended in ("done", "error") and not read else "")


def asked(
    assistant: "Assistant",
    task: FitTask,
    judge: Judge,
    cancel: CancelToken,
    *,
    replies: int = 1,
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
                got.tokens = event.usage.prompt_tokens
            _note(event, got)
            is_read = bool(got.calls) and isinstance(event, PhaseChanged | Noticed)
            if got.said > _MOST_TEXT or (
                is_read
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
    attempt = Tried(
        question=task.question,
        said="" if first is None else line(first),
        is_valid=judgement.is_valid,
        is_right=judgement.is_right,
        false_names=int(judgement.is_valid and not judgement.names_exist),
        tokens=got.tokens,
        seconds=got.first_s or took_s,
    )
    return Asked(attempt, answer.notice if is_problem and answer is not None else "", last)

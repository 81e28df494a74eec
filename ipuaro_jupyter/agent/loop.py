"""The loop: ask the model, run its tool calls, give it the results, until it answers.

It is a generator of events, which its consumer draws. Every step is stored in the session before
the next one begins.
"""

import logging
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from typing import Literal

from ipuaro_jupyter.agent.agent_settings import AgentSettings
from ipuaro_jupyter.agent.calling import Calling, FinishedCall
from ipuaro_jupyter.agent.context.context_window import ContextWindow
from ipuaro_jupyter.agent.journal import Journal
from ipuaro_jupyter.agent.limits import Repeats, TurnCounts, TurnEnded
from ipuaro_jupyter.agent.redaction import Redaction
from ipuaro_jupyter.agent.remedies import Remedies
from ipuaro_jupyter.agent.reply import Reply, read_reply, scrubbed
from ipuaro_jupyter.cancellation import Deadline
from ipuaro_jupyter.errors import Cancelled, IpuaroError, StorageError, ToolError, ToolsRefused
from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.records.chat import Answer, CalledTool, Message, ToolCall, Usage
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
from ipuaro_jupyter.records.outputs import ToolFailure, ToolResult
from ipuaro_jupyter.records.trouble import OnError, Trouble
from ipuaro_jupyter.sessions.session import Session, SessionCounter, interruption, pending_calls
from ipuaro_jupyter.tools import Tools
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.views.decided import applied_lines

_log = logging.getLogger(__name__)
_NEEDS_USER = {"storage", "internal"}

_EMPTY = "Your reply was empty. Answer the question, or call a tool."
_THOUGHTS = "Your reply held thoughts only, and no answer: it was empty. Answer, or call a tool."
_CUT_OFF = (
    "Your reply was cut off because it was too long. Go on exactly where it ends, without "
    "repeating anything, and be brief."
)
_CUT_CALL = (
    "The reply was cut off because it was too long. Make smaller calls: fewer lines at once."
)
_TOO_LONG = "The model's answer was cut off because it was too long."


class Turn:
    """One message of the user and everything that follows until the answer.

    Attributes:
        error: The error that ended the turn; None when there was none.
    """

    def __init__(
        self,
        message: str,
        *,
        model: Model,
        tools: Tools,
        project: Project,
        session: Session,
        journal: Journal,
        settings: AgentSettings,
        context: ContextWindow,
        redaction: Redaction,
        system: Callable[[], str],
        on_error: OnError | None = None,
    ) -> None:
        self._question = scrubbed(message)
        self._model = model
        self._tools = tools
        self._session = session
        self._journal = journal
        self._settings = settings
        self._context = context
        self._make_system = system
        self._system = Message(role="system", content="")
        self._schemas = tuple(tool.schema for tool in tools)
        self._deadline = Deadline(settings.turn_timeout_s, project.cancel)
        self._project = replace(project, cancel=self._deadline.token)
        self._counts = TurnCounts(settings)
        self._repeats = Repeats(settings.max_repeats)
        self._remedies = Remedies(on_error, self._counts, self._deadline)
        self._calling = Calling(tools, in_parallel=settings.parallel_calls, redaction=redaction)
        self._called: list[CalledTool] = []
        self._usage = Usage()
        self._started = time.monotonic()
        self._written = ""  # the part of an answer before it was truncated
        self._partial = ""
        self._said = ""  # the text before a call that has not ended
        self.error: Exception | None = None

    def waiting(self) -> AbstractContextManager[None]:
        """Exclude the block from the turn's time, while the user decides."""
        return self._deadline.paused()

    def events(self) -> Generator[Event, None, None]:
        """Yield the events of the turn; the last one is always `TurnFinished`."""
        try:
            with self._deadline.running():
                text = yield from self._answered()
            answer = self._answer(text=text)
        except Cancelled:
            answer = self._broken_off(self._cancelled())
        except TurnEnded as end:
            answer = self._broken_off(end)
        except Exception as error:  # noqa: BLE001 - also a bug ends the turn, and it says so
            told = str(error)
            if not isinstance(error, IpuaroError):
                _log.exception("The turn failed")
                told = f"This is a fault of the assistant: {type(error).__name__}: {error}"
            answer = self._broken_off(TurnEnded("error", told, error))
        except BaseException:  # the events are not read on: the session has to stay whole
            self._broken_off(TurnEnded("stopped", "Interrupted.", None))
            raise
        if answer.ended in ("limit", "error"):
            level: Literal["warning", "error"] = "error" if answer.ended == "error" else "warning"
            yield Noticed(text=answer.notice, level=level)
        yield TurnFinished(answer=answer)

    def _answered(self) -> Generator[Event, None, str]:
        """Yield the events up to the answer, and return it."""
        yield PhaseChanged(phase="thinking", detail=self._model.name)
        yield from self._append(Message(role="user", content=self._question))
        yield from self._remedies.tried(self._prepare)
        while True:
            yield from self._remedies.allowed(self._counts.round)
            self._project.cancel.check()
            reply = yield from self._remedies.tried(self._replied)
            yield from self._append_reply(reply)
            if reply.calls:
                yield from self._run(reply)
            elif not reply.errors and reply.text.strip() and not reply.cut_off:
                return self._partial if self._written else reply.text
            yield from self._repair(reply)

    def _prepare(self) -> Generator[Event, None, None]:
        yield from ()
        self._model.prepare(self._project.cancel)
        with self._deadline.in_force():
            self._system = Message(role="system", content=self._make_system())

    def _replied(self) -> Generator[Event, None, Reply]:
        """Ask; once more with the tools in the prompt when the server takes no schemas."""
        try:
            return (yield from self._ask())
        except ToolsRefused:
            if self._model.native_tools:  # by the setting
                raise
            yield from self._prepare()
            return (yield from self._ask())

    def _ask(self) -> Generator[Event, None, Reply]:
        """Send the conversation; yield the reply as it comes, and return it."""
        self._partial = self._written
        history = self._session.messages
        messages = yield from self._context.fitted(self._system, history, self._project.cancel)
        reply = Reply()
        chunks = self._model.chat(
            messages,
            tools=self._context.tools,
            cancel=self._project.cancel,
        )
        ids = f"{len(history)}."
        for event in read_reply(
            chunks, reply, schemas=self._schemas, aliases=self._tools.aliases, ids=ids
        ):
            if isinstance(event, TextAdded):
                self._partial += event.text
            yield event
            self._project.cancel.check()
        reply.calls = self._calling.meant(reply.calls)
        if reply.usage is None:
            reply.usage = self._context.estimated(messages, reply.raw)
        self._context.learn(messages, reply.usage)
        return reply

    def _append_reply(self, reply: Reply) -> Generator[Event, None, None]:
        usage = reply.usage or Usage()
        yield from self._append(
            Message(
                role="assistant",
                content=reply.raw if reply.errors and not reply.calls else reply.text,
                calls=tuple(reply.calls),
                raw=reply.raw,
                thinking=reply.thinking if reply.calls else "",
                usage=usage,
            ),
            {
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "duration_ms": usage.duration_ms,
            },
        )
        self._usage = self._usage + usage
        yield UsageReported(usage=self._usage, context_percent=self._context.percent(usage))

    def _repair(self, reply: Reply) -> Generator[Event, None, None]:
        """Tell the model what was wrong with its reply, a limited number of times."""
        problems = [f"Error (parse): {problem}" for problem in reply.errors]
        if problems:
            limit = f"The model's replies could not be used: {reply.errors[0]}"
            told = f"The model was told what was wrong with its reply: {reply.errors[0]}"
            problems += [_CUT_CALL] if reply.cut_off else []
        elif reply.calls:
            return
        elif reply.text.strip():
            self._written = self._partial  # including the blanks at its end
            problems, limit, told = [_CUT_OFF], _TOO_LONG, f"{_TOO_LONG} It is asked to go on."
        else:
            problem = _THOUGHTS if reply.thought or reply.raw.strip() else _EMPTY
            problems = [f"Error (parse): {problem}"]
            limit = "The model's replies could not be used: they were empty."
            told = "The model's reply was empty; it is asked again."
        self._partial = self._written
        yield from self._remedies.allowed(lambda: self._counts.repair(limit))
        yield Noticed(text=told)
        for problem in problems:
            yield from self._append(Message(role="tool", content=problem))

    def _run(self, reply: Reply) -> Generator[Event, None, None]:
        """Run the calls of a reply; yield each with its result, in order."""
        self._said, self._written, self._partial = self._written + reply.text, "", ""
        for batch in self._calling.batches(reply.calls):
            self._project.cancel.check()
            for call in batch:
                yield from self._remedies.allowed(partial(self._check_repeats, call))
            for call in batch:
                yield CallStarted(call=call)
            names = ", ".join(dict.fromkeys(call.name for call in batch))
            yield PhaseChanged(phase="running", detail=names)
            for call, finished in zip(batch, self._calling.run(batch, self._project), strict=True):
                yield from self._note(call, finished)
        yield PhaseChanged(phase="thinking", detail=self._model.name)

    def _note(self, call: ToolCall, finished: FinishedCall) -> Generator[Event, None, None]:
        """Store the result of a call, after asking the user about an error that needs it."""
        finished, end = yield from self._mended(call, finished)
        entry = self._journal.take()
        yield from entry.decided
        said, self._said = self._said, ""
        decided = applied_lines(entry.decided)
        result = finished.result
        self._called.append(CalledTool(call=call, result=result, said=said, decided=decided))
        if end is None:
            yield from self._append(finished.message, entry.counts)
        else:
            with suppress(StorageError):
                self._session.append(finished.message, entry.counts)
        self._repeats.note(
            self._calling.name(call),
            call.arguments,
            result=finished.message.content,
            is_change=entry.is_change,
        )
        yield CallFinished(call=call, result=finished.result)
        if end is not None:
            raise end
        error = finished.result.error
        if error is not None and not error.recoverable and error.type not in _NEEDS_USER:
            yield from self._remedies.allowed(lambda: self._counts.refusal(error.message))

    def _mended(
        self, call: ToolCall, finished: FinishedCall
    ) -> Generator[Event, None, tuple[FinishedCall, TurnEnded | None]]:
        """Run a call again while it fails and the user wants a retry.

        Returns:
            The finished call, and the end of the turn if the user wants that.
        """
        while (error := _needs_user(finished)) is not None:
            trouble = Trouble(kind="tool", tool=call.name, message=error.message)
            remedy = yield from self._remedies.decided(trouble)
            if remedy.action == "skip":
                break
            if remedy.action == "abort":
                return finished, TurnEnded("error", error.message, _raised(error))
            (finished,) = self._calling.run([call], self._project)
        return finished, None

    def _check_repeats(self, call: ToolCall) -> None:
        self._repeats.check(self._calling.name(call), call.arguments)

    def _append(
        self, message: Message, counts: Mapping[SessionCounter, int] | None = None
    ) -> Generator[Event, None, None]:
        """Store a message; yields when the user is asked because storing fails."""

        def step() -> Generator[Event, None, None]:
            yield from ()
            self._session.append(message, counts)

        yield from self._remedies.tried(step)

    def _cancelled(self) -> TurnEnded:
        if not self._deadline.expired:
            return TurnEnded("stopped", "Stopped.", None)
        return TurnEnded(
            "limit", f"The turn took longer than {self._settings.turn_timeout_s:g} s.", None
        )

    def _broken_off(self, end: TurnEnded) -> Answer:
        """Complete the turn in the session, as far as the store allows, and return its answer."""
        self.error = end.error
        partial, notice = self._partial, end.notice
        try:
            for call in pending_calls(list(self._session.messages)):
                if end.ended == "stopped":
                    self._called.append(_unfinished(call))
                self._session.append(interruption(call))
            last = self._session.messages[-1] if self._session.messages else None
            if last is not None and (last.role != "assistant" or last.calls):
                content = f"{partial}\n[{notice}]" if partial else f"[{notice}]"
                self._session.append(
                    Message(role="assistant", content=content, raw=partial, interrupted=True)
                )
        except StorageError as error:
            notice = notice if str(error) in notice else f"{notice} {error}"
        return self._answer(text=partial or self._said, ended=end.ended, notice=notice)

    def _answer(self, *, text: str, ended: str = "done", notice: str = "") -> Answer:
        return Answer.model_validate(
            {
                "question": self._question,
                "text": text.strip(),
                "tool_calls": tuple(self._called),
                "edits": tuple(self._journal.changes),
                "usage": self._usage,
                "ended": ended,
                "notice": notice,
                "duration_ms": round((time.monotonic() - self._started) * 1000),
            }
        )


def _unfinished(call: ToolCall) -> CalledTool:
    """The record of a call that was interrupted."""
    failure = ToolFailure(type="cancelled", message="Stopped before it had ended.")
    return CalledTool(call=call, result=ToolResult(tool=call.name, error=failure))


def _needs_user(finished: FinishedCall) -> ToolFailure | None:
    """The failure that only the user can resolve, if it is one."""
    error = finished.result.error
    return error if error is not None and error.type in _NEEDS_USER else None


def _raised(failure: ToolFailure) -> Exception:
    if failure.type == "storage":
        return StorageError(failure.message)
    return ToolError(failure.type, failure.message, recoverable=False)

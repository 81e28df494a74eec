"""The loop: ask the model, run its tool calls, give it the results, until it answers.

It is a generator of events; whoever reads them draws them. Every step is in the session before
the next one begins.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from itertools import count

from ipuaro_jupyter.agent.agent_settings import AgentSettings
from ipuaro_jupyter.agent.context import Context
from ipuaro_jupyter.agent.journal import Journal
from ipuaro_jupyter.agent.reply import Reply, read_reply, scrubbed
from ipuaro_jupyter.errors import Cancelled, IpuaroError, StorageError
from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.records.chat import Answer, CalledTool, Message, ToolCall, Usage
from ipuaro_jupyter.records.events import (
    CallFinished,
    CallStarted,
    Event,
    Noticed,
    PhaseChanged,
    TurnFinished,
    UsageReported,
)
from ipuaro_jupyter.sessions.session import Session, interruption, unanswered
from ipuaro_jupyter.tools import Tools
from ipuaro_jupyter.tools.tool import Project


class _LimitReached(IpuaroError):  # noqa: N818 - an end, not a fault
    """The turn has to end; the message tells the user why."""


class Turn:
    """One message of the user and everything that follows until the answer.

    Attributes:
        error: What ended the turn, None when it was no error.
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
        context: Context,
        system: Callable[[], str],
    ) -> None:
        self._question = scrubbed(message)
        self._model = model
        self._tools = tools
        self._project = project
        self._session = session
        self._journal = journal
        self._settings = settings
        self._context = context
        self._make_system = system
        self._system = Message(role="system", content="")
        self._schemas = tuple(tool.schema for tool in tools)
        self._called: list[CalledTool] = []
        self._usage = Usage()
        self._repairs = 0
        self._refusals = 0
        self._seen: Counter[str] = Counter()
        self._started = time.monotonic()
        self._deadline = self._started + settings.turn_timeout_s
        self._partial = ""
        self.error: IpuaroError | None = None

    def events(self) -> Iterator[Event]:
        """Yield what happens; the last event is `TurnFinished`, whatever happens."""
        try:
            yield PhaseChanged(phase="thinking", detail=self._model.name)
            self._session.append(Message(role="user", content=self._question))
            self._model.prepare(self._project.cancel)
            self._system = Message(role="system", content=self._make_system())
            text = yield from self._rounds()
            answer = self._answer(text=text)
        except Cancelled:
            answer = self._broken_off("stopped", "Stopped.")
        except _LimitReached as limit:
            yield Noticed(text=str(limit), level="warning")
            answer = self._broken_off("limit", str(limit))
        except IpuaroError as error:
            self.error = error
            yield Noticed(text=str(error), level="error")
            answer = self._broken_off("error", str(error))
        except BaseException:  # nobody reads on, or a bug: the session has to stay whole
            self._broken_off("stopped", "Interrupted.")
            raise
        yield TurnFinished(answer=answer)

    def _rounds(self) -> Generator[Event, None, str]:
        """Yield the events of the rounds; return the final text."""
        for round_number in count(1):
            if round_number > self._settings.max_rounds:
                raise _LimitReached(
                    f"The model went on for {self._settings.max_rounds} rounds; stopped."
                )
            if time.monotonic() > self._deadline:
                raise _LimitReached(
                    f"The turn took longer than {self._settings.turn_timeout_s:.0f} s."
                )
            reply = yield from self._ask()
            if reply.calls:
                yield from self._run(reply)
            elif not reply.errors and reply.text.strip():
                return reply.text
            yield from self._repair(reply)
        raise AssertionError  # count() does not end

    def _ask(self) -> Generator[Event, None, Reply]:
        """Send the conversation; yield the reply as it comes; return it."""
        self._partial = ""
        history = self._session.messages
        messages = yield from self._context.fitted(self._system, history, self._project.cancel)
        reply = Reply()
        chunks = self._model.chat(
            messages,
            tools=self._context.tools,
            cancel=self._project.cancel,
        )
        for event in read_reply(chunks, reply, schemas=self._schemas, aliases=self._tools.aliases):
            self._partial = reply.text
            yield event
        calls = tuple(
            call
            if call.id
            else call.model_copy(update={"id": f"{len(self._session.messages)}.{n}"})
            for n, call in enumerate(reply.calls, 1)
        )
        reply.calls = list(calls)
        usage = reply.usage or self._context.estimated(messages, reply.raw)
        self._context.learn(messages, usage)
        self._session.append(
            Message(
                role="assistant",
                content=reply.raw if reply.errors and not calls else reply.text,
                calls=calls,
                raw=reply.raw,
                usage=usage,
            ),
            {
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "duration_ms": usage.duration_ms,
            },
        )
        self._partial = ""
        self._usage = self._usage + usage
        yield UsageReported(usage=self._usage, context_percent=self._context.percent(usage))
        return reply

    def _repair(self, reply: Reply) -> Iterator[Event]:
        """Tell the model what was wrong with its reply, a limited number of times."""
        problems = list(reply.errors)
        if not reply.calls and not problems:
            problems = ["Your reply was empty. Answer the question, or call a tool."]
        if not problems:
            return
        self._repairs += 1
        if self._repairs > self._settings.max_repairs:
            raise _LimitReached(f"The model's replies could not be used: {problems[0]}")
        for problem in problems:
            yield Noticed(text=problem)
            self._session.append(Message(role="tool", content=f"Error (parse): {problem}"))

    def _run(self, reply: Reply) -> Iterator[Event]:
        """Run the calls of a reply in order; yield each with its result."""
        said = reply.text
        for call in reply.calls:
            self._project.cancel.check()
            self._check_repeats(call)
            yield CallStarted(call=call)
            yield PhaseChanged(phase="running", detail=call.name)
            result = self._tools.call(call.name, call.arguments, self._project)
            decided, counts = self._journal.take()
            if counts["edits_applied"]:
                self._seen.clear()  # the same test after another edit is another test
            yield from decided
            self._session.append(
                Message(
                    role="tool",
                    content=result.text(),
                    call_id=call.id,
                    tool=call.name,
                    result=result.to_dict(),
                ),
                counts,
            )
            self._called.append(CalledTool(call=call, result=result, said=said))
            said = ""
            yield CallFinished(call=call, result=result)
            if result.error is not None and not result.error.recoverable:
                self._refuse(result.error.type, result.error.message)
        yield PhaseChanged(phase="thinking", detail=self._model.name)

    def _refuse(self, type_: str, message: str) -> None:
        if type_ == "storage":
            raise StorageError(message)
        if type_ == "internal":
            raise _LimitReached(message)
        self._refusals += 1
        if self._refusals > self._settings.max_refusals:
            raise _LimitReached(f"The model insisted on what is not allowed: {message}")

    def _check_repeats(self, call: ToolCall) -> None:
        key = json.dumps([call.name, call.arguments], sort_keys=True)
        self._seen[key] += 1
        if self._seen[key] > self._settings.max_repeats:
            times = self._settings.max_repeats
            raise _LimitReached(
                f"The model called {call.name} {times} times with the same arguments."
            )

    def _broken_off(self, ended: str, notice: str) -> Answer:
        """Complete the turn in the session, as far as the store allows, and return its answer."""
        partial = self._partial
        try:
            for call in unanswered(list(self._session.messages)):
                self._session.append(interruption(call))
            last = self._session.messages[-1] if self._session.messages else None
            if last is not None and (last.role != "assistant" or last.calls):
                content = f"{partial}\n[{notice}]" if partial else f"[{notice}]"
                self._session.append(
                    Message(role="assistant", content=content, raw=partial, interrupted=True)
                )
        except StorageError as error:
            notice = notice if str(error) in notice else f"{notice} {error}"
        return self._answer(text=partial, ended=ended, notice=notice)

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

"""The loop: ask the model, run its tool calls, give it the results, until it answers.

It is a generator of events, which its consumer draws. Every step is stored in the session before
the next one begins.
"""

import logging
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Literal

from ipuaro_jupyter.agent.agent_settings import AgentSettings
from ipuaro_jupyter.agent.answering.evidence_answer import (
    EvidenceAnswer,
    WordedAnswer,
    instead,
    with_places,
)
from ipuaro_jupyter.agent.answering.index_first import FOUND_KINDS, IndexFirst
from ipuaro_jupyter.agent.answering.run_requests import run_call, said_of_run
from ipuaro_jupyter.agent.calling import Calling, FinishedCall, unfinished
from ipuaro_jupyter.agent.changing.offered_edits import offered_edits
from ipuaro_jupyter.agent.changing.placed_edits import placed_edits
from ipuaro_jupyter.agent.changing.text_change import TextChange
from ipuaro_jupyter.agent.context.context_window import ContextWindow
from ipuaro_jupyter.agent.context.relevance import Beside
from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.agent.failed_calls import NEEDS_USER, mended
from ipuaro_jupyter.agent.journal import Journal
from ipuaro_jupyter.agent.limits import Repeats, TurnCounts, TurnEnded
from ipuaro_jupyter.agent.model_requests import AskedFor, ModelRequests, begins_as_result
from ipuaro_jupyter.agent.questions.wish import REFUSED, Wish
from ipuaro_jupyter.agent.receipts.turn_receipt import kept_receipt
from ipuaro_jupyter.agent.redaction import Redaction
from ipuaro_jupyter.agent.remarks import remarked
from ipuaro_jupyter.agent.remedies import Remedies
from ipuaro_jupyter.agent.repairs import ConstrainCalls, Repairs
from ipuaro_jupyter.agent.reply import Reply, scrubbed
from ipuaro_jupyter.agent.written_edits import written_edits
from ipuaro_jupyter.cancellation import Deadline
from ipuaro_jupyter.errors import (
    Cancelled,
    IpuaroError,
    ModelError,
    StorageError,
    ToolError,
    ToolsRefused,
)
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.records.chat import (
    Answer,
    Attachment,
    CalledTool,
    Message,
    ProposalCounts,
    ToolCall,
    Usage,
)
from ipuaro_jupyter.records.events import (
    CallFinished,
    CallStarted,
    Event,
    IndexAnswered,
    Noticed,
    PhaseChanged,
    PromptSent,
    TextAdded,
    TurnFinished,
    UsageReported,
)
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.outputs import ToolResult
from ipuaro_jupyter.records.receipt import OfferedEdit, Receipt
from ipuaro_jupyter.records.trouble import OnError
from ipuaro_jupyter.sessions.session import Session, interruption, pending_calls
from ipuaro_jupyter.sessions.session_counts import SessionCounter, usage_counts
from ipuaro_jupyter.sessions.token_quota import TokenQuota
from ipuaro_jupyter.tools import Tools, own_names
from ipuaro_jupyter.tools.tool import Project, Tool
from ipuaro_jupyter.views.decided import applied_lines
from ipuaro_jupyter.workspace.approval import is_unasked

_log = logging.getLogger(__name__)

_PROPOSES = "propose_changes"
_LAST_WORDS_S = 120.0
_LAST_WORDS = (
    "{limit} You cannot call tools any more. Answer now with what you have found so far, and say "
    "what is still open."
)


class Turn:
    """One message of the user and everything that follows until the answer.

    Attributes:
        error: The error that ended the turn; None when there was none.
        wish: What the message wants.
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
        system: Callable[[str], str],
        on_error: OnError | None = None,
        constrain: ConstrainCalls = "repair",
        shown: Callable[[], Iterable[Tool]] | None = None,
        notes: Callable[[], Iterable[str]] = tuple,
        quota: TokenQuota,
        first: IndexFirst | None = None,
        wish: Wish = "unsure",
        is_anew: bool = False,
    ) -> None:
        self.wish = wish
        self._is_anew = is_anew
        self._question = scrubbed(message)
        self._first = first
        self._index_answer: IndexAnswer | None = None
        self._is_sure, self._notice = True, ""
        self._model = model
        self._tools = tools
        self._session = session
        self._journal = journal
        self._settings = settings
        self._context = context
        self._make_system, self._notes = system, notes
        self._system = Message(role="system", content="")
        self._stop = project.cancel
        self._deadline = Deadline(settings.turn_timeout_s, project.cancel)
        self._project = replace(project, cancel=self._deadline.token)
        self._counts = TurnCounts(settings, quota)
        self._repeats = Repeats(settings.max_repeats)
        self._remedies = Remedies(on_error, self._counts, self._deadline)
        self._requests = ModelRequests(
            model,
            tools,
            project.index,
            context=context,
            shown=shown or (lambda: tools),
            spend=quota.spend,
            is_question=REFUSED[wish] != "nothing",
        )
        self._repairs = Repairs(constrain, can_constrain=self._requests.can_constrain)
        self._calling = Calling(
            tools,
            in_parallel=settings.parallel_calls,
            redaction=redaction,
            room=context.result_room,
        )
        self._called: list[CalledTool] = []
        self._attached: tuple[Attachment, ...] = ()
        self._usage = Usage()
        self._started = time.monotonic()
        self._step = 0  # the index of the latest reply
        self._written = ""  # the part of an answer before it was truncated
        self._said = ""  # the text before a call that has not ended
        self.error: Exception | None = None

    def waiting(self) -> AbstractContextManager[None]:
        """Exclude the block from the turn's time, while the user decides."""
        return self._deadline.paused()

    def events(self) -> Generator[Event, None, None]:
        """Yield the events of the turn; the last one is always `TurnFinished`."""
        try:
            answer = yield from self._ended()
        except BaseException:  # the events are not read on: the session has to stay whole
            self._broken_off(TurnEnded("stopped", "Interrupted.", None))
            raise
        if answer.ended in ("limit", "error"):
            level: Literal["warning", "error"] = "error" if answer.ended == "error" else "warning"
            yield Noticed(text=answer.notice, level=level)
        yield TurnFinished(answer=answer)

    def _ended(self) -> Generator[Event, None, Answer]:
        """Yield the events up to the end of the turn, whatever ends it; return the answer."""
        try:
            with self._deadline.running():
                text = yield from self._answered()
            return self._answer(text=text)
        except Cancelled:
            end = self._cancelled()
        except TurnEnded as ended:
            end = ended
        except Exception as error:  # noqa: BLE001 - also a bug ends the turn, and it says so
            end = TurnEnded("error", _told(error), error)
        if end.ended == "limit" and not self._written and self._system.content:
            text = yield from self._last_words(end.notice)
            if text:
                return self._answer(text=text, ended="limit", notice=end.notice)
        return self._broken_off(end)

    def _last_words(self, limit: str) -> Generator[Event, None, str]:
        """Ask the model, once and without tools, for the answer that it has; "" when it has none.

        Yields the events of that reply, which is stored with the limit.
        """
        before = self._partial
        deadline = Deadline(min(_LAST_WORDS_S, self._settings.turn_timeout_s), self._stop)
        try:
            self._complete_calls()
            self._session.append(Message(role="tool", content=_LAST_WORDS.format(limit=limit)))
            yield PhaseChanged(phase="thinking", detail=self._model.name)
            if before:
                yield TextAdded(text="\n\n")
            history = self._history
            with deadline.running():
                reply = yield from self._requests.ask(
                    self._system, history, deadline.token, AskedFor(has_tools=False)
                )
            is_answer = not (reply.calls or reply.errors or begins_as_result(reply.text))
            text = reply.text.strip() if is_answer else ""
            if text:
                yield from self._append_reply(reply, limit)
        except Exception as error:  # noqa: BLE001 - the turn ends with what there was before
            _log.info("There are no last words: %s", error)
            text = ""
        if not text:
            self._requests.said = before
        return text

    @property
    def _partial(self) -> str:
        """The visible text of the answer so far."""
        return self._written + self._requests.said

    def _answered(self) -> Generator[Event, None, str]:
        """Yield the events up to the answer, and return it."""
        yield PhaseChanged(phase="thinking", detail=self._model.name)
        before = self._session.messages
        yield from self._append(Message(role="user", content=self._question))
        if self._first is not None:
            text = yield from self._by_index(self._first, before)
            if text:
                return text
        yield from self._remedies.tried(self._prepare)
        while True:
            yield from self._remedies.allowed(self._counts.round)
            self._project.cancel.check()
            reply = yield from self._remedies.tried(self._replied)
            if self.wish == "change" and not (reply.calls or reply.cut_off or self._has_proposed):
                self._take_edits(reply)
            yield from self._append_reply(reply)
            if reply.calls:
                yield from self._run(reply)
            elif not reply.errors and reply.text.strip() and not reply.cut_off:
                return self._partial if self._written else reply.text
            yield from self._repair(reply)

    def _by_index(
        self, first: IndexFirst, before: Sequence[Message]
    ) -> Generator[Event, None, str]:
        """Yield what the index says, and the model's words for it; "" where the loop has to answer.

        Where the loop answers, too, it is begun with what the index has found.
        """
        if self.wish == "change":
            has_text = first.by_evidence and not first.alone
            return (yield from self._changed_by_text(first, before)) if has_text else ""
        kind = first.kind(self._question, before)
        asked = kind.kind == "run" and first.by_evidence
        call = run_call(self._question, self._project) if asked else None
        if call is None and kind.kind not in FOUND_KINDS:
            return ""
        beside = self._beside(first, before) if first.by_evidence else Beside()
        if call is not None:
            result = yield from self._ran(call)
            if result.error is not None or (said := said_of_run(result)):
                text = said if result.error is None else result.error.message
                yield TextAdded(text=text)
                yield from self._append(Message(role="assistant", content=text, raw=text))
                return text
            beside = beside._replace(ran=first.hidden(result.text(), ""))
        yield from (Noticed(text=note) for note in beside.notes)
        found = self._index_answer = first.answer(self._question, kind, before, beside)
        if found.text:
            yield IndexAnswered(answer=found)
        if found.is_answer and not first.is_explaining:
            worded = WordedAnswer(found.text, found)
        elif first.alone and kind.kind != "talk":
            worded = yield from instead(found, first.alone, is_sure=found.is_sure)
        elif not first.by_evidence:
            return ""
        else:
            own = own_names()
            wording = EvidenceAnswer(
                first,
                self._ask_of_evidence,
                lambda: self._requests.said,
                self._ran,
                tools=[one for one in self._tools if not one.asks_first and one.name not in own],
                ignored=[tool.name for tool in self._tools],
                can_constrain=self._requests.can_constrain,
            )
            worded = yield from wording.worded(
                self._question, kind, found, before=before, beside=beside
            )
        return (yield from self._told_by_index(first, worded))

    def _changed_by_text(
        self, first: IndexFirst, before: Sequence[Message]
    ) -> Generator[Event, None, str]:
        """Yield a change that the model writes as text, what is said of it; "" for the loop."""
        change = TextChange(
            first,
            self._ask_of_evidence,
            self._ran,
            can_constrain=self._requests.can_constrain,
        )
        beside = partial(self._beside, first, before)
        done = yield from change.changed(self._question, before, beside)
        if not done.text:
            return ""
        yield TextAdded(text=done.text)
        return (yield from self._told_by_index(first, done))

    def _beside(self, first: IndexFirst, before: Sequence[Message]) -> Beside:
        """What the message brings with it, which is stored."""
        beside = first.beside(self._question, before)
        self._attached = beside.attached
        if beside.attached:
            self._session.add_context("", beside.attached)
        return beside

    def _ran(self, call: ToolCall) -> Generator[Event, None, ToolResult]:
        """Run a call that the program has chosen, or a model in a reply of its own."""
        reply = Reply(calls=[call])
        yield from self._append_reply(reply)
        yield from self._run(reply)
        return self._called[-1].result

    def _told_by_index(
        self, first: IndexFirst, worded: WordedAnswer
    ) -> Generator[Event, None, str]:
        """Store an answer that the loop had no part in, and return it."""
        self._index_answer, self._is_sure = worded.answer, worded.is_sure
        self._notice = worded.notice
        told = first.hidden(worded.text, "")  # what later requests hold
        yield from self._append(
            Message(
                role="assistant",
                content=told,
                raw=told,
                usage=self._usage,
                found=self._found_text,
                is_sure=worded.is_sure,
            ),
            usage_counts(self._usage),
        )
        return worded.text

    @property
    def _found_text(self) -> str:
        """What the index has said, without secrets."""
        first, found = self._first, self._index_answer
        return "" if first is None or found is None else first.hidden(found.text, "")

    def _ask_of_evidence(
        self, messages: Sequence[Message], asked_for: AskedFor
    ) -> Generator[Event, None, Reply]:
        """Send a request that the index has made; yield the reply as it comes, and return it."""
        first, cancel = self._first, self._project.cancel

        def step() -> Generator[Event, None, Reply]:
            self._model.prepare(cancel)
            return (yield from self._requests.send(messages, (), cancel, asked_for))

        if asked_for.is_optional:
            said = self._requests.said
            try:
                reply = yield from step()
            except ModelError as error:
                _log.info("There is no reply: %s", error)
                reply = Reply()
            finally:
                self._requests.said = said  # what the user has seen
            self._usage = self._usage + (reply.usage or Usage())
            return reply
        self._requests.said = ""
        yield from self._remedies.allowed(self._counts.round)
        tokens = count_tokens(messages[-1].content)
        if first is not None:
            yield PromptSent(tokens=round(tokens), seconds=first.speed.seconds_for(tokens))
        reply = yield from self._remedies.tried(step)
        first_s = self._requests.first_s
        if first is not None and first_s is not None and len(messages) == 2:  # noqa: PLR2004 - rules and evidence, nothing read before
            first.speed.note(tokens, first_s)
        self._usage = self._usage + (reply.usage or Usage())
        yield UsageReported(
            usage=self._usage, context_percent=self._context.percent(reply.usage or Usage())
        )
        return reply

    def _prepare(self) -> Generator[Event, None, None]:
        self._model.prepare(self._project.cancel)
        with self._deadline.in_force():
            found = self._index_answer.evidence if self._index_answer is not None else None
            content = self._make_system("" if found is None else found.text)
            self._system = Message(role="system", content=content)
            self._attached = self._session.messages[-1].attached or self._attached
        yield from (Noticed(text=note) for note in self._notes())

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
        return (
            yield from self._requests.ask(
                self._system, self._history, self._project.cancel, self._repairs.next
            )
        )

    def _take_edits(self, reply: Reply) -> None:
        """Have the edits that a reply holds as text proposed; what they lack is its error."""
        edits = written_edits(reply.text)
        is_sure = any(one.old is not None for one in edits)  # code in a fence may only be shown
        if not is_sure or _PROPOSES not in {tool.name for tool in self._tools}:
            return
        try:
            made = placed_edits(self._project, edits)
        except (ToolError, ParsingTooSlow) as error:
            reply.errors = [f"{error} Nothing was changed."]
            return
        if made.lines:
            call = made.call.model_copy(update={"id": f"written.{self._step}"})
            reply.calls, reply.errors = [call], []

    @property
    def _history(self) -> Sequence[Message]:
        """The conversation; without earlier answers to a question that is asked anew."""
        messages = self._session.messages
        if not self._is_anew:
            return messages
        turns = [place for place, one in enumerate(messages) if one.role == "user"]
        kept = list(messages[: turns[0]])
        for begin, end in pairwise([*turns, len(messages)]):
            if begin == turns[-1] or messages[begin].content != self._question:
                kept += messages[begin:end]
        return kept

    def _append_reply(self, reply: Reply, limit: str = "") -> Generator[Event, None, None]:
        usage = reply.usage or Usage()
        content = reply.raw if reply.errors and not reply.calls else reply.text
        if limit:
            content = f"{content.strip()}\n\n[{limit}]"
        self._step = len(self._session.messages)
        yield from self._append(
            Message(
                role="assistant",
                content=content,
                calls=tuple(reply.calls),
                raw=reply.raw,
                thinking=reply.thinking if reply.calls else "",
                interrupted=bool(limit),
                usage=usage,
            ),
            usage_counts(usage),
        )
        self._usage = self._usage + usage
        yield UsageReported(usage=self._usage, context_percent=self._context.percent(usage))

    def _repair(self, reply: Reply) -> Generator[Event, None, None]:
        """Tell the model what was wrong with its reply, a limited number of times."""
        repair = self._repairs.note(reply)
        if repair is None:
            return
        if repair.goes_on:
            self._written = self._partial  # including the blanks at its end
        self._requests.said = ""
        yield from self._remedies.allowed(lambda: self._counts.repair(repair.limit))
        yield Noticed(text=repair.notice)
        for problem in repair.problems:
            yield from self._append(Message(role="tool", content=problem))

    def _run(self, reply: Reply) -> Generator[Event, None, None]:
        """Run the calls of a reply; yield each with its result, in order."""
        self._said, self._written, self._requests.said = self._written + reply.text, "", ""
        made = len(self._called)
        with self._calling.one_reply(reply.calls, self._project):
            for batch in self._calling.batches(reply.calls):
                yield from self._run_batch(batch)
        results = [one.result for one in self._called[made:]]
        self._repairs.note_results(results)
        failed = (one.error.message for one in results if one.error is not None)
        if unasked := next(filter(is_unasked, failed), ""):  # once a reply: it is asked on
            yield from self._remedies.allowed(partial(self._counts.refusal, unasked))
        yield PhaseChanged(phase="thinking", detail=self._model.name)

    def _run_batch(self, batch: Sequence[ToolCall]) -> Generator[Event, None, None]:
        self._project.cancel.check()
        for call in batch:
            name = self._calling.name(call)
            yield from self._remedies.allowed(partial(self._repeats.check, name, call.arguments))
        for call in batch:
            yield CallStarted(call=call)
        names = ", ".join(dict.fromkeys(call.name for call in batch))
        yield PhaseChanged(phase="running", detail=names)
        for call, finished in zip(batch, self._calling.run(batch, self._project), strict=True):
            yield from self._note(call, finished)

    def _note(self, call: ToolCall, finished: FinishedCall) -> Generator[Event, None, None]:
        """Store the result of a call, after asking the user about an error that needs it."""
        finished, end = yield from mended(
            call, finished, self._calling, self._remedies, self._project
        )
        result, changes = finished.result, self._calling.changes(call)
        counted = {"proposals": self._journal.proposals(result, changes=changes)}
        entry = self._journal.take(result)
        yield from entry.decided
        said, self._said = self._said, ""
        about = {"said": said, "decided": applied_lines(entry.decided), **counted}
        self._called.append(CalledTool(call=call, result=result, **about))
        told = finished.message.model_copy(update=counted)
        message = self._remarked(call, told, is_change=entry.is_change)
        if end is None:
            yield from self._append(message, entry.counts)
        else:
            with suppress(StorageError):
                self._session.append(message, entry.counts)
        yield CallFinished(call=call, result=result, **counted)
        if end is not None:
            raise end
        error = result.error
        if error is not None and not error.recoverable and error.type not in NEEDS_USER:
            yield from self._remedies.allowed(lambda: self._counts.refusal(error.message))

    def _remarked(self, call: ToolCall, message: Message, *, is_change: bool) -> Message:
        """The message of a result, with a remark when the call was made before."""
        result = message.content
        name = self._calling.name(call)
        earlier = self._repeats.note(
            name, call.arguments, result=result, is_change=is_change, call_id=call.id
        )
        if earlier is None:
            return message
        still_there = (*self._requests.sent, *self._session.messages[self._step :])
        is_above = self._calling.only_reads(call) and any(
            one.call_id == earlier.call_id and one.content.startswith(result)
            for one in still_there
            if one.call_id
        )
        return remarked(message, earlier, is_above=is_above)

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
        partial, notice, found = self._partial, end.notice, self._index_answer
        if found is not None:
            partial = with_places(partial, found)
        try:
            self._complete_calls(is_stopped=end.ended == "stopped")
            last = self._session.messages[-1] if self._session.messages else None
            if last is not None and (last.role != "assistant" or last.calls):
                content = f"{partial}\n[{notice}]" if partial else f"[{notice}]"
                self._session.append(
                    Message(
                        role="assistant",
                        content=content,
                        raw=partial,
                        interrupted=True,
                        found=self._found_text,
                    )
                )
        except StorageError as error:
            notice = notice if str(error) in notice else f"{notice} {error}"
        return self._answer(text=partial or self._said, ended=end.ended, notice=notice)

    def _complete_calls(self, *, is_stopped: bool = False) -> None:
        """Store a result for each call that has none."""
        for call in pending_calls(list(self._session.messages)):
            if is_stopped:
                self._called.append(unfinished(call))
            self._session.append(interruption(call))

    @property
    def _has_proposed(self) -> bool:
        decided = sum((one.proposals for one in self._called), ProposalCounts())
        return bool(self._journal.changes or decided.applied or decided.rejected)

    def _offered(self, text: str) -> tuple[OfferedEdit, ...]:
        """The edits in the answer that can be proposed.

        There are none where the model has not written it, or it is not kept as it was said.
        """
        is_programs = self.wish == "change" and self._index_answer is not None
        is_kept = any(one.content.strip() == text for one in self._session.messages[-1:])
        is_models = is_kept and self._usage.prompt_tokens and not is_programs
        return offered_edits(self._project, text) if is_models else ()

    def _answer(self, *, text: str, ended: str = "done", notice: str = "") -> Answer:
        text, receipt = text.strip(), Receipt()
        found = self._index_answer
        own = "" if found is None else found.instead.strip()
        is_own = bool(own) and text.endswith(own)
        if ended in ("done", "limit") and not is_own:
            done = (self._called, self._journal.changes)
            receipt = kept_receipt(
                text,
                self._project,
                self._session,
                self._tools,
                done=done,
                found=found,
                edits=self._offered(text),
            )
        return Answer.model_validate(
            {
                "question": self._question,
                "attached": self._attached,
                "text": text,
                "tool_calls": tuple(self._called),
                "edits": tuple(self._journal.changes),
                "usage": self._usage,
                "unchanged": self.wish == "change" and not self._has_proposed,
                "ended": ended,
                "notice": notice or self._notice,
                "found": "" if found is None else found.text,
                "index_answer": found,
                "is_sure": self._is_sure,
                "receipt": receipt,
                "duration_ms": round((time.monotonic() - self._started) * 1000),
            }
        )


def _told(error: Exception) -> str:
    """What the user is told of an error, or of a fault of ours."""
    if isinstance(error, IpuaroError):
        return str(error)
    _log.exception("The turn failed", exc_info=error)
    return f"This is a fault of the assistant: {type(error).__name__}: {error}"

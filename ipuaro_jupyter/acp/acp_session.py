"""A session of the protocol: one conversation, whose turns run in a thread, one at a time."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, cast

from acp import schema as protocol
from acp.exceptions import RequestError
from acp.helpers import (
    update_agent_message_text,
    update_agent_thought_text,
    update_current_mode,
    update_tool_call,
)
from acp.interfaces import Client
from pydantic import ValidationError

from ipuaro_jupyter.acp.acp_questions import (
    choices_of,
    decision_of,
    nobody_decides,
    remedies_of,
    remedy_of,
)
from ipuaro_jupyter.acp.acp_updates import AcpUpdates, Update, text_content
from ipuaro_jupyter.assistant import Assistant
from ipuaro_jupyter.assistant.slash_commands import typed_command
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, IpuaroError, SettingsError
from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.records.chat import Answer
from ipuaro_jupyter.records.events import (
    CallFinished,
    CallStarted,
    Event,
    IndexAnswered,
    Noticed,
    TextAdded,
    TurnFinished,
    UsageReported,
)
from ipuaro_jupyter.records.markdown import fenced
from ipuaro_jupyter.records.trouble import Remedy, Trouble
from ipuaro_jupyter.views import index_answer
from ipuaro_jupyter.views import trouble as trouble_view
from ipuaro_jupyter.views.markup import visible

Outcome = protocol.AllowedOutcome | protocol.DeniedOutcome
_ENDINGS: dict[str, protocol.StopReason] = {
    "done": "end_turn",
    "error": "end_turn",
    "limit": "max_turn_requests",
    "stopped": "cancelled",
}


class _TurnReport(NamedTuple):
    """An event of the running turn, with what the call that it ends has changed."""

    event: Event
    changes: Sequence[Change] = ()


class _PanelQuestion(NamedTuple):
    """A question of the running turn, whose thread waits for the reply."""

    subject: Proposal | Trouble
    options: list[protocol.PermissionOption]
    reply: "Future[Outcome]"


_Reported = _TurnReport | _PanelQuestion | Exception | None
"""What the thread of a turn hands to the loop; None at its end."""


class AcpSession:
    """One open session.

    Args:
        session_id: Its id, which is that of the stored session.
        assistant: The project, opened for this session alone.
        client: The client's side of the connection.

    Attributes:
        id: Its id.
        assistant: The project.
        client: The client.
        updates: Makes the updates.
    """

    def __init__(self, session_id: str, assistant: Assistant, client: Client) -> None:
        self.id = session_id
        self.assistant = assistant
        self.client = client
        self.updates = AcpUpdates(assistant.root, assistant.tools)
        self._loop = asyncio.get_running_loop()
        self._answering = asyncio.Lock()
        self._told: asyncio.Queue[_Reported] = asyncio.Queue()
        self._thread = ThreadPoolExecutor(1, f"session-{session_id}")
        self._cancel = CancelToken()
        self._put: Callable[[_Reported], None] = self._told.put_nowait  # of the running turn
        self._mode = assistant.approve
        assistant.confirm = self._decide
        assistant.on_error = self._remedy

    async def answer(self, message: str) -> protocol.PromptResponse:
        """Answer a message and tell the client of it as it goes on.

        Raises:
            SettingsError: Another message is being answered, or the session is open elsewhere.
            IpuaroError: It cannot be answered.
        """
        if self._answering.locked():
            raise SettingsError("A message is being answered; cancel it or wait for its end.")
        if _opens_another(message, self.assistant.root):
            raise SettingsError("Choose the session in the list of the panel.")
        async with self._answering:
            self._cancel, self._told = CancelToken(), asyncio.Queue()
            told = self._told

            def put(one: _Reported) -> None:
                self._loop.call_soon_threadsafe(told.put_nowait, one)

            working = self._loop.run_in_executor(
                self._thread, self._work, message, self._cancel, put
            )
            try:
                return await self._tell_turn()
            finally:
                self._cancel.cancel()  # ended, or the connection has
                await asyncio.shield(asyncio.wait([working]))

    def cancel(self) -> None:
        """Stop the message that is being answered, if there is one."""
        self._cancel.cancel()

    async def tell(self, update: Update) -> None:
        """Send an update."""
        await self.client.session_update(session_id=self.id, update=update)

    async def close(self) -> None:
        """Stop what runs and let others open the session."""
        self.cancel()
        async with self._answering:
            await self._loop.run_in_executor(self._thread, self.assistant.close)
            self._thread.shutdown(wait=False)

    @property
    def is_answering(self) -> bool:
        """Whether a message is being answered."""
        return self._answering.locked()

    def _work(self, message: str, cancel: CancelToken, put: Callable[[_Reported], None]) -> None:
        """Run a turn in this thread; what happens goes to the loop's."""
        self._put = put
        try:
            self.assistant.take_back(self.id)
            seen = 0
            for event in self.assistant.stream(message, cancel):
                if isinstance(event, CallFinished):
                    changes = self.assistant.changes
                    put(_TurnReport(event, changes[seen:]))
                    seen = len(changes)
                else:
                    put(_TurnReport(event))
        except Exception as error:  # noqa: BLE001 - it is raised in the loop's thread
            put(error)
        finally:
            with suppress(IpuaroError):  # the next message tells what is wrong
                self.assistant.hand_over()
            put(None)

    async def _tell_turn(self) -> protocol.PromptResponse:
        """Tell the client what the thread reports until it has ended; return how it ended."""
        answer: Answer | None = None
        failed: Exception | None = None
        while (told := await self._told.get()) is not None:
            if isinstance(told, _PanelQuestion):
                await self._ask(told)
            elif isinstance(told, _TurnReport):
                for update in self._updates_of(told):
                    await self.tell(update)
                if isinstance(told.event, TurnFinished):
                    answer = told.event.answer
            else:
                failed = told
        if isinstance(failed, Cancelled):
            return protocol.PromptResponse(stop_reason="cancelled")
        if failed is not None:
            raise failed
        if self._mode != self.assistant.approve:
            self._mode = self.assistant.approve
            await self.tell(update_current_mode(self._mode))
        assert answer is not None  # noqa: S101 - every turn ends with it
        if answer.ended == "error" and self._cancel.cancelled:
            return protocol.PromptResponse(stop_reason="cancelled")
        return _response(answer)

    def note_mode(self) -> None:
        """Remember that the client knows the present mode."""
        self._mode = self.assistant.approve

    def _updates_of(self, told: _TurnReport) -> list[Update]:
        match event := told.event:
            case TextAdded():
                update: Update = update_agent_message_text(visible(event.text))
            case IndexAnswered() if event.answer.is_answer:
                update = update_agent_message_text(index_answer.text(event.answer))
            case IndexAnswered():
                update = update_agent_thought_text(index_answer.text(event.answer))
            case CallStarted():
                update = self.updates.started(event.call)
            case CallFinished():
                update = self.updates.finished(event.call, event.result, told.changes)
            case Noticed() if event.level != "error":  # errors are the answer's notice
                update = update_agent_thought_text(visible(event.text))
            case UsageReported():
                update = self._usage(event)
            case TurnFinished():
                return list(self.updates.ended(event.answer))
            case _:
                return []
        return [update]

    def _usage(self, reported: UsageReported) -> Update:
        size = self.assistant.model.context_tokens
        used = round(size * reported.context_percent / 100)
        return protocol.UsageUpdate(session_update="usage_update", used=used, size=size)

    async def _ask(self, asked: _PanelQuestion) -> None:
        """Ask the client, until it answers or the thread waits no longer."""
        if isinstance(asked.subject, Proposal) and (words := self.updates.words(asked.subject)):
            await self.tell(update_agent_message_text(f"\n\n{fenced(words)}\n\n"))
        running = self.updates.running_id
        call_id = running or self.updates.own_id()
        waited = asyncio.ensure_future(asyncio.wrap_future(asked.reply))
        request = asyncio.ensure_future(
            self.client.request_permission(
                session_id=self.id,
                tool_call=self._call(asked.subject, call_id),
                options=asked.options,
            )
        )
        awaited: set[asyncio.Future[object]] = {request, waited}  # type: ignore[arg-type]
        await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
        if not request.done():
            request.cancel()
        elif not asked.reply.done():
            error = request.exception()
            if isinstance(error, ValidationError):
                error = RequestError.internal_error({"errors": error.errors()})
            if error:
                asked.reply.set_exception(error)
            else:
                asked.reply.set_result(request.result().outcome)
        await asyncio.wait({request})
        if running is None:  # no call will end it
            await self.tell(update_tool_call(call_id, status="completed"))

    def _call(self, subject: Proposal | Trouble, call_id: str) -> protocol.ToolCallUpdate:
        if isinstance(subject, Proposal):
            title, content = subject.title, self.updates.asked(subject)
        else:
            title = trouble_view.title(subject)
            content = [text_content(trouble_view.detail_text(subject))]
        return protocol.ToolCallUpdate(
            tool_call_id=call_id,
            title=visible(title),
            status="pending",
            content=content,
        )

    def _decide(self, proposal: Proposal) -> Decision:
        try:
            outcome = self._replied(proposal, choices_of(proposal))
        except TimeoutError:
            minutes = self.assistant.settings.display.ask_timeout_s / 60
            return nobody_decides(f"no answer within {minutes:.0f} minutes")
        except RequestError as error:
            return nobody_decides(f"the client could not ask: {error}")
        return decision_of(outcome)

    def _remedy(self, trouble: Trouble) -> Remedy:
        try:
            return remedy_of(trouble, self._replied(trouble, remedies_of(trouble)))
        except (TimeoutError, RequestError) as error:
            return Remedy(action="abort", by="nobody", reason=str(error))

    def _replied(
        self, subject: Proposal | Trouble, options: list[protocol.PermissionOption]
    ) -> Outcome:
        """Ask from the turn's thread and wait.

        Raises:
            Cancelled: The turn was stopped.
            TimeoutError: There was no answer in time.
            RequestError: The client cannot ask.
        """
        cancel, asked = self._cancel, _PanelQuestion(subject, options, Future())
        with cancel.calling(lambda: cast("None", asked.reply.cancel())):
            self._put(asked)
            try:
                return asked.reply.result(self.assistant.settings.display.ask_timeout_s)
            except CancelledError:
                cancel.check()
                raise
            finally:
                asked.reply.cancel()


def _opens_another(message: str, root: Path) -> bool:
    """Whether a message is a command that loads another session: the panel would not know of it."""
    typed = typed_command(message, root)
    return typed is not None and (typed.name == "load" or typed.words[:1] == ["load"])


def _response(answer: Answer) -> protocol.PromptResponse:
    read, written = answer.usage.prompt_tokens, answer.usage.completion_tokens
    return protocol.PromptResponse(
        stop_reason=_ENDINGS[answer.ended],
        usage=protocol.Usage(total_tokens=read + written, input_tokens=read, output_tokens=written),
    )

"""A session as a recording, with all that is needed to read it elsewhere or to replay it."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import model_validator

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.chat import (
    Answer,
    CalledTool,
    Message,
    ProposalCounts,
    ToolCall,
    Usage,
)
from ipuaro_jupyter.records.outputs import RestoredOutput, ToolFailure, ToolResult
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.undoing import UndoAction
from ipuaro_jupyter.sessions.stored_session import (
    SessionInfo,
    find_session,
    plain_message,
    session_ids,
    stored_actions,
    stored_info,
    stored_messages,
)
from ipuaro_jupyter.sessions.whole import whole
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys, project_id


class RecordedSession(Record):
    """A session with its messages, which are `whole`.

    ``session`` is its id, ``project`` the name of the project's folder, and ``root`` the path of
    that folder on the machine where it was recorded. ``created_at`` is in seconds since the epoch.
    ``actions`` are the user's undos and redos between the messages, oldest first.
    """

    session: str
    title: str = ""
    project: str = ""
    root: str = ""
    created_at: float = 0.0
    messages: tuple[Message, ...] = ()
    actions: tuple[UndoAction, ...] = ()

    @model_validator(mode="after")
    def _check_whole(self) -> "RecordedSession":
        if tuple(whole(self.messages)) != self.messages:
            raise ValueError("a call without its result, or a question without its answer")
        return self

    def turns(self) -> Iterator[tuple[Message, ...]]:
        """Yield the messages turn by turn, the user's message first."""
        yield from turns_of(self.messages)


def turns_of(messages: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    """Yield a whole history turn by turn, the user's message first."""
    begins = [place for place, message in enumerate(messages) if message.role == "user"]
    for begin, end in pairwise([*begins, len(messages)]):
        yield tuple(messages[begin:end])


def record(
    info: SessionInfo,
    messages: Iterable[Message],
    root: Path,
    *,
    actions: Iterable[UndoAction] = (),
) -> RecordedSession:
    """A session as a recording: what was said and done, without halves of surrogate pairs."""
    private = {"thinking": "", "context": ""}
    return RecordedSession(
        session=info.id,
        title=_scrubbed(info.title),
        project=_scrubbed(root.name),
        root=_scrubbed(str(root)),
        created_at=info.created_at,
        messages=tuple(
            Message.model_validate_json(plain_message(m.model_copy(update=private)))
            for m in messages
        ),
        actions=tuple(UndoAction.model_validate_json(plain_message(one)) for one in actions),
    )


def stored_recording(store: Store, root: Path, part: str | None) -> RecordedSession:
    """A recorded session of the project at ``root``, even if it is open elsewhere.

    Args:
        store: Holds the session.
        root: The project's folder.
        part: A part of its id that no other has; None for the one used last.

    Raises:
        SettingsError: There is no such session.
    """
    keys = Keys(project_id(root))
    ids = session_ids(store, keys)
    if part is None and not ids:
        raise SettingsError(f"There are no sessions yet of the project {str(root)!r}.")
    session = ids[0] if part is None else find_session(ids, part)
    messages = stored_messages(store, keys, session)
    actions = stored_actions(store, keys, session)
    return record(stored_info(store, keys, session), messages, root, actions=actions)


def _scrubbed(text: str) -> str:
    return text.encode(errors="replace").decode()


def visible_texts(turn: Sequence[Message]) -> dict[int, str]:
    """The texts of a turn as the user read them, by the index of the reply that ends each.

    Those replies are the ones with calls, and the last message. A truncated reply is the beginning
    of the next; an unusable one has no text.
    """
    said: dict[int, str] = {}
    begun: list[Message] = []
    for place, message in enumerate(turn):
        if message.role != "assistant":
            continue
        after = turn[place + 1] if place + 1 < len(turn) else None
        if message.calls or after is None:
            parts = [message] if message.interrupted else [*begun, message]
            said[place] = _joined(parts)
            begun = []
        elif _asks_to_go_on(after):
            begun.append(message)
    return said


def _asks_to_go_on(message: Message) -> bool:
    """Whether a message tells the model that its reply was truncated, and of no other error."""
    is_told = message.role == "tool" and not message.call_id
    return is_told and not message.content.startswith("Error")


def _joined(parts: Sequence[Message]) -> str:
    """The text of replies that continue one another."""
    text = parts[0].content.strip()
    for before, after in pairwise(parts):
        end, start = before.raw, after.raw
        text += end[len(end.rstrip()) :] + start[: len(start) - len(start.lstrip())]
        text += after.content.strip()
    return text


def answer_of(turn: Sequence[Message]) -> Answer:
    """The answer of a turn, as far as a recording has it: without the changes themselves."""
    said = visible_texts(turn)
    calls: dict[str, tuple[ToolCall, str]] = {}
    called: list[CalledTool] = []
    usage = Usage()
    for place, (before, message) in enumerate(pairwise(turn), 1):
        if message.role == "assistant":
            usage = usage + message.usage if message.usage else usage
            calls = {call.id: (call, "") for call in message.calls}
            if message.calls:
                calls[message.calls[0].id] = (message.calls[0], said[place])
        elif message.call_id in calls:
            call, before_it = calls[message.call_id]
            took_ms = max(0, round((message.at - before.at) * 1000))
            result = _result(message, took_ms)
            proposals = message.proposals or _proposals(message, result)
            called.append(CalledTool(call=call, result=result, said=before_it, proposals=proposals))
    last = turn[-1]
    return Answer(
        question=turn[0].content,
        attached=turn[0].attached,
        text=said.get(len(turn) - 1, ""),
        tool_calls=tuple(called),
        usage=usage,
        ended="stopped" if last.interrupted else "done",
        duration_ms=max(0, round((last.at - turn[0].at) * 1000)),
        receipt=last.receipt,
        found=last.found,
        is_sure=last.is_sure,
    )


def _proposals(message: Message, result: ToolResult) -> ProposalCounts:
    """What became of a call's proposals, as far as the recording of an older version tells it."""
    error = None if result.error is None else result.error.type
    return ProposalCounts.of(message.decisions, error=error, changes=False)


def _result(message: Message, took_ms: int) -> ToolResult:
    """A recorded result, as text: its own shape is no longer known."""
    result: dict[str, Any] = message.result or {}
    if result.get("success") is False:
        try:
            failure = ToolFailure.model_validate(result.get("error"))
        except ValueError:
            failure = ToolFailure(type="internal", message=message.content)
        return ToolResult(tool=message.tool, error=failure, duration_ms=took_ms)
    output = RestoredOutput(content=message.content)
    return ToolResult(tool=message.tool, output=output, duration_ms=took_ms)

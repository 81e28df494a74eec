"""Make a history whole: every turn ends, every call has its result, in order."""

from collections.abc import Iterable, Iterator, Sequence

from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.records.outputs import ToolFailure

INTERRUPTED = "[interrupted]"
UNREADABLE = "[a message that could not be read]"


def whole(stored: Iterable[Message | None]) -> list[Message]:
    """The history that stored messages make up; one that is already whole is unchanged.

    An interrupted turn ends with a message of the assistant that is marked as interrupted. A call
    without a result gets one that says so, a result without its call is left out. A missing message
    of the user is replaced.

    Args:
        stored: The messages, oldest first; None for one that cannot be read.
    """
    found = list(stored)
    readable = [message for message in found if message is not None]
    called = list(_with_known_calls(readable))
    told = [message for turn in _turns(called) for message in _completed(turn)]
    if len(readable) == len(found):
        return told
    return [
        _on_whole_turns(message, told[:place]) if message.covers else message
        for place, message in enumerate(told)
    ]


def interruption(call: ToolCall) -> Message:
    """The result of a call that was interrupted or never run."""
    failure = ToolFailure(type="cancelled", message="The turn was interrupted.")
    return Message(
        role="tool",
        content=f"Error (cancelled): {failure.message}",
        call_id=call.id,
        tool=call.name,
        result={"success": False, "error": failure.to_dict()},
        interrupted=True,
    )


def pending_calls(messages: Sequence[Message]) -> list[ToolCall]:
    """The calls of the last assistant message that have no result yet, in order."""
    answered: set[str] = set()
    for message in reversed(messages):
        match message.role:
            case "tool":
                answered.add(message.call_id)
            case "assistant":
                return [call for call in message.calls if call.id not in answered]
            case "user":
                break
            case "system":
                pass
    return []


def _with_known_calls(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield the messages, without the results of calls that were never made."""
    waiting: set[str] = set()
    for message in messages:
        if message.role == "tool" and message.call_id:
            if message.call_id not in waiting:
                continue
            waiting.remove(message.call_id)
        elif message.role != "system":
            waiting = {call.id for call in message.calls}
        yield message


def _turns(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield the messages turn by turn, each beginning with the user's message.

    Without that message, a turn begins where the one before has ended: after an answer.
    """
    turn: list[Message] = []
    for message in messages:
        begins = message.role == "user"
        if turn and not begins and message.role == "assistant":
            begins = _has_ended(turn)
        if begins and turn:
            yield turn
            turn = []
        if not turn and message.role != "user":
            turn.append(Message(role="user", content=UNREADABLE, interrupted=True, at=message.at))
        turn.append(message)
    if turn:
        yield turn


def _has_ended(turn: Sequence[Message]) -> bool:
    last = next((m for m in reversed(turn) if m.role != "system"), None)
    return last is not None and last.role == "assistant" and not last.calls


def _completed(turn: Sequence[Message]) -> list[Message]:
    """The messages of a turn with the results of each reply in the order of its calls."""
    told: list[Message] = []
    place = 0
    while place < len(turn):
        message = turn[place]
        place += 1
        told.append(message)
        if message.calls:
            end = next((n for n in range(place, len(turn)) if turn[n].role == "assistant"), None)
            told += _with_results(message.calls, turn[place:end])
            place = len(turn) if end is None else end
    if not _has_ended(told):
        at = turn[-1].at
        told.append(Message(role="assistant", content=INTERRUPTED, interrupted=True, at=at))
    return told


def _with_results(calls: Sequence[ToolCall], after: Sequence[Message]) -> Iterator[Message]:
    """Yield a result for each call, and the other messages in their places."""
    waiting = list(calls)
    for message in after:
        if message.role != "tool" or not message.call_id:
            if message.role == "tool":  # errors in a reply are reported after its results
                yield from map(interruption, waiting)
                waiting = []
            yield message
            continue
        place = next((n for n, call in enumerate(waiting) if call.id == message.call_id), None)
        if place is None:
            continue
        yield from map(interruption, waiting[:place])
        del waiting[: place + 1]
        yield message
    yield from map(interruption, waiting)


def _on_whole_turns(summary: Message, before: Sequence[Message]) -> Message:
    """A summary adjusted to cover whole turns, since messages it counted may be missing."""
    begins = [place for place, message in enumerate(before) if message.role == "user"]
    covers = max((place for place in begins if place <= summary.covers), default=0)
    return summary.model_copy(update={"covers": covers})

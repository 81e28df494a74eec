"""Cut the newest messages when nothing older is left to leave out."""

from collections.abc import Sequence

from ipuaro_jupyter.agent.context.budget import cut
from ipuaro_jupyter.agent.context.tokens import message_tokens, messages_tokens
from ipuaro_jupyter.records.chat import Message

_STEP_SHARE, _QUESTION_SHARE = 0.3, 0.5
_LEAST = 64  # tokens of a shortened message at least
_HALVINGS = 20


def truncate_turn(
    messages: Sequence[Message], limit: float, *, has_head: bool = False
) -> tuple[list[Message], float]:
    """The messages cut to at most ``limit`` tokens, if that is possible.

    First, long messages in the newest step lose their middle, down to a third of the limit, then
    earlier turns that are still there, then a very long message of the user. After that, the newest
    step is cut further, then the user's message, the head, and the first of the newest calls with
    their results.

    Args:
        messages: The messages to send: earlier turns, the user's message, the newest step.
        limit: In estimated tokens.
        has_head: Whether the first message replaces turns that are left out.

    Returns:
        The messages, and the number of tokens of the user's message if it was cut, else 0.
    """
    question = max((n for n, m in enumerate(messages) if m.role == "user"), default=0)
    first = 1 if has_head and question else 0
    heads, before = [*messages[:first]], [*messages[first:question]]
    asked, step = messages[question], [*messages[question + 1 :]]
    kept = asked

    def excess() -> float:
        return messages_tokens([*heads, *before, kept, *step]) - limit

    step = _level(step, min(excess(), messages_tokens(step) - _STEP_SHARE * limit))
    before = _level(before, excess())
    if excess() > 0 and message_tokens(kept) > _QUESTION_SHARE * limit:
        kept = cut(kept, max(_QUESTION_SHARE * limit, message_tokens(kept) - excess()))
    step = _level(step, excess())
    if excess() > 0 and message_tokens(kept) > _LEAST:
        kept = cut(kept, max(_LEAST, message_tokens(kept) - excess()))
    heads = _level(heads, excess())
    while excess() > 0 and (fewer := _without_first_call(step)):
        step = fewer
    was_cut = kept.content != asked.content
    return [*heads, *before, kept, *step], message_tokens(asked) if was_cut else 0.0


def _level(messages: Sequence[Message], excess: float) -> list[Message]:
    """The messages with the longest ones cut to one length, to save ``excess``."""
    if excess <= 0:
        return list(messages)
    sizes = [message_tokens(message) for message in messages]
    shortest = [message_tokens(cut(message, _LEAST)) for message in messages]
    room = sum(sizes) - excess
    low, high = 0.0, max(sizes, default=0.0)
    for _ in range(_HALVINGS):
        most = (low + high) / 2
        fits = sum(min(size, max(most, least)) for size, least in zip(sizes, shortest, strict=True))
        low, high = (most, high) if fits <= room else (low, most)
    most = max(_LEAST, low)
    return [
        cut(message, most) if size > most else message
        for message, size in zip(messages, sizes, strict=True)
    ]


def _without_first_call(step: Sequence[Message]) -> list[Message]:
    """The step without its first call and that call's result; empty when it has only one."""
    place = next((n for n, message in enumerate(step) if len(message.calls) > 1), None)
    if place is None:
        return []
    first, *others = step[place].calls
    fewer = step[place].model_copy(update={"calls": tuple(others)})
    rest = [message for message in step[place + 1 :] if message.call_id != first.id]
    return [*step[:place], fewer, *rest]

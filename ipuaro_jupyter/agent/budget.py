"""How the history is made to fit the model's window.

Sizes are estimates in tokens: characters divided by `CHARS_PER_TOKEN`, a figure on the safe side
for code. What the model itself counted corrects the estimate by a factor.
"""

import json
from collections.abc import Sequence

from ipuaro_jupyter.records.chat import Message

CHARS_PER_TOKEN = 3.2
_MESSAGE_TOKENS = 8
_STUB = "[result left out to save room; call the tool again if you need it]"
_STUB_OVER_CHARS = 200


def estimate(messages: Sequence[Message], *, factor: float = 1.0) -> int:
    """Return about how many tokens the messages take."""
    return round(factor * sum(_tokens(message) for message in messages))


def fit(messages: Sequence[Message], limit_tokens: int, *, factor: float = 1.0) -> list[Message]:
    """Return the messages so that they fit ``limit_tokens``, the newest in full if possible.

    First the results of old tool calls become stubs, oldest first; then the oldest turns are
    left out whole, so that a call and its result are never parted. The last turn always stays.
    """
    fitted = list(messages)
    last_turn = _last_turn(fitted)
    size = estimate(fitted, factor=factor)
    for place in range(last_turn):
        if size <= limit_tokens:
            return fitted
        message = fitted[place]
        if message.role == "tool" and len(message.content) > _STUB_OVER_CHARS:
            fitted[place] = message.model_copy(update={"content": _STUB})
            size -= estimate([message], factor=factor) - estimate([fitted[place]], factor=factor)
    while size > limit_tokens and (end := _next_turn(fitted)) is not None:
        fitted = fitted[end:]
        size = estimate(fitted, factor=factor)
    return _shorten_last(fitted, limit_tokens, factor)


def _shorten_last(messages: list[Message], limit_tokens: int, factor: float) -> list[Message]:
    """Stub the results of the last turn, oldest first, but for the newest message."""
    size = estimate(messages, factor=factor)
    for place, message in enumerate(messages[:-1]):
        if size <= limit_tokens:
            break
        if message.role == "tool" and len(message.content) > _STUB_OVER_CHARS:
            messages[place] = message.model_copy(update={"content": _STUB})
            size = estimate(messages, factor=factor)
    excess = size - limit_tokens
    if excess > 0 and messages and messages[-1].role == "tool":
        keep = max(
            _STUB_OVER_CHARS, len(messages[-1].content) - round(excess * CHARS_PER_TOKEN / factor)
        )
        messages[-1] = messages[-1].model_copy(
            update={"content": shorten(messages[-1].content, keep)}
        )
    return messages


def shorten(text: str, chars: int) -> str:
    """Return ``text`` with its middle left out so that about ``chars`` characters stay."""
    if len(text) <= chars:
        return text
    head, tail = text[: chars * 2 // 3], text[len(text) - chars // 3 :]
    return f"{head}\n[… {len(text) - len(head) - len(tail)} characters left out …]\n{tail}"


def _tokens(message: Message) -> float:
    text = len(message.content) + sum(
        len(json.dumps(c.arguments)) + len(c.name) for c in message.calls
    )
    return _MESSAGE_TOKENS + text / CHARS_PER_TOKEN


def _last_turn(messages: Sequence[Message]) -> int:
    """Return the place of the last user message, 0 without one."""
    users = [place for place, message in enumerate(messages) if message.role == "user"]
    return users[-1] if users else 0


def _next_turn(messages: Sequence[Message]) -> int | None:
    """Return where the second turn begins, None when there is only one."""
    users = [place for place, message in enumerate(messages) if message.role == "user"]
    return users[1] if len(users) > 1 else None

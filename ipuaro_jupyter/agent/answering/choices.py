"""A model's choice among options: a reply that is held to a list of them."""

import re
from collections.abc import Callable, Collection, Generator, Sequence

from ipuaro_jupyter.agent.model_requests import AskedFor
from ipuaro_jupyter.agent.reply import Reply
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.records.events import Event

Ask = Callable[[Sequence[Message], AskedFor], Generator[Event, None, Reply]]

MOST_CHOSEN = 3
_NONE = re.compile(r"\s*\[\s*\]\s*")


def chosen(
    ask: Ask, request: Sequence[Message], options: Collection[str], *, is_optional: bool = False
) -> Generator[Event, None, list[str] | None]:
    """Ask for at most three options; yield the events, and return those that the reply names.

    It returns None where the reply is no list of them: then nothing is known of the choice.

    Args:
        ask: Sends a request.
        request: Its messages, the last of which asks for a JSON list.
        options: What there is to choose from.
        is_optional: Whether the turn goes on without a reply.
    """
    schema = {"type": "array", "items": {"enum": list(options)}, "maxItems": MOST_CHOSEN}
    wanted = AskedFor(has_tools=False, schema=schema, is_shown=False, is_optional=is_optional)
    reply = yield from ask(request, wanted)
    return named_in(reply.raw, options) or ([] if _NONE.fullmatch(reply.raw) else None)


def named_in(text: str, options: Collection[str]) -> list[str]:
    """The options that stand in a text as words, in its order, each once."""
    longest_first = sorted(options, key=len, reverse=True)
    any_of = "|".join(map(re.escape, longest_first)) or "(?!)"
    return list(dict.fromkeys(re.findall(rf"(?<!\w)(?:{any_of})(?!\w)", text)))

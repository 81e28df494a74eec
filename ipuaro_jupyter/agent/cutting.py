"""How the newest messages are made to fit when nothing older is left to leave out."""

from collections.abc import Sequence

from ipuaro_jupyter.agent.budget import cut
from ipuaro_jupyter.agent.tokens import message_tokens, messages_tokens
from ipuaro_jupyter.records.chat import Message

_STEP_SHARE = 0.3
_LEAST = 64  # tokens that a shortened message keeps


def cut_turn(messages: Sequence[Message], limit: float) -> tuple[list[Message], float]:
    """Return the messages cut so that they take at most ``limit`` tokens, if that is possible.

    What is long in the newest step loses its middle, then what tells of earlier turns, then the
    user's own message; then the first of the newest calls go, each with its result.

    Args:
        messages: Perhaps a head, the user's message, and the newest step.
        limit: In guessed tokens.

    Returns:
        The messages, and how many tokens the user's message takes if it was cut, else 0.
    """
    question = max((n for n, m in enumerate(messages) if m.role == "user"), default=0)
    before, asked, step = [*messages[:question]], messages[question], [*messages[question + 1 :]]
    kept = asked

    def excess() -> float:
        return messages_tokens([*before, kept, *step]) - limit

    step = _cut_longest(step, min(excess(), messages_tokens(step) - _STEP_SHARE * limit))
    before = _cut_longest(before, excess())
    if excess() > 0:
        kept = cut(asked, max(_LEAST, message_tokens(asked) - excess()))
    step = _cut_longest(step, excess())
    while excess() > 0 and (fewer := _without_first_call(step)):
        step = fewer
    return [*before, kept, *step], message_tokens(asked) if kept is not asked else 0.0


def _cut_longest(messages: Sequence[Message], excess: float) -> list[Message]:
    """Return the messages with the longest ones shortened until ``excess`` tokens are saved."""
    shorter = list(messages)
    for place in sorted(range(len(shorter)), key=lambda n: -message_tokens(shorter[n])):
        if excess <= 0:
            break
        size = message_tokens(shorter[place])
        if size > _LEAST:
            shorter[place] = cut(shorter[place], max(_LEAST, size - excess))
            excess -= size - message_tokens(shorter[place])
    return shorter


def _without_first_call(step: Sequence[Message]) -> list[Message]:
    """Return the step without its first call and that call's result; empty when it has one."""
    place = next((n for n, message in enumerate(step) if len(message.calls) > 1), None)
    if place is None:
        return []
    first, *others = step[place].calls
    fewer = step[place].model_copy(update={"calls": tuple(others)})
    rest = [message for message in step[place + 1 :] if message.call_id != first.id]
    return [*step[:place], fewer, *rest]

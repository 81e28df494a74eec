"""Compare a replayed turn with the recorded one, call by call."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from ipuaro_jupyter.agent.redaction import PLACEHOLDER
from ipuaro_jupyter.records.chat import Attachment, Message, ToolCall
from ipuaro_jupyter.records.replayed import Outcome, ReplayedCall

_IN_PART = ", in part"  # as `Attaching` says it
_Called = tuple[ToolCall, Message]
_FIELDS = {
    "run_command": {"duration"},
    "run_tests": {"duration"},
    "job": {"duration"},
    "git_commit": {"hash", "author", "timestamp"},
}
_PRINTING = frozenset({"run_command", "bash", "run_tests", "job", "git_commit"})
_PRINTED = (
    (r"(?<![\w.])\d+(?:[.,]\d+)?\s?(?:ms|s|sec|secs|seconds?|m|min|minutes?)\b", "<duration>"),
    (r"\b\d{4}-\d\d-\d\d\b", "<date>"),
    (r"\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b", "<time>"),
    (r"\b0x[0-9a-fA-F]{4,}\b", "<address>"),
    (r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b", "<hash>"),
    (r"(?:/private)?/(?:tmp|var/folders/\w+/\w+/T|var/tmp)/[^\s'\":;,)\]]+", "<temporary>"),
)
_REPLACED = tuple((re.compile(pattern), word) for pattern, word in _PRINTED)
_CANDIDATES = re.compile(r"(?m)^(Strategy: \w+ \| Candidates: )\d+ files")
_REPLACED_OF = {"grep": ((_CANDIDATES, r"\1<count> files"),)}


def compared(
    turn: int, recorded: Sequence[Message], replayed: Sequence[Message], *, roots: Sequence[str]
) -> Iterator[ReplayedCall]:
    """Yield each call of a turn, and whether its results are equal.

    Args:
        turn: Its number, from 1.
        recorded: Its messages, which are `whole`.
        replayed: Those of the replay, the same.
        roots: The absolute paths of the project, then and now.
    """
    broken_off = any(message.interrupted for _, message in _called(recorded))
    for number, (then, now) in enumerate(zip_longest(_called(recorded), _called(replayed)), 1):
        either = now or then  # a notebook does not keep the order of arguments, the replay does
        if either is None:
            raise AssertionError  # the longer of the two has one
        told_then = None if then is None else _told(*then, other=now, roots=roots)
        told_now = None if now is None else _told(*now, other=then, roots=roots)
        outcome: Outcome = "same"
        if broken_off and any(one is not None and one[1].interrupted for one in (then, now)):
            outcome = "not compared"
        elif then is None:
            outcome = "added"
        elif now is None:
            outcome = "missing"
        elif told_then != told_now:
            outcome = "differs"
        is_told = outcome in ("differs", "missing", "added")
        yield ReplayedCall(
            turn=turn,
            number=number,
            call=either[0],
            outcome=outcome,
            recorded=told_then if is_told else None,
            replayed=told_now if is_told else None,
        )


def ending(turn: int, recorded: Sequence[Message], replayed: Sequence[Message]) -> str | None:
    """The difference between the endings of a turn; None when they are the same."""
    if not replayed:
        return f"Message {turn} could not be sent."
    then, now = recorded[-1], replayed[-1]
    if then.interrupted == now.interrupted:
        return None
    if now.interrupted:
        return f"Message {turn} was answered, now it was broken off: {now.content.strip()}"
    return f"Message {turn} was broken off, now it is answered."


def attachments(
    turn: int, recorded: Sequence[Message], replayed: Sequence[Message], *, roots: Sequence[str]
) -> Iterator[str]:
    """Yield how what mentions in a question attach differs; what came from a kernel is gone.

    Of what was attached in part, and may now be whole, only the title counts.
    """
    then, now = (_by_mention(turn_[:1]) for turn_ in (recorded, replayed))
    for mention in then if replayed else ():
        before, after = then[mention], now.get(mention, ())
        told = tuple(
            tuple(_facts(one, roots, is_whole=_are_whole(before, after)) for one in each)
            for each in (before, after)
        )
        if told[0] == told[1]:
            continue
        if [one.told for one in before] == [one.told for one in after]:
            yield f"Message {turn}: what {mention} attaches has changed ({before[0].title})."
        else:
            yield f"Message {turn}, {mention}: {_listed(before)}. Now: {_listed(after)}."


def _listed(attached: Sequence[Attachment]) -> str:
    return "; ".join(one.told.rstrip(".") for one in attached) or "nothing"


def _by_mention(asked: Sequence[Message]) -> dict[str, tuple[Attachment, ...]]:
    """What each mention has attached, or why it has not."""
    found: dict[str, tuple[Attachment, ...]] = {}
    for one in asked[0].attached if asked else ():
        if one.mention != "@error" and not one.mention.startswith("@cell:"):
            found[one.mention] = (*found.get(one.mention, ()), one)
    return found


def _are_whole(*attached: Sequence[Attachment]) -> bool:
    return not any(one.title.endswith(_IN_PART) for each in attached for one in each)


def _facts(one: Attachment, roots: Sequence[str], *, is_whole: bool) -> Any:
    facts = {"title": one.title.removesuffix(_IN_PART), "problem": bool(one.problem)}
    return without_volatile("", {**facts, "text": one.text if is_whole else ""}, roots=roots)


def _called(turn: Sequence[Message]) -> Iterator[_Called]:
    """Yield the calls of a turn, each with the message of its result."""
    waiting: list[ToolCall] = []
    for message in turn:
        waiting += message.calls
        if message.role == "tool" and message.call_id and waiting:
            yield waiting.pop(0), message


def _told(call: ToolCall, message: Message, *, other: _Called | None, roots: Sequence[str]) -> str:
    """A result as lines of text, preceded by the call if the other one differs."""
    result = without_volatile(message.tool, message.result, roots=roots)
    lines = list(_lines("", result))
    if other is not None and (call.name, call.arguments) != (other[0].name, other[0].arguments):
        lines = [*_lines(call.name, call.arguments), *lines]
    return "\n".join(lines) + "\n"


def _lines(label: str, value: Any, indent: str = "") -> Iterator[str]:
    """Yield plain data as text: one line for each value, and for each line of a long text.

    Keys are sorted, because a notebook does not keep their order.
    """
    head = indent + (label if label in ("", "-") else f"{label}:") + " " * bool(label)
    match value:
        case str() if "\n" in value:
            yield head.rstrip()
            yield from (f"{indent}  {line}" for line in value.split("\n"))
        case str():
            yield head + value
        case dict() if value:
            if label:
                yield head.rstrip()
            for key, inner in sorted(value.items()):
                yield from _lines(str(key), inner, indent + "  " * bool(label))
        case list() if any(isinstance(inner, dict | list) for inner in value):
            yield head.rstrip()
            for inner in value:
                yield from _lines("-", inner, f"{indent}  ")
        case _:
            yield head + json.dumps(value, ensure_ascii=False)


def without_volatile(tool: str, result: Mapping[str, Any] | None, *, roots: Sequence[str]) -> Any:
    """A result, as `ToolResult.to_dict` gives it, without its volatile parts.

    Args:
        tool: The tool's name.
        result: The result; None when it is not known.
        roots: The absolute paths of the project, then and now.
    """
    longest_first = sorted({root for root in roots if len(root) > 1}, key=len, reverse=True)
    places = [re.compile(re.escape(root) + r"(?![\w-])") for root in longest_first]
    taken = dict(result or {})
    if isinstance(taken.get("output"), Mapping):
        left_out = _FIELDS.get(tool, set())
        taken["output"] = {k: v for k, v in taken["output"].items() if k not in left_out}
    replaced = _REPLACED if tool in _PRINTING else _REPLACED_OF.get(tool, ())
    return _mapped(taken, places, replaced)


def _mapped(
    value: Any, places: Sequence[re.Pattern[str]], replaced: Sequence[tuple[re.Pattern[str], str]]
) -> Any:
    match value:
        case str():
            for place in places:
                value = place.sub("<project>", value)
            value = PLACEHOLDER.sub(lambda hidden: hidden[0].rpartition(":")[0] + "]", value)
            for pattern, word in replaced:
                value = pattern.sub(word, value)
            return value
        case Mapping():
            return {k: _mapped(inner, places, replaced) for k, inner in value.items()}
        case list() | tuple():
            return [_mapped(inner, places, replaced) for inner in value]
        case _:
            return value

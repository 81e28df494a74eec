"""Tags in a model's text: reading one, and finding where a value ends."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from ipuaro_jupyter.llm.text_calls.source import CutOff, Reading, Source, skip_blanks
from ipuaro_jupyter.llm.text_calls.values import BLANKS, CDATA_CLOSE, CDATA_OPEN

CALL = "tool_call"
Follows = Callable[[int], Reading[Literal["yes", "maybe", "no"]]]
"""Whether a call goes on, or ends, at a position after a closing tag."""

_QUOTES = "`\"'"
_LONGEST_TAG = 2000
_NAME_ENDS = frozenset(BLANKS + ">/")


class Malformed(Exception):  # noqa: N818 - becomes a sentence for the model
    """The call cannot be read; the message says why. ``end`` is where reading may go on."""

    def __init__(self, message: str, end: int) -> None:
        super().__init__(message)
        self.end = end


@dataclass(frozen=True, slots=True)
class Tag:
    """``<name key="value">`` at ``start``; ``end`` is after its ``>``.

    The value of ``<name=value>`` is that of the attribute "name".
    """

    name: str
    start: int
    end: int
    attributes: dict[str, str]
    closing: bool = False
    empty: bool = False


def tag_word(source: Source, at: int) -> Reading[str]:
    """Return the name in the tag that opens at ``at`` (a ``<``), in lower case.

    A closing tag's begins with a slash. "" when no name stands there, or what follows cannot
    follow a tag's name.
    """
    end = at + 1 + (yield from source.starts("/", at + 1))
    while _is_word(character := (yield from source.char(end))) and end - at < _LONGEST_TAG:
        end += 1
    word = source.text[at + 1 : end].lower()
    return word if ends_name(character, word) else ""


def ends_name(character: str, name: str) -> bool:
    """Whether the character can follow the tag name (which begins with / in a closing tag)."""
    return character in _NAME_ENDS or (character == "=" and not name.startswith("/"))


def read_tag(source: Source, at: int) -> Reading[Tag | None]:
    """Return the tag at ``at`` (a ``<``); None when there is none, or it goes on and on.

    Quoted attribute values hold no ``<``, so that a forgotten quote stays in its tag.

    Raises:
        CutOff: The text ends inside the tag.
    """
    while True:
        here = source.text[at : at + _LONGEST_TAG]
        try:
            tag = _read_first_tag(here)
        except CutOff:
            if len(here) == _LONGEST_TAG:
                return None
            if source.final:
                raise
            yield
        else:
            return tag and replace(tag, start=at, end=at + tag.end)


def _read_first_tag(text: str) -> Tag | None:
    closing = text.startswith("/", 1)
    name_start = 1 + closing
    end = _word_end(text, name_start)
    name, attributes = text[name_start:end], dict[str, str]()
    if name and text.startswith("=", end):
        named = _read_value(text, end + 1)
        if named is None:
            return None
        attributes["name"], end = named
    while True:
        place = skip_blanks(text, end)
        if place >= len(text):
            raise CutOff
        if text[place] == ">":
            return Tag(name, 0, place + 1, attributes, closing=closing) if name else None
        if text.startswith("/>", place):
            return Tag(name, 0, place + 2, attributes, closing, empty=True) if name else None
        if text[place:] == "/":
            raise CutOff
        if place == end or not name:
            return None
        attribute = _read_attribute(text, place)
        if attribute is None:
            return None
        key, value, end = attribute
        attributes.setdefault(key.lower(), value)


def is_mention(source: Source, start: int, end: int) -> Reading[bool]:
    """Whether what stands there is in quotes or backticks by itself: spoken of, not used."""
    if start == 0 or source.text[start - 1] not in _QUOTES:
        return False
    return (yield from source.char(end)) == source.text[start - 1]


def value_end(
    source: Source, start: int, tag: str, *, call: str, follows: Follows, code: bool
) -> Reading[tuple[int, int]]:
    """Return where the value that begins at ``start`` ends, and where its closing tag ends.

    A closing tag after which only "maybe" something of the call follows counts when no other does.

    Args:
        source: The model's text.
        start: After the opening tag.
        tag: The opening tag's name.
        call: The name of the call's own tag.
        follows: What stands after a closing tag.
        code: Whether the value may hold a ``</tool_call>`` that closes nothing.

    Raises:
        CutOff: No closing tag that counts, as far as the text goes.
        Malformed: The call ends before the value does.
    """
    depth, likely = 0, None
    at = yield from source.find("<", start)
    while at >= 0:
        word = yield from tag_word(source, at)
        if word == call:
            depth += yield from _opens_call(source, at)
        elif word == "/" + call:
            if depth == 0 and not code:
                if likely is None:
                    end = yield from _tag_end(source, at)
                    raise Malformed(f"the parameter {tag!r} has no closing tag", end)
                return likely
            depth = max(0, depth - 1)
        elif depth == 0 and word == "/" + tag.lower():
            end = yield from _tag_end(source, at)
            verdict = yield from follows(end)
            if verdict == "yes":
                return at, end
            likely = likely or ((at, end) if verdict == "maybe" else None)
        at = yield from source.find("<", at + 1)
    raise CutOff


def cdata_value(source: Source, start: int, tag: str, follows: Follows) -> Reading[tuple[str, int]]:
    """Return the value of CDATA sections from ``start`` on, and where the closing tag ends.

    A section ends at a ``]]>`` after which another section or the parameter's closing tag stands:
    ``a[b[0]]>1`` is code.

    Raises:
        CutOff: The text ends inside the value.
    """
    parts: list[str] = []
    at = start + len(CDATA_OPEN)
    end = yield from source.find(CDATA_CLOSE, at)
    while end >= 0:
        after = end + len(CDATA_CLOSE)
        place = yield from source.after_blanks(after)
        if (yield from source.starts(CDATA_OPEN, after)):
            parts.append(source.text[at:end])
            at = after + len(CDATA_OPEN)
        elif (yield from source.starts("</", place)) and (
            yield from tag_word(source, place)
        ) == "/" + tag.lower():
            close = yield from _tag_end(source, place)
            if (yield from follows(close)) != "no":
                return "".join([*parts, source.text[at:end]]), close
        end = yield from source.find(CDATA_CLOSE, max(at, end + 1))
    raise CutOff


def call_end(source: Source, at: int, *, call: str = CALL) -> Reading[int]:
    """Return where the call that is open at ``at`` ends, calls inside it skipped.

    Raises:
        CutOff: It does not end.
    """
    depth = 0
    at = yield from source.find("<", at)
    while at >= 0:
        word = yield from tag_word(source, at)
        if word == call:
            depth += yield from _opens_call(source, at)
        elif word == "/" + call:
            if depth == 0:
                return (yield from _tag_end(source, at))
            depth -= 1
        at = yield from source.find("<", at + 1)
    raise CutOff


def _opens_call(source: Source, at: int) -> Reading[bool]:
    tag = yield from read_tag(source, at)
    if tag is None or tag.empty:
        return False
    return not (yield from is_mention(source, at, tag.end))


def _tag_end(source: Source, at: int) -> Reading[int]:
    tag = yield from read_tag(source, at)
    return at + 1 if tag is None else tag.end


def _is_word(character: str) -> bool:
    return character.isalnum() or (character != "" and character in "_-.:$")


def _word_end(text: str, at: int) -> int:
    while at < len(text) and _is_word(text[at]):
        at += 1
    return at


def _read_attribute(text: str, at: int) -> tuple[str, str, int] | None:
    """Return key, value and end of the attribute at ``at``; a key alone has an empty value."""
    key_end = _word_end(text, at)
    if key_end == at:
        return None
    place = skip_blanks(text, key_end)
    if not text.startswith("=", place):
        return text[at:key_end], "", key_end
    value = _read_value(text, skip_blanks(text, place + 1))
    return value and (text[at:key_end], *value)


def _read_value(text: str, at: int) -> tuple[str, int] | None:
    """Return the attribute's value that stands at ``at``, and where it ends."""
    if at >= len(text):
        raise CutOff
    if text[at] in "\"'":
        end = text.find(text[at], at + 1)
        value = text[at + 1 : end if end >= 0 else len(text)]
        if "<" in value:
            return None
        if end < 0:
            raise CutOff
        return value, end + 1
    end = at
    while end < len(text) and text[end] not in BLANKS + "><" and not text.startswith("/>", end):
        end += 1
    return (text[at:end], end) if end > at else None

"""Tags in a model's text: reading one, and finding where a value ends."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from ipuaro_jupyter.llm.values import BLANKS, CDATA_CLOSE, CDATA_OPEN
from ipuaro_jupyter.records.chat import ToolCall

CALL = "tool_call"
_QUOTES = "`\"'"
_LONGEST_TAG = 2000
_NAME_ENDS = frozenset(BLANKS + ">/")


class Unfinished(Exception):  # noqa: N818 - a request for more text, not a fault
    """The text ends before the structure does: more may come."""


class Malformed(Exception):  # noqa: N818 - becomes a sentence for the model
    """The call cannot be read; the message says why. ``end`` is where reading may go on."""

    def __init__(self, message: str, end: int) -> None:
        super().__init__(message)
        self.end = end


@dataclass(frozen=True, slots=True)
class Tag:
    """``<name key="value">`` at ``start``; ``end`` is after its ``>``."""

    name: str
    start: int
    end: int
    attributes: dict[str, str]
    closing: bool = False
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a place of the text: calls, or what is wrong with them; ``end`` is after."""

    end: int
    calls: tuple[ToolCall, ...] = ()
    errors: tuple[str, ...] = ()


def skip_blanks(text: str, at: int) -> int:
    """Return the position of the next character that is no blank."""
    while at < len(text) and text[at] in BLANKS:
        at += 1
    return at


def is_tag(text: str, at: int, name: str) -> bool:
    """Whether the tag that opens at ``at`` (a ``<``) has this name; ``/name`` for a closing one."""
    end = at + 1 + len(name)
    return text[at + 1 : end].lower() == name and text[end : end + 1] in _NAME_ENDS


def read_tag(text: str, at: int) -> Tag | None:
    """Return the tag at ``at`` (a ``<``); None when there is none, or it goes on and on.

    Quoted attribute values hold no ``<``, so that a forgotten quote stays in its tag.

    Raises:
        Unfinished: The text ends inside the tag.
    """
    here = text[at : at + _LONGEST_TAG]
    try:
        tag = _read_first_tag(here)
    except Unfinished:
        if len(here) < _LONGEST_TAG:
            raise
        return None
    return tag and replace(tag, start=at, end=at + tag.end)


def _read_first_tag(text: str) -> Tag | None:
    closing = text.startswith("/", 1)
    name_start = 1 + closing
    end = _word_end(text, name_start)
    name, attributes = text[name_start:end], dict[str, str]()
    while True:
        place = skip_blanks(text, end)
        if place >= len(text):
            raise Unfinished
        if text[place] == ">":
            return Tag(name, 0, place + 1, attributes, closing=closing) if name else None
        if text.startswith("/>", place):
            return Tag(name, 0, place + 2, attributes, closing, empty=True) if name else None
        if text[place:] == "/":
            raise Unfinished
        if place == end or not name:
            return None
        attribute = _read_attribute(text, place)
        if attribute is None:
            return None
        key, value, end = attribute
        attributes.setdefault(key.lower(), value)


def is_mention(text: str, start: int, end: int) -> bool:
    """Whether what stands there is in quotes or backticks by itself: spoken of, not used.

    Raises:
        Unfinished: The text ends before that can be seen.
    """
    if start == 0 or text[start - 1] not in _QUOTES:
        return False
    if end >= len(text):
        raise Unfinished
    return text[end] == text[start - 1]


def value_end(
    text: str, start: int, tag: str, *, follows: Callable[[int], bool], code: bool
) -> tuple[int, int]:
    """Return where the value that begins at ``start`` ends, and where its closing tag ends.

    Args:
        text: The model's text.
        start: After the opening tag.
        tag: The opening tag's name.
        follows: Whether the call goes on, or ends, at a position after a closing tag.
        code: Whether the value may hold a ``</tool_call>`` that closes nothing.

    Raises:
        Unfinished: No closing tag that counts, as far as the text goes.
        Malformed: The call ends before the value does.
    """
    depth, at = 0, text.find("<", start)
    closing = "/" + tag.lower()
    while at >= 0:
        if is_tag(text, at, CALL):
            depth += _opens_call(text, at)
        elif is_tag(text, at, "/" + CALL):
            if depth == 0 and not code:
                raise Malformed(f"the parameter {tag!r} has no closing tag", _tag_end(text, at))
            depth = max(0, depth - 1)
        elif depth == 0 and is_tag(text, at, closing):
            end = _tag_end(text, at)
            if follows(end):
                return at, end
        at = text.find("<", at + 1)
    raise Unfinished


def cdata_value(text: str, start: int, tag: str, follows: Callable[[int], bool]) -> tuple[str, int]:
    """Return the value of CDATA sections from ``start`` on, and where the closing tag ends.

    A section ends at a ``]]>`` after which another section or the parameter's closing tag stands:
    ``a[b[0]]>1`` is code.

    Raises:
        Unfinished: The text ends inside the value.
    """
    parts: list[str] = []
    at = start + len(CDATA_OPEN)
    end = text.find(CDATA_CLOSE, at)
    while end >= 0:
        after = end + len(CDATA_CLOSE)
        place = skip_blanks(text, after)
        if text.startswith(CDATA_OPEN, after):
            parts.append(text[at:end])
            at = after + len(CDATA_OPEN)
        elif text.startswith("</", place) and is_tag(text, place, "/" + tag.lower()):
            close = _tag_end(text, place)
            if follows(close):
                return "".join([*parts, text[at:end]]), close
        end = text.find(CDATA_CLOSE, max(at, end + 1))
    raise Unfinished


def last_end(text: str, at: int) -> tuple[bool, int]:
    """Whether a whole ``</tool_call>`` stands after ``at``, and where to look from next time."""
    found = False
    start = text.find("</", at)
    while start >= 0:
        end = text.find(">", start)
        if end < 0:
            return found, start
        found = found or is_tag(text, start, "/" + CALL)
        start = text.find("</", start + 1)
    return found, max(at, len(text) - 1)


def call_end(text: str, at: int) -> int:
    """Return where the call that is open at ``at`` ends, calls inside it skipped.

    Raises:
        Unfinished: It does not end.
    """
    depth, at = 0, text.find("<", at)
    while at >= 0:
        if is_tag(text, at, CALL):
            depth += _opens_call(text, at)
        elif is_tag(text, at, "/" + CALL):
            if depth == 0:
                return _tag_end(text, at)
            depth -= 1
        at = text.find("<", at + 1)
    raise Unfinished


def _opens_call(text: str, at: int) -> bool:
    tag = read_tag(text, at)
    return tag is not None and not tag.empty and not is_mention(text, at, tag.end)


def _tag_end(text: str, at: int) -> int:
    tag = read_tag(text, at)
    return at + 1 if tag is None else tag.end


def _word_end(text: str, at: int) -> int:
    while at < len(text) and (text[at].isalnum() or text[at] in "_-.:$"):
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
    place = skip_blanks(text, place + 1)
    if place >= len(text):
        raise Unfinished
    if text[place] in "\"'":
        end = text.find(text[place], place + 1)
        value = text[place + 1 : end if end >= 0 else len(text)]
        if "<" in value:
            return None
        if end < 0:
            raise Unfinished
        return text[at:key_end], value, end + 1
    end = place
    while end < len(text) and text[end] not in BLANKS + "><" and not text.startswith("/>", end):
        end += 1
    return (text[at:key_end], text[place:end], end) if end > place else None

"""Tags in a model's text: reading one, and finding where a value or a call ends."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, CutOff, ReplyText

CALL = "tool_call"
CDATA_OPEN, CDATA_CLOSE = "<![CDATA[", "]]>"
Follows = Callable[[int], Literal["yes", "maybe", "no"]]
"""Whether a call goes on, or ends, at a position after a closing tag."""

_LONGEST_TAG = 2000
_BLANK = f"[{BLANKS}]"
_NAME = r"[\w\-.:$\uff5c]+"
_NAMESPACE = re.compile(r"^(?:[\w.\-]+:|\uff5c\w+\uff5c)")
_VALUE = rf"""(?:"[^"<]*"|'[^'<]*'|(?!["'])(?:(?!/>)[^{BLANKS}<>])+)"""
_WORD = re.compile(rf"/?(?:{_NAME})?")
_ATTRIBUTE = re.compile(rf"{_BLANK}+({_NAME})(?:{_BLANK}*={_BLANK}*({_VALUE}))?")
_TAG = re.compile(
    rf"<(/?)({_NAME})(?:=({_VALUE}))?((?>{_BLANK}+{_NAME}(?:{_BLANK}*={_BLANK}*{_VALUE})?)*)"
    rf"{_BLANK}*(/?)>"
)
_UP_TO_END = re.compile(
    rf"""(?>[^<>=]+|={_BLANK}*(?:"[^"<]*(?:"|(?=<)|\Z)|'[^'<]*(?:'|(?=<)|\Z))?)*"""
)
"""A tag up to its ``>``, to a ``<`` in it, or to the text's end; quotes hold a ``>``."""


class Malformed(Exception):  # noqa: N818 - becomes a sentence for the model
    """The call cannot be read; the message says why. ``end`` is where reading may go on."""

    def __init__(self, message: str, end: int) -> None:
        super().__init__(message)
        self.end = end


@dataclass(frozen=True, slots=True)
class Tag:
    """``<name key="value">``; ``end`` is after its ``>``.

    The value of ``<name=value>`` is that of the attribute "name", and makes it ``is_assigned``.
    """

    name: str
    end: int
    attributes: dict[str, str]
    is_closing: bool
    is_empty: bool
    is_assigned: bool


def read_tag(reply: ReplyText, at: int) -> Tag | None:
    """The tag at ``at`` (a ``<``); None when there is none, or it goes on and on.

    Quoted attribute values hold no ``<``, so that a forgotten quote stays in its tag.
    """
    text = reply.text
    limit = min(len(text), at + _LONGEST_TAG)
    inner = _UP_TO_END.match(text, at + 1, limit)
    end = limit if inner is None else inner.end()
    if end == len(text) < at + _LONGEST_TAG:
        raise CutOff
    match = _TAG.fullmatch(text, at, end + 1)
    if match is None:
        return None
    closing, name, assigned, written, empty = match.groups()
    attributes = {} if assigned is None else {"name": _unquoted(assigned)}
    for key, value in _ATTRIBUTE.findall(written):
        attributes.setdefault(key.lower(), _unquoted(value))
    return Tag(name, end + 1, attributes, bool(closing), bool(empty), assigned is not None)


def plain_name(name: str) -> str:
    """The name of a tag in lower case, without a namespace."""
    return _NAMESPACE.sub("", name).lower()


def tag_word(reply: ReplyText, at: int) -> str:
    """The name in the tag that opens at ``at`` (a ``<``), in lower case.

    A closing tag's begins with a slash. "" when no name stands there, or what follows cannot
    follow a tag's name.
    """
    end = reply.run(_WORD, at + 1)
    word, following = reply.text[at + 1 : end].lower(), reply.char(end)
    ends = BLANKS + ">/" if word.startswith("/") else BLANKS + ">/="
    return word if following != "" and following in ends else ""


def value_end(
    reply: ReplyText, start: int, tag: str, *, call: str, follows: Follows, code: bool
) -> tuple[int, int]:
    """Where the value that begins at ``start`` ends, and where its closing tag ends.

    A closing tag after which only "maybe" something of the call follows counts when no other does.

    Args:
        reply: The model's text.
        start: After the opening tag.
        tag: The opening tag's name.
        call: The name of the call's own tag.
        follows: What stands after a closing tag.
        code: Whether the value may hold a ``</tool_call>`` that closes nothing.

    Raises:
        Malformed: The call ends before the value does.
    """
    depth, likely = 0, None
    for found in _tags_of(call, tag).finditer(reply.text, start):
        at, word = found.start(), found[1].lower()
        if word == call:
            depth += _opens_call(reply, at)
        elif word == "/" + call and depth == 0 and not code:
            if likely is not None:
                return likely
            raise Malformed(f"the parameter {tag!r} has no closing tag", _tag_end(reply, at))
        elif word == "/" + call:
            depth = max(0, depth - 1)
        elif depth == 0 and word.startswith("/"):
            end = _tag_end(reply, at)
            verdict = follows(end)
            if verdict == "yes":
                return at, end
            likely = likely or ((at, end) if verdict == "maybe" else None)
    raise CutOff


def cdata_value(reply: ReplyText, start: int, tag: str, follows: Follows) -> tuple[str, int]:
    """The value of CDATA sections from ``start`` on, and where the closing tag ends.

    A section ends at a ``]]>`` after which another section or the parameter's closing tag stands:
    ``a[b[0]]>1`` is code.
    """
    value, at = "", start + len(CDATA_OPEN)
    for found in _cdata_ends(tag).finditer(reply.text, at):
        part = reply.text[at : found.start()]
        if found[1]:
            value, at = value + part, found.end()
            continue
        end = _tag_end(reply, found.end())
        if follows(end) != "no":
            return value + part, end
    raise CutOff


def call_end(reply: ReplyText, at: int, *, call: str = CALL) -> int:
    """Where the call that is open at ``at`` ends, calls inside it skipped."""
    depth = 0
    for found in _tags_of(call).finditer(reply.text, at):
        if not found[1].startswith("/"):
            depth += _opens_call(reply, found.start())
        elif depth == 0:
            return _tag_end(reply, found.start())
        else:
            depth -= 1
    raise CutOff


def next_closing(reply: ReplyText, at: int) -> int:
    """Where the next ``</tool_call>`` ends; -1 when a call begins before it, or none comes."""
    found = _tags_of(CALL).search(reply.text, at)
    if found is None and not reply.has_ended:
        raise CutOff
    if found is None or not found[1].startswith("/"):
        return -1
    return _tag_end(reply, found.start())


@lru_cache(maxsize=100)
def _tags_of(*names: str) -> re.Pattern[str]:
    """Finds the tags of these names; the group is the name, a slash before it if it closes."""
    words = f"(?ai:{'|'.join(map(re.escape, names))})"
    return re.compile(rf"<(/{words}(?=[{BLANKS}>/])|{words}(?=[{BLANKS}>/=]))")


@lru_cache(maxsize=100)
def _cdata_ends(tag: str) -> re.Pattern[str]:
    """Finds where CDATA may end: before another section, which is the group, or a closing tag."""
    return re.compile(rf"\]\]>(?:(<!\[CDATA\[)|{_BLANK}*(?=</(?ai:{re.escape(tag)})[{BLANKS}>/]))")


def _opens_call(reply: ReplyText, at: int) -> bool:
    tag = read_tag(reply, at)
    return tag is not None and not tag.is_empty and not reply.is_mention(at, tag.end)


def _tag_end(reply: ReplyText, at: int) -> int:
    tag = read_tag(reply, at)
    return at + 1 if tag is None else tag.end


def _unquoted(value: str) -> str:
    return value[1:-1] if value[:1] in {'"', "'"} else value

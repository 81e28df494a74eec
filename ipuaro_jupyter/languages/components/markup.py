"""Read the tags of a template."""

import re
from dataclasses import dataclass

from ipuaro_jupyter.languages.components.code_scanner import end_of_code

_NAME = re.compile(rb"[A-Za-z][^\s/>{]*")
_BLANK = re.compile(rb"[\s/]*")
_KEY = re.compile(rb"[^\s=/>{][^\s=/>]*")
_EQUALS = re.compile(rb"\s*=\s*")
_BARE = re.compile(rb"[^\s>]+")
_RAW = (b"script", b"style", b"textarea")
VOID = frozenset(b"area base br col embed hr img input link meta param source track wbr".split())
"""The elements that are never closed."""


@dataclass(frozen=True)
class Attribute:
    """An attribute; ``start`` and ``end`` are those of its value without quotes, or -1.

    ``sign`` is the quote around the value, "{" for code, or "". The name is "" for ``{code}``.
    """

    at: int
    name: bytes
    start: int = -1
    end: int = -1
    sign: bytes = b""


@dataclass(frozen=True)
class MarkupTag:
    """A tag from ``at`` to ``end`` (the offset behind it); ``name`` is "" for a fragment."""

    at: int
    end: int
    name: bytes
    name_at: int
    attributes: tuple[Attribute, ...] = ()
    is_closing: bool = False
    is_empty: bool = False

    def attribute(self, name: bytes) -> Attribute | None:
        """The attribute with a name."""
        return next((one for one in self.attributes if one.name == name), None)


def read_tag(data: bytes, at: int, end: int, *, braces: bool) -> MarkupTag | None:
    """The tag that begins at an offset; None when there is none.

    Args:
        data: The file.
        at: The offset of its "<".
        end: Where the template ends.
        braces: Whether code stands in single braces.
    """
    is_closing = data.startswith(b"/", at + 1)
    name_at = at + 1 + is_closing
    named = _NAME.match(data, name_at, end)
    if named is None:
        if not data.startswith(b">", name_at):
            return None
        return MarkupTag(at, name_at + 1, b"", name_at, is_closing=is_closing)
    attributes: list[Attribute] = []
    place = named.end()
    while place < end:
        blank = _BLANK.match(data, place, end)
        inside = place if blank is None else blank.end()
        if data.startswith(b">", inside):
            is_empty = data.startswith(b"/", inside - 1) and inside > named.end()
            found = tuple(attributes)
            return MarkupTag(at, inside + 1, named[0], name_at, found, is_closing, is_empty)
        attribute, place = _attribute(data, inside, end, braces=braces)
        if attribute is not None:
            attributes.append(attribute)
    return MarkupTag(at, end, named[0], name_at, tuple(attributes), is_closing)


def _attribute(data: bytes, at: int, end: int, *, braces: bool) -> tuple[Attribute | None, int]:
    """The attribute at an offset, and the offset behind it."""
    if braces and data.startswith(b"{", at):
        close = end_of_code(data, at + 1, end)
        return Attribute(at, b"", at + 1, close, b"{"), close + 1
    key = _KEY.match(data, at, end)
    if key is None:
        return None, at + 1
    equals = _EQUALS.match(data, key.end(), end)
    if equals is None:
        return Attribute(at, key[0]), key.end()
    start = equals.end()
    sign = data[start : start + 1]
    if sign in (b'"', b"'") or (braces and sign == b"`"):
        close = _closing(data, start + 1, end, sign, braces=braces)
        return Attribute(at, key[0], start + 1, close, sign), close + 1
    if braces and sign == b"{":
        close = end_of_code(data, start + 1, end)
        return Attribute(at, key[0], start + 1, close, sign), close + 1
    bare = _BARE.match(data, start, end)
    stop = start if bare is None else bare.end()
    return Attribute(at, key[0], start, stop), max(stop, start + 1)


def _closing(data: bytes, at: int, end: int, sign: bytes, *, braces: bool) -> int:
    """The offset of the quote that closes a value; code in braces may hold quotes, too."""
    while at < end:
        close = data.find(sign, at, end)
        open_ = data.find(b"{", at, close) if braces and close >= 0 else -1
        if open_ < 0:
            return end if close < 0 else close
        inner = end_of_code(data, open_ + 1, end)
        at = inner + 1 if inner < end else close
        if inner >= end:
            return close
    return end


def behind_raw(data: bytes, tag: MarkupTag, end: int) -> int:
    """The offset of the tag that closes an element whose content is no markup; -1 for others."""
    if tag.is_closing or tag.is_empty or tag.name.lower() not in _RAW:
        return -1
    closing = re.compile(rb"</" + re.escape(tag.name) + rb"\s*>", re.IGNORECASE)
    found = closing.search(data, tag.end, end)
    return end if found is None else found.start()

"""The code of Astro's components: https://docs.astro.build/en/basics/astro-components/."""

import re

from ipuaro_jupyter.languages.components.code_scanner import Element, end_of_code
from ipuaro_jupyter.languages.components.markup import (
    VOID,
    Attribute,
    MarkupTag,
    behind_raw,
    read_tag,
)
from ipuaro_jupyter.languages.components.painting import Painting, Shorthand
from ipuaro_jupyter.languages.components.scripts import ScriptBlock, paint_script
from ipuaro_jupyter.languages.language import Language

_FENCE = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*---[ \t]*\r?\n?")
_FENCE_END = re.compile(rb"^[ \t]*---", re.MULTILINE)
_SIGN = re.compile(rb"<!--|<|\{")
_COMMENT = re.compile(rb"(?:\s|/\*[\s\S]*?\*/|//[^\n]*)*")
_NAME = re.compile(rb"[A-Za-z_$][\w$]*")


class AstroComponent:
    """Reads a component into a painting.

    Args:
        painting: Receives the code.
        language: The language of the code.

    Attributes:
        scripts: Its script blocks, without the front matter.
        is_setup: Whether the template knows every top-level name of the script: it does.
        problem: Why the template is not read: "" as it always is.
        front: The range of the front matter.
    """

    is_setup = True
    problem = ""

    def __init__(self, painting: Painting, language: Language) -> None:
        del language  # a template binds no names but those of functions
        self._painting = painting
        self._data = painting.data
        self.scripts: list[ScriptBlock] = []
        start, self.front = 0, (0, 0)
        opened = _FENCE.match(self._data)
        closed = _FENCE_END.search(self._data, opened.end()) if opened is not None else None
        if opened is not None and closed is not None:
            self.front = opened.end(), closed.start()
            painting.text[opened.end() : closed.start()] = self._data[opened.end() : closed.start()]
            painting.put(closed.start(), b";")
            start = closed.end()
        end = len(self._data)
        while start < end:
            start = self._markup(start, end)

    def _markup(self, at: int, end: int) -> int:
        """Read one tag or piece of code at or behind an offset; return the offset behind it."""
        match = _SIGN.search(self._data, at, end)
        if match is None:
            return end
        if match[0] == b"<!--":
            closed = self._data.find(b"-->", match.end())
            return end if closed < 0 else closed + 3
        if match[0] == b"{":
            return self._code(match.end(), end) + 1
        tag = read_tag(self._data, match.start(), end, braces=True)
        return match.end() if tag is None else self._tag(tag, end)

    def _tag(self, tag: MarkupTag, end: int) -> int:
        """Read a tag; return the offset behind it, and behind content that is no markup."""
        raw = behind_raw(self._data, tag, end)
        if (tag.name[:1].isupper() or b"." in tag.name) and b":" not in tag.name:
            self._painting.name(tag.name_at, tag.name, len(tag.name))
            self._painting.tags.add(tag.name_at)
        for attribute in tag.attributes:
            self._attribute(attribute)
        if tag.name == b"script" and not tag.is_closing and not self._painting.depth:
            self.scripts.append(paint_script(self._painting, tag, tag.end if raw < 0 else raw))
        if tag.attribute(b"is:raw") is not None and not tag.is_empty:
            closed = self._data.find(b"</" + tag.name, tag.end, end)
            return end if closed < 0 else closed
        return tag.end if raw < 0 else raw

    def _attribute(self, attribute: Attribute) -> None:
        start, end = attribute.start, attribute.end
        if attribute.sign == b"`":
            self._painting.code(start - 1, end + 1)
        elif attribute.sign == b"{" and not attribute.name:
            self._shorthand(start, end)
        elif attribute.sign == b"{":
            self._code(start, end)

    def _shorthand(self, start: int, end: int) -> None:
        """Paint ``{name}`` or ``{...values}`` in a tag."""
        code = self._data[start:end]
        name = code.strip()
        if name.startswith(b"..."):
            self._code(start + code.index(b"...") + 3, end)
            return
        self._code(start, end)
        if _NAME.fullmatch(name):
            at = start + code.index(name)
            form = f"{name.decode()}={{{{to}}}}"
            self._painting.shorthands[at] = Shorthand(start - 1, end + 1, form)

    def _code(self, at: int, end: int) -> int:
        """Paint code in braces with the markup in it; return the offset of its end."""
        elements: list[tuple[int, int]] = []

        def element(place: int) -> int:
            close = self._element_end(place, end)
            elements.append((place, close))
            return close

        close = end_of_code(self._data, at, end, element)
        comment = _COMMENT.match(self._data, at, close)
        if comment is not None and comment.end() == close:
            return close
        self._painting.code(at, close)
        for start, stop in elements:
            self._element(start, stop)
        return close

    def _element_end(self, at: int, end: int) -> int:
        """The offset behind the element at an offset."""
        open_: list[bytes] = []
        while at < end:
            match = _SIGN.search(self._data, at, end)
            if match is None:
                return end
            if match[0] == b"<!--":
                closed = self._data.find(b"-->", match.end())
                at = end if closed < 0 else closed + 3
                continue
            if match[0] == b"{":
                at = end_of_code(self._data, match.end(), end, self._inner(end)) + 1
                continue
            tag = read_tag(self._data, match.start(), end, braces=True)
            if tag is None:
                at = match.end()
                continue
            at = tag.end
            if tag.is_closing:
                while open_ and open_.pop() != tag.name:
                    pass
            elif not tag.is_empty and tag.name.lower() not in VOID:
                open_.append(tag.name)
                raw = behind_raw(self._data, tag, end)
                at = tag.end if raw < 0 else raw
            if not open_:
                return at
        return end

    def _inner(self, end: int) -> Element:
        return lambda place: self._element_end(place, end)

    def _element(self, start: int, stop: int) -> None:
        """Paint an element inside of code as an array of its code."""
        painting = self._painting
        painting.blank(start, stop)
        painting.depth += 1
        at = start
        while at < stop:
            at = self._markup(at, stop)
        painting.depth -= 1
        painting.put(start, b"[")
        painting.put(stop - 1, b"]")

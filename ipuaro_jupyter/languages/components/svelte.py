"""The code of Svelte's components: https://svelte.dev/docs/svelte/svelte-files."""

import re
from collections import deque
from itertools import islice

from ipuaro_jupyter.languages.components.code_scanner import end_of_code
from ipuaro_jupyter.languages.components.elements import Elements
from ipuaro_jupyter.languages.components.markup import Attribute, MarkupTag, behind_raw, read_tag
from ipuaro_jupyter.languages.components.painting import Painting, Shorthand
from ipuaro_jupyter.languages.components.patterns import bound_names
from ipuaro_jupyter.languages.components.scripts import ScriptBlock, paint_script
from ipuaro_jupyter.languages.language import Language

_SIGN = re.compile(rb"<!--|<|\{")
_BLOCK = re.compile(rb"\s*([#:/@])([A-Za-z]+(?:\s+if\b)?)\s*")
_AS = re.compile(rb"\sas\s+")
_THEN = re.compile(rb"\s(?:then|catch)\b\s*")
_KEY = re.compile(rb"\(")
_MOST_LOOKS = 20
_CLOSER = re.compile(rb"\{\s*/[a-z]+\s*\}")
_SNIPPET = re.compile(rb"([A-Za-z_$][\w$]*)\s*(?:<[^(]*>)?\s*\(")
_DIRECTIVES = (b"use", b"transition", b"in", b"out", b"animate")
_VALUES = (b"bind", b"class", b"style")
_NAME = re.compile(rb"[A-Za-z_$][\w$]*(?:\.[\w$]+)*$")


class SvelteComponent:
    """Reads a component into a painting.

    Args:
        painting: Receives the code.
        language: The language of the code.

    Attributes:
        scripts: Its script blocks.
        is_setup: Whether the template knows every top-level name of the script: it does.
        problem: Why the template is not read: "" as it always is.
    """

    is_setup = True
    problem = ""

    def __init__(self, painting: Painting, language: Language) -> None:
        self._painting = painting
        self._data = painting.data
        self._language = language
        self._elements = Elements(painting)
        self.scripts: list[ScriptBlock] = []
        at, end = 0, len(self._data)
        while (match := _SIGN.search(self._data, at, end)) is not None:
            if match[0] == b"<!--":
                closed = self._data.find(b"-->", match.end())
                at = end if closed < 0 else closed + 3
            elif match[0] == b"{":
                closer = _CLOSER.match(self._data, match.start())
                close = closer.end() - 1 if closer else end_of_code(self._data, match.end(), end)
                self._braces(match.start(), close)
                at = close + 1
            else:
                tag = read_tag(self._data, match.start(), end, braces=True)
                at = match.end() if tag is None else self._tag(tag)
        self._elements.finish(end)

    def _tag(self, tag: MarkupTag) -> int:
        """Read a tag; return the offset behind it, and behind content that is no markup."""
        end = len(self._data)
        raw = behind_raw(self._data, tag, end)
        if tag.name == b"script" and not tag.is_closing and not self._elements.depth:
            self.scripts.append(paint_script(self._painting, tag, tag.end if raw < 0 else raw))
            return max(raw, tag.end)
        if (tag.name[:1].isupper() or b"." in tag.name) and b":" not in tag.name:
            self._painting.name(tag.name_at, tag.name, len(tag.name))
            self._painting.tags.add(tag.name_at)
        if tag.is_closing:
            self._elements.leave(tag.name, tag.end)
            return tag.end
        bound: list[tuple[str, int]] = []
        for attribute in tag.attributes:
            bound += self._attribute(attribute)
        self._elements.enter(tag, bound)
        return tag.end if raw < 0 or tag.name == b"textarea" else raw

    def _attribute(self, attribute: Attribute) -> list[tuple[str, int]]:
        """Paint what an attribute holds; return the names it binds with their offsets."""
        data, (kind, colon, rest) = self._data, attribute.name.partition(b":")
        if not attribute.name:
            self._shorthand(attribute)
            return []
        if colon and kind == b"let":
            at = attribute.at + len(kind) + 1
            if attribute.start < 0:
                return [(rest.partition(b"|")[0].decode(errors="replace"), at)]
            return self._pattern(attribute.start, attribute.end)
        name = rest.partition(b"|")[0]
        if colon and name and _NAME.match(name):
            at = attribute.at + len(kind) + 1
            if kind in _DIRECTIVES:
                self._painting.name(at, name, len(name))
            elif kind in _VALUES and attribute.start < 0:
                self._painting.name(at, name, len(name))
                whole = attribute.name.decode(errors="replace")
                place = (attribute.at, attribute.at + len(attribute.name))
                self._painting.shorthands[at] = Shorthand(*place, f"{whole}={{{{to}}}}")
        if attribute.sign == b"{":
            self._painting.code(attribute.start, attribute.end)
        elif attribute.start >= 0:
            at = attribute.start
            while (at := data.find(b"{", at, attribute.end)) >= 0:
                close = end_of_code(data, at + 1, attribute.end)
                self._painting.code(at + 1, close)
                at = close + 1
        return []

    def _shorthand(self, attribute: Attribute) -> None:
        """Paint ``{name}``, ``{...values}`` or ``{@attach code}`` in a tag."""
        start, end = attribute.start, attribute.end
        code = self._data[start:end]
        if found := re.match(rb"\s*(?:\.\.\.|@attach\b)", code):
            self._painting.code(start + found.end(), end)
            return
        self._painting.code(start, end)
        name = code.strip()
        if _NAME.fullmatch(name):
            at = start + code.index(name)
            form = f"{name.decode()}={{{{to}}}}"
            self._painting.shorthands[at] = Shorthand(start - 1, end + 1, form)

    def _braces(self, at: int, close: int) -> None:
        """Paint what stands in braces outside of tags."""
        sign = _BLOCK.match(self._data, at + 1, close)
        if sign is None:
            self._painting.code(at + 1, close)
            return
        kind, name, start = sign[1], sign[2].split()[0], sign.end()
        if kind == b"#":
            self._open_block(name, at, start, close)
        elif kind == b"/":
            self._elements.leave(b"#" + name, close + 1)
        elif kind == b":":
            self._continue_block(name, at, start, close)
        elif name in (b"const", b"let"):
            self._declaration(start, close)
        else:
            self._painting.code(start, close)

    def _open_block(self, name: bytes, at: int, start: int, close: int) -> None:
        bound: list[tuple[str, int]] = []
        if name == b"each":
            bound = self._each(start, close)
        elif name == b"snippet":
            bound = self._snippet(start, close)
        elif name == b"await" and (then := _THEN.search(self._data, start, close)):
            self._painting.code(start, then.start())
            bound = self._pattern(then.end(), close)
        else:
            self._painting.code(start, close)
        self._elements.push(b"#" + name, at, bound)

    def _continue_block(self, name: bytes, at: int, start: int, close: int) -> None:
        """Read ``{:else if …}``, ``{:then value}`` or ``{:catch error}``."""
        top = self._elements.top
        if name in (b"then", b"catch") and top is not None:
            around = top.name
            self._elements.leave(around, at)
            self._elements.push(around, at, self._pattern(start, close))
        elif name == b"else":
            self._painting.code(start, close)

    def _each(self, start: int, close: int) -> list[tuple[str, int]]:
        """Paint ``items as item, index (key)``."""
        data = self._data
        splits = deque(_AS.finditer(data, start, close), maxlen=1)
        split = splits[0] if splits else None
        if split is None:
            index = data.rfind(b",", start, close)
            self._painting.code(start, close if index < 0 else index)
            return [] if index < 0 else self._pattern(index + 1, close)
        self._painting.code(start, split.start())
        end = close
        for key in islice(_KEY.finditer(data, split.end(), close), _MOST_LOOKS):
            if _is_balanced(data[split.end() : key.start()]):
                end = key.start()
                stop = data.rfind(b")", end, close)
                self._painting.code(end + 1, stop if stop > 0 else close)
                break
        return self._pattern(split.end(), end)

    def _snippet(self, start: int, close: int) -> list[tuple[str, int]]:
        """Paint ``name(parameters)``; the name is known around the block."""
        found = _SNIPPET.match(self._data, start, close)
        if found is None:
            return []
        self._bind_around(found[1].decode(), start)
        return self._pattern(found.end(), self._data.rfind(b")", start, close))

    def _declaration(self, start: int, close: int) -> None:
        """Paint ``{@const name = value}``; the name is known in the block around."""
        equals = re.compile(rb"=(?![=>])").search(self._data, start, close)
        stop = close if equals is None else equals.start()
        if equals is not None:
            self._painting.code(equals.end(), close)
        for name, place in self._pattern(start, stop):
            self._bind_around(name, place)

    def _bind_around(self, name: str, at: int) -> None:
        top = self._elements.top
        if top is None:
            self._painting.bind(name, at, 0, len(self._data))
        else:
            top.bound.append((name, at))

    def _pattern(self, start: int, end: int) -> list[tuple[str, int]]:
        if end <= start:
            return []
        names, values = bound_names(self._language, self._data[start:end])
        for value in values:
            self._painting.code(start + value.start, start + value.stop)
        return [(name, start + place) for name, place in names]


def _is_balanced(code: bytes) -> bool:
    return code.count(b"{") == code.count(b"}") and code.count(b"(") == code.count(b")")

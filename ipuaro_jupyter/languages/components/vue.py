"""The code of Vue's single-file components: https://vuejs.org/api/sfc-spec.html."""

import html
import re
from collections.abc import Iterator

from ipuaro_jupyter.languages.components.elements import Elements
from ipuaro_jupyter.languages.components.markup import (
    VOID,
    Attribute,
    MarkupTag,
    behind_raw,
    read_tag,
)
from ipuaro_jupyter.languages.components.painting import Painting, Shorthand
from ipuaro_jupyter.languages.components.patterns import bound_names
from ipuaro_jupyter.languages.components.scripts import ScriptBlock, paint_script, words
from ipuaro_jupyter.languages.components.spelling import camel, pascal
from ipuaro_jupyter.languages.language import Language

_SIGN = re.compile(rb"<!--|<|\{\{")
_FOR = re.compile(rb"\s(?:in|of)\s")
_ENTITIES = re.compile(rb"(?:&(?:#\d+|#x[\da-fA-F]+|[A-Za-z]+);)+")
_ARGUMENT = re.compile(rb"\[([^\]]*)\]")
_FUNCTION = re.compile(rb"\s*(?:async\s+)?function\b|\s*(?:async\b\s*)?(?:\([^)]*\)|[\w$]+)\s*=>")
_NATIVE = frozenset(
    (
        b"a abbr address area article aside audio b base bdi bdo blockquote body br button canvas "
        b"caption cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed"
        b" fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i "
        b"iframe img input ins kbd label legend li link main map mark menu meta meter nav noscript "
        b"object ol optgroup option output p param picture pre progress q rp rt ruby s samp script "
        b"search section select slot small source span strong style sub summary sup table tbody td "
        b"template textarea tfoot th thead time title tr track u ul var video wbr component svg "
        b"animate circle defs desc ellipse filter g image line marker mask metadata path pattern "
        b"polygon polyline rect stop switch symbol text tspan use view math"
    ).split()
)
_PLAIN = (b"v-else", b"v-once", b"v-pre", b"v-cloak")
_VALUES = (b"v-if", b"v-else-if", b"v-show", b"v-html", b"v-text", b"v-memo", b"v-is")
_SLOTS = (b"v-slot", b"slot-scope", b"scope")


class VueComponent:
    """Reads a component into a painting.

    Args:
        painting: Receives the code.
        language: The language of the code.

    Attributes:
        scripts: Its script blocks.
        is_setup: Whether the template knows every top-level name of the script.
        problem: Why the template is not read; "" when it is.
    """

    def __init__(self, painting: Painting, language: Language) -> None:
        self._painting = painting
        self._data = painting.data
        self._language = language
        self._elements = Elements(painting)
        self._words: frozenset[bytes] = frozenset()
        self.scripts: list[ScriptBlock] = []
        self.problem = ""
        templates = list(self._blocks())
        self.is_setup = any(script.tag.attribute(b"setup") for script in self.scripts)
        self._words = words(self._data, self.scripts)
        for start, end in templates:
            self._template(start, end)

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges of the templates; add the scripts to `scripts`."""
        data, at, end = self._data, 0, len(self._data)
        while (match := _SIGN.search(data, at, end)) is not None:
            if match[0] == b"<!--":
                closed = data.find(b"-->", match.end())
                at = end if closed < 0 else closed + 3
                continue
            tag = read_tag(data, match.start(), end, braces=False) if match[0] == b"<" else None
            if tag is None or tag.is_closing or tag.is_empty:
                if tag is not None and tag.name == b"script" and tag.is_empty:
                    self.scripts.append(paint_script(self._painting, tag, tag.end))
                at = match.end() if tag is None else tag.end
                continue
            close = self._block_end(tag)
            if tag.name == b"script":
                self.scripts.append(paint_script(self._painting, tag, close))
            elif tag.name == b"template":
                written = tag.attribute(b"lang")
                kind = data[written.start : written.end] if written else b"html"
                if kind == b"html":
                    yield tag.end, close
                else:
                    self.problem = f"The template is in {kind.decode(errors='replace')}"
            at = data.find(b">", close) + 1 or end

    def _block_end(self, tag: MarkupTag) -> int:
        """The offset of the tag that closes a block of the file."""
        if tag.name != b"template":
            found = re.compile(rb"</" + re.escape(tag.name) + rb"\s*>").search(self._data, tag.end)
            return len(self._data) if found is None else found.start()
        return self._closing(tag, len(self._data))

    def _closing(self, tag: MarkupTag, end: int) -> int:
        """The offset of the tag that closes an element, behind those of its name in it."""
        depth, at, has_comments = 1, tag.end, True
        sign = re.compile(rb"<!--|</?" + re.escape(tag.name) + rb"(?=[\s/>])")
        while (found := sign.search(self._data, at, end)) is not None:
            if found[0] == b"<!--":
                closed = self._data.find(b"-->", found.end(), end) if has_comments else -1
                has_comments = closed >= 0
                at = closed + 3 if has_comments else found.end()
                continue
            inner = read_tag(self._data, found.start(), end, braces=False)
            at = found.end() if inner is None else inner.end
            if inner is None or inner.is_empty:
                continue
            depth += -1 if inner.is_closing else 1
            if depth == 0:
                return found.start()
        return end

    def _template(self, start: int, end: int) -> None:
        data, at = self._data, start
        while (match := _SIGN.search(data, at, end)) is not None:
            if match[0] == b"<!--":
                closed = data.find(b"-->", match.end(), end)
                at = end if closed < 0 else closed + 3
            elif match[0] == b"{{":
                closed = data.find(b"}}", match.end(), end)
                if closed < 0:
                    break
                self._painting.code(match.end(), closed)
                at = closed + 2
            else:
                tag = read_tag(data, match.start(), end, braces=False)
                at = match.end() if tag is None else self._tag(tag, end)
        self._elements.finish(end)

    def _tag(self, tag: MarkupTag, end: int) -> int:
        """Read a tag; return the offset behind it, and behind content that is no markup."""
        self._component(tag)
        if tag.is_closing:
            self._elements.leave(tag.name, tag.end)
            return tag.end
        is_open = not tag.is_empty and tag.name.lower() not in VOID
        if is_open and tag.attribute(b"v-pre") is not None:
            return self._data.find(b">", self._closing(tag, end), end) + 1 or end
        bound: list[tuple[str, int]] = []
        for attribute in tag.attributes:
            bound += self._attribute(attribute)
        self._elements.enter(tag, bound)
        raw = -1 if tag.name == b"textarea" else behind_raw(self._data, tag, end)
        return tag.end if raw < 0 else raw

    def _component(self, tag: MarkupTag) -> None:
        """Paint the name of a component."""
        name = tag.name
        if name.partition(b".")[0] in _NATIVE or b":" in name:
            return
        as_pascal, as_camel = pascal(name), camel(name)
        if b"." in name or name[:1].isupper():
            written = name
        elif as_camel in self._words and as_pascal not in self._words:
            written = as_camel
        elif b"-" in name or as_pascal in self._words:
            written = as_pascal
        else:
            return
        self._painting.name(tag.name_at, written, len(name))
        self._painting.tags.add(tag.name_at)

    def _attribute(self, attribute: Attribute) -> list[tuple[str, int]]:
        """Paint what an attribute holds; return the names it binds with their offsets."""
        name, painting = attribute.name, self._painting
        head = re.split(rb"[:.]", name, maxsplit=1)[0] if name.startswith(b"v-") else name
        dynamic = _ARGUMENT.search(name) if name[:1] in b":@#" or b":[" in name else None
        if dynamic is not None:
            painting.code(attribute.at + dynamic.start(1), attribute.at + dynamic.end(1))
        if head == b"v-for":
            return self._loop(attribute)
        if head in _SLOTS or name.startswith(b"#"):
            return self._pattern(attribute.start, attribute.end)
        if name.startswith(b"@") or head == b"v-on":
            is_function = _FUNCTION.match(self._data, max(attribute.start, 0))
            self._value(attribute, statements=name != b"v-on" and is_function is None)
        elif name.startswith((b":", b".")) or head in (b"v-bind", b"v-model", *_VALUES):
            if attribute.start < 0 and dynamic is None:
                self._same_name(attribute)
            self._value(attribute)
        else:
            self._directive(attribute, head)
        return []

    def _directive(self, attribute: Attribute, head: bytes) -> None:
        """Paint a template ref, or a directive of the component's own."""
        if attribute.name == b"ref" and self.is_setup:
            if self._data[attribute.start : attribute.end] in self._words:
                self._value(attribute)
        elif head.startswith(b"v-") and head not in _PLAIN:
            directive = camel(head)
            if directive in self._words:
                self._painting.name(attribute.at, directive, len(head))
            self._value(attribute)

    def _value(self, attribute: Attribute, *, statements: bool = False) -> None:
        """Paint the code of a value, with its entities decoded."""
        start, end = attribute.start, attribute.end
        if start < 0 or not attribute.sign:
            return
        self._painting.code(start, end, statements=statements)
        for entity in _ENTITIES.finditer(self._data, start, end):
            text = html.unescape(entity[0].decode()).encode()
            if len(text) <= len(entity[0]):
                self._painting.text[entity.start() : entity.end()] = text.ljust(len(entity[0]))

    def _loop(self, attribute: Attribute) -> list[tuple[str, int]]:
        """Paint ``(item, index) in items``."""
        found = _FOR.search(self._data, max(attribute.start, 0), attribute.end)
        if found is None:
            return []
        self._painting.code(found.end(), attribute.end)
        start, end = attribute.start, found.start()
        if self._data[start:end].strip().startswith(b"("):
            start = self._data.index(b"(", start) + 1
            end = self._data.rfind(b")", start, end)
        return self._pattern(start, end)

    def _pattern(self, start: int, end: int) -> list[tuple[str, int]]:
        if start < 0 or end <= start:
            return []
        names, values = bound_names(self._language, self._data[start:end])
        for value in values:
            self._painting.code(start + value.start, start + value.stop)
        return [(name, start + at) for name, at in names]

    def _same_name(self, attribute: Attribute) -> None:
        """Paint ``:item-id``, which is short for ``:item-id="itemId"``."""
        key = re.sub(rb"^(?:v-bind)?[:.]", b"", attribute.name).partition(b".")[0]
        if not key or attribute.name == b"v-bind":
            return
        at = attribute.at + attribute.name.index(key)
        self._painting.name(at, camel(key), len(key))
        whole = attribute.name.decode(errors="replace")
        self._painting.shorthands[at] = Shorthand(
            attribute.at, attribute.at + len(attribute.name), f'{whole}="{{to}}"'
        )

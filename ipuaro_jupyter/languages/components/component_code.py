"""The code of a component as one text, with what the template adds to it."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from ipuaro_jupyter.languages.bounded import ParsingTooSlow, parse
from ipuaro_jupyter.languages.components.astro import AstroComponent
from ipuaro_jupyter.languages.components.code_scanner import limited
from ipuaro_jupyter.languages.components.painting import (
    Painting,
    Piece,
    Shorthand,
    TemplateName,
    blank,
)
from ipuaro_jupyter.languages.components.spelling import component_name
from ipuaro_jupyter.languages.components.svelte import SvelteComponent
from ipuaro_jupyter.languages.components.vue import VueComponent
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.registry import language_for, language_named

TEMPLATES: Mapping[str, type[VueComponent | SvelteComponent | AstroComponent]] = {
    "vue": VueComponent,
    "svelte": SvelteComponent,
    "astro": AstroComponent,
}
"""The readers that language.toml may name."""
_PARSING_S = 1.0
_READING_S = 2.0
_MOST_PIECES = 2000
_STORE = re.compile(rb"(?:(?<![\w$.\"'`/\\])|(?<=\.\.\.))\$([A-Za-z_][\w$]*)")
_REACTIVE = re.compile(rb"(?m)^([ \t]*)[ \t]\$:[ \t]([ \t]*[A-Za-z_]\w*[ \t]*=(?!=))")
_RUNES = frozenset(b"state derived effect props bindable inspect host".split())
_REGISTERED = re.compile(rb"\bcomponents\s*:\s*\{([^}]{0,2000})\}")
_SHORT = re.compile(rb"(?:^|,)\s*([A-Za-z_$][\w$]*)\s*(?=,|$)")


@dataclass(frozen=True)
class ComponentCode:
    """The code of a component; offsets and lines in it are those of the file.

    Attributes:
        language: The language of the code.
        script: The script blocks.
        whole: The same with the code of the template.
        names: The names that the template binds.
        shorthands: By offset, names that also name an attribute.
        inside: The ranges of the script blocks, ascending; the rest is the template.
        is_apart: Whether names in the template are not those of the script, but members of the
            component: Vue without ``setup``.
        registered: The names of the script by which such a template knows components.
        problem: What is not read of the template, in a sentence; "" when all is.
    """

    language: Language
    script: bytes
    whole: bytes
    names: tuple[TemplateName, ...]
    shorthands: Mapping[int, Shorthand]
    inside: tuple[tuple[int, int], ...]
    is_apart: bool
    registered: frozenset[str]
    problem: str

    def is_hidden(self, name: str, offset: int) -> bool:
        """Whether a name at an offset cannot be one of the script."""
        return self.is_apart and name not in self.registered and self.is_template(offset)

    def is_template(self, offset: int) -> bool:
        """Whether an offset is outside of the script blocks."""
        at = bisect_right(self.inside, (offset, len(self.whole))) - 1
        return at < 0 or offset >= self.inside[at][1]


def code_in(path: str, data: bytes) -> tuple[Language | None, bytes]:
    """The language and the text in which the declarations of a file are parsed."""
    code = template_of(path, data)
    return (language_for(path), data) if code is None else (code.language, code.script)


def template_of(path: str, data: bytes) -> ComponentCode | None:
    """The code of a file with its template, if it is a component."""
    language = language_for(path)
    if language is None or language.reader != "component":
        return None
    return component_code(language, data)


def is_component(path: str, name: str) -> bool:
    """Whether a name is that of a component, given by its file."""
    language = language_for(path)
    is_ours = language is not None and language.reader == "component"
    return is_ours and name == component_name(path)


def component_code(language: Language, data: bytes) -> ComponentCode:
    """The code of a component.

    Args:
        language: One with the reader ``component``.
        data: The file, UTF-8.

    Raises:
        ParsingTooSlow: Reading the template takes too long.
    """
    return _component_code(language.component.template, language.component.language, data)


@lru_cache(maxsize=32)
def _component_code(template: str, name: str, data: bytes) -> ComponentCode:
    inner = language_named(name)
    painting = Painting(data)
    with limited(_READING_S):
        read = TEMPLATES[template](painting, inner)
    inside = [(script.tag.at, script.end) for script in read.scripts]
    if isinstance(read, AstroComponent):
        inside.append(read.front)
    if any(script.lang in {"tsx", "jsx"} for script in read.scripts):
        inner = language_named("tsx")
    script = blank(data)
    for start, end in inside:
        script[start:end] = painting.text[start:end]
        painting.put(end, b";")
    if isinstance(read, SvelteComponent):
        _read_stores(script, painting.text)
    whole, problem = _checked(inner, painting, bytes(script))
    registered = frozenset[str]()
    if not read.is_setup:
        listed = [found[1] for found in _REGISTERED.finditer(script)]
        registered = frozenset(name.decode() for some in listed for name in _SHORT.findall(some))
    return ComponentCode(
        language=inner,
        script=bytes(script),
        whole=whole,
        names=tuple(painting.names),
        shorthands=MappingProxyType(painting.shorthands),
        inside=tuple(sorted(inside)),
        is_apart=not read.is_setup,
        registered=registered,
        problem=(read.problem and f"{read.problem}, which is not read.") or problem,
    )


def _read_stores(script: bytearray, whole: bytearray) -> None:
    """Make ``$name`` a use of ``name`` where Svelte does, and ``$: name = …`` a declaration."""
    known = frozenset(re.findall(rb"(?<![\w$.])[A-Za-z_][\w$]*", script)) - _RUNES

    def use(match: re.Match[bytes]) -> bytes:
        return b" " + match[1] if match[1] in known else match[0]

    def declare(match: re.Match[bytes]) -> bytes:
        return match[1] + b"let " + match[2]

    for text in (script, whole):
        changed = _STORE.sub(use, bytes(text))
        text[:] = _REACTIVE.sub(declare, changed)


def _checked(language: Language, painting: Painting, script: bytes) -> tuple[bytes, str]:
    """The whole text without pieces that cannot be read, and a sentence on them."""
    whole = bytes(painting.text)
    try:
        if not parse(language, whole, seconds=_PARSING_S).root_node.has_error:
            return whole, ""
        if len(painting.pieces) > _MOST_PIECES:
            return script, "The template has too much code to be read."
        bad = [piece for piece in painting.pieces if _is_broken(language, whole, piece)]
    except ParsingTooSlow:
        return script, "The template takes too long to be read."
    for piece in bad:
        painting.blank(piece.start, piece.end)
    if not bad:
        return whole, ""
    line = painting.data.count(b"\n", 0, bad[0].start) + 1
    return bytes(painting.text), f"Syntax error in the template at line {line}."


def _is_broken(language: Language, whole: bytes, piece: Piece) -> bool:
    code = whole[piece.start : piece.end].strip()
    return parse(language, code, seconds=_PARSING_S).root_node.has_error

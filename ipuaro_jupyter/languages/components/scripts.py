"""The script blocks of a component."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from ipuaro_jupyter.languages.components.markup import Attribute, MarkupTag
from ipuaro_jupyter.languages.components.painting import Painting

_WORD = re.compile(rb"[A-Za-z_$][\w$]*")
_IMPORT = b"import"
_GENERICS = (b"generic", b"generics")
_TYPES = b";0 as["
_PARAMETERS = re.compile(rb"(?:[\w\s$<>,.\[\]{}()|&:;'\"]|=(?!>)|\?(?=\s*:))+")
_WITHOUT_DEFAULTS = {b"extends": b":", b"const": b"", b"=": b"|"}
_BETWEEN_TYPES = re.compile(rb"(?<![\w$])(?:extends|const)(?![\w$])|=")
_NOT_CODE = (b"json", b"text", b"importmap", b"speculationrules", b"template")


class ScriptBlock(NamedTuple):
    """A script block: its opening tag, and the range of its code."""

    tag: MarkupTag
    start: int
    end: int
    lang: str


def paint_script(painting: Painting, tag: MarkupTag, end: int) -> ScriptBlock:
    """Paint a script block up to the tag that closes it, and what its tag uses.

    That is an import for its ``src``, and the types in ``generic`` (Vue) or ``generics`` (Svelte).
    """
    data = painting.data
    written, source, kind = (tag.attribute(name) for name in (b"lang", b"src", b"type"))
    lang = data[written.start : written.end].decode(errors="replace") if written else ""
    told = data[kind.start : kind.end].lower() if kind is not None else b""
    is_code = not any(word in told for word in _NOT_CODE)
    start = tag.end if is_code else end
    painting.text[start:end] = data[start:end]
    if source is not None and source.sign in (b'"', b"'"):
        quote = source.start - 1
        if data[source.start : source.end].startswith((b"./", b"../", b"/", b"@", b"~", b"$")):
            painting.text[quote - len(_IMPORT) : quote] = _IMPORT
            painting.text[quote : source.end + 1] = data[quote : source.end + 1]
            painting.put(source.end + 1, b";")
    for name in _GENERICS:
        _paint_generics(painting, tag.attribute(name))
    return ScriptBlock(tag, start, end, lang)


def _paint_generics(painting: Painting, written: Attribute | None) -> None:
    """Paint type parameters, ``T extends Item``, as the elements of a tuple, ``T: Item``."""
    if written is None or written.sign not in (b'"', b"'"):
        return
    code = painting.data[written.start : written.end]
    if not _PARAMETERS.fullmatch(code):
        return
    painting.text[written.start - len(_TYPES) : written.start] = _TYPES
    painting.text[written.start : written.end] = _BETWEEN_TYPES.sub(
        lambda found: _WITHOUT_DEFAULTS[found[0]].ljust(len(found[0])), code
    )
    painting.put(written.end, b"]")
    painting.put(written.end + 1, b";")


def words(data: bytes, scripts: Iterable[ScriptBlock]) -> frozenset[bytes]:
    """The words in the script blocks."""
    found = (_WORD.findall(data, script.start, script.end) for script in scripts)
    return frozenset(word for some in found for word in some)

"""What a question is about: files and functions as links, with the reasons and folded source."""

from ipuaro_jupyter.records.evidence import Evidence, EvidenceExcerpt, EvidenceSymbol
from ipuaro_jupyter.views.file_links import place_link
from ipuaro_jupyter.views.markup import element, escape, folded, scrolling, title, visible

STYLES = ("code",)
_UNSURE = "Little of the question is in the code."
_NOTHING = "Nothing was found."


def text(found: Evidence) -> str:
    """The facts, the files, the functions with the reasons, and the source."""
    parts = [_UNSURE] if not found.is_sure else []
    parts += [f"Facts: {fact}" for fact in found.facts]
    if found.files:
        parts += ["Files:", *(f"  {path}" for path in found.files)]
    if found.symbols:
        parts += ["Functions:", *(f"  {_line(one)}" for one in found.symbols)]
    else:
        parts.append(_NOTHING)
    for one in found.excerpts:
        parts += ["", f"{one.id} {_line(one.symbol)}", *one.lines]
    parts += ["", _took(found)]
    return "\n".join(visible(part) for part in parts)


def html(found: Evidence) -> str:
    """The same as HTML without its styles; the source is folded."""
    parts = [title("Evidence", _took(found))]
    if not found.is_sure:
        parts.append(element("p", _UNSURE, class_="ipuaro-warn"))
    parts += [element("p", escape(f"Facts: {fact}")) for fact in found.facts]
    if found.files:
        items = (element("li", _link(found, path, path)) for path in found.files)
        parts += [element("p", "Files:"), element("ol", *items)]
    if found.symbols:
        listed = (element("li", _linked(found, one)) for one in found.symbols)
        parts += [element("p", "Functions:"), element("ol", *listed)]
    else:
        parts.append(element("p", _NOTHING))
    return "".join([*parts, *(_source(one) for one in found.excerpts)])


def _line(one: EvidenceSymbol) -> str:
    why = f": {one.why}" if one.why else ""
    return f"{one.path}:{one.line} {one.name}{why}"


def _linked(found: Evidence, one: EvidenceSymbol) -> str:
    place = _link(found, f"{one.path}:{one.line}", one.path, one.line)
    why = escape(f": {one.why}") if one.why else ""
    return f"{place} {element('code', escape(one.name))}{why}"


def _link(found: Evidence, label: str, path: str, line: int | None = None) -> str:
    return place_link(found.root, escape(label), path, line)


def _source(one: EvidenceExcerpt) -> str:
    code = scrolling(
        escape("\n".join(one.lines)),
        label=f"Source of {one.symbol.name}",
        tag="pre",
        class_="ipuaro-code",
    )
    return folded(escape(f"{one.id} {_line(one.symbol)}"), code)


def _took(found: Evidence) -> str:
    return f"{found.kind}, {found.tokens} tokens, {found.ms:.0f} ms"

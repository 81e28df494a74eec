"""What the index says to a question: an exact answer that stands open, or a line that opens."""

import re

from ipuaro_jupyter.records.index_answer import LOOKED_AT, MOST_TOLD, IndexAnswer
from ipuaro_jupyter.records.outputs import Table, ToolResult, Tree
from ipuaro_jupyter.views import shape, tool_result
from ipuaro_jupyter.views.file_links import FileLinks, place_link
from ipuaro_jupyter.views.markup import element, escape, folded, scrolling, visible

_CODE = re.compile(r"`([^`]+)`")
STYLES = ("code", *tool_result.STYLES)


def text(found: IndexAnswer) -> str:
    """The exact answer, or the line about what was looked at."""
    return visible(found.text)


def html(found: IndexAnswer, *, label: str = LOOKED_AT, links: FileLinks | None = None) -> str:
    """The same as HTML without its styles; below the line opens what it is about.

    Args:
        found: What the index says.
        label: What the line begins with.
        links: The places to which its words lead; what the index has ranked has links anyway.
    """
    if found.is_answer:
        lead = _said(found.lead, None)
        first = element("p", lead) if lead else ""
        return first + "".join(map(_result, found.results))
    if not found.line:
        return ""
    line, below = element("div", places(found, label, links)), [*_facts(found), *_source(found)]
    return line + (folded("Source", "".join(below)) if below else "")


def places(found: IndexAnswer, label: str, links: FileLinks | None = None) -> str:
    """A line with links to what was looked at; see `html`."""
    root = "" if found.evidence is None else found.evidence.root
    told = [_said(one, links) for one in found.looked_at]
    for one in found.symbols:
        name = f"{element('code', escape(one.name))} {escape(f'{one.path}:{one.line}')}"
        told.append(place_link(root, name, one.path, one.line))
    more = len(told) - MOST_TOLD
    further = f" and {more} more place{'s' * (more > 1)}" if more > 0 else ""
    return f"{escape(label)}{', '.join(told[:MOST_TOLD])}{further}"


def _said(words: str, links: FileLinks | None) -> str:
    """What was looked at, in words, as HTML: code as such, and places as links."""
    if links is None:
        return _CODE.sub(r"<code>\1</code>", escape(words))
    return "".join(
        _said(part, None) if place is None else links.link(escape(part), place)
        for part, place in links.split(words)
    )


def _facts(found: IndexAnswer) -> list[str]:
    facts = () if found.evidence is None else found.evidence.facts
    return [element("p", escape(fact)) for fact in facts]


def _source(found: IndexAnswer) -> list[str]:
    """The source of each excerpt, with its numbers, below a link."""
    root = "" if found.evidence is None else found.evidence.root
    parts = []
    for one in found.excerpts:
        at = one.symbol
        name = f"{at.path}:{at.line} {at.name}"
        why = escape(f": {at.why}") if at.why else ""
        parts.append(element("p", place_link(root, escape(name), at.path, at.line) + why))
        code = escape("\n".join(one.lines))
        parts.append(scrolling(code, label=f"Source of {at.name}", tag="pre", class_="ipuaro-code"))
    return parts


def _result(result: ToolResult) -> str:
    """A result with its rows as links."""
    drawn = None if result.output is None else result.output.shape()
    if isinstance(drawn, Table | Tree) and result.root and tool_result.is_drawn_by_shape(result):
        return shape.html(drawn.model_copy(update={"root": result.root}))
    return tool_result.html(result)

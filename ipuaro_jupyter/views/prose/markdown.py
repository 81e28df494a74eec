"""The model's Markdown as inert HTML: no raw HTML, no images, no unusual links."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING

from ipuaro_jupyter.views.markup import element, escape, visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

    from ipuaro_jupyter.views.file_links import FileLinks

Below = Mapping[int, Sequence[str]]
_NONE: Mapping[int, str] = MappingProxyType({})

STYLES = ("code",)
_PLACE = "\ufdd0\ufdd1"  # noncharacters, which no text has
_PLACED = re.compile(f"{_PLACE[0]}([0-9]+){_PLACE[1]}")


def html(
    text: str,
    links: "FileLinks | None" = None,
    *,
    marks: Sequence[tuple[int, str]] = (),
    below: Below = MappingProxyType({}),
    classes: Mapping[int, str] = _NONE,
) -> str:
    """Markdown as HTML; what ``links`` has places for leads there.

    Raw HTML becomes text. An image becomes a link to it, because a page that loads an image tells
    its server what the model wrote. Links to anything but the web, mail and files beside the
    notebook become text; with ``links``, so do those to files that it has no place for.

    Args:
        text: The Markdown.
        links: The places of the project.
        marks: Words to put into it, each behind so many characters, in order.
        below: Lines to put below code blocks, by the 0-based line at which the block begins.
        classes: Further classes of code blocks, in the same way.
    """
    about = {"links": links, "below": below, "classes": classes}
    if not marks:
        rendered: str = _parser().render(visible(text), about)
        return rendered
    plain = text.translate(dict.fromkeys(map(ord, _PLACE), "\ufffd"))
    parts, before = [], 0
    for number, (at, _) in enumerate(marks):
        parts += [visible(plain[before:at]), _PLACE[0], str(number), _PLACE[1]]
        before = at
    whole = "".join([*parts, visible(plain[before:])])
    rendered = _parser().render(whole, about)
    return _PLACED.sub(lambda found: _mark(marks[int(found[1])][1]), rendered)


def marked(
    text: str, marks: Sequence[tuple[int, str]], *, below: Below = MappingProxyType({})
) -> str:
    """Markdown with the same marks, and lines below code blocks, as text."""
    put = [(at, f" [{word}]") for at, word in marks]
    if below:
        begins = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        for begin, behind in fences(text):
            if begin in below:
                end = min(begins[behind], len(text))
                gap = "" if text[:end].endswith("\n") else "\n"
                put.append((end, gap + "".join(f"{line}\n" for line in below[begin])))
    for at, word in sorted(put, reverse=True):
        text = f"{text[:at]}{word}{text[at:]}"
    return visible(text)


def fences(text: str) -> list[tuple[int, int]]:
    """The 0-based line at which each code block with a fence begins, and the line behind it."""
    tokens = (one for one in _parser().parse(text) if one.type == "fence")
    return [(one.map[0], one.map[1]) for one in tokens if one.map]


def _mark(word: str) -> str:
    return " " + element("span", f"[{escape(word)}]", class_="ipuaro-mark ipuaro-warn")


def complete(text: str) -> int:
    """The number of characters of a growing text that are in completed blocks.

    A block is a paragraph, a list, a table or the like; only the last one can still grow.
    """
    blocks = [token.map for token in _parser().parse(visible(text)) if token.level == 0]
    begins = [lines[0] for lines in blocks if lines]
    return sum(len(line) + 1 for line in text.split("\n")[: begins[-1]]) if begins else 0


@cache
def _parser() -> "MarkdownIt":
    from ipuaro_jupyter.views.prose.markdown_parser import parser  # noqa: PLC0415 - loads slowly

    return parser()

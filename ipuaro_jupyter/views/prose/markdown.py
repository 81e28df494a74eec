"""The model's Markdown as inert HTML: no raw HTML, no images, no unusual links."""

from functools import cache
from typing import TYPE_CHECKING

from ipuaro_jupyter.views.markup import visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

    from ipuaro_jupyter.views.file_links import FileLinks

STYLES = ("code",)


def html(text: str, links: "FileLinks | None" = None) -> str:
    """Markdown as HTML; what ``links`` has places for leads there.

    Raw HTML becomes text. An image becomes a link to it, because a page that loads an image tells
    its server what the model wrote. Links to anything but the web, mail and files beside the
    notebook become text; with ``links``, so do those to files that it has no place for.
    """
    rendered: str = _parser().render(visible(text), {"links": links})
    return rendered


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

"""The model's Markdown as HTML that can do nothing: no raw HTML, no images, no odd links."""

import re
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from ipuaro_jupyter.views.highlight import highlighted, line_html
from ipuaro_jupyter.views.markup import element, escape, visible

STYLES = ("code",)
_SCHEMES = {"http", "https", "mailto"}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


def html(text: str) -> str:
    """Return Markdown as HTML.

    Raw HTML comes out as text. An image comes out as a link to it, because a page that loads an
    image tells its server what the model wrote. Links to anything but the web, mail and files
    beside the notebook come out as text.
    """
    rendered: str = _parser().render(visible(text))
    return rendered


def complete(text: str) -> int:
    """Return how many characters of a text that grows are in blocks to which nothing is added.

    A block is a paragraph, a list, a table or the like; only the last one still grows.
    """
    blocks = [token.map for token in _parser().parse(visible(text)) if token.level == 0]
    begins = [lines[0] for lines in blocks if lines]
    return sum(len(line) + 1 for line in text.split("\n")[: begins[-1]]) if begins else 0


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the name is markdown-it's
        """Whether a link leads to the web, to mail or to a file beside the notebook."""
        scheme = _SCHEME.match(url)
        if scheme:
            return scheme.group(1).lower() in _SCHEMES
        return not url.startswith("//")


@cache
def _parser() -> MarkdownIt:
    parser = _Parser("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_open", _link_open)
    parser.add_render_rule("th_open", _heading_cell)
    return parser


def _fence(
    _renderer: RendererHTML, tokens: list[Token], at: int, _options: Any, _env: Any
) -> str:  # the signature is markdown-it's
    language = tokens[at].info.split()[0] if tokens[at].info.split() else ""
    lines = highlighted(tokens[at].content.removesuffix("\n").split("\n"), language)
    body = "\n".join(line_html(line) for line in lines)
    return element("pre", element("code", body), class_="ipuaro-code") + "\n"


def _image(
    _renderer: RendererHTML, tokens: list[Token], at: int, _options: Any, _env: Any
) -> str:  # the signature is markdown-it's
    source = str(tokens[at].attrs.get("src", ""))
    return f"{escape(tokens[at].content or 'image')} ({element('code', escape(source))})"


def _link_open(
    renderer: RendererHTML, tokens: list[Token], at: int, options: Any, env: Any
) -> str:  # the signature is markdown-it's
    tokens[at].attrSet("rel", "noopener noreferrer")
    return renderer.renderToken(tokens, at, options, env)


def _heading_cell(
    renderer: RendererHTML, tokens: list[Token], at: int, options: Any, env: Any
) -> str:  # the signature is markdown-it's
    tokens[at].attrSet("scope", "col")
    return renderer.renderToken(tokens, at, options, env)

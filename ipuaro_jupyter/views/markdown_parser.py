"""The configuration of the Markdown parser, and the rendering of its parts."""

import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from ipuaro_jupyter.views.highlight import highlighted, line_html
from ipuaro_jupyter.views.markup import element, escape

_SCHEMES = {"http", "https", "mailto"}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


class _MarkdownParser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the name is markdown-it's
        """Whether a link leads to the web, to mail or to a file beside the notebook."""
        scheme = _SCHEME.match(url)
        if scheme:
            return scheme.group(1).lower() in _SCHEMES
        return not url.startswith("//")


def parser() -> MarkdownIt:
    """A parser whose HTML is inert; see `markdown.html`."""
    made = _MarkdownParser("commonmark", {"html": False}).enable(["table", "strikethrough"])
    made.add_render_rule("fence", _fence)
    made.add_render_rule("code_block", _fence)
    made.add_render_rule("image", _image)
    made.add_render_rule("link_open", _link_open)
    made.add_render_rule("th_open", _heading_cell)
    return made


def _fence(
    _renderer: RendererHTML, tokens: list[Token], at: int, _options: Any, _env: Any
) -> str:  # the signature is markdown-it's
    language = tokens[at].info.split()[0] if tokens[at].info.split() else ""
    lines = highlighted(tokens[at].content.removesuffix("\n").split("\n"), language)
    body = "\n".join(line_html(line) for line in lines)
    return element("pre", element("code", body), class_="ipuaro-code", tabindex="0") + "\n"


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

"""The configuration of the Markdown parser, and the rendering of its parts."""

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from ipuaro_jupyter.views.file_links import FileLinks
from ipuaro_jupyter.views.highlight import highlighted, line_html
from ipuaro_jupyter.views.markup import element, escape
from ipuaro_jupyter.views.prose import formula

_SCHEMES = {"http", "https", "mailto"}
_TASK = re.compile(r"\[([ xX])\] +(?=\S)")
_LANGUAGE = re.compile(r"[A-Za-z0-9+#_-]{1,30}")
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
    made.block.ruler.before("fence", "formula", formula.formula, {"alt": ["paragraph", "list"]})
    made.add_render_rule("formula", _formula)
    made.inline.ruler.before("escape", "formula", formula.formula_in_text)
    made.add_render_rule("formula_in_text", _formula_in_text)
    made.core.ruler.push("tasks", _sign_tasks)
    made.core.ruler.push("places", _link_places)
    return made


def _formula(
    _renderer: RendererHTML, tokens: list[Token], at: int, _options: Any, _env: Any
) -> str:  # the signature is markdown-it's
    return formula.html(tokens[at].content)


def _formula_in_text(
    _renderer: RendererHTML, tokens: list[Token], at: int, _options: Any, _env: Any
) -> str:  # the same
    return formula.html_in_text(tokens[at].content, tokens[at].markup)


def _sign_tasks(state: StateCore) -> None:
    """Let ``[ ]`` and ``[x]`` at the beginning of list items be signs: GitHub drops controls."""
    for item, paragraph, token in zip(
        state.tokens, state.tokens[1:], state.tokens[2:], strict=False
    ):
        task = _TASK.match(token.content)
        is_item = (item.type, paragraph.type) == ("list_item_open", "paragraph_open")
        if is_item and task and token.children and token.children[0].type == "text":
            first = token.children[0]
            first.content = first.content.removeprefix(task[0])
            told = ("\u2610", "open") if task[1] == " " else ("\u2611", "done")
            sign = element("span", told[0], role="img", aria_label=told[1])
            token.children[:0] = [_html(f"{sign} ")]
            item.attrJoin("class", "ipuaro-task")


def _link_places(state: StateCore) -> None:
    """Make the places that a text names links, and links to its files right."""
    links: FileLinks | None = state.env.get("links")
    if links is not None:
        for token in state.tokens:
            token.children = token.children and list(_linked(token.children, links))


def _linked(tokens: Iterable[Token], links: FileLinks) -> Iterator[Token]:
    depth = 0  # in links
    for token in tokens:
        depth += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type == "link_open":
            _lead(token, links)
        if depth or token.type not in ("text", "code_inline"):
            yield token
        elif token.type == "text":
            for part, place in links.split(token.content):
                text = Token("text", "", 0, content=part)
                yield text if place is None else _html(links.link(escape(part), place))
        else:
            place = links.place(token.content)
            code = element("code", escape(token.content))
            yield token if place is None else _html(links.link(code, place))


def _html(html: str) -> Token:
    return Token("html_inline", "", 0, content=html)


def _lead(token: Token, links: FileLinks) -> None:
    """Let a link to a file lead there from the notebook; one to nowhere is none."""
    target = unquote(str(token.attrs.get("href", "")))
    if _SCHEME.match(target) or target.startswith("#"):
        return
    place = links.place(target)
    token.attrs = {}
    if place is not None:
        found = links.attributes(place).items()
        token.attrs = {name: value for name, value in found if value is not None}


def _fence(
    _renderer: RendererHTML, tokens: list[Token], at: int, _options: Any, env: Any
) -> str:  # the signature is markdown-it's
    place = tokens[at].map
    below = env.get("below", {}).get(place[0], ()) if place else ()
    language = tokens[at].info.split()[0] if tokens[at].info.split() else ""
    lines = highlighted(tokens[at].content.removesuffix("\n").split("\n"), language)
    body = "\n".join(line_html(line) for line in lines)
    named = f"language-{language.lower()}" if _LANGUAGE.fullmatch(language) else None
    code = element("code", body, class_=named)
    further = env.get("classes", {}).get(place[0], "") if place else ""
    classes = ["ipuaro-code", *["ipuaro-failing"][: len(below)], *further.split()]
    told = "".join(element("div", escape(line), class_="ipuaro-warn") for line in below)
    return element("pre", code, class_=" ".join(classes), tabindex="0") + f"\n{told}"


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

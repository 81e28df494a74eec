"""The HTML elements that every view is built from. Everything passed in as text is escaped."""

import html
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from ipuaro_jupyter.records.counted import counted as counted  # noqa: PLC0414 - of every view
from ipuaro_jupyter.records.terminal_codes import without_codes as without_codes  # noqa: PLC0414
from ipuaro_jupyter.records.visible import visible as visible  # noqa: PLC0414 - of every view

# MathJax leaves these alone: a `$` in code or in a path does not begin a formula.
_NO_MATH = "tex2jax_ignore mathjax_ignore"
_BEFORE_EMPTY = re.compile(r"\n(?=[ \t]*\n)")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"\s*(?P<head>[^{}]+?)\s*\{(?P<body>(?:[^{}]|\{[^{}]*\})*)\}", re.DOTALL)
_CHOICE = re.compile(r":is\([^()]*\)")
_CLASS = re.compile(r"\.(ipuaro[\w-]*)")
_TAG = re.compile(r"(?:^|[\s>+~])([a-z][a-z0-9]*)")


class _StyleRule(NamedTuple):
    """A rule, or a media query with rules.

    Attributes:
        text: Its text.
        needs: For each selector, what is in any HTML that it matches: its classes and tags.
    """

    text: str
    needs: tuple[tuple[str, ...], ...]


def escape(text: object) -> str:
    """``text`` made safe between tags and in quoted attributes, and `visible`."""
    return html.escape(visible(str(text)), quote=True)


def element(tag: str, *content: str, **attributes: str | None) -> str:
    """An HTML element.

    Args:
        tag: Its name.
        content: HTML, already escaped.
        attributes: Values are escaped; None leaves the attribute out, "" gives it without a value.
            A trailing underscore in a name is dropped (``class_``).
    """
    said = "".join(
        f" {name.rstrip('_').replace('_', '-')}" + (f'="{escape(value)}"' if value else "")
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{said}>{''.join(content)}</{tag}>"


def block(content: str, *styles: str, class_: str = "", is_growing: bool = False) -> str:
    """``content`` as one output that carries the styles that it needs.

    Args:
        content: HTML, already escaped.
        styles: Names of files in static/ without ``.css``; the base is always included.
        class_: A further class of the block.
        is_growing: Whether a front end adds to it: then it carries all rules of the files.
    """
    classes = f"ipuaro {class_} {_NO_MATH}".replace("  ", " ")
    # In Markdown, to which notebooks are exported, HTML ends at an empty line, and the text after
    # it would be parsed: images in code would be loaded.
    whole = _BEFORE_EMPTY.sub("&#10;", content)
    drawn = f'<div class="{classes}">{whole}'
    sheets = whole_sheets(styles) if is_growing else needed_rules(styles, drawn)
    return element("div", f"<style>{sheets}</style>", whole, class_=classes)


def title(text: str, note: str = "") -> str:
    """The line above a view: a title, and a note in a quieter tone."""
    remark = element("span", escape(note), class_="ipuaro-note") if note else ""
    return element("div", element("strong", escape(text)), " " if note else "", remark)


def folded(summary: str, content: str, *, is_open: bool = False, **attributes: str | None) -> str:
    """A line that opens to ``content``; both are HTML. ``attributes`` are as in `element`."""
    return element(
        "details",
        element("summary", summary),
        element("div", content, class_="ipuaro-folded"),
        open="" if is_open else None,
        **attributes,
    )


def scrolling(content: str, *, label: str, tag: str = "div", class_: str = "") -> str:
    """``content`` in a box of limited height that the keyboard can scroll."""
    return element(
        tag,
        content,
        class_=f"ipuaro-scroll {class_}".strip(),
        tabindex="0",
        role="group",
        aria_label=label,
    )


def checkbox(value: str, name: str, *, class_: str, is_ticked: bool = True) -> str:
    """A checkbox in its label; ``name`` is HTML."""
    ticked = "" if is_ticked else None
    box = element("input", type="checkbox", checked=ticked, value=value).removesuffix("</input>")
    return element("label", box, element("span", name), class_=class_)


def ends(text: str, most: int) -> str:
    """The beginning and the end of a text that is longer than ``most`` characters."""
    left = len(text) - most
    if left <= 0:
        return text
    note = f"\n[{counted(left, 'character')} in between not shown]\n"
    return text[: most // 2] + note + text[-(most // 2) :]


def seconds(duration_ms: int) -> str:
    """A duration in words: "40 ms", "1.2 s", "3 min 5 s"."""
    if duration_ms < 1000:  # noqa: PLR2004 - one second
        return f"{duration_ms} ms"
    if duration_ms < 60_000:  # noqa: PLR2004 - one minute
        return f"{duration_ms / 1000:.1f} s"
    minutes, rest = divmod(round(duration_ms / 1000), 60)
    return f"{minutes} min {rest} s"


def whole_sheets(names: Iterable[str]) -> str:
    """The sheets base and ``names``, for what is not all there yet: a question, for example."""
    return "\n".join(rule.text for rule in _rules(_with_base(names)))


def needed_rules(names: Iterable[str], html: str) -> str:
    """Their rules that may match an element of the HTML; others are left out."""
    rules = _rules(_with_base(names))
    missing = {one for one in _all_needs(_with_base(names)) if one not in html}
    return "\n".join(
        rule.text for rule in rules if any(missing.isdisjoint(need) for need in rule.needs)
    )


def _with_base(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("base", *names)))


@cache
def _rules(names: tuple[str, ...]) -> tuple[_StyleRule, ...]:
    folder = files("ipuaro_jupyter.views") / "static"
    sheets = ((folder / f"{name}.css").read_text("utf-8") for name in names)
    return tuple(
        _StyleRule(_short(rule[0]), tuple(_needs(rule["head"], rule["body"])))
        for sheet in sheets
        for rule in _RULE.finditer(_COMMENT.sub("", sheet))
    )


@cache
def _all_needs(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(one for rule in _rules(names) for need in rule.needs for one in need)


def _needs(head: str, body: str) -> list[tuple[str, ...]]:
    if head.startswith("@"):
        heads = [rule["head"] for rule in _RULE.finditer(body)]
        return [need for inner in heads for need in _needs(inner, "")]
    selectors = _CHOICE.sub("", head).split(",")
    return [
        tuple({*_CLASS.findall(one), *(f"<{tag}" for tag in _TAG.findall(one.strip()))})
        for one in selectors
    ]


def _short(rule: str) -> str:
    return re.sub(r"\s*([{};])\s*", r"\1", " ".join(rule.split())).replace(";}", "}")

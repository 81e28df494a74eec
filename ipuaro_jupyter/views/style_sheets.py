"""The style sheets of static/, and of them what an output needs: a notebook saves it with each."""

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"\s*(?P<head>[^{}]+?)\s*\{(?P<body>(?:[^{}]|\{[^{}]*\})*)\}", re.DOTALL)
_CHOICE = re.compile(r":is\([^()]*\)")
_CLASS = re.compile(r"\.(ipuaro[\w-]*)")
_TAG = re.compile(r"(?:^|[\s>+~])([a-z][a-z0-9]*)")


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


class _StyleRule(NamedTuple):
    """A rule, or a media query with rules.

    Attributes:
        text: Its text.
        needs: For each selector, what is in any HTML that it matches: its classes and tags.
    """

    text: str
    needs: tuple[tuple[str, ...], ...]


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

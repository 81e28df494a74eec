"""What speaks against an edit, before and after it is made."""

from collections.abc import Sequence

from ipuaro_jupyter.views.markup import element, escape, visible


def lines(problems: Sequence[str]) -> list[str]:
    """The problems as a terminal shows them, a line each."""
    return [f"! {visible(problem)}" for problem in problems]


def html(problems: Sequence[str]) -> str:
    """The problems as a warning; "" for none."""
    if not problems:
        return ""
    listed = "".join(element("li", escape(problem)) for problem in problems)
    head = element("strong", "\u26a0 Problems")
    return element(
        "div", head, element("ul", listed), class_="ipuaro-problems ipuaro-bad ipuaro-box"
    )

"""What the mentions of a question have attached to it, above its answer."""

from collections.abc import Sequence

from ipuaro_jupyter.records.chat import Attachment
from ipuaro_jupyter.views.markup import element, escape, folded, scrolling, visible


def text(attached: Sequence[Attachment]) -> str:
    """A line for each."""
    return "\n".join(visible(one.told) for one in attached)


def html(attached: Sequence[Attachment]) -> str:
    """A line for each, which opens to what the model was given."""
    return "".join(_line(one) for one in attached)


def _line(one: Attachment) -> str:
    if one.problem:
        return element("div", escape(one.told), class_="ipuaro-box ipuaro-warn")
    summary = element("span", escape(one.told), class_="ipuaro-note")
    content = element("pre", escape(one.text))
    return folded(summary, scrolling(content, label=f"Content of {one.title}"))

"""A sentence or a paragraph."""

from ipuaro_jupyter.records.outputs import Plain
from ipuaro_jupyter.views.markup import element, escape, visible

STYLES = ()


def text(plain: Plain) -> str:
    """The text."""
    return visible(plain.text)


def html(plain: Plain) -> str:
    """The text with its line breaks."""
    return element("p", escape(plain.text), class_="ipuaro-plain")

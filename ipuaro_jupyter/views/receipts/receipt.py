"""The receipt of an answer: its marks in the text, and a list of them below."""

from collections.abc import Iterator

from ipuaro_jupyter.records.chat import Answer
from ipuaro_jupyter.records.receipt import Receipt
from ipuaro_jupyter.views.file_links import FileLinks
from ipuaro_jupyter.views.markup import element, escape, visible
from ipuaro_jupyter.views.prose import markdown

_TITLE = "Not in the code:"


def answer_text(answer: Answer) -> str:
    """The answer in its Markdown, with the marks."""
    return markdown.marked(answer.text, _marks(answer), below=_below(answer))


def answer_html(answer: Answer, links: FileLinks | None = None) -> str:
    """The same as HTML; what ``links`` has places for leads there."""
    return markdown.html(answer.text, links, marks=_marks(answer), below=_below(answer))


def text(receipt: Receipt) -> str:
    """What is marked, and what the tools could not see; "" when there is nothing to tell."""
    return visible("\n".join(_lines(receipt)))


def html(receipt: Receipt) -> str:
    """The same as HTML."""
    items = "".join(element("li", escape(line)) for line in receipt.listed)
    listed = element("div", element("strong", _TITLE)) + element("ul", items) if items else ""
    unseen = (
        element("div", escape(_unseen(receipt)), class_="ipuaro-note") if receipt.unseen else ""
    )
    box = element("div", listed, class_="ipuaro-box ipuaro-warn ipuaro-receipt") if listed else ""
    return box + unseen


def _marks(answer: Answer) -> list[tuple[int, str]]:
    """The marks that belong into the text, one at each place."""
    words: dict[int, str] = {}
    for mark in answer.receipt.marks:
        if mark.at <= len(answer.text):
            words.setdefault(mark.at, mark.word)
    return sorted(words.items())


def _below(answer: Answer) -> dict[int, list[str]]:
    """The lines below its code blocks, by the line at which each begins."""
    found: dict[int, list[str]] = {}
    for mark in answer.receipt.blocks:
        found.setdefault(mark.at, []).append(str(mark))
    return found


def _lines(receipt: Receipt) -> Iterator[str]:
    if receipt.marks:
        yield _TITLE
        yield from (f"- {line}" for line in receipt.listed)
    if receipt.unseen:
        yield _unseen(receipt)


def _unseen(receipt: Receipt) -> str:
    """What the tools could not see, as a sentence."""
    return f"The tools could not see everything; {receipt.unseen}."

"""The receipt of an answer: its marks in the text, and a list of them below."""

from collections.abc import Iterator

from ipuaro_jupyter.records.chat import Answer
from ipuaro_jupyter.records.counted import named
from ipuaro_jupyter.records.receipt import OfferedEdit, Receipt
from ipuaro_jupyter.views.file_links import FileLinks
from ipuaro_jupyter.views.markup import element, escape, visible
from ipuaro_jupyter.views.prose import markdown

_TITLE = "Not in the code:"


def answer_text(answer: Answer) -> str:
    """The answer in its Markdown, with the marks."""
    return markdown.marked(answer.text, _marks(answer), below=_below(answer))


def answer_html(answer: Answer, links: FileLinks | None = None) -> str:
    """The same as HTML; what ``links`` has places for leads there."""
    classes = {one.at: _class(one) for one in answer.receipt.edits if one.at is not None}
    marks, below = _marks(answer), _below(answer)
    return markdown.html(answer.text, links, marks=marks, below=below, classes=classes)


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
    outside = (_class(one) for one in receipt.edits if one.at is None)
    classes = " ".join(["ipuaro-note", *outside])
    edits = element("div", escape(_edits(receipt)), class_=classes) if receipt.edits else ""
    return box + unseen + edits


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
    if receipt.edits:
        yield _edits(receipt)


def _unseen(receipt: Receipt) -> str:
    """What the tools could not see, as a sentence."""
    return f"The tools could not see everything; {receipt.unseen}."


def _class(edit: OfferedEdit) -> str:
    """The class of what the button of an edit stands below."""
    return f"ipuaro-edit-{edit.id}"


def _edits(receipt: Receipt) -> str:
    """How the edits in the answer are proposed."""
    told = [one.told for one in receipt.edits]
    if len(told) == 1:
        return f"/apply proposes the edit of {told[0]}."
    listed = named([f"{number} {one}" for number, one in enumerate(told, 1)])
    return f"/apply proposes the edits of {listed}; /apply {len(told)} only the last one."

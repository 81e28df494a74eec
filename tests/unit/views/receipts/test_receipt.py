"""Marks in an answer's text, as text and as HTML, and the list below it."""

import pytest

from ipuaro_jupyter.records.chat import Answer
from ipuaro_jupyter.records.receipt import BlockMark, OfferedEdit, Receipt, ReceiptMark
from ipuaro_jupyter.views.drawing import mimebundle
from ipuaro_jupyter.views.markup import escape
from ipuaro_jupyter.views.receipts import receipt


def marked(text, *places, word="no such file"):
    marks = tuple(ReceiptMark(at=at, word=word, named=str(at)) for at in places)
    return Answer(question="?", text=text, receipt=Receipt(marks=marks))


def test_a_mark_stands_behind_its_name_in_words():
    answer = marked("See `a.ts` and b.ts.", 10, 19)
    assert receipt.answer_text(answer) == "See `a.ts` [no such file] and b.ts [no such file]."
    drawn = receipt.answer_html(answer)
    mark = '<span class="ipuaro-mark ipuaro-warn">[no such file]</span>'
    assert f"<code>a.ts</code> {mark} and b.ts {mark}." in drawn


def test_marks_at_one_place_are_one():
    assert receipt.answer_text(marked("a.ts", 4, 4)) == "a.ts [no such file]"


def test_a_mark_within_a_table_and_a_bold_name():
    answer = marked("| a |\n|---|\n| **`b.ts`** |", 22)
    assert "<td><strong><code>b.ts</code> <span" in receipt.answer_html(answer)


@pytest.mark.parametrize("text", ["a\ufdd01\ufdd1b", "\ufdd00\ufdd1", "\ufdd0\ufdd0"])
def test_a_text_cannot_fake_a_mark(text):
    drawn = receipt.answer_html(marked(text, len(text)))
    assert drawn.count("ipuaro-mark") == 1
    assert "\ufdd0" not in drawn


def test_a_mark_is_escaped_and_one_past_the_end_is_left_out():
    assert "&lt;b&gt;" in receipt.answer_html(marked("a", 1, word="<b>"))
    assert receipt.answer_text(marked("a", 9)) == "a"


@pytest.mark.parametrize("end", ["", "\n", "\n\nThen b.ts."])
def test_what_is_wrong_in_a_code_block_stands_below_it(end):
    text = f"See a.ts:\n\n```py\nx = <1>\n```\n\n```py\nimport b\n```{end}"
    blocks = (BlockMark(at=6, line=1, told="there is no `b` <1>"),)
    marks = (ReceiptMark(at=8, word="no such file", named="a.ts"),)
    answer = Answer(question="?", text=text, receipt=Receipt(marks=marks, blocks=blocks))
    told = receipt.answer_text(answer)
    assert told.startswith("See a.ts [no such file]:\n\n```py\nx = <1>\n```\n\n```py\nimport b\n")
    assert "import b\n```\n! line 1: there is no `b` <1>\n" in told
    assert told.endswith(end[1:] if end.strip() else "<1>\n")
    drawn = receipt.answer_html(answer)
    assert drawn.count("ipuaro-failing") == 1
    line = '<div class="ipuaro-warn">! line 1: there is no `b` &lt;1&gt;</div>'
    assert drawn.index("import") < drawn.index("</pre>\n" + line)


def test_without_marks_nothing_is_listed():
    assert receipt.text(Receipt(held=("a.ts",))) == receipt.html(Receipt(held=("a.ts",))) == ""
    data = mimebundle(Answer(question="?", text="See a.ts."))
    assert "Not in the code" not in data["text/plain"] + data["text/html"]


def test_what_was_not_seen_is_told_alone():
    told = receipt.text(Receipt(unseen="not looked at: 3 .go files"))
    assert told == "The tools could not see everything; not looked at: 3 .go files."


@pytest.mark.parametrize("at", [2, None])
def test_an_edit_that_can_be_proposed_is_told_and_marked_for_its_button(at):
    text = "So:\n\n```ts\nconst a = 1\n```\n```ts\nlet b\n```"
    edit = OfferedEdit(at=at, id="0123abcd", told="src/<a>.ts:1")
    answer = Answer(question="?", text=text, receipt=Receipt(edits=(edit,)))
    line = "/apply proposes the edit of src/<a>.ts:1."
    assert receipt.text(answer.receipt) == line
    below = receipt.html(answer.receipt)
    assert escape(line) in below
    drawn = receipt.answer_html(answer)
    assert ("ipuaro-edit-0123abcd" in drawn) is (at is not None)
    assert ("ipuaro-edit-0123abcd" in below) is (at is None)
    assert f"{drawn}{below}".count("ipuaro-edit-") == 1

"""The text of a proposal while it is edited: left by mistake, discarded, not to be typed."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
SHOW = (Path(__file__).parent / "show_proposal.py").read_text()
EDIT = """\
same = "same\\n" * 20
show(kind="edit", title="Edit a.txt", path="a.txt", old_text=f"a\\n{same}c\\n",
     new_text=f"b\\n{same}new\\n", editable=True)
"""
RETURN = EDIT.replace("c\\n", "x\\ry\\n")
ESCAPE_WHILE_COMPOSING = """node => node.dispatchEvent(
  new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true }))"""


@pytest.fixture
def question(sheet):
    """Return a function that shows a proposal in cell 3 and returns its page and what finds it."""

    def show(code):
        page = sheet(SHOW, code, "said[0].text")
        page.run(2, 3)
        drawn = page.outputs(3)
        drawn.get_by_label("Change 2 of 2").wait_for()
        return page, drawn, lambda name: drawn.get_by_role("button", name=name, exact=True).click()

    return show


def test_what_was_typed_is_there_after_escape(question):
    page, drawn, press = question(EDIT)
    text, second = drawn.get_by_label("Proposed text"), drawn.get_by_label("Change 2 of 2")
    press("Edit")
    text.fill("typed\n")
    text.evaluate(ESCAPE_WHILE_COMPOSING)
    assert text.is_visible()
    text.press("Escape")
    assert not text.is_visible()
    second.uncheck()
    press("Edit")
    text.wait_for()
    assert text.input_value().startswith("b\nsame"), "another choice has another text"
    press("Discard changes")
    second.check()
    press("Continue editing")
    text.wait_for()
    assert text.input_value() == "typed\n"
    press("Apply")
    page.run(4)
    assert page.text(4).endswith(r"'typed\n'")


def test_what_was_discarded_is_gone(question):
    _, drawn, press = question(EDIT)
    text = drawn.get_by_label("Proposed text")
    press("Edit")
    proposed = text.input_value()
    text.fill("typed\n")
    press("Discard changes")
    press("Edit")
    assert text.input_value() == proposed


def test_a_choice_that_cannot_be_typed_says_so(question):
    """A lone carriage return would become a line; the choice without it can be edited."""
    _, drawn, press = question(RETURN)
    second = drawn.get_by_label("Change 2 of 2")
    second.uncheck()
    refused = drawn.get_by_text("cannot be edited here")
    for _ in range(2):
        press("Edit")
        refused.wait_for()
    second.check()
    assert refused.count() == 0
    press("Edit")
    text = drawn.get_by_label("Proposed text")
    text.wait_for()
    assert text.input_value().endswith("new\n")

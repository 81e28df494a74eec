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
FAR = """\
lines = "".join(f"line {n}\\n" for n in range(1, 151))
show(kind="edit", title="Edit a.txt", path="a.txt", old_text=lines,
     new_text=lines.replace("line 90\\n", "new\\n").replace("line 140\\n", ""), editable=True)
"""
RETURN = EDIT.replace("c\\n", "x\\ry\\n")
ESCAPE_WHILE_COMPOSING = """node => node.dispatchEvent(
  new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true }))"""

# The line of the caret and the lines that are seen of a text field, from 0.
SHOWN = """text => {
  const height = parseFloat(getComputedStyle(text).lineHeight);
  return {
    first: text.scrollTop / height,
    caret: text.value.slice(0, text.selectionStart).split('\\n').length - 1,
    last: (text.scrollTop + text.clientHeight) / height - 1,
  };
}"""


# How much of a text field can be seen in the page.
SEEN = """text => new Promise(resolve => new IntersectionObserver(
  ([entry]) => resolve(entry.intersectionRatio)).observe(text))"""


@pytest.fixture
def question(sheet):
    """Return a function that shows a proposal in cell 3 and returns its page and what finds it."""

    def show(code):
        page = sheet(SHOW, code, "(await decision()).text")
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


def test_the_caret_is_at_the_first_change(question, picture):
    """Of all changes or of those that are chosen, and where it can be seen."""
    page, drawn, press = question(FAR)
    text = drawn.get_by_label("Proposed text")
    for left_out, at in ((2, "new"), (1, "line 141")):
        drawn.get_by_label(f"Change {left_out} of 2").uncheck()
        press("Edit")
        text.wait_for()
        page.page.keyboard.type("here ")
        assert f"\nhere {at}\n" in text.input_value()
        shown = text.evaluate(SHOWN)
        assert shown["first"] < shown["caret"] < shown["last"]
        assert text.evaluate(SEEN) == 1
        picture(page, f"proposal-caret-{left_out}")
        press("Discard changes")
        drawn.get_by_label(f"Change {left_out} of 2").check()


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

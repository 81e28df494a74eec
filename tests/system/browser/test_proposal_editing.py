"""The text of a proposal while it is edited: left by mistake, discarded, not to be typed."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from misleading_texts import ORDINARY, SPELLED

pytestmark = pytest.mark.browser
CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
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
VISIBLE = """async texts => {
  const { visible } = await import('/lab/extensions/ipuaro-views/static/visible.js');
  return texts.map(visible);
}"""
ESCAPE_WHILE_COMPOSING = """node => node.dispatchEvent(
  new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true }))"""

# Whether the caret is in the part of the editor that is seen, with something above it.
SHOWN = """text => {
  const box = text.closest('.cm-scroller').getBoundingClientRect();
  const caret = getSelection().getRangeAt(0).getBoundingClientRect();
  return box.top + 20 < caret.top && caret.bottom < box.bottom;
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


def typed(text):
    """Return the text of the editor, of which all lines are drawn."""
    return "\n".join(line.rstrip("\n") for line in text.locator(".cm-line").all_inner_texts())


def retype(text, content):
    """Replace the text of the editor by its own command.

    A selection made from outside, as by `fill`, is lost where the editor is drawn anew meanwhile.
    """
    text.press("Control+a")
    text.page.keyboard.insert_text(content)


CODE = """\
lines = [f"export const value{n} = {n};  // number {n}" for n in range(1, 61)]
old = "\\n".join(lines) + "\\n"
lines[29:31] = ["export const thirty = 'thirty';"]
lines[31] = "export const word = `\\u202e`;"
show(kind="edit", title="Edit src/a.ts", path="src/a.ts", old_text=old,
     new_text="\\n".join(lines) + "\\n", editable=True)
"""


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_the_changed_region_is_edited_in_the_front_ends_editor(sheet, picture, theme):
    page = sheet(SHOW, CODE, "(await decision()).text", theme=f"JupyterLab {theme}")
    page.run(2, 3)
    drawn = page.outputs(3)
    drawn.get_by_role("button", name="Edit", exact=True).click()
    text, as_typed = drawn.get_by_label("Proposed text"), drawn.locator(".ipuaro-typed")
    text.wait_for()
    assert text.locator(".cm-line").count() == 24, "the last one is empty"
    assert drawn.locator(".cm-lineNumbers").inner_text().split()[-24:-21] == ["20", "21", "22"]
    text.locator("span", has_text="export").first.wait_for()
    as_typed.locator("ins", has_text="thirty").wait_for()
    come = text.locator(".ipuaro-line-come")
    assert [line.split()[2] for line in come.all_inner_texts()] == ["thirty", "word"]
    assert "[U+202E]" in come.last.inner_text()
    page.page.keyboard.type("// typed\n")
    as_typed.locator("ins", has_text="// typed").wait_for()
    picture(page, f"proposal-editor-{theme.lower()}")
    assert page.page.evaluate(CONTRAST, [".ipuaro-proposal", 4.5]) == []
    found = Axe().run(page.page, context={"include": [[".ipuaro-proposal"]]}).response
    bad = [one for one in found["violations"] if one["impact"] in {"serious", "critical"}]
    assert [(one["id"], one["nodes"][0]["html"]) for one in bad] == []
    page.page.keyboard.press("Control+z")
    page.page.keyboard.press("Control+z")
    as_typed.locator("ins", has_text="// typed").wait_for(state="detached")
    page.page.keyboard.press("Tab")
    focused = page.page.locator(":focus")
    assert focused.get_attribute("aria-label") == "Changes in src/a.ts", "Tab is no trap"


def test_hidden_characters_are_spelled_out_as_in_the_diff(question):
    """What is hidden depends on the characters beside it, and so on what is typed there."""
    table = [*SPELLED, *((text, text) for text in ORDINARY)]
    some = [one for one in table if "\n" not in one[0]]
    groups = (some[at : at + 4] for at in range(0, len(some), 4))
    texts = [tuple(map(" ".join, zip(*group, strict=True))) for group in groups]
    new = "".join(f"{text}\n" for text, _ in texts)  # short enough to be drawn as a whole
    page, drawn, press = question(EDIT.replace("b\\n", ascii(new)[1:-1].replace("{", "{{")))
    press("Edit")
    field = drawn.get_by_label("Proposed text")
    field.wait_for()
    lines = [line.rstrip("\n") for line in field.locator(".cm-line").all_inner_texts()]
    assert lines[: len(texts)] == [shown for _, shown in texts]
    assert page.page.evaluate(VISIBLE, [text for text, _ in table]) == [one for _, one in table]
    first = field.locator(".cm-line").first
    page.page.keyboard.press("Control+Home")
    page.page.keyboard.insert_text("\U0001f469\u200d")
    first.get_by_text("[U+200D]").wait_for()
    page.page.keyboard.insert_text("\U0001f4bb")
    first.get_by_text("[U+200D]").wait_for(state="detached")
    page.page.keyboard.insert_text("\u200dx")
    first.get_by_text("[U+200D]").wait_for()


def test_what_is_typed_survives_a_reload(question):
    page, drawn, press = question(EDIT)
    press("Edit")
    drawn.get_by_label("Proposed text").wait_for()
    page.page.keyboard.type("kept ")
    drawn.locator(".ipuaro-typed ins", has_text="kept").wait_for()
    page.save()
    page.reload()
    press("Continue editing")
    text = drawn.get_by_label("Proposed text")
    text.wait_for()
    assert typed(text).startswith("kept b\n")
    press("Apply")
    page.run(4)
    assert "kept b" in page.text(4)


NONE = "() => null"
BROKEN = """({ place }) => {
  place.append('half an editor');
  throw new Error('broken');
}"""
REPLACE = """async () => {
  const entry = document.querySelector('script[src*="ipuaro-views"]').src;
  const { frontEnd } = await import(new URL('editor.js', entry));
  window.ipuaroEditor ??= frontEnd.openEditor;
  frontEnd.openEditor = %s;
}"""


@pytest.fixture
def replace_editor():
    """Return a function that replaces the editor of a page, which later tests see, too."""
    replaced = []

    def replace(page, script):
        page.evaluate(REPLACE % script)
        replaced.append(page)

    yield replace
    for page in replaced:
        page.evaluate(REPLACE % "window.ipuaroEditor")


@pytest.mark.parametrize("editor", [NONE, BROKEN])
def test_without_the_front_ends_editor_there_is_a_text_field(question, replace_editor, editor):
    page, drawn, press = question(EDIT)
    replace_editor(page.page, editor)
    press("Edit")
    text = drawn.get_by_label("Proposed text")
    text.fill("typed\n")
    drawn.locator(".ipuaro-typed ins", has_text="typed").wait_for()
    assert drawn.get_by_text("half an editor").count() == 0
    text.press("Escape")
    press("Continue editing")
    assert drawn.get_by_label("Proposed text").input_value() == "typed\n"
    press("Apply")
    page.run(4)
    assert page.text(4).endswith(r"'typed\n'")


def test_what_was_typed_is_there_after_escape(question):
    page, drawn, press = question(EDIT)
    text = drawn.get_by_label("Proposed text")
    press("Edit")
    retype(text, "typed\n")
    text.evaluate(ESCAPE_WHILE_COMPOSING)
    assert text.is_visible()
    text.press("Escape")
    assert not text.is_visible()
    drawn.get_by_role("button", name="Apply without what you typed").wait_for()
    second = drawn.get_by_label("Change 2 of 2")
    second.uncheck()
    press("Edit")
    text.wait_for()
    assert typed(text).startswith("b\nsame"), "another choice has another text"
    press("Discard changes")
    second.check()
    press("Continue editing")
    text.wait_for()
    assert typed(text) == "typed\n"
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
        assert f"\nhere {at}\n" in typed(text)
        assert text.evaluate(SHOWN)
        editor = text.locator("xpath=ancestor::*[contains(@class, 'cm-editor')]")
        assert editor.evaluate(SEEN) > 0.95, "its edge may be hidden"
        picture(page, f"proposal-caret-{left_out}")
        press("Discard changes")
        drawn.get_by_label(f"Change {left_out} of 2").check()


def test_what_was_discarded_is_gone(question):
    _, drawn, press = question(EDIT)
    text = drawn.get_by_label("Proposed text")
    press("Edit")
    proposed = typed(text)
    retype(text, "typed\n")
    press("Discard changes")
    press("Edit")
    assert typed(text) == proposed


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
    assert typed(text).endswith("new\n")


UNCLOSED = """\
same = "same = 1\\n" * 20
found = ("syntax error in line 1: '(' was never closed",)
show(kind="edit", title="Edit a.py", path="a.py", old_text=f"a = 1\\n{same}c = 1\\n",
     new_text=f"a = (\\n{same}c = 2\\n", editable=True, problems=found, text_problems=found)
"""


def test_the_problems_are_those_of_what_apply_would_write(question):
    page, drawn, press = question(UNCLOSED)
    problems = drawn.locator(".ipuaro-problems")
    assert "line 1" in problems.inner_text()
    first = drawn.get_by_label("Change 1 of 2")
    first.uncheck()
    problems.wait_for(state="detached")
    first.check()
    problems.wait_for()
    press("Edit")
    text = drawn.get_by_label("Proposed text")
    text.wait_for()
    retype(text, "a = 1\n")
    problems.wait_for(state="detached")
    retype(text, "a = 1\nb = [\n")
    drawn.locator(".ipuaro-problems", has_text="line 2").wait_for()
    press("Apply")
    page.run(4)
    assert page.text(4).endswith(r"'a = 1\nb = [\n'")

"""The keyboard shortcuts that ``labextension-config`` adds."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
STOP, ASK = "Control+Alt+.", "Control+Alt+a"


def focus(page, number):
    page.cell(number).locator(".jp-InputArea-editor").click()


def source_is(page, number, text):
    """Wait until a cell has a text."""
    page.page.wait_for_function(_SOURCE_IS, arg=[number, text])


@pytest.fixture
def cells(lab, page_of, front_end):
    """Return a function that opens a notebook of cells without a project."""

    def open_it(*sources):
        path = lab.write(f"shortcuts-{front_end}.ipynb", sources)
        return page_of(path.name)

    return open_it


@pytest.mark.parametrize(
    "text", ["How does retry work?", "two\nlines", ""], ids=["one line", "two lines", "empty"]
)
def test_a_cell_is_turned_into_a_question(cells, text):
    """What is typed then is in front of the text, where the caret was."""
    page = cells(text, "print('behind')")
    focus(page, 0)
    page.page.keyboard.press("Control+Home")
    page.page.keyboard.press(ASK)
    page.page.keyboard.type("So: ")
    source_is(page, 0, f"%%ask\nSo: {text}")
    assert page.source(1) == "print('behind')"
    page.page.keyboard.press("Control+z")
    page.page.keyboard.press("Control+z")
    source_is(page, 0, text)


@pytest.mark.parametrize(
    ("source", "typed"),
    [
        ("text", "%%ask\ntext!"),
        ("%%ask --think high\ntext", "%%ask --think high\ntext!"),
        ("\n%%ask\ntext", "\n%%ask\ntext!"),
        ("%%ask", "%%ask!"),
        ("%%asker\ntext", "%%ask\n%%asker\ntext!"),
    ],
)
def test_pressed_again_it_changes_nothing(cells, source, typed):
    page = cells(source)
    focus(page, 0)
    page.page.keyboard.press("Control+End")
    for _ in range(3):
        page.page.keyboard.press(ASK)
    page.page.keyboard.type("!")
    source_is(page, 0, typed)


def test_the_caret_does_not_stay_in_front_of_the_magic(cells):
    """A cell that was not clicked has it there, where typing would undo the question."""
    page = cells("%%ask\ntext")
    page.page.evaluate(_SELECT, 0)
    page.page.keyboard.press(ASK)
    page.page.keyboard.type("So: ")
    source_is(page, 0, "%%ask\nSo: text")


def test_a_markdown_cell_becomes_a_question_too(cells):
    page = cells("text", "text")
    page.page.evaluate(_SELECT, 1)
    page.page.keyboard.press("m")
    page.page.keyboard.press(ASK)
    page.cell(1).locator(".cm-content:focus", has_text="%%ask").wait_for()
    page.page.keyboard.type("So: ")
    source_is(page, 1, "%%ask\nSo: text")
    assert page.page.evaluate(_TYPES) == ["code", "code"]


def test_a_cell_that_was_turned_into_a_question_is_answered(sheet):
    page = sheet("How does retry work?")
    focus(page, 2)
    page.page.keyboard.press(ASK)
    source_is(page, 2, "%%ask\nHow does retry work?")
    page.run(2)
    assert "at most" in page.text(2)


def test_a_running_cell_is_stopped_from_the_keyboard(sheet):
    page = sheet("%%ask\nTell me everything.")
    page.start(2)
    page.outputs(2).get_by_text("All of it.").wait_for()
    focus(page, 2)
    page.page.keyboard.press(STOP)
    page.wait(2)
    assert "Stopped" in page.text(2)


@pytest.mark.checkout
def test_there_are_no_other_settings():
    """What the wheel brings must be harmless: two shortcuts, nothing of the user's."""
    folder = Path(__file__).parents[3] / "labextension-config/overrides.d"
    (file,) = folder.iterdir()
    (plugin, settings), *others = json.loads(file.read_text()).items()
    assert plugin == "@jupyterlab/shortcuts-extension:shortcuts"
    assert not others
    assert [shortcut["keys"] for shortcut in settings["shortcuts"]] == [
        ["Ctrl Alt ."],
        ["Ctrl Alt A"],
    ]


_NOTEBOOK = "window.jupyterapp.shell.currentWidget.content"
_SOURCE_IS = f"""([number, text]) =>
  {_NOTEBOOK}.widgets[number].model.sharedModel.getSource() === text"""
_SELECT = f"""number => {{
  {_NOTEBOOK}.activeCellIndex = number;
  {_NOTEBOOK}.mode = 'command';
  {_NOTEBOOK}.activate(); }}"""
_TYPES = f"() => {_NOTEBOOK}.widgets.map(cell => cell.model.type)"

"""The keyboard shortcuts that ``labextension-config`` adds."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
STOP, ASK = "Control+Alt+.", "Control+Alt+a"


def focus(page, number):
    page.cell(number).locator(".jp-InputArea-editor").click()


@pytest.mark.parametrize(
    "text", ["How does retry work?", "two\nlines", ""], ids=["one line", "two lines", "empty"]
)
def test_a_cell_is_turned_into_a_question(sheet, text):
    page = sheet(text, "print('behind')")
    focus(page, 2)
    page.page.keyboard.press(ASK)
    page.page.wait_for_function(_FIRST_LINE, arg=2)
    assert page.source(2).split("\n", 1) == ["%%ask", f"\n{text}"]
    assert page.source(3) == "print('behind')"


def test_a_cell_that_was_turned_into_a_question_is_answered(sheet):
    page = sheet("How does retry work?")
    focus(page, 2)
    page.page.keyboard.press(ASK)
    page.page.wait_for_function(_FIRST_LINE, arg=2)
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
    folder = Path(__file__).parents[2] / "labextension-config/overrides.d"
    (file,) = folder.iterdir()
    (plugin, settings), *others = json.loads(file.read_text()).items()
    assert plugin == "@jupyterlab/shortcuts-extension:shortcuts"
    assert not others
    assert [shortcut["keys"] for shortcut in settings["shortcuts"]] == [
        ["Ctrl Alt ."],
        ["Ctrl Alt A"],
    ]


_FIRST_LINE = """number => {
  const panel = window.jupyterapp.shell.currentWidget;
  return panel.content.widgets[number].model.sharedModel.source.startsWith('%%ask');
}"""

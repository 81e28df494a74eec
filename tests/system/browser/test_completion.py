"""What Tab and Shift+Tab offer in JupyterLab's and Notebook's own completer and tooltip."""

import pytest

pytestmark = pytest.mark.browser
LINES = [
    ("%ipuaro reind", "%ipuaro reindex"),
    ("%tool get_lines src/re", "%tool get_lines src/retry.ts"),
    ("%tool find_definition ret", "%tool find_definition retry"),
    ("%ipuaro start --n", "%ipuaro start --new"),
    ("%%ask\nWhat calls retr", "%%ask\nWhat calls retry"),
]


def typed(sheet, number, text):
    """Type a text at the end of an empty cell."""
    editor = sheet.cell(number).locator(".cm-content")
    editor.click()
    for line_number, line in enumerate(text.split("\n")):
        if line_number:
            sheet.page.keyboard.press("Enter")
        sheet.page.keyboard.type(line)


def offered(sheet):
    """Return what the completer's list shows."""
    return sheet.page.locator(".jp-Completer:visible .jp-Completer-item")


def test_tab_finishes_what_was_begun(sheet):
    page = sheet(*[""] * len(LINES))
    for number, (begun, whole) in enumerate(LINES, 2):
        typed(page, number, begun)
        page.page.keyboard.press("Tab")
        offered(page).first.wait_for()
        page.page.keyboard.press("Enter")
        page.page.wait_for_function(_ENDS, arg=[number, whole])
        assert page.source(number) == whole


def test_several_are_offered_in_a_list_and_one_is_picked(sheet, picture):
    page = sheet("")
    typed(page, 2, "%ipuaro s")
    page.page.keyboard.press("Tab")
    offered(page).first.wait_for()
    names = [tuple(text.split()[-2:]) for text in offered(page).all_inner_texts()]
    assert names == [(name, "command") for name in ("sessions", "start", "status", "stop")]
    picture(page, "completion")
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("Enter")
    page.page.wait_for_function(_ENDS, arg=[2, "%ipuaro start"])
    assert not offered(page).count()


def test_the_documentation_is_a_keystroke_away(sheet):
    page = sheet("%ipuaro?")
    page.run(2)
    told = page.page.get_by_text("Open a project and look after it").first
    told.wait_for()
    assert "reindex" in told.inner_text() or page.page.get_by_text("reindex").first.is_visible()


_ENDS = """([number, whole]) => {
  const panel = window.jupyterapp?.shell?.currentWidget;
  return panel.content.widgets[number].model.sharedModel.source === whole; }"""

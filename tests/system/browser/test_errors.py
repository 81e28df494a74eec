"""The button under the error of a cell that puts a question about it below."""

import json
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser
FAILS = "prices = {}\nprices['GBP']"
COMMAND = "!python3 -c 'print(1 / 0)'"
ASK = "Control+Alt+f"
NAME = "Ask about this error"
CONTRAST = Path(__file__).with_name("contrast.js").read_text()


def question(number):
    return f"%%ask\nWhy did cell {number} fail, and how do I mend it?"


def offer(page, number):
    return page.cell(number).get_by_role("button", name=NAME, exact=True)


def offers(page):
    return page.page.get_by_role("button", name=NAME, exact=True)


def settled(page):
    """Wait until what the kernel was asked last is answered and drawn."""
    page.page.evaluate(_SETTLED)


def set_shown(page, *, is_shown):
    page.page.evaluate(_SET, is_shown)


def test_the_button_puts_a_question_below_and_sends_nothing(sheet, picture):
    page = sheet(FAILS, "print('behind')")
    page.run(2)
    offer(page, 2).wait_for()
    assert (
        Axe().run(page.page, context={"include": [[".ipuaro-offer"]]}).response["violations"] == []
    )
    picture(page, "error")
    offer(page, 2).focus()
    page.page.keyboard.press("Enter")
    page.cell(3).locator(".cm-content:focus").wait_for()
    assert page.source(3) == question(3)
    assert page.source(4) == "print('behind')"
    assert page.text(3) == ""
    page.page.keyboard.type(" Soon.")
    assert page.source(3) == f"{question(3)} Soon."
    picture(page, "error-asked")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_a_failed_command_has_it_too(sheet, picture, theme):
    page = sheet(COMMAND, "!grep nothing /dev/null", "!echo 'a.ts:1:2: found'", theme=theme)
    page.run(2, 3, 4)
    offer(page, 2).wait_for()
    settled(page)
    assert offers(page).count() == 1
    assert "ZeroDivisionError" in page.text(2)
    picture(page, f"error-command-{theme.rpartition(' ')[2].lower()}")
    offer(page, 2).click()
    page.cell(3).locator(".cm-content:focus").wait_for()
    assert page.source(3) == question(3)
    page.page.evaluate(_CLEAR, 2)
    offer(page, 2).wait_for(state="detached")


def test_pressed_again_it_goes_to_the_question_that_is_there(sheet):
    page = sheet(FAILS)
    page.run(2)
    for _ in range(2):
        offer(page, 2).click()
        page.cell(3).locator(".cm-content:focus").wait_for()
    assert page.page.evaluate(_CELLS) == 4


def test_the_shortcut_asks_about_the_latest_error_or_that_of_the_active_cell(sheet):
    page = sheet(FAILS, "1 / 0", "print('fine')")
    page.run(2, 3, 4)
    offer(page, 3).wait_for()
    page.cell(4).locator(".jp-InputArea-editor").click()
    page.page.keyboard.press(ASK)
    page.cell(4).locator(".cm-content:focus", has_text="cell 4").wait_for()
    page.cell(2).locator(".jp-InputArea-editor").click()
    page.page.keyboard.press(ASK)
    page.cell(3).locator(".cm-content:focus", has_text="cell 3").wait_for()


def test_it_goes_with_the_error(sheet):
    """Repaired, cleared, the output hidden, the kernel restarted; and it comes again."""
    page = sheet(FAILS, "1 / 0", "2 / 0")
    page.run(2, 3, 4)
    offer(page, 4).wait_for()
    assert offers(page).count() == 3
    page.page.evaluate(_WRITE, [2, "prices = {'GBP': 1}"])
    page.run(2)
    offer(page, 2).wait_for(state="detached")
    page.page.evaluate(_CLEAR, 3)
    offer(page, 3).wait_for(state="detached")
    page.run(3)
    offer(page, 3).wait_for()
    page.page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    offer(page, 4).wait_for(state="detached")
    settled(page)
    assert offers(page).count() == 0


def test_there_is_none_without_a_project_nor_for_our_own_cells(sheet):
    page = sheet("%ipuaro no-such-command", FAILS, "%ipuaro stop", "1 / 0", "%tool no_such_tool")
    page.run(2, 3)
    offer(page, 3).wait_for()
    page.run(4, 5, 6)
    offer(page, 3).wait_for(state="detached")
    settled(page)
    assert offers(page).count() == 0
    page.cell(5).locator(".jp-InputArea-editor").click()
    page.page.keyboard.press(ASK)
    assert page.page.evaluate(_CELLS) == 7


def test_it_is_there_after_a_reload_and_not_in_what_is_saved(lab, sheet):
    page = sheet(FAILS)
    page.run(2)
    offer(page, 2).wait_for()
    page.save()
    page.reload()
    offer(page, 2).wait_for()
    saved = json.loads((lab.root / page.name).read_text())
    assert NAME not in json.dumps(saved)
    assert [one["output_type"] for one in saved["cells"][2]["outputs"]] == ["error"]
    assert "ipuaro" not in json.dumps([saved["metadata"], saved["cells"][2]["metadata"]])


def test_a_cell_that_is_laid_out_late_has_it(sheet):
    """A notebook in windows draws a cell when it is scrolled to."""
    page = sheet(FAILS, *["\n" * 40] * 12)
    page.page.evaluate(_WINDOWED)
    page.run(2)
    offer(page, 2).wait_for()
    page.page.evaluate(_SCROLL, 14)
    page.page.wait_for_function("() => !document.querySelector('.ipuaro-offer')?.checkVisibility()")
    page.page.evaluate(_SCROLL, 2)
    offers(page).wait_for()
    assert offers(page).count() == 1


def test_the_setting_takes_it_away_and_leaves_the_shortcut(sheet):
    page = sheet(FAILS)
    page.run(2)
    offer(page, 2).wait_for()
    set_shown(page, is_shown=False)
    try:
        offer(page, 2).wait_for(state="detached")
        page.cell(2).locator(".jp-InputArea-editor").click()
        page.page.keyboard.press(ASK)
        page.cell(3).locator(".cm-content:focus", has_text="cell 3").wait_for()
    finally:
        set_shown(page, is_shown=True)
    offer(page, 2).wait_for()


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_it_looks_at_home(sheet, picture, theme):
    page = sheet(FAILS, theme=theme)
    page.run(2)
    offer(page, 2).wait_for()
    assert page.page.evaluate(CONTRAST, [".ipuaro-offer", 4.5]) == []
    if page.front_end == "lab":
        page.page.evaluate("window.jupyterapp.shell.collapseLeft()")
    page.page.set_viewport_size({"width": 400, "height": 900})
    box = offer(page, 2).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 400
    picture(page, f"error-400-{theme.rpartition(' ')[2].lower()}")


_NOTEBOOK = "window.jupyterapp.shell.currentWidget.content"
_CELLS = f"() => {_NOTEBOOK}.widgets.length"
_WRITE = f"([number, text]) => {_NOTEBOOK}.widgets[number].model.sharedModel.setSource(text)"
_CLEAR = f"""number => {{ {_NOTEBOOK}.activeCellIndex = number;
  return window.jupyterapp.commands.execute('notebook:clear-cell-output'); }}"""
_WINDOWED = f"""() => {{
  {_NOTEBOOK}.notebookConfig = {{ ...{_NOTEBOOK}.notebookConfig, windowingMode: 'full' }}; }}"""
# Another cell is the active one: that stays in the page wherever it is.
_SCROLL = f"""number => {{
  {_NOTEBOOK}.activeCellIndex = 14;
  return {_NOTEBOOK}.scrollToItem(number, 'start'); }}"""
_SETTLED = """async () => {
  const { session } = window.jupyterapp.shell.currentWidget.sessionContext;
  await session.kernel.info;
  for (let again = 0; again < 2; again++) {
    await session.kernel.requestCommInfo({ target_name: 'ipuaro.failed' });
    await new Promise(requestAnimationFrame);
  } }"""
# The registry itself, as the editor of the settings has it.
_SET = """async isShown => {
  const app = window.jupyterapp;
  const tokens = [...app.pluginRegistry._services.keys()];
  const token = tokens.find(({ name }) => name === '@jupyterlab/coreutils:ISettingRegistry');
  const registry = await app.resolveRequiredService(token);
  await registry.set('ipuaro-views:errors', 'askAboutErrors', isShown); }"""

"""A question that the notebook loses while it waits, in JupyterLab and in Notebook 7.

| what                                           | test                                         |
|------------------------------------------------|----------------------------------------------|
| the page is reloaded, saved before or not      | test_a_reloaded_page_has_the_question        |
| the page is reloaded before it is asked        | test_a_question_that_comes_after_a_reload_.. |
| the notebook is open in a hidden page, too     | test_a_hidden_page_leaves_it_to_the_one_..   |
| it was saved undecided, decided, and not saved | test_a_page_that_comes_late_has_the_record   |
| its cell is run again while it waits           | test_a_cell_that_is_run_again_keeps_..       |
| the outputs of its cell are cleared by hand    | test_cleared_outputs_leave_the_question      |
"""

import nbformat
import pytest

pytestmark = pytest.mark.browser
ASK = "%%ask\nRetry more often."
TOOL = "%tool edit_lines src/retry.ts 2 2 '  const attempts = 4;'"
GATE = """\
import asyncio, pathlib
while not pathlib.Path({gate!r}).exists():
    await asyncio.sleep(0.05)"""
CLEAR = "() => window.jupyterapp.commands.execute('notebook:clear-cell-output')"

HIDE = """() => {
  Object.defineProperty(document, 'hidden', { value: true, configurable: true });
  const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
  window.heard = 0;
  kernel.iopubMessage.connect((_, { header }) => {
    window.heard += header.msg_type === 'update_display_data';
  });
}"""
# Resolves when the page has got updates of an output by which it might have taken it over.
HEARD = """() => new Promise(resolve => {
  const look = () => (window.heard > 2 ? resolve() : setTimeout(look, 50));
  look();
})"""


def button(sheet, name, cell=2):
    return sheet.outputs(cell).get_by_role("button", name=name, exact=True)


def ask(sheet, cell=2):
    """Run a cell and wait for its question."""
    sheet.start(cell)
    button(sheet, "Reject", cell).wait_for()


def saved(lab, sheet, cell=2):
    """Save, and return the outputs of a cell as they are in the file."""
    sheet.save()
    return nbformat.read(lab.root / sheet.name, 4).cells[cell].outputs


@pytest.mark.parametrize("is_saved", [True, False])
def test_a_reloaded_page_has_the_question(sheet, lab, project, *, picture, is_saved):
    """What follows comes into the cell, too, and is saved as if nothing had happened."""
    page = sheet(ASK, "1 + 1")
    ask(page)
    if is_saved:
        assert len(saved(lab, page)) > 2
    page.reload()
    button(page, "Reject").wait_for()
    page.outputs(2).get_by_text("Waiting for your decision").wait_for(state="detached")
    page.outputs(2).get_by_text("model recorded:").wait_for()  # the time goes on
    assert page.is_running(2)
    assert button(page, "Reject").count() == 1
    picture(page, f"reloaded-{'saved' if is_saved else 'unsaved'}")
    button(page, "Apply").click()
    page.wait(2)
    assert "const attempts = 5;" in (project / "src/retry.ts").read_text()
    said = page.text(2)
    assert "Applied: Edit line 2 of src/retry.ts" in said
    assert "retry now makes five attempts." in said
    assert "Waiting" not in said
    assert button(page, "Reject").count() == 0
    (record,) = saved(lab, page)
    assert record.output_type == "execute_result"
    assert set(record.data) == {"text/plain", "text/html"}
    page.run(3)
    assert page.text(3).endswith("2")


def test_a_question_that_comes_after_a_reload_is_shown(sheet, project, tmp_path):
    page = sheet(GATE.format(gate=str(tmp_path / "gate")), TOOL)
    page.start(2, 3)
    page.save()
    page.reload()
    (tmp_path / "gate").touch()
    button(page, "Apply", 3).click()
    page.wait(3)
    assert "const attempts = 4;" in (project / "src/retry.ts").read_text()
    assert "Edited src/retry.ts" in page.text(3)


def test_a_hidden_page_leaves_it_to_the_one_that_is_seen(sheet, lab, browser):
    """Else both would write the notebook; it has it as soon as it is seen."""
    page = sheet(TOOL)
    other = lab.open(browser, page.name, front_end=page.front_end)
    other.page.evaluate(HIDE)
    ask(page)
    other.page.evaluate(HEARD)
    assert other.outputs(2).inner_text() == ""
    other.page.evaluate("() => void delete document.hidden")
    button(other, "Reject").click()
    page.wait(2)
    assert "The user rejected it" in page.text(2)
    other.page.context.close()


def test_a_page_that_comes_late_has_the_record(sheet, lab, picture):
    page = sheet(TOOL)
    ask(page)
    saved(lab, page)
    button(page, "Reject").click()
    page.wait(2)
    page.reload()
    page.outputs(2).get_by_text("Rejected: Edit line 2").wait_for()
    picture(page, "reloaded-late")
    (record,) = saved(lab, page)
    assert set(record.data) == {"text/plain", "text/html"}
    assert "Rejected: Edit line 2 of src/retry.ts" in record.data["text/plain"]


def test_a_cell_that_is_run_again_keeps_its_question(sheet, project, picture):
    """The second run begins when the first one has its answer, and asks, too."""
    page = sheet(ASK)
    ask(page)
    page.start(2)
    page.outputs(2).get_by_text("Waiting for your decision").wait_for(state="detached")
    button(page, "Reject").wait_for()
    picture(page, "run-again")
    button(page, "Reject").click()
    page.outputs(2).get_by_text("Rejected: Edit line 2").wait_for()
    page.outputs(2).get_by_text("Waiting for your decision").wait_for()
    assert button(page, "Apply").count() == 1
    picture(page, "run-again-second")
    button(page, "Apply").click()
    page.wait(2)
    assert "const attempts = 5;" in (project / "src/retry.ts").read_text()
    assert "Applied: Edit line 2" in page.text(2)
    assert "Rejected" not in page.text(2)


def test_cleared_outputs_leave_the_question(sheet, project):
    page = sheet(TOOL)
    ask(page)
    page.page.evaluate(CLEAR)
    button(page, "Reject").wait_for(state="detached")
    button(page, "Reject").wait_for()
    button(page, "Apply").click()
    page.wait(2)
    assert "const attempts = 4;" in (project / "src/retry.ts").read_text()
    assert button(page, "Reject").count() == 0

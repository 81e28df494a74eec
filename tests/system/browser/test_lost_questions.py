"""A question that the notebook loses while it waits, in JupyterLab and in Notebook 7.

| what                                           | test                                         |
|------------------------------------------------|----------------------------------------------|
| the page is reloaded, saved before or not      | test_a_reloaded_page_has_the_question        |
| the page is reloaded before it is asked        | test_a_question_that_comes_after_a_reload_.. |
| the page is reloaded and nothing is asked      | test_an_answer_goes_on_in_a_reloaded_page    |
| the notebook is open in a hidden page, too     | test_a_hidden_page_leaves_it_to_the_one_..   |
| it was saved undecided, decided, and not saved | test_a_page_that_comes_late_has_the_record   |
| its cell is run again while it waits           | test_a_cell_that_is_run_again_keeps_..       |
| the outputs of its cell are cleared by hand    | test_cleared_outputs_leave_the_question      |
| the same, after a reload                       | test_outputs_that_are_cleared_after_a_reload_|
| the kernel is restarted while it waits         | test_a_restarted_kernel_asks_no_more         |

and what is none of its business

| what                                           | test                                         |
|------------------------------------------------|----------------------------------------------|
| another cell goes on with an output of its own | test_another_cell_that_goes_on_leaves_it     |
| a hidden page has the question, too            | test_a_hidden_page_is_not_written_until_..   |
| a copy of the notebook is on the same kernel   | test_a_copy_of_the_notebook_is_left_alone    |
"""

import re

import nbformat
import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
ASK = "%%ask\nRetry more often."
KEPT = nbformat.v4.new_output("stream", text="kept")
TOOL = "%tool edit_lines src/retry.ts 2 2 '  const attempts = 4;'"
GATE = """\
import asyncio, pathlib
while not pathlib.Path({gate!r}).exists():
    await asyncio.sleep(0.05)"""
# Goes on in a thread when the cell has ended; what it shows then is said to be of the latest cell.
THREAD = """\
import pathlib, threading, time
shown = display("0 steps", display_id=True)
def go_on():
    while not pathlib.Path({gate!r}).exists():
        time.sleep(0.05)
    for number in range(1, 4):
        shown.update(f"{{number}} steps")
threading.Thread(target=go_on, daemon=True).start()"""
START = """\
import os
os.environ["OLLAMA_HOST"] = "{url}"
%ipuaro start {project} --model qwen2.5-coder:7b-instruct
"""
CLEAR = "() => window.jupyterapp.commands.execute('notebook:clear-cell-output')"

HIDE = """() => {
  Object.defineProperty(document, 'hidden', { value: true, configurable: true });
  const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
  window.heard = 0;
  window.decided = false;
  kernel.iopubMessage.connect((_, { header, content }) => {
    window.heard += header.msg_type === 'update_display_data';
    window.decided ||= Boolean(content.data?.state?.record);
  });
}"""
SEE = """() => {
  delete document.hidden;
  document.dispatchEvent(new Event('visibilitychange'));
}"""
# Resolves when the page has got updates of an output by which it might have taken it over.
HEARD = """() => new Promise(resolve => {
  const look = () => (window.heard > 2 ? resolve() : setTimeout(look, 50));
  look();
})"""


OTHER = "[...window.jupyterapp.shell.widgets('main')].find(one => one.context?.path === path)"
OPEN = f"""async path => {{
  const {{ id, name }} = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.model;
  const options = {{ activate: false }};
  const opened = {{ path, factory: 'Notebook', kernel: {{ id, name }}, options }};
  await window.jupyterapp.commands.execute('docmanager:open', opened);
  const other = {OTHER};
  await other.sessionContext.ready;
  window.heard = 0;
  other.sessionContext.session.kernel.iopubMessage.connect((_, {{ header }}) => {{
    window.heard += header.msg_type === 'update_display_data';
  }});
  return other.sessionContext.session.kernel.id === id;
}}"""
OUTPUTS = f"path => {OTHER}.model.cells.get(2).outputs.toJSON()"
DISCARD = f"path => void {OTHER}.dispose()"
ADD = """output => {
  const { model } = window.jupyterapp.shell.currentWidget.content;
  model.cells.get(2).outputs.add(output);
}"""
REVERT = "() => window.jupyterapp.shell.currentWidget.context.revert()"
DIRTY = "() => window.jupyterapp.shell.currentWidget.context.model.dirty"
ACTIVATE = "number => void (window.jupyterapp.shell.currentWidget.content.activeCellIndex = number)"

RUNS = """number => {
  const { model } = window.jupyterapp.shell.currentWidget.content;
  return model.cells.get(number).executionState === 'running';
}"""
RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()"


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


def shown(sheet, cell=2):
    """Return what the outputs of a cell say, one after the other, without the figures."""
    outputs = sheet.outputs(cell).locator(".jp-OutputArea-output").all_inner_texts()
    return [re.sub(r"\s+", " ", text) for text in outputs if "model recorded:" not in text]


@pytest.fixture
def hidden(lab, browser):
    """Return a function that opens the notebook of a page a second time, in a hidden page."""
    opened = []

    def open_it(page):
        other = lab.open(browser, page.name, front_end=page.front_end)
        opened.append(other)
        other.page.evaluate(HIDE)
        return other

    yield open_it
    for other in opened:
        other.page.context.close()  # the kernel is the other page's, too


@pytest.mark.parametrize("is_saved", [True, False])
def test_a_reloaded_page_has_the_question(sheet, lab, project, *, picture, is_saved):
    """So it has what stood above; what follows comes into the cell, too, and is saved as ever."""
    page = sheet(ASK, "1 + 1")
    ask(page)
    page.outputs(2).get_by_text("Waiting for your decision").wait_for()
    before = shown(page)
    if is_saved:
        assert len(saved(lab, page)) > 2
    page.reload()
    page.outputs(2).get_by_text("Waiting for your decision").wait_for()
    page.outputs(2).locator("summary", has_text="edit_lines").wait_for()
    button(page, "Reject").wait_for()
    figures = page.outputs(2).get_by_text("model recorded:").locator("..")
    time = figures.inner_text()
    expect(figures).not_to_have_text(time)  # it goes on, in its place
    assert shown(page) == before
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


@pytest.mark.parametrize("is_saved", [True, False])
def test_an_answer_goes_on_in_a_reloaded_page(sheet, lab, project, ollama_server, *, is_saved):
    ollama_server.replies.append(["It tries ", 6.0, "three ", 4.0, "times."])
    start = START.format(url=ollama_server.url, project=project)
    page = sheet(start, "%%ask\nWrite tests for retry")
    page.run(2)
    page.start(3)
    page.outputs(3).get_by_text("It tries").wait_for()
    if is_saved:
        saved(lab, page, 3)
    page.reload()
    page.page.wait_for_function(RUNS, arg=3)
    page.outputs(3).get_by_text("It tries three").wait_for()
    assert page.is_running(3)
    page.wait(3)
    assert "It tries three times." in page.text(3)
    (record,) = saved(lab, page, 3)
    assert record.output_type == "execute_result"


def test_a_hidden_page_leaves_it_to_the_one_that_is_seen(sheet, hidden):
    """Else both would write the notebook; it has it as soon as it is seen."""
    page = sheet(TOOL)
    other = hidden(page)
    ask(page)
    other.page.evaluate(HEARD)
    assert other.outputs(2).inner_text() == ""
    other.page.evaluate(SEE)
    button(other, "Reject").click()
    page.wait(2)
    assert "The user rejected it" in page.text(2)


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


def test_outputs_that_are_cleared_after_a_reload_leave_the_notebook_whole(sheet, lab):
    page = sheet(ASK)
    ask(page)
    saved(lab, page)
    page.reload()
    page.page.wait_for_function(RUNS, arg=2)
    page.outputs(2).get_by_text("Waiting for your decision").wait_for()  # all is back
    page.page.evaluate(ACTIVATE, 2)
    page.page.evaluate(CLEAR)
    button(page, "Reject").wait_for(state="detached")
    button(page, "Reject").wait_for()
    page.outputs(2).get_by_text("model recorded:").wait_for()
    assert 1 < len(saved(lab, page)) < 4
    button(page, "Reject").click()
    page.wait(2)
    (record,) = saved(lab, page)
    assert "The user rejected it" in record.data["text/plain"]


def test_another_cell_that_goes_on_leaves_it(sheet, lab, tmp_path):
    page = sheet(ASK, THREAD.format(gate=str(tmp_path / "gate")))
    page.run(3)
    ask(page)
    before = len(saved(lab, page))
    (tmp_path / "gate").touch()
    page.outputs(3).get_by_text("3 steps").wait_for()
    assert "steps" not in page.text(2)
    assert len(saved(lab, page)) == before > 2
    button(page, "Reject").click()
    page.wait(2)
    assert "The user rejected it" in page.text(2)


def test_a_hidden_page_is_not_written_until_it_is_seen(sheet, lab, hidden):
    """What the user's own code has shown stays there, too."""
    page = sheet(TOOL)
    other = hidden(page)
    ask(page)
    page.page.evaluate(ADD, KEPT)
    saved(lab, page)
    other.page.evaluate(REVERT)
    button(other, "Reject").wait_for()
    button(page, "Reject").click()
    page.wait(2)
    other.page.wait_for_function("() => window.decided")
    assert not other.page.evaluate(DIRTY)
    assert button(other, "Reject").count() == 1
    other.page.evaluate(SEE)
    other.outputs(2).get_by_text("Rejected: Edit line 2").wait_for()
    assert button(other, "Reject").count() == 0
    assert other.text(2).endswith("kept")
    assert "Waiting" not in other.text(2)


@pytest.mark.parametrize("front_end", ["lab"])  # the other has a page for each notebook
def test_a_copy_of_the_notebook_is_left_alone(sheet, lab):
    page = sheet(TOOL)
    page.save()
    name = "copy.ipynb"
    copy = nbformat.read(lab.root / page.name, 4)
    copy.cells[2].update(outputs=[KEPT], execution_count=7)
    nbformat.write(copy, lab.root / name)
    assert page.page.evaluate(OPEN, name)
    ask(page)
    page.page.evaluate(HEARD)
    button(page, "Reject").click()
    page.wait(2)
    (kept,) = page.page.evaluate(OUTPUTS, name)
    assert kept["text"] == "kept"
    page.page.evaluate(DISCARD, name)


def test_a_restarted_kernel_asks_no_more(lab, sheet):
    """No button is left that nobody hears, neither in the page nor in what is saved."""
    page = sheet(ASK)
    ask(page)
    page.page.evaluate(RESTART)
    page.outputs(2).get_by_text("Not answered: Edit").wait_for()
    assert page.outputs(2).get_by_role("button").count() == 0
    assert "Waiting for" not in page.text(2)
    outputs = saved(lab, page)
    assert "Run the cell again" in str(outputs)
    assert "widget-view" not in str(outputs)
    assert "Waiting for" not in str(outputs)

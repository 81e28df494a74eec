"""Cells of notebooks that are open are changed where they are open, through their model."""

import json

import nbformat
import pytest
from notebooks_of_cells import notebook, sources

pytestmark = pytest.mark.browser
START = "%ipuaro start . --new --approve edits"
MODEL = "window.jupyterapp.shell.currentWidget.content.model"
SOURCES = f"Array.from({MODEL}.cells, (cell) => cell.sharedModel.getSource())"
WRITE = f"([place, text]) => {MODEL}.cells.get(place).sharedModel.setSource(text)"
SHARE = f"Object.defineProperty({MODEL}, 'collaborative', {{ value: true }})"
OPEN_BESIDE = """async ([path, own]) => {
  const { commands, shell } = window.jupyterapp;
  const beside = await commands.execute("docmanager:open", { path, factory: "Notebook" });
  await beside.context.ready;
  window.beside = beside;
  const first = [...shell.widgets("main")].find(({ context }) => context?.path === own);
  shell.activateById(first.id);
}"""
BESIDE = "Array.from(window.beside.content.model.cells, (cell) => cell.sharedModel.getSource())"

SHARE_KERNEL = """async () => {
  const { shell } = window.jupyterapp;
  const { id } = shell.currentWidget.sessionContext.session.kernel;
  await window.beside.sessionContext.ready;
  await window.beside.sessionContext.changeKernel({ id });
  shell.activateById(window.beside.id);
}"""
BESIDE_TOLD = "window.beside.content.widgets[0].outputArea.node.textContent"
REFUSE_SAVE = "why => window.beside.context.save = async () => { throw new Error(why); }"


def tool(name, **arguments):
    return f"%tool {name} {json.dumps(arguments)}"


@pytest.fixture
def path(request, front_end):
    """The notebook that `sheet` opens."""
    return f"{request.module.__name__.rpartition('.')[2]}-{front_end}.ipynb"


def test_its_own_notebook_is_changed_with_what_is_not_saved_in_it(sheet, lab, path):
    page = sheet(
        START,
        "x = 1",
        tool("edit_cell", path=path, cell=4, content="x = 2"),
        tool("insert_cell", path=path, after=4, content="y = 1"),
        tool("move_cell", path=path, cell=4, after=5),
        tool("delete_cell", path=path, cell=5),
        tool("delete_cell", path=path, cell=9),
        "unsaved = 0",
    )
    page.run(2)
    page.page.evaluate(WRITE, [9, "unsaved = 1"])
    before = (lab.root / path).read_bytes()
    page.run(4)
    assert page.source(3) == "x = 2", page.text(4)
    page.cell(3).locator(".cm-content").click()
    page.page.keyboard.press("Control+z")
    assert page.source(3) == "x = 1"
    page.run(4)
    assert "not what you last saw" in page.text(4)
    page.page.evaluate(WRITE, [3, "x = 2"])
    page.start(5)
    page.page.wait_for_function(f"{SOURCES}.includes('y = 1')")
    page.wait(6)
    assert page.page.evaluate(SOURCES)[3:5] == ["x = 2", "y = 1"]
    page.run(7)
    assert page.page.evaluate(SOURCES)[3:5] == ["y = 1", "x = 2"], page.text(7)
    page.start(8)
    page.page.wait_for_function(f"!{SOURCES}.includes('x = 2')")
    page.wait(7)
    assert page.page.evaluate(SOURCES)[3] == "y = 1", page.text(7)
    page.run(8)
    assert "is the one that asks you" in page.text(8)
    assert page.page.evaluate(SOURCES)[-1] == "unsaved = 1"
    assert (lab.root / path).read_bytes() == before
    page.save()
    nbformat.validate(json.loads((lab.root / path).read_text()))


def test_a_notebook_that_is_not_open_is_changed_in_its_file(sheet, lab):
    before = notebook(("code", "a = 1"), ("code", "b = 1"))
    (lab.root / "closed.ipynb").write_text(before)
    page = sheet(START, tool("edit_cell", path="closed.ipynb", cell=2, content="b = 2"))
    page.run(2, 3)
    assert (lab.root / "closed.ipynb").read_text() == before.replace("b = 1", "b = 2")


@pytest.mark.parametrize("front_end", ["lab"])
def test_one_that_is_open_beside_is_changed_there_and_saved(sheet, lab, path):
    lab.write("beside.ipynb", ["a = 1", "b = 1"])
    page = sheet(
        START,
        tool("edit_cell", path="beside.ipynb", cell=2, content="b = 2"),
        tool("edit_cell", path="beside.ipynb", cell=1, content="a = 2"),
        "%ipuaro undo",
    )
    page.page.evaluate(OPEN_BESIDE, ["beside.ipynb", path])
    page.run(2, 3)
    assert page.page.evaluate(BESIDE) == ["a = 1", "b = 2"], page.text(3)
    assert sources((lab.root / "beside.ipynb").read_bytes()) == ["a = 1", "b = 2"]
    page.page.evaluate("window.beside.content.model.cells.get(0).sharedModel.setSource('mine')")
    page.run(4, 5)
    assert "is not saved" not in page.text(3)
    assert page.page.evaluate(BESIDE) == ["a = 2", "b = 2"]  # nobody has read another one
    assert sources((lab.root / "beside.ipynb").read_bytes()) == ["a = 1", "b = 2"]
    assert "nothing to undo" in page.text(5).lower()


@pytest.mark.parametrize("front_end", ["lab"])
def test_a_change_that_cannot_be_saved_is_told_as_made(sheet, lab, path):
    lab.write("full.ipynb", ["a = 1"])
    page = sheet(START, tool("insert_cell", path="full.ipynb", after=1, content="b = 1"))
    page.page.evaluate(OPEN_BESIDE, ["full.ipynb", path])
    page.page.evaluate(REFUSE_SAVE, "the disk is full")
    page.run(2, 3)
    assert "1 line added" in page.text(3)  # not an error, after which it would be made again
    assert page.page.evaluate(BESIDE) == ["a = 1", "b = 1"]
    assert sources((lab.root / "full.ipynb").read_bytes()) == ["a = 1"]


@pytest.mark.parametrize("front_end", ["lab"])
def test_of_two_pages_with_one_notebook_the_one_that_asks_is_changed(sheet, lab, browser, path):
    page = sheet(START, tool("insert_cell", path=path, after=4, content="y = 1"))
    page.run(2)
    page.save()
    other = lab.open(browser, path)
    try:
        before = other.page.evaluate(SOURCES)
        page.start(3)
        page.page.wait_for_function(f"{SOURCES}.includes('y = 1')")
        page.wait(3)
        page.page.wait_for_timeout(1500)  # by then the other one would have answered, too
        assert other.page.evaluate(SOURCES) == before
        assert page.page.evaluate(SOURCES) == [*before, "y = 1"]
    finally:
        other.close()


@pytest.mark.parametrize("front_end", ["lab"])
def test_of_two_notebooks_on_one_kernel_the_one_that_asks_is_protected(sheet, lab, path):
    lab.write("twin.ipynb", [tool("edit_cell", path="twin.ipynb", cell=1, content="x = 1")])
    page = sheet(START)
    page.run(2)
    page.page.evaluate(OPEN_BESIDE, ["twin.ipynb", path])
    page.page.evaluate(SHARE_KERNEL)
    page.page.wait_for_function("window.jupyterapp.shell.currentWidget === window.beside")
    page.page.evaluate("window.jupyterapp.commands.execute('notebook:run-cell')")
    page.page.wait_for_function(f"{BESIDE_TOLD}.length > 0")
    assert "is the one that asks you" in page.page.evaluate(BESIDE_TOLD)
    assert page.page.evaluate(BESIDE) != ["x = 1"]
    page.page.evaluate("window.beside.dispose()")  # the page is used on


def test_a_collaborative_document_is_asked_about_whatever_the_settings(sheet, path):
    page = sheet(START, "x = 1", tool("edit_cell", path=path, cell=4, content="x = 2"))
    page.run(2)
    page.page.evaluate(SHARE)
    page.start(4)
    page.cell(4).get_by_text("collaborative document").first.wait_for()
    page.cell(4).get_by_role("button", name="Reject", exact=True).wait_for()
    page.page.wait_for_timeout(600)
    page.cell(4).get_by_role("button", name="Reject", exact=True).click()
    page.wait(4)
    assert page.source(3) == "x = 1"

"""Cells that begin with ``%%ask`` are highlighted as Markdown, in the open page alone."""

import nbformat
import pytest

pytestmark = pytest.mark.browser
MARKDOWN, IPYTHON = "text/x-ipuaro-question", "text/x-ipython"
QUESTION = """\
%%ask --think high
---
How does **retry** work, for $5 and $10?

- one

```ts
const attempts = 3;
```

%%ask
"""
CODE = "def f(x):\n    return x ** 2  # **no**"


@pytest.fixture
def cells(lab, page_of, front_end):
    """Return a function that opens a notebook of cells without a project: its page and its path."""

    def open_it(*sources):
        path = lab.write(f"questions-{front_end}.ipynb", sources)
        return page_of(path.name, theme="JupyterLab Light"), path

    return open_it


def look(sheet, number, text, *, last=False):
    """Return the weight and the colour of the first or last piece of a cell that has a text."""
    pieces = sheet.cell(number).locator(".cm-line").get_by_text(text, exact=True)
    return (pieces.last if last else pieces.first).evaluate(
        "node => [getComputedStyle(node)].map(it => [it.fontWeight, it.color])[0]"
    )


def becomes(sheet, number, mime_type):
    """Wait until a cell has the language."""
    sheet.page.wait_for_function(_HAS_MIME_TYPE, arg=[number, mime_type])


def source_is(sheet, number, text):
    """Wait until a cell has a text."""
    sheet.page.wait_for_function(_SOURCE_IS, arg=[number, text])


def test_a_question_is_markdown_and_nothing_of_that_is_saved(cells, picture):
    sheet, path = cells(QUESTION, CODE, "\n\n%%ask\n**three**", "%%asker\n**four**")
    before = nbformat.read(path, 4)
    becomes(sheet, 0, MARKDOWN)
    becomes(sheet, 2, MARKDOWN)
    becomes(sheet, 1, IPYTHON)
    becomes(sheet, 3, IPYTHON)
    sheet.page.wait_for_function(_IS_BOLD, arg=[0, "retry"])
    keyword = look(sheet, 1, "def")
    assert look(sheet, 0, "%%ask") == keyword, "the magic is no heading above ---"
    assert look(sheet, 0, "%%ask", last=True) != keyword, "further down it is text"
    assert look(sheet, 0, "const") == keyword, "code in fences has the colours of its language"
    assert look(sheet, 2, "three")[0] == "700"
    assert sheet.page.evaluate(_IS_DIRTY) is False
    picture(sheet, "question-light")
    sheet.set_theme("JupyterLab Dark")
    picture(sheet, "question-dark")
    sheet.save()
    sheet.page.wait_for_function(f"() => !({_IS_DIRTY})()")
    assert nbformat.read(path, 4).cells == before.cells


def test_the_language_follows_the_first_line(cells):
    """Typed, taken back, made a comment, made by the shortcut, and when the kernel starts anew."""
    sheet, _ = cells(CODE, "text")
    keyboard = sheet.page.keyboard
    sheet.cell(0).locator(".cm-content").click()
    keyboard.press("Control+Home")
    keyboard.type("%%ask")
    keyboard.press("Enter")
    becomes(sheet, 0, MARKDOWN)
    keyboard.type("- one")
    keyboard.press("Enter")
    keyboard.type("two **b** ")
    source_is(sheet, 0, f"%%ask\n- one\n- two **b** {CODE}")
    sheet.page.wait_for_function(_IS_BOLD, arg=[0, "b"])
    keyboard.press("Control+a")
    keyboard.press("Control+/")
    becomes(sheet, 0, IPYTHON)
    assert sheet.source(0).startswith("# %%ask\n# - one\n")
    keyboard.press("Control+/")
    becomes(sheet, 0, MARKDOWN)
    assert sheet.source(0).startswith("%%ask\n- one\n")
    sheet.page.evaluate(_RESTART)
    becomes(sheet, 0, MARKDOWN)
    keyboard.press("Control+Home")
    for _ in "%%ask":
        keyboard.press("Delete")
    becomes(sheet, 0, IPYTHON)
    sheet.cell(1).locator(".cm-content").click()
    keyboard.press("Control+Alt+a")
    source_is(sheet, 1, "%%ask\ntext")
    becomes(sheet, 1, MARKDOWN)


_CELL = "window.jupyterapp.shell.currentWidget.content.widgets"
_HAS_MIME_TYPE = f"([number, wanted]) => {_CELL}[number].model.mimeType === wanted"
_IS_BOLD = f"""([number, text]) => [...{_CELL}[number].node.querySelectorAll('.cm-line span')]
  .some(one => one.textContent === text && getComputedStyle(one).fontWeight === '700')"""
_SOURCE_IS = f"([number, text]) => {_CELL}[number].model.sharedModel.getSource() === text"
_IS_DIRTY = "() => window.jupyterapp.shell.currentWidget.context.model.dirty"
_RESTART = """async () => {
  await window.jupyterapp.shell.currentWidget.sessionContext.restartKernel(); }"""

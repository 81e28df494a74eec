"""A saved notebook of every kind of record, opened without a kernel and without trust.

The other ways to show it are in tests/system/notebook/test_records.py.
"""

import re
import shutil
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser
CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
SERIOUS = {"serious", "critical"}
STOP = "() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()"


@pytest.fixture
def reopened(lab, page_of, hostile_notebook, front_end):
    """Return a function that opens the notebook in a theme; what the page asked for is kept."""

    def open_it(theme):
        name = f"hostile-{front_end}.ipynb"
        shutil.copyfile(hostile_notebook.path, lab.root / name)
        sheet = page_of(name, theme=f"JupyterLab {theme}", kernel=False)
        sheet.page.evaluate(STOP)
        for number in (1, -1):
            sheet.outputs(number).locator(".ipuaro").first.wait_for()
        return sheet

    return open_it


def shown(sheet):
    """Return all that the page shows, folded lines opened."""
    sheet.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    text = sheet.page.evaluate(
        "[...document.querySelectorAll('.jp-Cell-outputArea')].map(a => a.innerText).join('\\n')"
    )
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_all_is_readable_and_nothing_runs(reopened, hostile_notebook, picture, theme):
    asked = []
    sheet = reopened(theme)
    sheet.page.on("request", lambda request: asked.append(request.url))
    words = shown(sheet)
    for said, of_what in hostile_notebook.shown.items():
        assert said in words, f"{said!r}, {of_what}, is not there"
    assert "model not found" not in words
    assert "Loading widget" not in words
    area = sheet.page.locator(".jp-Cell-outputArea")
    assert area.locator("script, img, iframe, object, embed").count() == 0
    assert area.locator("[onerror], [onclick], [onload]").count() == 0
    assert sheet.page.title() not in {"run", "1", "2"}
    assert not [url for url in asked if "evil.example" in url]
    picture(sheet, f"hostile-{theme.lower()}")
    assert sheet.page.evaluate(CONTRAST, [".jp-RenderedHTMLCommon .ipuaro", 4.5]) == []
    # Without trust, JupyterLab takes away what makes a box that scrolls reachable by Tab.
    options = {"rules": {"scrollable-region-focusable": {"enabled": False}}}
    context = {"include": [[".jp-RenderedHTMLCommon .ipuaro"]]}
    response = Axe().run(sheet.page, context=context, options=options).response
    assert response["passes"]
    serious = [found for found in response["violations"] if found["impact"] in SERIOUS]
    assert [(found["id"], found["nodes"][0]["html"][:300]) for found in serious] == []

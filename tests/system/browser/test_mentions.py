"""Mentions in a question: what Tab offers, and what is attached above the answer."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser
QUESTION = "Compare @src/retry.ts:1-3, @retry and @diff with @src/retri.ts."
ATTACHED = [
    "Attached: src/retry.ts lines 1-3",
    "Attached: retry in src/retry.ts lines 1-12",
]
MISSING = "Not attached: @src/retri.ts: there is no such file"


@pytest.fixture
def recording(recording):
    """The recording, with a turn that answers the question."""
    told = json.loads(recording.read_text())
    told["turns"].append({"message": QUESTION, "replies": ["They are the same."]})
    recording.write_text(json.dumps(told))
    return recording


def typed(sheet, number, text):
    sheet.cell(number).locator(".cm-content").click()
    for place, line in enumerate(text.split("\n")):
        if place:
            sheet.page.keyboard.press("Enter")
        sheet.page.keyboard.type(line)


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_what_is_attached_stands_above_the_answer(sheet, picture, theme):
    page = sheet(f"%%ask\n{QUESTION}", theme=f"JupyterLab {theme}")
    page.run(2)
    answer = page.outputs(2)
    answer.get_by_text("They are the same.").wait_for()
    shown = answer.inner_text()
    for line in (*ATTACHED, MISSING):
        assert shown.count(line) == 1
    for line in (*ATTACHED, MISSING):
        assert 0 <= shown.index(line) < shown.index("They are the same.")
    assert "@src/retry.ts" in shown[shown.index(MISSING) :].splitlines()[0]  # what is close
    one = answer.locator("details", has_text=ATTACHED[0]).first
    one.locator("summary").click()
    assert "const attempts = 3;" in one.locator("pre").inner_text()
    picture(page, f"attached-{theme.lower()}")
    assert serious(page) == []
    page.page.set_viewport_size({"width": 400, "height": 800})
    if page.front_end == "notebook7":  # beside JupyterLab's sidebar there is no room at all
        width = "node => node.scrollWidth - node.clientWidth"
        assert answer.locator(".ipuaro").first.evaluate(width) <= 0
        assert serious(page) == []
    picture(page, f"attached-{theme.lower()}-400")


def serious(page):
    """What axe finds serious in what is ours."""
    found = Axe().run(page.page, context={"include": [[".ipuaro"]]}).response
    assert found["passes"], "nothing was looked at"
    return [one for one in found["violations"] if one["impact"] in {"serious", "critical"}]


@pytest.mark.parametrize(
    ("begun", "whole"),
    [
        ("%%ask\nWhat is in @src/re", "%%ask\nWhat is in @src/retry.ts"),
        ("%%ask\nWho calls @retr", "%%ask\nWho calls @retry"),
        ("%%ask\nLook at @di", "%%ask\nLook at @diff"),
        ("%ask Look at @src/re", "%ask Look at @src/retry.ts"),
    ],
)
def test_tab_finishes_a_mention(sheet, begun, whole):
    page = sheet("")
    typed(page, 2, begun)
    page.page.keyboard.press("Tab")
    page.page.locator(".jp-Completer:visible .jp-Completer-item").first.wait_for()
    page.page.keyboard.press("Enter")
    page.page.wait_for_function(
        """([number, whole]) => window.jupyterapp.shell.currentWidget.content.widgets[number]
            .model.sharedModel.source === whole""",
        arg=[2, whole],
    )


def test_tab_lists_what_the_notebook_has(sheet, picture):
    """Cells by their numbers, and the last error."""
    page = sheet("1 / 0", "")
    page.run(2)
    typed(page, 3, "%%ask\nWhy @")
    page.page.keyboard.press("Tab")
    listed = page.page.locator(".jp-Completer:visible .jp-Completer-item")
    listed.first.wait_for()
    names = [text.split()[-2] for text in listed.all_inner_texts()]
    assert {"@error", "@diff", "@src/"} <= set(names)
    assert any(name.startswith("@cell:") for name in names)
    picture(page, "mentions")

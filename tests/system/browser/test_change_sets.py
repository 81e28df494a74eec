"""A change of several files, as the user sees it and decides on it.

| what                                              | test                                        |
|---------------------------------------------------|---------------------------------------------|
| files, groups, changes; the words of the button   | test_the_button_says_what_is_chosen         |
| a turn: some of it is written, undone as one      | test_what_is_ticked_is_what_is_written      |
| Tab, Space, Enter                                 | test_the_keyboard_is_enough                 |
| themes, narrow and wide; axe                      | test_it_looks_at_home                       |
| lines of a folded diff that was not opened        | test_a_folded_diff_is_not_seen_until_opened |
| many files                                        | test_many_files_stay_usable                 |
"""

import json
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser
CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
SHOW = (Path(__file__).parent / "show_proposal.py").read_text()
SET = """\
old = "".join(f"export const value{n} = {n};  // a number\\n" for n in range(30))
new = old.replace("value3 ", "fee ").replace("value20 ", "tax ")
more = old.replace("value9 ", "total ")
ticked = [
    {"path": "src/orders/order.ts", "kind": "edit", "old_text": old, "new_text": new},
    {"path": "src/fees.ts", "kind": "create", "old_text": None, "new_text": "export {};\\n"},
    {"path": "src/old.ts", "kind": "delete", "old_text": "gone\\n", "new_text": None},
]
named = [
    {"path": path, "kind": "edit", "old_text": old, "new_text": more, "is_chosen": False,
     "group": "By name only \\u2013 not chosen", "note": "line 10: a property of something unknown"}
    for path in ("src/orders/order.ts", "docs/readme.md")
]
show(kind="changes", title="Rename value to fee", changed=[*ticked, *named],
     reason="src/orders/order.ts has 2 names.", pattern="src/*")
"""
FILE = "".join(f"const n{number} = {number};\n" for number in range(30))
CHANGES = [
    {"path": "a.ts", "start": 3, "end": 3, "content": "const two = 2;"},
    {"path": "a.ts", "start": 21, "end": 21, "content": ""},
    {"path": "b.ts", "start": 1, "end": 0, "content": "// head"},
    {"path": "new.ts", "content": "export {};\n"},
]
FOCUSED = """() => { const at = document.activeElement;
return at.closest('label')?.innerText || at.getAttribute('aria-label') || at.innerText; }"""
REPLY = f"""\
Four places in three files need it.
<tool_call name="propose_changes"><changes>{json.dumps(CHANGES)}</changes></tool_call>
"""


@pytest.fixture
def project(make_project):
    return make_project({"a.ts": FILE, "b.ts": FILE})


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "recording.json"
    turns = [{"message": "Change them.", "replies": [REPLY, "Done."]}]
    path.write_text(json.dumps({"version": 1, "turns": turns}))
    return path


def button(sheet, cell, name):
    return sheet.outputs(cell).get_by_role("button", name=name, exact=True)


def box(sheet, cell, name, nth=0):
    return sheet.outputs(cell).get_by_role("checkbox", name=name).nth(nth)


def applies(sheet, cell):
    """Return the words of the button that applies."""
    return sheet.outputs(cell).locator("button.ipuaro-primary").inner_text()


def is_mixed(found):
    return found.evaluate("node => node.indeterminate")


def test_the_button_says_what_is_chosen(sheet, picture):
    page = sheet(SHOW, SET, "await decision()")
    page.run(2, 3)
    button(page, 3, "Reject").wait_for()
    assert applies(page, 3) == "Apply 4 of 6 changes in 3 of 4 files"
    assert is_mixed(box(page, 3, "All 4 files"))
    group = box(page, 3, "By name only")
    assert not group.is_checked()
    picture(page, "change-set")
    group.check()
    assert applies(page, 3) == "Apply 4 files (4 lines not seen)", "two diffs are folded"
    assert box(page, 3, "All 4 files").is_checked()
    box(page, 3, "docs/readme.md").uncheck()
    assert is_mixed(group)
    assert applies(page, 3) == "Apply 3 of 4 files (2 lines not seen)"
    box(page, 3, "Change 2 of 2").uncheck()
    assert is_mixed(box(page, 3, "src/orders/order.ts"))
    assert applies(page, 3) == "Apply 4 of 6 changes in 3 of 4 files (2 lines not seen)"
    box(page, 3, "All 4 files").click()  # mixed becomes all
    assert applies(page, 3) == "Apply 4 files (4 lines not seen)"
    box(page, 3, "All 4 files").uncheck()
    assert button(page, 3, "Nothing chosen").is_disabled()
    assert not button(page, 3, "Edit").is_visible()
    box(page, 3, "src/orders/order.ts").check()
    box(page, 3, "Change 1 of 2").uncheck()
    button(page, 3, "Apply 1 of 6 changes in 1 of 4 files").click()
    page.run(4)
    assert "chosen=(ChosenFile(number=1, hunks=(2,)),)" in page.text(4)


def test_what_is_ticked_is_what_is_written(sheet, project, picture):
    page = sheet("%%ask\nChange them.", "_.tool_calls[0].result.text()", "%ipuaro undo")
    page.start(2)
    button(page, 2, "Apply 3 files").wait_for()
    lines = page.outputs(2).locator(".ipuaro-lines")
    assert lines.first.inner_text() == "Proposed: 3 files, +3 \u22122"
    box(page, 2, "b.ts").uncheck()
    box(page, 2, "Change 2 of 2").uncheck()
    chosen = "Chosen: 2 files, +2 \u22121, of 3 files, +3 \u22122"
    lines.first.filter(has_text=chosen).wait_for()
    lines.filter(has_text="+1 \u22121 of +1 \u22122").wait_for()
    picture(page, "change-set-turn")
    page.watch(2)
    button(page, 2, "Apply 2 of 4 changes in 2 of 3 files").click()
    page.wait(2)
    assert (project / "a.ts").read_text() == FILE.replace("const n2 =", "const two =")
    assert (project / "b.ts").read_text() == FILE
    assert (project / "new.ts").read_text() == "export {};\n"
    record = "Applied 2 of 4 changes in 2 of 3 files: Change a.ts, b.ts and 1 more file"
    assert any(record in seen for seen in page.watched())
    picture(page, "change-set-record")
    page.run(3)
    assert "The user left out: b.ts." in page.text(3)
    page.run(4)
    assert (project / "a.ts").read_text() == FILE
    assert not (project / "new.ts").exists()


def test_the_keyboard_is_enough(sheet):
    page = sheet(SHOW, SET, "await decision()")
    page.run(2, 3)
    button(page, 3, "Reject").wait_for()
    keyboard = page.page.keyboard
    box(page, 3, "All 4 files").focus()
    named = []
    for _ in range(30):
        found = page.page.evaluate(FOCUSED)
        named.append(found)
        if found == "src/fees.ts":
            keyboard.press("Space")
        if found.startswith("Apply"):
            break
        keyboard.press("Tab")
    assert {"src/orders/order.ts", "2 changes", "src/old.ts", "docs/readme.md"} <= set(named)
    assert any(name.startswith("Change 2 of 2") for name in named)
    keyboard.press("Enter")
    page.run(4)
    assert "chosen=(ChosenFile(number=1, hunks=None), ChosenFile(number=3, hunks=None))" in (
        page.text(4)
    )


@pytest.mark.parametrize("theme", ["Light", "Dark", "Dark High Contrast"])
@pytest.mark.parametrize("width_px", [400, 1600])
def test_it_looks_at_home(sheet, picture, theme, width_px):
    """Nothing is wider than the page, everything is legible, and axe finds nothing serious."""
    page = sheet(SHOW, SET, theme=f"JupyterLab {theme}")
    page.page.set_viewport_size({"width": width_px, "height": 2200})
    if page.front_end == "lab":
        page.page.evaluate("window.jupyterapp.shell.collapseLeft()")
    page.run(2, 3)
    button(page, 3, "Open all").click()
    box(page, 3, "src/fees.ts").uncheck()
    picture(page, f"change-set-{theme.lower().replace(' ', '-')}-{width_px}")
    question = page.outputs(3).locator(".ipuaro-proposal")
    room = question.evaluate("node => [node.scrollWidth, node.clientWidth]")
    assert room[0] <= room[1]
    assert page.page.evaluate(CONTRAST, [".ipuaro-proposal", 4.5]) == []
    response = Axe().run(page.page, context={"include": [[".ipuaro-proposal"]]}).response
    bad = [one for one in response["violations"] if one["impact"] in {"serious", "critical"}]
    assert [one["id"] for one in bad] == []
    button(page, 3, "Close all").click()
    assert page.outputs(3).locator(".ipuaro-file > details[open]").count() == 0


FOLDED = """\
text = "".join(f"line {n}\\n" for n in range(300))
show(kind="changes", title="Add files", changed=[
    {"path": path, "kind": "create", "old_text": None, "new_text": text} for path in ("a", "b")])
"""


def test_a_folded_diff_is_not_seen_until_opened(sheet):
    page = sheet(SHOW, FOLDED)
    page.run(2, 3)
    page.outputs(3).locator("button.ipuaro-primary").wait_for()
    assert applies(page, 3) == "Apply 2 files (300 lines not seen)"
    box(page, 3, "b").uncheck()
    assert applies(page, 3) == "Apply 1 of 2 files"
    box(page, 3, "b").check()
    page.outputs(3).locator(".ipuaro-file > details:not([open]) > summary").click()
    button(page, 3, "Apply 2 files").wait_for()
    page.outputs(3).locator(".ipuaro-file > details > summary").last.click()
    page.outputs(3).locator(".ipuaro-file > details:not([open])").wait_for()
    assert applies(page, 3) == "Apply 2 files", "it was opened once"


MANY = """\
old = "".join(f"line {n}\\n" for n in range(60))
new = old.replace("line 7\\n", "seven\\n").replace("line 50\\n", "")
changed = [{"path": f"src/f{n}.txt", "kind": "edit", "old_text": old, "new_text": new}
           for n in range(1000)]
show(kind="changes", title="Rename in many files", changed=changed)
"""


def test_many_files_stay_usable(sheet, picture):
    """A thousand files: those that are not shown are named, counted, and can be left out."""
    page = sheet(SHOW, MANY, "len((await decision()).chosen)")
    page.run(2, 3)
    page.outputs(3).locator("button.ipuaro-primary").wait_for()
    assert applies(page, 3).startswith("Apply 1,000 files")
    assert len(page.outputs(3).evaluate("node => node.innerHTML")) < 3_000_000
    box(page, 3, "700 more files whose changes are not shown").uncheck()
    assert applies(page, 3).startswith("Apply 300 of 1,000 files")
    picture(page, "change-set-many")
    page.outputs(3).locator("button.ipuaro-primary").click()
    page.run(4)
    assert page.text(4).endswith("300")

"""Every kind of question, as the user sees and answers it, in JupyterLab and in Notebook 7.

| what                                              | test                                        |
|---------------------------------------------------|---------------------------------------------|
| unified and side by side                          | test_a_diff_is_unified_or_side_by_side      |
| some changes of several, byte for byte; undo      | test_only_the_chosen_changes_are_written    |
| none chosen; all of them                          | test_nothing_chosen_cannot_be_applied       |
| the text of a choice is edited                    | test_a_choice_can_be_edited                 |
| what was typed is left, or cannot be typed        | test_proposal_editing.py                    |
| the order of Tab; Enter, Space, Escape            | test_the_keyboard_reaches_all_of_it         |
| the notebook's own keys work again afterwards     | test_the_notebook_has_the_keys_after_an_..  |
| the cell that the user types in keeps the focus   | test_a_question_takes_the_focus_from_nobody |
| a command: why, what it runs, not asked again     | test_a_command_says_why_and_what_it_runs    |
| a tool that the user ran and rejected             | test_a_tool_that_was_rejected_says_so_and.. |
| a commit: files, message                          | test_the_message_of_a_commit_is_edited      |
| how they are drawn                                | test_shown_proposals.py                     |
"""

import json
import subprocess

import pytest

pytestmark = pytest.mark.browser
LINES = [f"export const value{number} = {number}; // the number {number}" for number in range(40)]
# Of a text that is longer than the window, CodeMirror draws a part.
WHOLE_TEXT = "text => (text.cmTile?.root ?? text.cmView?.rootView).view.state.doc.toString()"
LINES[20] = "export const long = [" + ", ".join(f"'word{n}'" for n in range(40)) + "];"


def changed(*numbers):
    """Return the lines with some of three changes made: one edited, two gone, one come."""
    lines = list(LINES)
    if 3 in numbers:
        lines[38:38] = ["export const last = 'new';"]
    if 2 in numbers:
        lines[20] = lines[20].replace("word30", "word99")
        del lines[21]
    if 1 in numbers:
        lines[2] = "export const value2 = 22; // the number 2"
    return lines


def as_file(lines):
    """Return bytes with a byte order mark, CRLF, one lone LF, and no newline at the end."""
    text = "\r\n".join(lines).replace("number 10\r\n", "number 10\n")
    return b"\xef\xbb\xbf" + text.encode()


REWRITE = f"""\
Three places need it.
<tool_call name="edit_lines"><path>src/values.ts</path><start>1</start><end>40</end>
<content>{chr(10).join(changed(1, 2, 3))}</content></tool_call>
"""
COMMAND = "npm run build && git status --short | tee log.txt"
RUN = f'<tool_call name="run_command"><command>{COMMAND}</command></tool_call>'
ECHO = '<tool_call name="run_command"><command>echo {}</command></tool_call>'
COMMIT = (
    '<tool_call name="git_commit"><message>Change all</message>'
    '<files>["src/values.ts", "new.ts", "gone.ts"]</files></tool_call>'
)
TURNS = {
    "Change the values.": [REWRITE, "Done."],
    "Build it.": [RUN, "Done."],
    "Make it say one.": [ECHO.format("one"), "Said."],
    "Make it say two.": [ECHO.format("two"), "Said."],
    "Make it say both.": [ECHO.format("one") + ECHO.format("two"), "Said."],
    "Commit it.": [COMMIT, "Committed."],
}


@pytest.fixture
def project(make_project):
    package = json.dumps({"scripts": {"build": "vite build && node after.js"}})
    files = {"src/values.ts": as_file(LINES), "package.json": package, "gone.ts": "old\n"}
    return make_project(files)


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "recording.json"
    turns = [{"message": message, "replies": replies} for message, replies in TURNS.items()]
    path.write_text(json.dumps({"version": 1, "turns": turns}))
    return path


def button(sheet, cell, name):
    return sheet.outputs(cell).get_by_role("button", name=name, exact=True)


def box(sheet, cell, name):
    return sheet.outputs(cell).get_by_role("checkbox", name=name)


def focused(sheet):
    """Return the name of what has the focus."""
    return sheet.page.evaluate(
        """() => { const at = document.activeElement;
        return at.getAttribute('aria-label') || at.closest('label')?.innerText || at.innerText; }"""
    )


def ask(sheet, cell):
    """Run a cell and wait for its question."""
    sheet.start(cell)
    button(sheet, cell, "Reject").wait_for()


def test_a_diff_is_unified_or_side_by_side(sheet, picture):
    page = sheet("%%ask\nChange the values.")
    ask(page, 2)
    gone = page.outputs(2).locator("del", has_text="value2 = ").first
    come = page.outputs(2).locator("ins", has_text="value2 = ").first
    first = page.outputs(2).locator(".ipuaro-change").first
    for name, beside in (("Side by side", True), ("Unified", False)):
        button(page, 2, name).click()
        assert button(page, 2, name).get_attribute("aria-pressed") == "true"
        left, right = gone.bounding_box(), come.bounding_box()
        assert (left["x"] + left["width"] <= right["x"]) is beside
        assert (left["y"] == right["y"]) is beside
        picture(page, f"proposal-{'sides' if beside else 'unified'}")
        width = (
            page.outputs(2)
            .locator(".ipuaro-changes")
            .evaluate("node => [node.scrollWidth, node.clientWidth]")
        )
        assert width[0] <= width[1], "long lines are wrapped"
        assert first.evaluate("node => getComputedStyle(node).margin") == "0px"
    assert gone.locator("mark").inner_text() == "2"
    assert gone.locator(".ipuaro-k").first.inner_text() == "export"
    assert "3" in gone.locator(".ipuaro-n").first.inner_text()


def test_the_width_decides_on_the_layout_until_the_user_does(sheet):
    page = sheet("%%ask\nChange the values.")
    page.reload()  # what was chosen before is forgotten
    if page.front_end == "lab":
        page.page.evaluate("window.jupyterapp.shell.collapseLeft()")
    page.page.set_viewport_size({"width": 1600, "height": 1000})
    ask(page, 2)

    def is_pressed(name):
        pressed = page.outputs(2).get_by_role("button", name=name, exact=True, pressed=True)
        pressed.wait_for(timeout=10_000)

    is_pressed("Side by side")
    page.page.set_viewport_size({"width": 600, "height": 1000})
    is_pressed("Unified")
    page.page.set_viewport_size({"width": 1600, "height": 1000})
    is_pressed("Side by side")
    button(page, 2, "Unified").click()
    page.page.set_viewport_size({"width": 1500, "height": 1000})
    page.page.wait_for_timeout(300)
    is_pressed("Unified")
    button(page, 2, "Reject").click()
    page.wait(2)
    page.page.set_viewport_size({"width": 1600, "height": 1000})
    ask(page, 2)
    page.page.wait_for_timeout(300)
    is_pressed("Unified")  # chosen last


def test_only_the_chosen_changes_are_written(sheet, project, picture):
    page = sheet("%%ask\nChange the values.", "_.tool_calls[0].result.text()", "%ipuaro undo")
    ask(page, 2)
    lines = page.outputs(2).locator(".ipuaro-proposed > .ipuaro-lines")
    proposed = lines.inner_text().removeprefix("Proposed: ")
    box(page, 2, "Change 2 of 3").uncheck()
    lines.filter(has_text="Chosen: ").wait_for()
    assert lines.inner_text().endswith(f" removed (\u2212), of {proposed}")
    picture(page, "proposal-chosen")
    page.watch(2)
    button(page, 2, "Apply 2 of 3 changes").click()
    page.wait(2)
    file = project / "src/values.ts"
    assert file.read_bytes() == as_file(changed(1, 3))
    assert any("Applied 2 of 3 changes: Edit lines 1-40" in seen for seen in page.watched())
    page.run(3)
    assert "left out a part of it" in page.text(3)
    assert "word99" not in page.text(3)
    page.run(4)
    assert file.read_bytes() == as_file(LINES)


def test_a_change_that_could_not_be_written_is_told_as_not_applied(sheet, project, picture):
    page = sheet("%%ask\nChange the values.")
    ask(page, 2)
    file = project / "src/values.ts"
    file.write_text("by somebody else\n")
    page.watch(2)
    button(page, 2, "Apply").click()
    page.wait(2)
    why = "src/values.ts has been changed while the question was open."
    told = f"\u2717 Not applied: Edit lines 1-40 of src/values.ts \u2013 {why}"
    assert any(told in seen for seen in page.watched())
    picture(page, "proposal-not-applied")
    assert file.read_text() == "by somebody else\n"
    for _ in range(2):
        assert why in page.text(2)
        assert "0 applied, 0 rejected, 1 failed" in page.text(2)
        assert "Applied" not in page.text(2)
        page.save()
        page.reload()


def test_nothing_chosen_cannot_be_applied(sheet, project):
    page = sheet("%%ask\nChange the values.")
    ask(page, 2)
    for number in (1, 2, 3):
        box(page, 2, f"Change {number} of 3").uncheck()
    assert button(page, 2, "Nothing chosen").is_disabled()
    every = box(page, 2, "All 3 changes")
    assert not every.is_checked()
    box(page, 2, "Change 1 of 3").check()
    assert every.evaluate("node => node.indeterminate")
    every.check()
    assert box(page, 2, "Change 2 of 3").is_checked()
    button(page, 2, "Apply").click()
    page.wait(2)
    assert (project / "src/values.ts").read_bytes() == as_file(changed(1, 2, 3))


def test_a_choice_can_be_edited(sheet, project):
    page = sheet("%%ask\nChange the values.")
    ask(page, 2)
    box(page, 2, "Change 1 of 3").uncheck()
    button(page, 2, "Edit").click()
    text = page.outputs(2).get_by_label("Proposed text")
    text.wait_for()
    proposed = text.evaluate(WHOLE_TEXT)
    assert "value2 = 2;" in proposed
    text.fill(proposed.replace("'new'", "'newer'"))
    button(page, 2, "Apply").click()
    page.wait(2)
    expected = [line.replace("'new'", "'newer'") for line in changed(2, 3)]
    assert (project / "src/values.ts").read_bytes() == as_file(expected)


def test_the_keyboard_reaches_all_of_it(sheet, project):
    page = sheet("%%ask\nChange the values.")
    ask(page, 2)
    keyboard = page.page.keyboard
    button(page, 2, "Unified").focus()
    seen = []
    for _ in range(12):
        seen.append(focused(page))
        if "Change 2" in seen[-1]:
            keyboard.press("Space")
        keyboard.press("Tab")
    order = ["Unified", "Side by side", "All 3", "Changes in", "Change 1", "Change 2", "Change 3"]
    order += ["Apply 2 of 3", "Edit", "Reject", "Reason for rejecting", "Apply and don"]
    assert [name for name, at in zip(order, seen, strict=True) if not at.startswith(name)] == []
    button(page, 2, "Edit").focus()
    keyboard.press("Enter")
    text = page.outputs(2).get_by_label("Proposed text")
    text.wait_for()
    assert focused(page) == "Proposed text"
    keyboard.press("Escape")
    assert not text.is_visible()
    assert focused(page) == "Edit"
    outline = "() => getComputedStyle(document.activeElement).outlineStyle"
    assert page.page.evaluate(outline) == "solid"
    page.outputs(2).get_by_label("Reason for rejecting").focus()
    keyboard.type("not now")
    keyboard.press("Enter")
    page.wait(2)
    assert "The user rejected it: not now" in page.text(2)
    assert (project / "src/values.ts").read_bytes() == as_file(LINES)


def test_the_notebook_has_the_keys_after_an_answer(sheet):
    page = sheet("%%ask\nChange the values.")
    ask(page, 2)
    button(page, 2, "Apply").focus()
    page.page.keyboard.press("Enter")
    page.wait(2)
    assert page.page.evaluate("() => Boolean(document.activeElement.closest('.jp-Notebook'))")
    page.page.keyboard.press("b")  # a new cell below
    page.cell(3).wait_for()


def test_a_question_takes_the_focus_from_nobody(sheet):
    page = sheet("%%ask\nChange the values.", "x = 1")
    page.cell(3).locator(".cm-content").click()
    page.page.keyboard.type("# mine ")
    page.start(2)
    page.cell(3).locator(".cm-content").click()
    button(page, 2, "Reject").wait_for()
    page.page.keyboard.type("and mine")
    assert "and mine" in page.source(3)
    button(page, 2, "Reject").click()
    page.wait(2)


def test_a_double_click_decides_one_question(sheet):
    page = sheet("%%ask\nMake it say both.")
    ask(page, 2)

    def click():
        at = button(page, 2, "Reject").bounding_box()
        page.page.mouse.click(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)

    page.page.wait_for_timeout(600)
    click()
    page.outputs(2).get_by_text("Run echo two").wait_for()
    click()
    page.page.wait_for_timeout(600)
    click()
    page.wait(2)
    assert page.text(2).count("The user rejected it") == 2


def test_a_command_says_why_and_what_it_runs(sheet, picture):
    page = sheet(
        "%%ask\nBuild it.", "%%ask\nMake it say one.", "%%ask\nMake it say two.", "%ipuaro allow"
    )
    ask(page, 2)
    assert "Asked, because it is more than one plain command." in page.text(2)
    script = "vite build && node after.js"
    assert f"What it runs: npm run build {script} vite build node after.js" in page.text(2)
    picture(page, "proposal-command")
    button(page, 2, "Reject").click()
    page.wait(2)
    ask(page, 3)
    always = button(page, 3, "Run and don't ask again")
    assert (
        always.evaluate(
            "node => document.getElementById(node.getAttribute('aria-describedby')).innerText"
        )
        == "for run_command echo"
    )
    always.click()
    page.wait(3)
    page.run(4, 5)
    assert "echo" in page.text(5)


def test_a_tool_that_was_rejected_says_so_and_no_more(sheet, picture):
    """Who has just rejected it needs no error, and no advice that is meant for the model."""
    page = sheet("%tool edit_lines src/values.ts 1 1 new", "_.success, _.error.type")
    ask(page, 2)
    page.outputs(2).get_by_label("Reason for rejecting").fill("not today")
    button(page, 2, "Reject").click()
    page.wait(2)
    told = "\u2013 Not done: Edit line 1 of src/values.ts. The user rejected it: not today"
    assert page.text(2).endswith(told)
    assert page.outputs(2).locator(".ipuaro-bad").count() == 0
    picture(page, "tool-rejected")
    page.run(3)
    assert page.text(3).endswith("(False, 'cancelled')")


def test_the_message_of_a_commit_is_edited(sheet, project, picture):
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b"]
    for step in (["init", "-q"], ["add", "."], ["commit", "-qm", "First"]):
        subprocess.run([*git, *step], cwd=project, check=True)
    for name, value in (("user.name", "A"), ("user.email", "a@b")):
        subprocess.run(["git", "config", name, value], cwd=project, check=True)
    (project / "src/values.ts").write_bytes(as_file(changed(1)))
    (project / "new.ts").write_text("new\n")
    (project / "gone.ts").unlink()
    page = sheet("%%ask\nCommit it.")
    ask(page, 2)
    said = page.text(2)
    assert all(f in said for f in ("gone.ts deleted", "new.ts added", "src/values.ts modified"))
    picture(page, "proposal-commit")
    button(page, 2, "Edit").click()
    message = page.outputs(2).get_by_role("textbox", name="Commit message")
    assert message.input_value() == "Change all"
    assert page.outputs(2).get_by_text("gone.ts").first.is_visible()
    message.fill("Change the values & more")
    button(page, 2, "Commit").click()
    page.wait(2)
    log = ["git", "log", "-1", "--format=%s", "--name-status"]
    made = subprocess.run(log, cwd=project, check=True, capture_output=True, text=True).stdout
    assert made.split() == [
        *("Change", "the", "values", "&", "more"),
        *("D", "gone.ts", "A", "new.ts", "M", "src/values.ts"),
    ]

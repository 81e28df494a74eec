"""What a user sees and does in JupyterLab and in Notebook 7."""

import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
TEXT = "text => [...text.querySelectorAll('.cm-line')].map(line => line.innerText).join('\\n')"
CONTRAST = (Path(__file__).parent / "contrast.js").read_text()


def button(sheet, cell, name):
    return sheet.outputs(cell).get_by_role("button", name=name, exact=True)


def test_an_answer_streams_and_its_record_is_static(sheet, picture):
    page = sheet("%%ask\nHow does retry work?", "_.ended")
    page.watch(2)
    page.start(2)
    page.wait(2)
    seen = page.watched()
    partial = [text for text in seen if "How retry works" in text and "no formula" not in text]
    assert partial, "The answer did not stream: its beginning was never there without its end."
    assert any("Thinking" in text or "Writing" in text for text in seen)
    page.run(3)
    assert "at most attempts times" in page.text(2)
    assert page.text(2).count("How retry works") == 1
    assert "'done'" in page.text(3)
    assert page.page.title() != "run"
    assert page.outputs(2).locator("mjx-container, .MathJax").count() == 0
    picture(page, "answer")


def test_a_call_opens_to_its_result(sheet):
    page = sheet("%%ask\nHow does retry work?")
    page.run(2)
    call = page.outputs(2).locator("details", has_text="get_lines").first
    assert not call.get_by_text("const attempts = 3").is_visible()
    call.locator("summary").first.click()
    assert call.get_by_text("const attempts = 3").is_visible()


def test_apply_writes_the_file_and_the_queue_goes_on(sheet, project):
    page = sheet("%%ask\nRetry more often.", f"print(open('{project}/src/retry.ts').read())")
    page.start(2, 3)
    button(page, 2, "Apply").wait_for()
    page.outputs(2).get_by_text("Waiting for your decision").wait_for()
    assert page.text(2).index("edit_lines(") < page.text(2).index("Edit line 2")
    assert "attempts = 3" in (project / "src/retry.ts").read_text()
    assert page.is_running(3)
    button(page, 2, "Apply").click()
    page.wait(2)
    page.wait(3)
    assert "attempts = 5" in (project / "src/retry.ts").read_text()
    assert "attempts = 5" in page.text(3)
    assert "I will raise the number" in page.text(2)
    assert "five attempts" in page.text(2)
    assert button(page, 2, "Apply").count() == 0


def test_reject_leaves_the_file_and_tells_the_model_why(sheet, project):
    before = (project / "src/retry.ts").read_bytes()
    page = sheet("%%ask\nRetry more often.")
    page.start(2)
    page.outputs(2).get_by_label("Reason for rejecting").fill("three is plenty")
    button(page, 2, "Reject").click()
    page.wait(2)
    assert (project / "src/retry.ts").read_bytes() == before
    assert "three is plenty" in page.text(2)


def test_edit_then_apply_writes_what_the_user_made_of_it(sheet, project):
    page = sheet("%%ask\nRetry more often.")
    page.start(2)
    button(page, 2, "Edit").click()
    text = page.outputs(2).get_by_label("Proposed text")
    text.wait_for()
    text.fill(text.evaluate(TEXT).replace("attempts = 5", "attempts = 4"))
    button(page, 2, "Apply").click()
    page.wait(2)
    assert "attempts = 4" in (project / "src/retry.ts").read_text()
    assert "attempts = 4" in page.text(2)


def test_the_question_is_answered_with_the_keyboard_alone(sheet, project):
    page = sheet("%%ask\nRetry more often.")
    page.start(2)
    button(page, 2, "Apply").wait_for()
    keyboard = page.page.keyboard
    button(page, 2, "Apply").focus()
    keyboard.press("Tab")
    keyboard.press("Enter")
    text = page.outputs(2).get_by_label("Proposed text")
    assert text.evaluate("node => node === document.activeElement")
    keyboard.type("dd")
    assert text.evaluate(TEXT).count("dd") == 1
    keyboard.press("Escape")
    assert not text.is_visible()
    keyboard.press("Shift+Tab")
    keyboard.press("Enter")
    page.wait(2)
    written = (project / "src/retry.ts").read_text()
    assert "attempts = 5" in written
    assert "dd" not in written


def test_a_command_is_shown_before_it_runs(sheet, picture):
    page = sheet("%%ask\nRun the tests.")
    page.start(2)
    button(page, 2, "Reject").wait_for()
    assert "npm install left-pad" in page.text(2)
    picture(page, "command")
    button(page, 2, "Reject").click()
    page.wait(2)
    assert "npm install left-pad" in page.text(2)


def test_stop_ends_the_cell_and_the_kernel_goes_on(sheet, picture):
    page = sheet("%%ask\nTell me everything.", "print('behind')", "1 + 1")
    page.start(2, 3)
    page.outputs(2).get_by_text("All of it.").wait_for()
    page.press_stop()
    pressed_s = time.monotonic()
    page.wait(2)
    assert time.monotonic() - pressed_s < 2
    assert "Stopped" in page.text(2)
    assert "All of it." in page.text(2)
    assert "Traceback" not in page.text(2)
    picture(page, "stopped")
    page.run(4)
    assert page.text(3) == ""
    assert "2" in page.text(4)


def test_a_saved_notebook_reads_well_without_a_kernel(sheet, lab, browser, picture):
    page = sheet("%%ask\nRetry more often.", "%%ask\nHow does retry work?")
    page.start(2)
    button(page, 2, "Apply").click()
    page.wait(2)
    page.run(3)
    page.save()
    page.page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    again = lab.open(browser, page.name, front_end=page.front_end, kernel=False)
    again.outputs(3).get_by_text("at most").wait_for()
    assert "five attempts" in again.text(2)
    assert "const attempts = 5;" in again.text(2)
    assert "Loading widget" not in again.text(2)
    assert "model not found" not in again.text(2)
    assert again.outputs(2).locator("button").count() == 0
    picture(again, "reopened")
    again.page.context.close()


@pytest.mark.parametrize("theme", ["Light", "Dark", "Dark High Contrast"])
def test_it_looks_at_home_in_every_theme(sheet, picture, theme):
    """Text has to stand out from what is behind it: a contrast of 4.5 (WCAG AA)."""
    page = sheet(
        "%%ask\nRetry more often.", "%%ask\nHow does retry work?", theme=f"JupyterLab {theme}"
    )
    name = theme.lower().replace(" ", "-")
    page.start(2)
    button(page, 2, "Apply").wait_for()
    picture(page, f"proposal-{name}")
    assert page.page.evaluate(CONTRAST, [".ipuaro-proposal", 4.5]) == []
    for action in ("Apply", "Reject"):
        button(page, 2, action).hover()
        assert page.page.evaluate(CONTRAST, [".ipuaro-proposal", 4.5]) == []
    button(page, 2, "Edit").click()
    picture(page, f"editor-{name}")
    button(page, 2, "Apply").click()
    page.wait(2)
    page.run(3)
    page.outputs(2).scroll_into_view_if_needed()
    picture(page, f"record-{name}")
    assert page.page.evaluate(CONTRAST, [".ipuaro", 4.5]) == []

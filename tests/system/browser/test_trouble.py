"""The buttons that say how a turn goes on after an error."""

import pytest

pytestmark = pytest.mark.browser
START = """\
import os
os.environ["OLLAMA_HOST"] = "{url}"
%ipuaro start {project} --model qwen2.5-coder:7b-instruct
"""


def button(sheet, cell, name):
    return sheet.outputs(cell).get_by_role("button", name=name, exact=True)


def test_an_error_is_retried_skipped_and_aborted(sheet, project, picture, ollama_server, ollama):
    half = ["It calls the ta", ollama.Fault("disconnect")]
    ollama_server.replies += [half, half, ["It calls the task three times."], half, half]
    start = START.format(url=ollama_server.url, project=project)
    page = sheet(start, *["%%ask\nWrite tests for retry"] * 3)
    page.run(2)
    page.start(3)
    button(page, 3, "Retry").wait_for()
    page.outputs(3).get_by_text("Waiting for your decision").wait_for()
    assert "The model could not answer" in page.text(3)
    assert "Retry asks the model again." in page.text(3)
    picture(page, "trouble")
    button(page, 3, "Retry").click()
    page.outputs(3).get_by_text("Retried: The model could not answer").wait_for()
    button(page, 3, "Retry").wait_for()
    assert page.text(3).count("Retried: The model could not answer") == 1
    button(page, 3, "Retry").focus()  # the second one, with the keyboard alone
    page.page.keyboard.press("Tab")
    assert button(page, 3, "Skip").evaluate("node => node === document.activeElement")
    page.page.keyboard.press("Shift+Tab")
    page.page.keyboard.press("Enter")
    page.wait(3)
    assert "It calls the task three times." in page.text(3)
    assert page.text(3).count("Retried: The model could not answer") == 2
    assert button(page, 3, "Retry").count() == 0
    picture(page, "retried")

    page.start(4)
    button(page, 4, "Skip").click()
    page.wait(4)
    assert "It calls the ta" in page.text(4)
    assert "cut off" in page.text(4)

    page.start(5)
    button(page, 5, "Abort").click()
    page.wait(5)
    assert "cut off" in page.text(5)
    assert "Traceback" not in page.text(5)

"""A turn while it runs: what is on the page stays there, and only grows.

The observer notes each painted frame's height, and each output that leaves the page.
"""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
START = """\
import os
os.environ["OLLAMA_HOST"] = "{url}"
%ipuaro start {project} --model qwen2.5-coder:7b-instruct
"""
READ = '<tool_call name="get_lines"><path>src/retry.ts</path></tool_call>'
PART = Path(__file__).with_name("answer_part.md").read_text("utf-8")
OBSERVE = """number => {
  const cell = document.querySelectorAll('.jp-Notebook .jp-Cell')[number];
  const seen = window.turnSeen = { heights: [], left: [], frames: 0, texts: [] };
  const area = () => cell.querySelector('.jp-Cell-outputArea');
  new MutationObserver(records => {
    for (const record of records)
      for (const node of record.removedNodes)
        if (node.classList?.contains('jp-OutputArea-child')) seen.left.push(node.innerText);
  }).observe(cell, { childList: true, subtree: true });
  const frame = () => {
    seen.frames++;
    if (area()) seen.heights.push(area().scrollHeight);
    if (window.turnSeen === seen) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
SEEN = "() => { const seen = window.turnSeen; window.turnSeen = null; return seen; }"


def pieces(text, size=24, pause_s=0.01):
    """Return a reply that comes in small pieces, as a model writes."""
    for at in range(0, len(text), size):
        yield text[at : at + size]
        yield pause_s


@pytest.fixture
def asking(sheet, project, ollama_server):
    """Return a function that opens a notebook whose model says the replies; cell 3 asks."""

    def ask(*replies):
        ollama_server.replies += replies
        start = START.format(url=ollama_server.url, project=project)
        page = sheet(start, "%%ask\nWrite tests for retry", "1 + 1")
        page.run(2)
        return page

    return ask


def part(number):
    """Return a part of an answer."""
    return PART.replace("{number}", str(number)) + "\n"


def falls(heights):
    """Return the heights after a fall of more than two lines, which the eye sees as a collapse."""
    return [b for a, b in pairwise(heights) if b < a - 40]


def test_nothing_leaves_the_page_and_it_never_shrinks_while_a_turn_runs(asking, ollama):
    text = "".join(part(number) for number in range(8))
    page = asking([*pieces(f"I look at it. {READ}")], [*pieces(text), ollama.Fault("hang")])
    page.page.evaluate(OBSERVE, 3)
    page.start(3)
    page.outputs(3).get_by_text("and another").nth(7).wait_for()
    seen = page.page.evaluate(SEEN)
    page.press_stop()
    page.wait(3)
    assert len(set(seen["heights"])) > 5, "it was not seen to grow"
    assert seen["left"] == []
    assert falls(seen["heights"]) == []


def test_a_call_that_is_opened_stays_open_while_the_turn_goes_on(asking, ollama, picture):
    going_on = [text for number in range(3) for text in pieces(part(number))]
    page = asking([READ], [1.5, *going_on, ollama.Fault("hang")])
    page.start(3)
    call = page.outputs(3).locator("details", has_text="get_lines").first
    page.outputs(3).get_by_text("get_lines").and_(page.page.locator("summary code")).wait_for()
    page.outputs(3).get_by_text("done").first.wait_for()
    call.locator("summary").first.click()
    page.outputs(3).get_by_text("and another").nth(2).wait_for()
    assert call.get_by_text("const attempts = 3").is_visible()
    status = page.outputs(3).locator("[role=status]")
    status.get_by_text("Writing").wait_for()
    assert status.count() == 1
    figures = page.outputs(3).inner_text()
    assert "tokens" in figures
    assert "context" in figures
    assert "model qwen2.5-coder:7b-instruct" in figures
    picture(page, "running")
    response = Axe().run(page.page, context={"include": [[".ipuaro"]]}).response
    assert response["passes"]
    serious = [found for found in response["violations"] if found["impact"] != "minor"]
    assert [(found["id"], found["help"]) for found in serious] == []
    page.press_stop()
    page.wait(3)


def test_the_phase_is_told_once_and_the_time_is_not_told_at_all(asking, ollama):
    """The region that a screen reader reads is not made anew while its words stay the same."""
    page = asking([8, "It retries.", ollama.Fault("hang")])
    page.start(3)
    status = page.outputs(3).locator("[role=status]")
    page.outputs(3).get_by_text("Loading the model").wait_for()
    status.evaluate("node => { node.isTheSame = true; }")
    figures = page.outputs(3).get_by_text(re.compile(r"\d+ s\b"))
    before = figures.inner_text()
    expect(figures).not_to_have_text(before)
    assert status.evaluate("node => node.isTheSame") is True
    assert page.outputs(3).locator("[aria-live]:not([aria-live=off])").count() == 0
    page.outputs(3).get_by_text("It retries.").wait_for()
    status.get_by_text("Writing").wait_for()
    page.press_stop()
    page.wait(3)


def test_nothing_moves_for_those_who_want_no_motion(asking, ollama):
    page = asking(["It retries.", ollama.Fault("hang")])
    page.page.emulate_media(reduced_motion="reduce")
    page.start(3)
    page.outputs(3).get_by_text("It retries.").wait_for()
    moving = """[...document.querySelectorAll('.ipuaro, .ipuaro *')]
        .filter(one => one.getAnimations().length > 0).length"""
    assert page.page.evaluate(moving) == 0
    page.press_stop()
    page.wait(3)

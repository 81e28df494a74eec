"""What a screen reader is told of an answer under way: every change of the live region is noted."""

import re
from itertools import pairwise

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser
START = """\
import os
os.environ["OLLAMA_HOST"] = "{url}"
%ipuaro start {project} --model qwen2.5-coder:7b-instruct
"""
READ = '<tool_call name="get_lines"><path>src/retry.ts</path></tool_call>'
BEGUN, ENDED = "The answer begins.", "The answer has ended."
WAITS = "Waiting for your decision: Edit line 2 of src/retry.ts"
LISTEN = """() => {
  const region = document.querySelector('.ipuaro-told');
  window.told = [...region.children].map(({ textContent }) => ({ at: 0, text: textContent }));
  window.listener?.disconnect(); // of the test before, in the same page
  window.listener = new MutationObserver(records => {
    for (const { target, type, addedNodes } of records) {
      if (type === 'characterData') window.told.push({ at: performance.now(), text: 'changed' });
      for (const { textContent: text } of addedNodes)
        window.told.push({ at: performance.now(), text, inside: target === region });
    }
  });
  window.listener.observe(region, { childList: true, characterData: true, subtree: true });
}"""


def told(sheet, until):
    """Return what was told, once a text was."""
    sheet.page.wait_for_function(
        "text => window.told.some(one => one.text === text)", arg=until, timeout=30_000
    )
    return sheet.page.evaluate("window.told")


def test_an_answer_is_told_by_sentences_at_intervals_and_once(sheet, project, ollama_server):
    """Drawn some hundred times, it is told a few times; the record adds nothing to that."""
    sentences = [f"Attempt {number} calls **the task** and waits." for number in range(60)]
    words = [f"{word} " for word in " ".join(sentences).split()]
    ollama_server.replies += [[READ], [part for word in words for part in (word, 0.03)]]
    page = sheet(
        START.format(url=ollama_server.url, project=project), "%%ask\nWrite tests for retry"
    )
    page.run(2)
    page.page.evaluate("document.querySelector('.ipuaro-told').replaceChildren()")
    page.page.evaluate(LISTEN)
    page.start(3)
    every = told(page, ENDED)
    texts = [one["text"] for one in every]
    assert (texts[0], texts[-1]) == (BEGUN, ENDED)
    assert texts.count(BEGUN) == texts.count(ENDED) == 1
    parts = every[1:-1]
    assert 2 <= len(parts) <= 6
    assert all(one["inside"] and one["text"].endswith("waits.") for one in parts)
    assert " ".join(one["text"] for one in parts) == " ".join(sentences).replace("**", "")
    times = [one["at"] for one in parts[:-1]]
    assert all(late - early > 3900 for early, late in pairwise(times))
    region = page.page.locator(".ipuaro-told")
    assert region.get_attribute("aria-live") == "polite"
    assert page.outputs(3).locator("[aria-live]:not([aria-live=off])").count() == 0
    response = Axe().run(page.page, context={"include": [[".ipuaro-told"]]}).response
    assert response["passes"]
    assert response["violations"] == []


def test_a_question_is_told_and_nothing_twice_after_a_reload(sheet):
    page = sheet("%%ask\nRetry more often.")
    page.page.evaluate("document.querySelector('.ipuaro-told').replaceChildren()")
    page.page.evaluate(LISTEN)
    page.start(2)
    texts = [one["text"] for one in told(page, WAITS)]
    assert texts == [
        BEGUN,
        "Three attempts are few for a slow network. I will raise the number.",
        WAITS,
    ]
    page.reload()
    page.page.evaluate(LISTEN)
    page.outputs(2).get_by_text("Three attempts are few").wait_for()
    reject = page.outputs(2).get_by_role("button", name="Reject", exact=True)
    reject.wait_for()
    page.page.wait_for_timeout(2500)  # until what is new is told again
    assert page.page.evaluate("window.told") == []
    page.outputs(2).get_by_role("button", name="Apply", exact=True).click()
    texts = [one["text"] for one in told(page, ENDED)]
    assert [re.sub(r"\s+", " ", text) for text in texts] == [
        "retry now makes five attempts.",
        ENDED,
    ]

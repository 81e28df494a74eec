"""A real model answers in a real JupyterLab: slowly, unwisely, and as any other."""

import re

import pytest
from real_weights import weights

__all__ = ["weights"]

ANSWER_MS = 300_000  # reading the prompt, on a processor that others use too
pytestmark = [pytest.mark.browser, pytest.mark.long]
FILLER = "\n".join(
    f"/** The wait before attempt {n}, in milliseconds. */\n"
    f"export function waitBeforeAttempt{n}(task: string): number {{\n"
    f"  return task.length * {n};\n}}\n"
    for n in range(24)
)
RETRY = f"""\
/** Runs a task again until it succeeds, at most as often as there are attempts. */
export async function retry(task: () => Promise<void>): Promise<number> {{
  const attempts = 3;
  for (let attempt = 1; attempt <= attempts; attempt++) {{
    try {{
      await task();
      return attempt;
    }} catch (error) {{
      if (attempt === attempts) throw error;
    }}
  }}
  return attempts;
}}

{FILLER}"""
TASKS = """\
import { retry } from './retry';

/** Runs a named task with its attempts. */
export function runTask(name: string, task: () => Promise<void>): Promise<number> {
  console.log(name);
  return retry(task);
}
"""
START = """\
%ipuaro start {project} --model gguf:{weights}
"""


@pytest.mark.parametrize("front_end", ["lab"], indirect=True)
def test_a_real_model_answers(sheet, project, weights, picture):
    start = START.format(project=project, weights=weights)
    page = sheet(start, "%%ask\nWhat is the capital of France? Answer in one sentence.")
    page.run(2)
    page.start(3)
    page.wait(3, timeout_ms=ANSWER_MS)
    answer = page.text(3)
    picture(page, "real-model")
    assert re.search(r"\d[\d,]* tokens", answer)
    assert not re.search(r"tool_call|<\|im_|\{\"name\"", answer)


@pytest.fixture
def project(make_project):
    return make_project({"src/retry.ts": RETRY, "src/tasks.ts": TASKS})


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
@pytest.mark.parametrize("front_end", ["lab"], indirect=True)
def test_the_index_and_a_real_model_by_turns(sheet, project, weights, picture, theme):
    """Exact without it, worded by it, alone without one; and an edit that nobody wanted."""
    page = sheet(
        START.format(project=project, weights=weights),
        "%%ask\nWho calls retry?",
        "%%ask\nHow does a task get its attempts?",
        "%%ask\n/edit Let a task have five attempts.",
        "%ipuaro model none",
        "%%ask\nHow does a task get its attempts?",
        theme=theme,
    )
    page.run(2, 3)
    assert "Done" in page.text(3)
    assert "tokens" not in page.text(3)
    picture(page, f"real-structural-{theme.split()[1].lower()}")
    page.start(4)
    page.outputs(4).get_by_text(re.compile(r"Reading .*tokens")).first.wait_for(timeout=ANSWER_MS)
    picture(page, f"real-reading-{theme.split()[1].lower()}")
    page.wait(4, timeout_ms=ANSWER_MS)
    assert "From" in page.text(4)
    picture(page, f"real-explanation-{theme.split()[1].lower()}")
    page.start(5)
    reject = page.outputs(5).get_by_role("button", name="Reject", exact=True)
    ended = page.outputs(5).get_by_text("Nothing was changed")
    reject.or_(ended).first.wait_for(timeout=ANSWER_MS)
    if reject.is_visible():
        reject.click()
    page.wait(5, timeout_ms=ANSWER_MS)
    picture(page, f"real-refused-{theme.split()[1].lower()}")
    assert "const attempts = 3;" in (project / "src/retry.ts").read_text()
    page.run(6, 7)
    assert "src/retry.ts" in page.text(7)
    assert "tokens" not in page.text(7)
    picture(page, f"real-none-{theme.split()[1].lower()}")


@pytest.mark.parametrize("front_end", ["lab"], indirect=True)
def test_a_real_model_mends_a_fault(sheet, project, weights, picture):
    """From one sentence to Apply and back; the small model may find no text that holds."""
    file = project / "src/retry.ts"
    right = file.read_text()
    faulty = right.replace("attempt <= attempts", "attempt < attempts")
    file.write_text(faulty)
    page = sheet(
        START.format(project=project, weights=weights),
        "%%ask\nretry gives up one attempt too early, since its loop ends before the last: fix it",
        "%ipuaro undo",
    )
    page.run(2)
    page.start(3)
    apply = page.outputs(3).get_by_role("button", name="Apply", exact=True)
    done = page.outputs(3).get_by_text("Done").first
    apply.or_(done).first.wait_for(timeout=ANSWER_MS)
    is_proposed = apply.is_visible()
    assert is_proposed or "coder" not in weights.name
    picture(page, "real-fix-proposed")
    if is_proposed:
        apply.click()
    page.wait(3, timeout_ms=ANSWER_MS)
    picture(page, "real-fix-done")
    assert (file.read_text() != faulty) == is_proposed
    assert "coder" not in weights.name or "attempt <= attempts" in file.read_text()
    page.run(4)
    assert file.read_text() == faulty

"""A question before anything is open, to a model that is not there: buttons lead to the answer."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from ipuaro_jupyter.settings.settings import Settings

pytestmark = pytest.mark.browser
MODEL = Settings().llm.model
NARROW = {"width": 400, "height": 900}
WIDE = {"width": 1100, "height": 1000}


@pytest.fixture
def asking(lab, page_of, ollama_server, front_end):
    """Return a function that opens a notebook inside a project, with a question."""
    ollama_server.models.clear()
    ollama_server.add_model("qwen3-coder:30b", capabilities=["tools"])
    ollama_server.add_model("nomic-embed-text")
    folder = f"shop-{front_end}"
    (lab.root / folder / "notebooks").mkdir(parents=True, exist_ok=True)
    (lab.root / folder / "package.json").write_text("{}")
    (lab.root / folder / "retry.ts").write_text("export const attempts = 3\n")

    def open_it(theme):
        name = f"{folder}/notebooks/ask.ipynb"
        server = f"import os; os.environ['OLLAMA_HOST'] = {ollama_server.url!r}"
        lab.write(name, [f"{server}\n%load_ext ipuaro_jupyter", "%%ask\nHow often is it tried?"])
        opened = page_of(name, theme=theme)
        opened.run(0)
        opened.start(1)
        return opened

    return open_it


def button(page, name):
    return page.outputs(1).get_by_role("button", name=name, exact=True)


def look_at(page, picture, name):
    """Nothing serious for axe, nothing wider than the page; pictures wide and narrow."""
    page.page.wait_for_timeout(600)  # the guard, which fades the buttons, has ended
    found = Axe().run(page.page, context={"include": [[".ipuaro-proposal"]]}).response
    assert found["passes"], "nothing was looked at"
    assert [one for one in found["violations"] if one["impact"] in {"serious", "critical"}] == []
    picture(page, name)
    page.page.set_viewport_size(NARROW)
    if page.front_end == "lab":
        page.page.evaluate("window.jupyterapp.shell.collapseLeft()")
    asked = page.outputs(1).locator(".ipuaro-proposal")
    asked.scroll_into_view_if_needed()
    assert asked.evaluate("node => node.scrollWidth <= node.clientWidth")
    picture(page, f"{name}-400")
    page.page.set_viewport_size(WIDE)


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_buttons_open_the_project_and_get_the_model(asking, lab, ollama_server, picture, theme):
    page = asking(f"JupyterLab {theme}")
    button(page, "Open").wait_for()
    shown = page.text(1)
    root = lab.root / f"shop-{page.front_end}"
    for told in (f"Project: {root}", "Files: 3", f"Model: {MODEL} answers"):
        assert told in shown
    look_at(page, picture, f"offer-project-{theme.lower()}")
    button(page, "Open").click()

    button(page, f"Download {MODEL}").wait_for()
    assert f"Opened {root}: 3 files." in page.text(1)
    assert page.text(1).count("Agreed: Open") == 1
    assert "Ollama has no model" in page.text(1)
    assert page.outputs(1).get_by_role("button", name="embed").count() == 0
    look_at(page, picture, f"offer-model-{theme.lower()}")
    arrived = {"status": "pulling 60e0", "total": 4_000_000_000, "digest": "sha256:60e0"}
    ollama_server.pull_steps += [arrived, {**arrived, "completed": 1_000_000_000}, 3.0]
    ollama_server.replies.append(["Three times, by `attempts`."])
    button(page, f"Download {MODEL}").focus()
    page.page.keyboard.press("Enter")
    bar = page.outputs(1).get_by_role("progressbar")
    bar.wait_for()
    page.outputs(1).get_by_text("1,000 of 4,000 MB (25 %)").wait_for()
    picture(page, f"downloading-{theme.lower()}")
    page.wait(1)
    assert "Three times, by attempts." in page.text(1)
    assert bar.count() == 0
    assert button(page, "Open").count() == 0
    picture(page, f"first-answer-{theme.lower()}")


def test_another_model_answers_and_a_project_that_is_not_opened_is_said(asking, ollama_server):
    page = asking("")
    assert page.outputs(1).get_by_role("button", name="Reject").count() == 0
    assert not page.outputs(1).get_by_role("textbox").locator("visible=true").count()
    button(page, "Not now").click()
    page.wait(1)
    assert "Run %ipuaro start" in page.text(1)
    assert "Traceback" not in page.text(1)
    page.start(1)
    button(page, "Open").click()
    ollama_server.replies.append(["Three times."])
    button(page, "Use qwen3-coder:30b").click()
    page.wait(1)
    assert "Three times." in page.text(1)
    assert [one["model"] for one in ollama_server.asked("/api/chat")][-1] == "qwen3-coder:30b"

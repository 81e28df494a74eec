"""From JupyterLab's launcher to an answer: one click, a project, and a sentence."""

import importlib.util
from pathlib import Path

import pytest

from ipuaro_jupyter.settings.settings import Settings

RUNNING_LAB = Path(__file__).with_name("running_lab.py")
NAME = "it's a $project"


@pytest.fixture
def own_lab(lab, tmp_path, ollama_server):
    """A JupyterLab that has a model at hand, and a project below its folder."""
    del lab  # it is skipped without a browser
    spec = importlib.util.spec_from_file_location("running_lab", RUNNING_LAB)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    ollama_server.add_model(Settings().llm.model, capabilities=["tools"])
    opened = module.Lab(tmp_path / "own", environment={"OLLAMA_HOST": ollama_server.url})
    project = opened.root / "work" / NAME
    project.mkdir(parents=True)
    (project / "a.ts").write_text("export const rate = 1\n")
    yield opened
    opened.stop()


@pytest.fixture
def page(own_lab, browser):
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    opened = context.new_page()
    opened.goto(own_lab.address("lab"))
    yield opened
    context.close()


def choose(page, *names):
    """Choose a folder in the dialog, the last of the names, by opening those above it."""
    dialog = page.locator(".jp-Dialog")
    for name in names:
        item = dialog.locator(".jp-DirListing-item", has_text=name)
        item.click() if name == names[-1] else item.dblclick()
    dialog.get_by_role("button", name="Select").click()


def test_one_click_and_one_sentence_lead_to_an_answer(page, own_lab, ollama_server, picture):
    ollama_server.replies.append(["It is `rate` in a.ts:1."])
    card = page.locator(".jp-LauncherCard", has_text="Ask a codebase")
    card.click(timeout=60_000)
    choose(page, "work", NAME)
    asking = page.locator(".jp-Cell").nth(1)
    asking.locator(".cm-focused").wait_for(timeout=60_000)
    page.keyboard.type("What is there?")
    page.keyboard.press("Shift+Enter")
    answer = asking.locator(".jp-OutputArea")
    answer.get_by_text("It is rate in a.ts:1.").wait_for(timeout=60_000)
    cells = [text.strip() for text in page.locator(".jp-Cell .cm-content").all_inner_texts()]
    assert cells[0].splitlines()[0] == "%load_ext ipuaro_jupyter"
    assert cells[1].splitlines() == ["%%ask", "What is there?"]
    assert str(own_lab.root / "work" / NAME) in page.locator(".jp-Cell").first.inner_text()
    page.screenshot(path=Path(__file__).parent / "artefacts" / "launcher-lab.png")
    del picture  # makes the folder


def test_the_palette_has_it_and_cancel_opens_nothing(page, own_lab):
    page.locator(".jp-LauncherCard").first.wait_for(timeout=60_000)
    page.keyboard.press("Control+Shift+C")
    page.get_by_role("combobox").or_(page.locator(".lm-CommandPalette-input")).last.fill("codebase")
    page.locator(".lm-CommandPalette-item", has_text="Ask a codebase in a Notebook").click()
    page.locator(".jp-Dialog").get_by_role("button", name="Cancel").click()
    page.locator(".jp-Dialog").wait_for(state="detached")
    assert not list(own_lab.root.rglob("*.ipynb"))


@pytest.mark.parametrize(
    ("cwd", "chosen", "expected"),
    [
        ("", "app", "app"),
        ("", "", "."),
        ("app", "app", "."),
        ("app/notebooks", "app", ".."),
        ("notes/today", "code/app", "../../code/app"),
        ("", "-r", "./-r"),
        ("", "~x/y", "./~x/y"),
    ],
)
def test_the_project_is_named_from_the_notebooks_folder(page, cwd, chosen, expected):
    found = page.evaluate(
        """async ([cwd, chosen]) => {
            const { relative } = await import("/lab/extensions/ipuaro-views/static/launcher.js");
            return relative(cwd, chosen, { localPath: (path) => path });
        }""",
        [cwd, chosen],
    )
    assert found == expected

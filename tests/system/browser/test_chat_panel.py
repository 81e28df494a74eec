"""JupyterLab's own chat, from the extra ``chat``: the assistant is a persona of it."""

import importlib.util
import json
import subprocess
import sys
import sysconfig
from importlib.metadata import requires
from pathlib import Path

import pytest
from playwright.sync_api import expect

WITHIN_MS = 60_000
EDIT = (
    '<tool_call name="edit_lines"><path>src/retry.ts</path><start>2</start><end>2</end>'
    "<content>  const attempts = {};</content></tool_call>"
)
RECORDING = {
    "Retry more often.": [
        '<tool_call name="get_lines"><path>src/retry.ts</path></tool_call>',
        EDIT.format("5"),
        "`retry` now makes **five** attempts.",
    ],
    "Make it wrong.": [
        EDIT.format("{5"),
        "I left it.",
    ],
}

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def chat_python(tmp_path_factory):
    """The Python of an environment that has this one's packages and those of the extra."""
    venv = tmp_path_factory.mktemp("chat") / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True, timeout=120)
    python = venv / "bin" / "python"
    told = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own = subprocess.run([python, "-c", told], check=True, capture_output=True, text=True)
    base = sysconfig.get_path("purelib")
    (Path(own.stdout.strip()) / "base.pth").write_text(f"import site; site.addsitedir({base!r})\n")
    wanted = [
        one.partition(";")[0].strip()
        for one in requires("ipuaro-jupyter")
        if one.partition(";")[2].replace("'", '"').strip() == 'extra == "chat"'
    ]
    assert wanted
    subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=True, timeout=540)
    return python


@pytest.fixture
def chat_lab(chat_python, tmp_path, monkeypatch):
    """A JupyterLab with the chat, on a project, whose user has a recorded model."""
    spec = importlib.util.spec_from_file_location(
        "running_lab", Path(__file__).with_name("running_lab.py")
    )
    running_lab = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(running_lab)
    recording = tmp_path / "recording.json"
    turns = [{"message": message, "replies": said} for message, said in RECORDING.items()]
    recording.write_text(json.dumps({"version": 1, "turns": turns}))
    user = tmp_path / "user"
    user.mkdir()
    (user / "settings.json").write_text(json.dumps({"llm": {"model": f"recorded:{recording}"}}))
    base = Path(sys.prefix)
    environment = {
        "IPUARO_HOME": str(user),
        "JUPYTER_PATH": str(base / "share" / "jupyter"),
        "JUPYTER_CONFIG_PATH": str(base / "etc" / "jupyter"),
        "JUPYTERLAB_DIR": str(base / "share" / "jupyter" / "lab"),
    }
    monkeypatch.setenv("IPUARO_HOME", str(user))
    home = tmp_path / "lab"
    hostile = tmp_path / "started-in"  # the agent runs in the folder of the server
    for folder in (home, hostile):
        folder.mkdir()
    (hostile / "click.py").write_text('raise SystemExit("a module of the folder was run")\n')
    opened = running_lab.Lab(home, python=chat_python, environment=environment, cwd=hostile)
    yield opened
    opened.stop()


@pytest.fixture
def panel(browser, chat_lab):
    """A page with an empty chat, and the file of its project."""
    source = chat_lab.root / "src" / "retry.ts"
    source.parent.mkdir()
    source.write_text("export function retry() {\n  const attempts = 3;\n}\n")
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    page = context.new_page()
    page.goto(chat_lab.address("lab"))
    page.locator(".jp-LauncherCard", has_text="Chat").first.click(timeout=WITHIN_MS)
    expect(page.get_by_role("button", name="recorded:")).to_be_visible(timeout=WITHIN_MS)
    yield page, source
    context.close()


def say(page, message):
    box = page.locator("textarea:visible").first
    box.click()
    box.type(message)
    # Enter may choose what the chat offers to complete.
    page.get_by_role("button", name="Send message (ENTER)").click()


def test_an_edit_is_shown_with_buttons_and_made_when_it_is_applied(panel):
    page, source = panel
    say(page, "Retry more often.")
    apply = page.get_by_role("button", name="Apply", exact=True)
    expect(apply).to_be_visible(timeout=WITHIN_MS)
    expect(page.get_by_text("const attempts = 5;").first).to_be_visible()
    assert "attempts = 3" in source.read_text()
    apply.click()
    expect(page.get_by_text("1 applied, 0 rejected, 0 failed")).to_be_visible(timeout=WITHIN_MS)
    assert "attempts = 5" in source.read_text()
    page.screenshot(path=_artefact("chat-panel"))
    say(page, "/undo")
    expect(page.get_by_text("Undone").or_(page.get_by_text("undone")).first).to_be_visible(
        timeout=WITHIN_MS
    )
    assert "attempts = 3" in source.read_text()


def test_what_speaks_against_an_edit_is_read_before_the_click(panel):
    page, source = panel
    say(page, "Make it wrong.")
    reject = page.get_by_role("button", name="Reject", exact=True)
    expect(reject).to_be_visible(timeout=WITHIN_MS)
    expect(page.get_by_text("syntax error in line 2").first).to_be_visible()
    page.screenshot(path=_artefact("chat-panel-problem"))
    reject.click()
    expect(page.get_by_text("I left it.")).to_be_visible(timeout=WITHIN_MS)
    assert "attempts = 3" in source.read_text()


def _artefact(name):
    folder = Path(__file__).parent / "artefacts"
    folder.mkdir(exist_ok=True)
    return folder / f"{name}.png"

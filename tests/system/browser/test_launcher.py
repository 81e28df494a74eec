"""From JupyterLab's launcher to an answer: one click, a project, and a sentence."""

import importlib.util
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from ipuaro_jupyter.settings.settings import Settings

RUNNING_LAB = Path(__file__).with_name("running_lab.py")
SERIOUS = {"serious", "critical"}
NAME = "it's a {1 + 1} $project"
KERNEL_IS_THERE = """() => {
  const kernel = window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel;
  return kernel?.connectionStatus === "connected" && kernel.status === "idle"; }"""
KEEP_SHARED = """window._JUPYTERLAB = new Proxy({}, { set(extensions, name, container) {
  const { init } = container;
  container.init = (shared) => init((window.shared = shared));
  return Reflect.set(extensions, name, container); } })"""
COUNT_LISTENERS = """async () => {
  const [notebooks] = Object.values(window.shared["@jupyterlab/notebook"]);
  const signal = (await notebooks.get())().NotebookActions.executionScheduled;
  const { connect, disconnect } = Object.getPrototypeOf(signal);
  window.listeners = [];
  signal.connect = function (slot) {
    window.listeners.push(slot);
    return connect.call(this, slot); };
  signal.disconnect = function (slot) {
    window.listeners = window.listeners.filter((other) => other !== slot);
    return disconnect.call(this, slot); }; }"""
OURS = "window.listeners.filter((slot) => `${slot}`.includes('cells.push')).length"
COMMAND = "ipuaro-views:ask-a-codebase"
SESSIONS = re.compile("/api/sessions")


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
    asking = page.locator(".jp-Cell").nth(2)
    asking.locator(".cm-focused").wait_for(timeout=60_000)
    page.keyboard.type("What is there?")
    page.keyboard.press("Shift+Enter")
    answer = asking.locator(".jp-OutputArea")
    answer.get_by_text("It is rate in a.ts:1.").wait_for(timeout=60_000)
    cells = [text.strip() for text in page.locator(".jp-Cell .cm-content").all_inner_texts()]
    assert cells[0] == "%load_ext ipuaro_jupyter"
    assert cells[2].splitlines() == ["%%ask", "What is there?"]
    assert str(own_lab.root / "work" / NAME) in page.locator(".jp-Cell").nth(1).inner_text()
    page.screenshot(path=Path(__file__).parent / "artefacts" / "launcher-lab.png")
    del picture  # makes the folder


def ask_about_project(page):
    """Run the card's command on the small project, without its dialog and without waiting."""
    page.evaluate(
        "([id, project]) => void window.jupyterapp.commands.execute(id, { project, cwd: '' })",
        [COMMAND, f"work/{NAME}"],
    )


def hold(page):
    """Let requests for kernels wait until the function that is returned is called."""
    held, released = [], []

    def keep(route):
        if route.request.method == "POST" and not released:
            held.append(route)
        else:
            route.continue_()

    def release():
        released.append(True)
        while held:
            held.pop().continue_()

    page.route(SESSIONS, keep)
    return release


def test_what_is_typed_and_run_before_there_is_a_kernel_is_asked_once(page, ollama_server):
    ollama_server.replies.append(["It is `rate` in a.ts:1."])
    page.locator(".jp-LauncherCard").first.wait_for(timeout=60_000)
    release = hold(page)
    ask_about_project(page)
    asking = page.locator(".jp-Cell").nth(2)
    asking.locator(".cm-focused").wait_for(timeout=60_000)
    page.keyboard.type("Add all, x and d d?")
    page.keyboard.press("Shift+Enter")
    page.wait_for_timeout(1000)
    release()
    answer = asking.locator(".jp-OutputArea").get_by_text("It is rate in a.ts:1.")
    answer.wait_for(timeout=60_000)
    page.wait_for_timeout(2000)
    assert answer.count() == 1
    assert asking.locator(".cm-content").inner_text().splitlines() == [
        "%%ask",
        "Add all, x and d d?",
    ]


def test_what_is_typed_while_the_kernel_comes_is_one_question(page, ollama_server):
    ollama_server.replies.append(["It is `rate` in a.ts:1."])
    page.locator(".jp-LauncherCard").first.wait_for(timeout=60_000)
    release = hold(page)
    ask_about_project(page)
    first, asking = page.locator(".jp-Cell").nth(1), page.locator(".jp-Cell").nth(2)
    asking.locator(".cm-focused").wait_for(timeout=60_000)
    page.keyboard.type("Is it there, ")
    release()
    first.get_by_text("1 file, 1 symbol").wait_for(timeout=60_000)
    assert asking.locator(".cm-focused").count() == 1
    page.keyboard.type("or d d x r?")
    page.keyboard.press("Shift+Enter")
    asking.locator(".jp-OutputArea").get_by_text("It is rate in a.ts:1.").wait_for(timeout=60_000)
    assert asking.locator(".cm-content").inner_text().splitlines() == [
        "%%ask",
        "Is it there, or d d x r?",
    ]


def test_a_notebook_that_is_closed_before_there_is_a_kernel_leaves_no_listener(page):
    page.add_init_script(KEEP_SHARED)
    page.reload()
    page.locator(".jp-LauncherCard").first.wait_for(timeout=60_000)
    hold(page)
    page.evaluate(COUNT_LISTENERS)
    ask_about_project(page)
    page.locator(".jp-Cell").nth(2).locator(".cm-focused").wait_for(timeout=60_000)
    assert page.evaluate(OURS) == 1
    page.evaluate("window.jupyterapp.shell.currentWidget.dispose()")
    assert page.evaluate(OURS) == 0


def test_nothing_of_another_notebook_is_run(page, own_lab):
    """The user turns to one while the kernel of the new one is started."""
    touched = own_lab.root / "touched"
    own_lab.write("other.ipynb", [f"open({str(touched)!r}, 'w').close()"])
    page.locator(".jp-LauncherCard").first.wait_for(timeout=60_000)
    page.evaluate("window.jupyterapp.commands.execute('docmanager:open', { path: 'other.ipynb' })")
    page.wait_for_function(KERNEL_IS_THERE, timeout=60_000)
    release = hold(page)
    ask_about_project(page)
    page.get_by_text("%%ask").wait_for(timeout=60_000)
    page.locator(".lm-TabBar-tab", has_text="other.ipynb").click()
    release()
    page.locator(".lm-TabBar-tab", has_text="Untitled").wait_for()
    page.wait_for_timeout(5000)
    assert not touched.exists()
    page.locator(".lm-TabBar-tab", has_text="Untitled").click()
    page.get_by_text("1 file, 1 symbol").wait_for(timeout=60_000)


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_the_card_looks_at_home(page, picture, theme):
    """Its icon is like those beside it, nothing is cut off, and axe finds nothing serious."""
    card = page.locator(".jp-LauncherCard", has_text="Ask a codebase")
    card.wait_for(timeout=60_000)
    name = f"JupyterLab {theme}"
    page.evaluate(
        "t => window.jupyterapp.commands.execute('apputils:change-theme', {theme: t})", name
    )
    page.wait_for_selector(f'body[data-jp-theme-name="{name}"]', state="attached")
    response = (
        Axe().run(page, context={"include": [[".jp-LauncherCard[title*=codebase]"]]}).response
    )
    assert response["passes"], "nothing was looked at"
    serious = [one["id"] for one in response["violations"] if one["impact"] in SERIOUS]
    assert serious == []
    page.evaluate("window.jupyterapp.shell.collapseLeft()")
    page.set_viewport_size({"width": 400, "height": 900})
    card.scroll_into_view_if_needed()
    box, icon = card.bounding_box(), card.locator("img").bounding_box()
    other = page.locator(".jp-LauncherCard").first.locator("svg, img").first.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 400
    assert icon["width"] == pytest.approx(other["width"], abs=2)
    assert card.evaluate("card => card.scrollWidth <= card.clientWidth + 1")
    page.screenshot(path=Path(__file__).parent / "artefacts" / f"launcher-400-{theme.lower()}.png")
    del picture  # makes the folder


def test_the_palette_has_it_and_cancel_opens_nothing(page, own_lab):
    page.locator(".jp-LauncherCard").first.wait_for(timeout=60_000)
    page.keyboard.press("Control+Shift+C")
    page.get_by_role("combobox").or_(page.locator(".lm-CommandPalette-input")).last.fill("codebase")
    page.locator(".lm-CommandPalette-item", has_text="Ask a codebase in a Notebook").click()
    page.locator(".jp-Dialog").get_by_role("button", name="Cancel").click()
    page.locator(".jp-Dialog").wait_for(state="detached")
    assert not list(own_lab.root.rglob("*.ipynb"))


def test_in_notebook_7_the_command_opens_a_page_with_its_cells(page, own_lab):
    page.goto(own_lab.address("tree"))
    page.wait_for_function(f"() => window.jupyterapp?.commands?.hasCommand('{COMMAND}')")
    with page.expect_popup() as opened:
        ask_about_project(page)
    cells = opened.value.locator(".jp-Cell .cm-content")
    cells.nth(2).wait_for(timeout=60_000)
    loads, first, second = cells.all_inner_texts()
    assert loads.strip() == "%load_ext ipuaro_jupyter"
    assert first.startswith("%ipuaro start 'work/it'")
    assert second.splitlines()[0] == "%%ask"
    opened.value.wait_for_function(KERNEL_IS_THERE, timeout=60_000)
    for _ in range(2):
        opened.value.evaluate(
            "window.jupyterapp.commands.execute('notebook:run-cell-and-select-next')"
        )
    ran = opened.value.locator(".jp-Cell").nth(1).locator(".jp-OutputArea")
    ran.get_by_text("1 file, 1 symbol").wait_for(timeout=60_000)


def test_a_question_is_taken_while_the_first_index_is_made(page, own_lab, ollama_server):
    """The bar shows how far it is, and the question waits for what it needs."""
    large = own_lab.root / "work/large"
    large.mkdir()
    source = "".join(f"export function f{n}(a: number) {{ return a + {n} }}\n" for n in range(900))
    for number in range(150):
        (large / f"a{number}.ts").write_text(source)
    ollama_server.replies.append(["It is all there."])
    page.locator(".jp-LauncherCard", has_text="Ask a codebase").click(timeout=60_000)
    choose(page, "work", "large")
    first, asking = page.locator(".jp-Cell").nth(1), page.locator(".jp-Cell").nth(2)
    asking.locator(".cm-focused").wait_for(timeout=60_000)
    page.keyboard.type("What is there?")
    page.keyboard.press("Shift+Enter")
    first.get_by_role("progressbar").wait_for()
    assert asking.locator(".jp-InputPrompt").inner_text().strip() == "[*]:"
    asking.locator(".jp-OutputArea").get_by_text("It is all there.").wait_for(timeout=90_000)
    assert "150 files, 135,000 symbols" in first.inner_text()


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

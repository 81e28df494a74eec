"""The next question, and the code blocks, places, formulas and diagrams of answers."""

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser
LINE = "Next question"
CLIENT = """\
import { retry } from "./retry";

export const load = () => retry(() => fetch("/"));
"""
CONTRAST = Path(__file__).with_name("contrast.js").read_text()
FIRST = "%%ask\nWhere are the attempts?"
SECOND = "And how many?"
ANSWER = """\
In `src/retry.ts:2`, see also src/retry.ts:4-5 and [the loop](src/retry.ts#L4), but not `no.ts:1`.

```python
attempts = 5
print(attempts)
```

```ts
const attempts = 5;
```

- [x] found
- [ ] raised

$$
\\sum_{n=1}^{3} n = 6
$$

$$\\href{javascript:alert(1)}{x}$$

```mermaid
graph LR
  caller --> retry
```
"""
EDIT = """\
So:

src/retry.ts
```
<<<<<<< SEARCH
  const attempts = 3;
=======
  const attempts = 5;
>>>>>>> REPLACE
```

Then a task is tried five times:

```ts
await retry(async () => console.log("one of five"));
```
"""
PATCH = """\
*** Begin Patch
*** Update File: src/retry.ts
@@ export async function retry
-  const attempts = 3;
+  const attempts = 4;
*** End Patch
"""
SHOWN = '%tool get_lines {"path":"src/retry.ts","start":1,"end":19}'
SEARCH = (
    '<tool_call name="grep"><pattern>for .let i = 0; i . attempts; i...</pattern>'
    "<path>src/retry.ts</path></tool_call>"
)
TURNS = {
    "Where are the attempts?": [ANSWER],
    SECOND: ["There are **three**, by `attempts`."],
    "Why?": ["Because the network is slow."],
    "Two\nlines?": ["Both."],
    "Wait.": ['<tool_call name="run_command"><command>sleep 60</command></tool_call>', "Done."],
    "Look.": [SEARCH, "Found."],
    "How would it be tried five times?": [EDIT],
    "And four times?": [f"By a patch.\n\n{PATCH}"],
    "How many attempts does a task get?": ["As often as `attempts` says [E1]."],
}


def line(page, number):
    return page.cell(number).get_by_role("textbox", name=LINE)


def lines(page):
    return page.page.get_by_role("textbox", name=LINE)


def button(page, number, name):
    return page.cell(number).get_by_role("button", name=name, exact=True)


def count(page):
    return page.page.evaluate(_CELLS)


def test_the_next_question_becomes_a_cell_that_is_run(sheet, picture):
    page = sheet(FIRST, "print('behind')")
    page.run(2)
    line(page, 2).wait_for()
    found = Axe().run(page.page, context={"include": [[".ipuaro-next"]]}).response
    assert found["violations"] == []
    picture(page, "next-question")
    line(page, 2).click()
    page.page.keyboard.type("dd" + SECOND)
    for _ in range(len(SECOND)):
        page.page.keyboard.press("ArrowLeft")
    page.page.keyboard.press("Backspace")
    page.page.keyboard.press("Backspace")
    page.page.keyboard.press("Enter")
    page.page.wait_for_function(_SOURCE_IS, arg=[3, f"%%ask\n{SECOND}"])
    page.wait(3)
    line(page, 3).wait_for()
    assert "three" in page.text(3)
    assert page.source(4) == "print('behind')"
    assert lines(page).count() == 1
    assert line(page, 3).evaluate("node => node === document.activeElement && node.value === ''")
    page.page.keyboard.type("Why?")
    page.page.keyboard.press("Enter")
    page.page.wait_for_function(_SOURCE_IS, arg=[4, "%%ask\nWhy?"])
    page.wait(4)
    line(page, 4).wait_for()
    picture(page, "next-question-asked")


def test_the_index_speaks_first_and_more_can_be_asked_of_the_model(sheet, project, picture):
    (project / ".ipuaro.json").write_text('{"llm": {"way": "evidence"}}')
    (project / "src/client.ts").write_text(CLIENT)
    page = sheet("%%ask\nWho calls retry?", "%%ask\nHow many attempts does a task get?")
    page.run(2)
    button(page, 2, "Explain").wait_for()
    assert not button(page, 2, "Dig deeper").is_visible()
    place = page.cell(2).locator(".ipuaro-found button.ipuaro-place")  # no file of the server
    assert place.text_content() == "src/client.ts:3"
    picture(page, "index-answer")
    page.run(3)
    button(page, 3, "Dig deeper").wait_for()
    assert not button(page, 3, "Explain").is_visible()
    assert "From" in page.text(3)
    folded = page.cell(3).locator(".ipuaro-rests details")
    folded.locator("summary").click()
    assert "for (let i = 0; i < attempts; i++)" in folded.inner_text()
    picture(page, "evidence-answer")
    button(page, 3, "Dig deeper").click()
    page.page.wait_for_function(_SOURCE_IS, arg=[4, "%%ask\n/dig"])
    page.wait(4)
    assert "As often as" in page.text(4)


def test_a_line_break_is_typed_with_shift_and_nothing_is_asked_of_blanks(sheet):
    page = sheet(FIRST)
    page.run(2)
    line(page, 2).click()
    page.page.keyboard.type("  ")
    page.page.keyboard.press("Enter")
    assert count(page) == 3
    line(page, 2).fill("")
    page.page.keyboard.type("Two")
    page.page.keyboard.press("Shift+Enter")
    page.page.keyboard.type("lines?")
    button(page, 2, "Ask").click()
    page.page.wait_for_function(_SOURCE_IS, arg=[3, "%%ask\nTwo\nlines?"])
    page.wait(3)
    line(page, 3).wait_for()
    assert "Both." in page.text(3)


@pytest.mark.parametrize("front_end", ["lab"])
def test_its_cell_runs_once_and_no_other_wherever_the_user_turns_meanwhile(sheet, lab):
    lab.write("beside.ipynb", ["x = 1"])
    page = sheet(FIRST)
    page.run(2)
    line(page, 2).wait_for()
    page.page.evaluate(_TURN_MEANWHILE, "beside.ipynb")
    line(page, 2).fill(SECOND)
    page.page.keyboard.press("Enter")
    page.page.keyboard.press("Enter")
    page.page.wait_for_function("window.own.content.widgets[3]?.model.executionCount > 0")
    assert page.page.evaluate("window.jupyterapp.shell.currentWidget === window.beside")
    assert page.page.evaluate("window.beside.content.widgets[0].model.executionCount") is None
    assert page.page.evaluate("window.own.content.widgets.length") == 4
    page.page.evaluate("window.beside.dispose()")  # the page is used on


def test_it_follows_the_newest_answer_and_the_project(sheet):
    """Asked by hand, reloaded, stopped, restarted; and none of it is saved."""
    page = sheet(FIRST, f"%%ask\n{SECOND}", "%ipuaro stop")
    assert lines(page).count() == 0
    page.run(2)
    line(page, 2).wait_for()
    page.run(3)
    line(page, 3).wait_for()
    assert lines(page).count() == 1
    page.save()
    page.reload()
    line(page, 3).wait_for()
    button(page, 2, "Copy").first.wait_for()
    page.run(4)
    lines(page).wait_for(state="detached")
    button(page, 2, "Copy").first.wait_for(state="detached")


def test_nothing_of_it_is_saved(lab, sheet):
    page = sheet(FIRST)
    page.run(2)
    line(page, 2).fill("half a thought")
    button(page, 2, "Copy").first.wait_for()
    page.page.locator("img.ipuaro-diagram").wait_for()
    page.save()
    page.reload()
    line(page, 2).wait_for()
    saved = (lab.root / page.name).read_text()
    for told in ("ipuaro-next", "Insert as cell", "half a thought", "<img", "<button", "<input"):
        assert told not in saved
    notebook = nbformat.reads(saved, as_version=4)
    assert "ipuaro" not in json.dumps([notebook.metadata, notebook.cells[2].metadata])


def test_it_goes_when_the_kernel_is_restarted_and_by_the_setting(sheet):
    page = sheet(FIRST)
    page.run(2)
    line(page, 2).wait_for()
    page.page.evaluate(_SET, [False])
    try:
        lines(page).wait_for(state="detached")
    finally:
        page.page.evaluate(_SET, [True])
    line(page, 2).wait_for()
    page.page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    lines(page).wait_for(state="detached")
    assert button(page, 2, "Copy").count() == 0


def test_code_is_copied_and_becomes_a_cell(sheet, picture):
    page = sheet(FIRST)
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.run(2)
    copies, inserts = button(page, 2, "Copy"), button(page, 2, "Insert as cell")
    copies.first.wait_for()
    picture(page, "code-buttons")
    copies.first.click()
    page.cell(2).get_by_text("Copied").wait_for()
    copied = page.page.evaluate("navigator.clipboard.readText()")
    assert copied == "attempts = 5\nprint(attempts)"
    inserts.first.focus()
    page.page.keyboard.press("Enter")
    page.cell(3).locator(".cm-content:focus").wait_for()
    assert page.source(3) == copied
    assert page.text(3) == ""
    inserts.nth(1).click()
    page.cell(3).locator(".jp-RenderedMarkdown pre").wait_for()
    assert page.source(3) == "```ts\nconst attempts = 5;\n```"
    found = Axe().run(page.page, context={"include": [[".ipuaro-code-buttons"]]}).response
    assert found["violations"] == []


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_an_edit_in_an_answer_is_proposed_by_its_button(sheet, project, picture, theme):
    """Ordinary code has no such button; what is applied is undone."""
    page = sheet("%%ask\nHow would it be tried five times?", "%ipuaro undo", theme=theme)
    page.run(2)
    applies = button(page, 2, "Apply this")
    applies.wait_for()
    assert applies.count() == 1
    assert button(page, 2, "Copy").count() == 2
    assert "/apply proposes the edit of src/retry.ts:2." in page.text(2)
    shade = theme.rpartition(" ")[2].lower()
    picture(page, f"apply-this-{shade}")
    applies.focus()
    page.page.keyboard.press("Enter")
    apply = button(page, 3, "Apply")
    apply.wait_for()
    assert page.source(3).startswith("%ipuaro apply ")
    file = project / "src/retry.ts"
    before = file.read_text()
    assert "const attempts = 3;" in before
    apply.scroll_into_view_if_needed()
    picture(page, f"apply-this-proposed-{shade}")
    apply.click()
    page.wait(3)
    assert file.read_text() == before.replace("attempts = 3", "attempts = 5")
    assert applies.count() == 1
    picture(page, f"apply-this-applied-{shade}")
    page.run(4)
    assert file.read_text() == before


def test_an_edit_of_another_session_is_not_applied(sheet, project):
    """Outside of code blocks, its button stands below the answer, as long as there is a kernel."""
    again = f"%ipuaro start {project} --model none --new"
    page = sheet("%%ask\nAnd four times?", again)
    page.run(2)
    button(page, 2, "Apply this").wait_for()
    page.run(3)
    button(page, 2, "Apply this").click()
    page.outputs(3).get_by_text("No answer of this session has the edit").wait_for()
    page.page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    button(page, 2, "Apply this").wait_for(state="detached")
    assert "attempts = 3" in (project / "src/retry.ts").read_text()


def test_formulas_tasks_and_diagrams_are_drawn(sheet, picture):
    page = sheet(FIRST)
    page.run(2)
    formula = page.outputs(2).locator(".ipuaro-formula")
    formula.first.locator("mjx-container").wait_for()
    assert formula.nth(1).inner_text() == "$$\\href{javascript:alert(1)}{x}$$"
    assert page.outputs(2).get_by_role("img", name="done").inner_text() == "\u2611"
    diagram = page.outputs(2).locator("img.ipuaro-diagram")
    diagram.wait_for()
    assert diagram.get_attribute("src").startswith("data:image/svg+xml,")
    assert "caller --> retry" in page.text(2)
    diagram.scroll_into_view_if_needed()
    picture(page, "drawn")


def test_an_answer_whose_kernel_has_ended_says_so(sheet, picture, *, project, recording):
    start = f"%ipuaro start {project} --model recorded:{recording} --approve all --new"
    page = sheet(start, "%%ask\nWait.")
    page.run(2)
    page.start(3)
    page.outputs(3).get_by_text("running", exact=True).wait_for()
    page.outputs(3).get_by_text("Running run_command").wait_for()
    page.page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    page.outputs(3).get_by_text("Not finished: its kernel has ended").wait_for()
    page.outputs(3).get_by_text("not finished", exact=True).wait_for()
    assert page.outputs(3).get_by_text("running", exact=True).count() == 0
    picture(page, "kernel-ended")


def test_a_call_takes_two_lines_where_there_is_little_room(sheet, picture):
    page = sheet("%%ask\nLook.")
    page.run(2)
    if page.front_end == "lab":
        page.page.evaluate("window.jupyterapp.shell.collapseLeft()")
    page.page.set_viewport_size({"width": 400, "height": 900})
    call = page.outputs(2).locator("summary").first
    call.scroll_into_view_if_needed()
    assert call.bounding_box()["height"] < 2.5 * call.evaluate(_LINE_PX)
    assert "done" in call.inner_text()
    picture(page, "call-400")


@pytest.mark.parametrize(
    "theme", ["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"]
)
def test_it_looks_at_home(sheet, picture, theme):
    page = sheet(FIRST, theme=theme)
    page.run(2)
    line(page, 2).wait_for()
    button(page, 2, "Copy").first.wait_for()
    for part in (".ipuaro-next", ".ipuaro-code-buttons", ".ipuaro-answer p"):
        assert page.page.evaluate(CONTRAST, [part, 4.5]) == []
    if page.front_end == "lab":
        page.page.evaluate("window.jupyterapp.shell.collapseLeft()")
    page.page.set_viewport_size({"width": 400, "height": 900})
    line(page, 2).scroll_into_view_if_needed()
    for one in (line(page, 2), button(page, 2, "Ask"), button(page, 2, "Insert as cell").first):
        box = one.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 400
    picture(page, f"answers-400-{theme.removeprefix('JupyterLab ').lower().replace(' ', '-')}")


@pytest.fixture
def below(lab, page_of, *, recording, front_end):
    """Return a function that opens a notebook in a deep folder, its project started."""

    def open_it(root, *cells):
        name = f"deep/down/{front_end}.ipynb"
        (lab.root / name).parent.mkdir(parents=True, exist_ok=True)
        start = f"%ipuaro start {root} --model recorded:{recording}"
        lab.write(name, ["%load_ext ipuaro_jupyter", start, *cells])
        opened = page_of(name)
        opened.run(0, 1)
        return opened

    return open_it


def test_a_place_is_opened_at_its_line_wherever_the_notebook_is(
    lab, below, make_project, front_end
):
    """In JupyterLab at its line; Notebook 7 opens a tab of the browser, which takes no line."""
    made = make_project({"src/retry.ts": "\n" * 20})
    root = lab.root / "apps" / made.parent.name / front_end
    shutil.copytree(made, root)
    page = below(root, "%cd /tmp", FIRST)
    page.run(2, 3)
    links = page.outputs(3).locator("a.ipuaro-place")
    assert links.all_inner_texts() == ["src/retry.ts:2", "src/retry.ts:4-5", "the loop"]
    if front_end == "lab":
        links.nth(1).click()
        page.page.wait_for_function(_CURSOR, arg=3)
        opened = page.page.evaluate("window.jupyterapp.shell.currentWidget.context.path")
        page.page.evaluate("window.jupyterapp.commands.execute('application:close')")
    else:
        with page.page.context.expect_page() as tab:
            links.nth(1).click()
        opened = tab.value.url.split("?")[0]
        tab.value.close()
    assert opened.endswith(f"{root.relative_to(lab.root)}/src/retry.ts")


def test_a_place_outside_of_the_server_is_shown_in_a_cell_below(sheet, picture):
    """Without a project open it is text: no link leads nowhere."""
    page = sheet(FIRST, "%ipuaro stop")
    page.run(2)
    assert page.outputs(2).locator("a.ipuaro-place").count() == 0
    picture(page, "places-outside")
    button(page, 2, "src/retry.ts:4-5").click()
    page.page.wait_for_function(_SOURCE_IS, arg=[3, SHOWN])
    page.wait(3)
    assert "for (let i = 0; i < attempts; i++)" in page.text(3)
    page.run(4)
    page.cell(2).get_by_role("button").first.wait_for(state="detached")
    assert page.outputs(2).locator("span.ipuaro-place").count() == 3


_NOTEBOOK = "window.jupyterapp.shell.currentWidget.content"
_CELLS = f"() => {_NOTEBOOK}.widgets.length"
_CURSOR = """line =>
  window.jupyterapp.shell.currentWidget.content?.editor?.getCursorPosition().line === line"""
_LINE_PX = "node => parseFloat(getComputedStyle(node).lineHeight)"
_SOURCE_IS = f"""([number, text]) =>
  {_NOTEBOOK}.widgets[number]?.model.sharedModel.getSource() === text"""
_TURN_MEANWHILE = """async path => {
  const { commands, shell } = window.jupyterapp;
  const own = shell.currentWidget;
  const beside = await commands.execute("docmanager:open", { path, factory: "Notebook" });
  await beside.sessionContext.ready;
  shell.activateById(own.id);
  own.content.scrollToItem = async () => {
    shell.activateById(beside.id);
    await new Promise(done => setTimeout(done, 500));
  };
  Object.assign(window, { own, beside });
}"""
# The registry itself, as the editor of the settings has it.
_SET = """async ([isShown]) => {
  const app = window.jupyterapp;
  const tokens = [...app.pluginRegistry._services.keys()];
  const token = tokens.find(({ name }) => name === '@jupyterlab/coreutils:ISettingRegistry');
  const registry = await app.resolveRequiredService(token);
  await registry.set('ipuaro-views:answers', 'nextQuestion', isShown); }"""

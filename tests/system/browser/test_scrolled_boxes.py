"""Boxes that scroll in a page of nbconvert: reached by Tab, scrolled by keys, printed whole."""

import pytest
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.chat import Answer, CalledTool, ToolCall
from ipuaro_jupyter.records.outputs import (
    Code,
    Diff,
    Run,
    Table,
    TextOutput,
    ToolResult,
    Tree,
)
from ipuaro_jupyter.views import proposal
from ipuaro_jupyter.views.drawing import bundle, mimebundle

pytestmark = pytest.mark.browser
MANY = tuple(f"line {number} " + "of many words " * 30 for number in range(200))
CUT = """() => [...document.querySelectorAll('.ipuaro *')].filter((box) => {
  const { overflowX, overflowY } = getComputedStyle(box);
  const scrolls = (how) => how === 'auto' || how === 'scroll' || how === 'hidden';
  return (scrolls(overflowY) && box.scrollHeight > box.clientHeight + 1)
    || (scrolls(overflowX) && box.scrollWidth > box.clientWidth + 1);
}).map((box) => [box.className, box.tabIndex])"""
OPEN = "for (const one of document.querySelectorAll('details')) one.open = true"


def records():
    """Return the MIME bundle of each kind of record that may be long."""
    text = "\n".join(MANY)
    call = ToolCall(name="create_file", arguments={"path": "a.ts", "content": text})
    result = ToolResult(tool="create_file", output=TextOutput(content="Created."))
    commit = Proposal(
        id="1",
        kind="commit",
        tool="git_commit",
        title="Commit",
        message="m",
        files=tuple(f"src/{number}.ts" for number in range(150)),
    )
    decided = commit, Decision(action="apply")
    return [
        mimebundle(Table(title="Rows", columns=("text",), rows=tuple((one,) for one in MANY))),
        mimebundle(Code(title="a.ts", lines=MANY, language="ts")),
        mimebundle(Diff(title="a.ts", path="a.ts", old="", new=text)),
        mimebundle(Tree(title="src", lines=MANY)),
        mimebundle(
            Run(title="Ran", command=text, stdout=text, stderr="", exit_code=0, duration_ms=5)
        ),
        mimebundle(
            Answer(
                question="?",
                text=f"```ts\n{MANY[0]}\n```",
                tool_calls=(CalledTool(call=call, result=result),),
            )
        ),
        bundle(proposal.text(*decided), proposal.html(*decided), *proposal.STYLES),
    ]


@pytest.fixture
def page(browser, tmp_path):
    cells = [
        new_code_cell("1", outputs=[new_output("display_data", data=data)]) for data in records()
    ]
    exporter = HTMLExporter()
    html, _ = exporter.from_notebook_node(new_notebook(cells=cells))
    (tmp_path / "n.html").write_text(html, "utf-8")
    context = browser.new_context(offline=True)
    opened = context.new_page()
    opened.goto((tmp_path / "n.html").as_uri(), wait_until="domcontentloaded")
    opened.evaluate(OPEN)
    yield opened
    context.close()


def test_what_is_cut_on_the_screen_is_reached_by_tab_and_scrolled_by_keys(page):
    cut = page.evaluate(CUT)
    assert len(cut) >= len(records()), "the longest of each record scrolls"
    assert [name for name, tab in cut if tab != 0] == []
    box = page.locator(".ipuaro-scroll").first
    box.focus()
    page.keyboard.press("End")
    page.wait_for_function("document.querySelector('.ipuaro-scroll').scrollTop > 0")


def test_nothing_is_cut_on_paper(page):
    page.emulate_media(media="print")
    assert page.evaluate(CUT) == []

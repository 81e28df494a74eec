"""Proposals of all kinds as they are drawn, in JupyterLab and in Notebook 7.

| what                                              | test                                        |
|---------------------------------------------------|---------------------------------------------|
| create, delete, MCP; looks; narrow and wide; axe  | test_it_looks_at_home                       |
| HTML, control and bidi characters; no line breaks | test_nothing_that_is_proposed_runs_or_hides |
| 10 000 changes                                    | test_a_very_long_proposal_stays_usable      |
"""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser
CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
SHOW = (Path(__file__).parent / "show_proposal.py").read_text()


def findings(sheet):
    """Return what axe finds serious in the questions."""
    response = Axe().run(sheet.page, context={"include": [[".ipuaro-proposal"]]}).response
    assert response["passes"], "nothing was looked at"
    bad = [one for one in response["violations"] if one["impact"] in {"serious", "critical"}]
    return [f"{one['id']}: {node['html'][:200]}" for one in bad for node in one["nodes"]]


KINDS = """\
old = "".join(f"const value{n} = {n};  // a number\\n" for n in range(30))
new = old.replace("= 3;", "= 33;").replace("const value20 = 20;", "let other = 'a';")
show(kind="edit", title="Edit lines 3-20 of src/a.ts", path="src/a.ts", old_text=old, new_text=new,
     editable=True, pattern="src/*")
show(kind="create", title="Create src/b.ts", path="src/b.ts", new_text=old, editable=True)
show(kind="delete", title="Delete src/a.ts", path="src/a.ts", old_text=old, pattern="src/*")
show(kind="mcp", title="Call buy of the MCP server 'shop'", called=("shop", "buy"),
     tool="mcp__shop__buy", message='{\\n  "what": "milk",\\n  "litres": 2\\n}',
     reason="Not marked as read-only.",     pattern="any arguments")
"""


@pytest.mark.parametrize("theme", ["Light", "Dark", "Dark High Contrast"])
@pytest.mark.parametrize("width_px", [400, 1600])
def test_it_looks_at_home(sheet, picture, theme, width_px):
    """Nothing is wider than the page, everything is legible, and axe finds nothing serious."""
    page = sheet(SHOW, KINDS, theme=f"JupyterLab {theme}")
    page.page.set_viewport_size({"width": width_px, "height": 2600})
    if page.front_end == "lab":
        page.page.evaluate("window.jupyterapp.shell.collapseLeft()")
    page.run(2, 3)
    page.outputs(3).locator(".ipuaro-proposal").nth(3).wait_for()
    page.outputs(3).get_by_role("checkbox", name="Change 2 of 2").uncheck()
    name = f"proposals-{theme.lower().replace(' ', '-')}-{width_px}"
    picture(page, name)
    for question in page.outputs(3).locator(".ipuaro-proposal").all():
        room = question.evaluate("node => [node.scrollWidth, node.clientWidth]")
        assert room[0] <= room[1]
    assert page.page.evaluate(CONTRAST, [".ipuaro-proposal", 4.5]) == []
    assert findings(page) == []


HOSTILE = """\
evil = "<img src=x onerror=\\"document.title='run'\\"><script>document.title='run'</script>"
evil += "\\u202e\\u2066\\x1b[31m\\x00\\u200b</pre></div></style>$x$"
show(kind="edit", title=evil, path=evil, old_text=f"a\\n{evil}\\n", new_text=f"{evil}b\\n",
     reason=evil, pattern=evil, editable=True)
show(kind="command", title=evil, command=evil, runs=(evil,), reason=evil, pattern=evil)
show(kind="commit", title=evil, message=evil, files=(evil,), states=("added",), editable=True)
show(kind="mcp", title=evil, called=(evil, evil), message=evil)
line = "".join(f"var v{n}={n};" for n in range(40_000))
show(kind="edit", title="Edit min.js", path="min.js", old_text=line,
     new_text=line.replace("v20000=20000", "v20000=7"), editable=True)
"""


def test_nothing_that_is_proposed_runs_or_hides(sheet, picture):
    page = sheet(SHOW, HOSTILE)
    page.run(2, 3)
    drawn = page.outputs(3).locator(".ipuaro-proposal")
    drawn.nth(4).wait_for()
    assert page.page.title() != "run"
    assert page.outputs(3).locator("img, script, mjx-container").count() == 0
    html = page.outputs(3).evaluate("node => node.innerHTML")
    assert not set("\u202e\u2066\x1b\x00\u200b") & set(html)
    for number in range(4):
        assert "[U+202E]" in drawn.nth(number).inner_text()
    minified = drawn.nth(4)
    assert minified.locator("mark").first.inner_text() in {"20000", "7"}
    assert "characters not shown" in minified.inner_text()
    assert len(minified.evaluate("node => node.innerHTML")) < 100_000
    drawn.nth(0).scroll_into_view_if_needed()
    picture(page, "proposal-hostile")


LONG = """\
old = "".join(f"line {n}\\n" for n in range(100_000))
new = "".join(f"line {n}{' changed' * (n % 10 == 0)}\\n" for n in range(100_000))
show(kind="edit", title="Edit long.txt", path="long.txt", old_text=old, new_text=new, editable=True)
"""


def test_a_very_long_proposal_stays_usable(sheet, picture):
    """Ten thousand changes: what is not shown is said, and can be left out or applied."""
    page = sheet(SHOW, LONG, "(await decision()).action, len(said[0].hunks)")
    page.run(2, 3)
    page.outputs(3).get_by_role("button", name="Reject", exact=True).wait_for()
    assert "more changes not shown" in page.text(3)
    assert len(page.outputs(3).evaluate("node => node.innerHTML")) < 2_000_000
    shown = page.outputs(3).locator(".ipuaro-changes input").count() - 1
    every = page.outputs(3).locator(".ipuaro-primary").inner_text()
    assert every == f"Apply ({2 * (10_000 - shown):,} lines not seen)"
    page.outputs(3).get_by_role("checkbox", name="more changes not shown").uncheck()
    picture(page, "proposal-long")
    page.outputs(3).get_by_role(
        "button", name=f"Apply {shown} of 10,000 changes", exact=True
    ).click()
    page.run(4)
    assert page.text(4).endswith(f"('apply', {shown})")

"""What holds for tables and graphs alike: strangers' data, every theme, no extension."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
CONTRAST = (Path(__file__).parents[1] / "contrast.js").read_text()
HOSTILE = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"


def test_keys_in_a_view_are_not_for_the_notebook(views, table_of, small_graph, picture_of):
    sheet = views(("graph", small_graph), ("table", table_of(3)))
    picture_of(sheet.outputs(0))
    files = sheet.outputs(0).get_by_label("Files", exact=True)
    files.focus()
    for key in ("ArrowDown", "ArrowDown", "a", "x", "d", "d"):
        sheet.page.keyboard.press(key)
    assert sheet.page.locator(".jp-Notebook .jp-Cell").count() == 2
    files.select_option("src/log.ts (hub)")
    assert "src/log.ts" in sheet.outputs(0).locator(".ipuaro-live-name").inner_text()


def test_hostile_data_is_text(views, table_of, graph_of, picture_of):
    """Names are text, code is sanitized, and no address but a file's is a link."""
    table = table_of(5)
    table["title"] = table["columns"][1]["name"] = table["rows"][0][1] = HOSTILE
    remote = '<img src="https://example.com/a.png"><a href="javascript:alert(1)">x</a>'
    style = '<b style="background:url(https://example.com/b.png)">kept</b>'
    table["code"][0].update(title=HOSTILE, html=HOSTILE + remote + style)
    addresses = [
        "javascript:document.title='run'",
        "https://example.com/",
        "//example.com/x",
        "../../../../etc/passwd",
        "\\\\example.com\\x",
    ]
    for row, address in enumerate(addresses):
        table["links"][row]["href"] = address
    graph = graph_of([HOSTILE, "\u202etxt.exe"], [[0, 1]], marks={HOSTILE: [HOSTILE]})
    sheet = views(("table", table), ("graph", graph))
    view = sheet.outputs(0)
    view.locator(".ipuaro-live-opens button").first.click()
    assert "kept" in view.locator(".ipuaro-live-code").inner_text()
    picture_of(sheet.outputs(1))
    sheet.outputs(1).get_by_label("Files", exact=True).select_option(index=0)
    sheet.outputs(1).locator(".ipuaro-live-name").wait_for()
    assert sheet.page.title() != "run"
    for number in (0, 1):
        assert sheet.outputs(number).locator("img, script, iframe").count() == 0
    assert view.locator("th a, a[href]").count() == 0
    assert "[U+202E]txt.exe" in sheet.text(1)
    origins = sheet.page.evaluate(_ORIGINS)
    assert origins == [sheet.page.evaluate("location.origin")]


@pytest.mark.parametrize(
    ("kind", "changes", "said"),
    [
        ("table", {"version": 2}, "its version is 2, not 1"),
        ("table", {"rows": [["short"]]}, "rows of 4 cells"),
        ("graph", {"edges": [[0, 99]]}, '"edges"'),
        ("graph", {"nodes": "none"}, '"nodes"'),
        ("graph", {"depth": -1}, '"depth"'),
        ("graph", {"direction": "up"}, '"direction"'),
    ],
    ids=["version", "rows", "edges", "nodes", "depth", "direction"],
)
def test_wrong_data_is_told_in_a_line(views, kind, changes, said, *, table_of, small_graph):
    data = table_of(1) if kind == "table" else small_graph
    text = views((kind, {**data, **changes})).outputs(0).get_by_role("alert").inner_text()
    assert said in text
    assert "Run the cell again" in text


def test_more_than_a_page_can_draw_is_told_in_a_line(views, table_of, small_graph):
    table, node = table_of(1), small_graph["nodes"][0]
    deep = {**node, "folder": "a/" * 5000 + "a"}
    wrong = [
        ("table", {**table, "rows": table["rows"] * 70_000, "links": [], "code": []}),
        ("table", {**table, "columns": table["columns"] * 300, "rows": [], "links": []}),
        ("graph", {**small_graph, "nodes": [node] * 5001}),
        ("graph", {**small_graph, "nodes": [*small_graph["nodes"], deep]}),
        ("graph", {**small_graph, "edges": [[0, 1]] * 50_001}),
        ("graph", {**small_graph, "cycles": [[1, 2]] * 25_001}),
    ]
    said = [
        "it has 280,000 cells, more than 250,000",
        "it has 1,200 columns, more than 1,000",
        "it has 5,001 nodes, more than 5,000",
        "its folders are 5,001 deep, more than 100",
        "it has 50,001 edges, more than 50,000",
        "it has 50,002 files in cycles, more than 50,000",
    ]
    sheet = views(*wrong)
    for number, text in enumerate(said):
        assert text in sheet.outputs(number).get_by_role("alert").inner_text()


@pytest.mark.parametrize("theme", ["Light", "Dark", "Dark High Contrast"])
def test_views_are_at_home_in_every_theme(
    views, picture, theme, *, table_of, small_graph, picture_of
):
    """Text has to stand out (WCAG AA), also narrow and wide; axe finds nothing serious."""
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - missing with playwright

    graph = ("graph", {**small_graph, "focus": "src/auth/login.ts"})
    sheet = views(("table", table_of(12)), graph, theme=f"JupyterLab {theme}")
    sheet.outputs(0).get_by_role("button", name="Show the code of run2").click()
    drawn = picture_of(sheet.outputs(1))
    assert sheet.page.evaluate(CONTRAST, [".ipuaro-live", 4.5]) == []
    found = Axe().run(sheet.page, context={"include": [[".ipuaro-live"]]}).response
    assert found["passes"], "nothing was looked at"
    serious = [one for one in found["violations"] if one["impact"] in {"serious", "critical"}]
    assert serious == [], json.dumps(serious)[:2000]
    name = theme.lower().replace(" ", "-")
    for width in (620, 1100, 1700):
        sheet.page.set_viewport_size({"width": width, "height": 1500})
        sheet.outputs(1).scroll_into_view_if_needed()
        drawn.frame.press("0")
        picture(sheet, f"views-{name}-{width}")
        view = sheet.outputs(1).locator(".ipuaro-live")
        over = view.evaluate("node => node.scrollWidth - node.clientWidth")
        assert over <= 1, f"{over} px too wide in a window of {width} px"


def test_what_has_the_focus_is_seen_on_all_sides(views, table_of, small_graph, picture_of):
    sheet = views(("table", table_of(2)), ("graph", {**small_graph, "focus": "src/auth/login.ts"}))
    picture_of(sheet.outputs(1))
    sheet.outputs(0).get_by_label("Filter").press("Tab")  # by the keyboard, else nothing shows it
    for number, least in ((0, 9), (1, 15)):
        reached, cut_off = sheet.outputs(number).locator(".ipuaro-live").evaluate(_RINGS)
        assert reached >= least
        assert cut_off == []


def test_what_the_magics_show_is_live(sheet, picture_of):
    page = sheet("%ipuaro complexity", "%ipuaro graph")
    page.run(2, 3)
    page.outputs(2).locator(".ipuaro-live-table").wait_for()
    assert "src/retry.ts" in page.text(2)
    assert "retry.ts" in picture_of(page.outputs(3)).names()


def test_without_the_extension_the_html_is_shown_and_a_cell_becomes_a_question(
    views, table_of, small_graph
):
    """The page as the server sends it when the extension is not installed."""
    sheet = views(("table", table_of(3)), ("graph", small_graph))
    sheet.page.route("**/*views.ipynb*", _without_extension)
    address = sheet.page.url.partition("?")[0]
    sheet.page.goto(f"{address}?reset")  # else another page's notebook may be restored into it
    sheet.outputs(1).get_by_text("static").wait_for()
    assert sheet.text(0) == "static"
    assert sheet.text(1) == "static"
    assert sheet.page.locator(".ipuaro-live").count() == 0
    sheet.cell(0).locator(".jp-InputArea-editor").click()
    sheet.page.keyboard.press("Control+Alt+a")
    sheet.cell(0).get_by_text("%%ask").wait_for()
    sheet.page.close()  # no other test is to have it


def _without_extension(route):
    response = route.fetch()
    page = response.text()
    if "jupyter-config-data" not in page:
        route.fulfill(response=response)
        return
    before, _, rest = page.partition('"federated_extensions": ')
    extensions, end = json.JSONDecoder().raw_decode(rest)
    kept = [extension for extension in extensions if extension["name"] != "ipuaro-views"]
    assert len(kept) == len(extensions) - 1
    body = f'{before}"federated_extensions": {json.dumps(kept)}{rest[end:]}'
    route.fulfill(response=response, body=body)


# How many controls show the focus, and those where something around cuts that off.
_RINGS = """view => {
  const controls = [...view.querySelectorAll('a[href], button, input, select, [tabindex]')]
    .filter(node => node.checkVisibility() && !node.disabled);
  const isCut = node => {
    node.focus({ preventScroll: true });
    const { outlineOffset, outlineStyle, outlineWidth } = getComputedStyle(node);
    if (outlineStyle === 'none') return true;
    const ring = parseFloat(outlineOffset) + parseFloat(outlineWidth);
    const { left, right } = node.getBoundingClientRect();
    const last = view.closest('.jp-OutputArea-output');
    for (let at = node.parentElement; at !== last.parentElement; at = at.parentElement) {
      const around = at.getBoundingClientRect();
      if (getComputedStyle(at).overflowX === 'visible') continue;
      if (left - ring < around.left - 0.1 || right + ring > around.right + 0.1) return true;
    }
    return false;
  };
  return [controls.length, controls.filter(isCut).map(node => node.outerHTML.slice(0, 99))];
}"""
_ORIGINS = """() => [...new Set(performance.getEntriesByType('resource')
  .map(entry => new URL(entry.name)).filter(url => url.protocol.startsWith('http'))
  .map(url => url.origin))]"""

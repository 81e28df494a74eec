"""A table: sorted, filtered, opened, printed; all by keyboard too."""

import pytest

pytestmark = pytest.mark.browser


def cells_of(view, column):
    return view.locator(f"tbody tr:visible > :nth-child({column})").all_inner_texts()


def test_a_table_is_sorted_by_its_headers(views, table_of):
    view = views(("table", table_of(12))).outputs(0)
    head = view.locator("th", has_text="score")
    assert head.get_attribute("aria-sort") == "none"
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    scores = [int(text) for text in cells_of(view, 4)]
    assert scores == sorted(scores, reverse=True)
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert [int(text) for text in cells_of(view, 4)] == sorted(scores)
    view.locator("th", has_text="function").get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "none"
    assert cells_of(view, 2) == [f"run{number}" for number in range(12)]


def test_cells_without_a_value_come_last_both_ways(views, table_of):
    data = table_of(4)
    for row, (name, lines) in zip(
        data["rows"], [(None, 0.1234), ("b", None), ("a", -5), ("c", 12345.6789)], strict=True
    ):
        row[1:3] = name, lines
    view = views(("table", data)).outputs(0)
    lines = view.locator("th", has_text="lines").get_by_role("button")
    lines.click()
    assert cells_of(view, 3) == ["12,345.6789", "0.1234", "-5", ""]
    lines.click()
    assert cells_of(view, 3) == ["-5", "0.1234", "12,345.6789", ""]
    names = view.locator("th", has_text="function").get_by_role("button")
    names.click()
    assert cells_of(view, 2) == ["a", "b", "c", ""]
    names.click()
    assert cells_of(view, 2) == ["c", "b", "a", ""]


def test_a_table_is_filtered(views, table_of):
    view = views(("table", table_of(240))).outputs(0)
    assert view.get_by_role("status").inner_text() == "240 of 240"
    view.get_by_label("Filter").fill("PART3 file1")
    shown = cells_of(view, 1)
    assert shown
    assert all("part3/file1" in path for path in shown)
    assert view.get_by_role("status").inner_text() == f"{len(shown)} of 240"


def test_a_filter_finds_rows_that_are_not_listed_or_says_no_match(views, front_end, table_of):
    """A path among them is a link, too; sorting lists the first rows of all."""
    data = table_of(241)
    data["rows"][200][0] = "src/main.ts"
    data |= {"listed": 20, "folder": ".", "links": data["links"][:20], "code": data["code"][:20]}
    sheet = views(("table", data))
    view = sheet.outputs(0)
    status = view.get_by_role("status")
    assert (status.inner_text(), len(cells_of(view, 1))) == ("20 of 241", 20)
    view.get_by_label("Filter").fill("main")
    assert (status.inner_text(), cells_of(view, 2)) == ("1 of 241", ["run200"])
    link = view.get_by_role("link", name="src/main.ts")
    link.wait_for()
    assert link.get_attribute("href").split("?")[0].endswith(f"views-{front_end}/src/main.ts")
    view.get_by_label("Filter").fill("nothing like it")
    assert (status.inner_text(), cells_of(view, 1)) == ("no match in 241", [])
    view.get_by_label("Filter").fill("")
    view.locator("th", has_text="score").get_by_role("button").click()
    highest = sorted((number * 13 % 100 for number in range(241)), reverse=True)[:20]
    assert [int(text) for text in cells_of(view, 4)] == highest


def test_a_row_opens_its_code_by_button_and_by_mouse(views, table_of):
    view = views(("table", table_of(3))).outputs(0)
    show = view.get_by_role("button", name="Show the code of run1")
    show.press("Enter")
    assert show.get_attribute("aria-expanded") == "true"
    assert view.locator("pre.ipuaro-code").inner_text().strip() == "return 1"
    assert view.locator("pre.ipuaro-code .ipuaro-k").count() == 1
    view.locator("th", has_text="score").get_by_role("button").click()
    assert "return 1" in view.locator("tr:has(button[aria-expanded=true]) + tr").inner_text()
    show.press("Enter")
    assert view.locator("pre.ipuaro-code").count() == 0
    view.get_by_text("run2", exact=True).click()
    assert view.locator("pre.ipuaro-code").inner_text().strip() == "return 2"


def test_a_link_opens_the_file(views, front_end, table_of):
    """In JupyterLab at its line; Notebook 7 opens a tab of the browser, which takes no line."""
    data = table_of(1)
    data["rows"][0][0] = data["links"][0]["href"] = "src/main.ts"
    data["links"][0]["line"] = 120
    sheet = views(("table", data))
    link = sheet.outputs(0).get_by_role("link", name="src/main.ts")
    link.wait_for()
    if front_end == "lab":
        link.click()
        sheet.page.wait_for_function(_CURSOR, arg=119)
        sheet.page.evaluate("window.jupyterapp.commands.execute('application:close')")
    else:
        with sheet.page.context.expect_page() as opened:
            link.click()
        assert opened.value.url.split("?")[0].endswith("src/main.ts")
        opened.value.close()


def test_two_thousand_rows_stay_usable(views, table_of):
    view = views(("table", table_of(2000))).outputs(0)
    assert view.get_by_role("status").inner_text() == "2,000 of 2,000"
    view.locator("th", has_text="lines").get_by_role("button").click()
    view.get_by_label("Filter").fill("file1999")
    assert cells_of(view, 2) == ["run1999"]
    view.get_by_label("Filter").fill("")
    assert view.get_by_role("status").inner_text() == "2,000 of 2,000"
    view.locator("th", has_text="score").get_by_role("button").click()
    scores = [int(text) for text in view.locator("tbody td:nth-child(4)").all_text_contents()]
    assert scores == sorted((number * 13 % 100 for number in range(2000)), reverse=True)


def test_all_rows_are_printed(views, table_of):
    sheet = views(("table", table_of(100)))
    scroll = sheet.outputs(0).locator(".ipuaro-scroll")
    assert scroll.evaluate(_HIDDEN_PX) > 0
    sheet.page.emulate_media(media="print")
    assert scroll.evaluate(_HIDDEN_PX) <= 1


_CURSOR = """line => {
  const widget = window.jupyterapp.shell.currentWidget;
  return widget?.context?.path?.endsWith('src/main.ts')
    && widget.content.editor.getCursorPosition().line === line;
}"""
_HIDDEN_PX = "node => node.scrollHeight - node.clientHeight"

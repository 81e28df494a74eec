"""A graph: its picture, the lists beside it, and thousands of files."""

from itertools import combinations

import pytest

pytestmark = pytest.mark.browser


def paths_under(view, heading):
    """Return the buttons of one of the lists that tell of the selected file."""
    lists = view.locator(f".ipuaro-live-heading:has-text('{heading}') + ul")
    return lists.first.get_by_role("button").all_inner_texts() if lists.count() else []


@pytest.fixture
def large_graph(graph_of):
    """2 000 files in 50 folders; each uses its neighbour and one file that many use."""
    files = [f"src/area{n // 400}/part{n // 40}/file{n}.ts" for n in range(2000)]
    edges = [[n, n + 1] for n in range(1999)] + [[n, n // 40 * 40] for n in range(2000) if n % 40]
    return graph_of(files, edges)


def test_a_file_tells_what_it_uses_and_what_uses_it(views, small_graph, picture_of):
    view = views(("graph", small_graph)).outputs(0)
    drawn = picture_of(view)
    drawn.click("login.ts")
    assert paths_under(view, "Dependencies") == ["src/auth/token.ts", "src/store.ts"]
    assert paths_under(view, "Dependents") == ["src/main.ts", "src/auth/token.ts"]
    assert paths_under(view, "In a cycle") == ["src/auth/token.ts"]
    assert view.get_by_role("link", name="src/auth/login.ts").count() == 1
    view.locator(".ipuaro-live-about").get_by_role("button", name="src/store.ts").click()
    assert paths_under(view, "Dependencies") == ["src/log.ts"]
    assert view.get_by_label("Files", exact=True).input_value() == "3"


def test_depth_and_direction_limit_what_is_around_a_file(views, small_graph, picture_of):
    view = views(("graph", {**small_graph, "focus": "src/auth/login.ts"})).outputs(0)
    drawn = picture_of(view)
    assert len(drawn.items()) == 5
    view.get_by_label("Direction").select_option("dependents")
    assert drawn.names() == {"login.ts", "main.ts", "token.ts"}
    view.get_by_label("Direction").select_option("dependencies")
    view.get_by_label("Depth").select_option("1")
    assert drawn.names() == {"login.ts", "token.ts", "store.ts"}
    at = {item["label"].split("\n")[0]: item["x"] for item in drawn.items()}
    assert at["login.ts"] < at["store.ts"], "what is used stands to the right"
    assert view.get_by_role("status").inner_text() == "3 of 5 files"
    view.get_by_role("button", name="Show all 5 files").click()
    assert {"main.ts", "log.ts"} < drawn.names()
    assert not view.get_by_label("Depth").is_visible()


@pytest.mark.parametrize(
    ("depth", "direction", "said", "names"),
    [
        (1, "in", "dependents", {"login.ts", "main.ts", "token.ts"}),
        (4, "out", "dependencies", {"login.ts", "token.ts", "store.ts", "log.ts"}),
        (0, "both", "both ways", {"login.ts"}),
    ],
)
def test_what_is_shown_first_is_what_was_asked_for(
    views, small_graph, picture_of, depth, direction, *, said, names
):
    asked = {"focus": "src/auth/login.ts", "depth": depth, "direction": direction}
    view = views(("graph", {**small_graph, **asked})).outputs(0)
    assert picture_of(view).names() == names
    shown = [view.get_by_label(label).locator("option:checked") for label in ("Depth", "Direction")]
    assert [option.inner_text() for option in shown] == [str(depth), said]
    depths = view.get_by_label("Depth").locator("option").all_inner_texts()
    assert depths == [*sorted({str(depth), "1", "2", "3", "5"}), "all"]


def test_the_picture_marks_files_by_shape_and_word(views, small_graph, picture_of):
    drawn = picture_of(views(("graph", small_graph)).outputs(0))
    look = {item["label"]: (item["shape"], item["border"]) for item in drawn.items()}
    assert look["main.ts\n(entry)"][0] == "triangle"
    assert look["log.ts\n(hub)"][0] == "hexagon"
    assert look["login.ts\n(cycle)"] == ("ellipse", "double")
    assert look["store.ts"] == ("ellipse", "solid")


def test_the_picture_is_zoomed_and_moved(views, small_graph, picture_of):
    view = views(("graph", small_graph)).outputs(0)
    drawn = picture_of(view)
    view.get_by_role("button", name="Fit").click()
    zoom = drawn.zoom()
    view.get_by_role("button", name="Zoom in").click()
    assert drawn.zoom() > zoom
    drawn.frame.press("-")
    drawn.frame.press("-")
    assert drawn.zoom() < zoom
    drawn.frame.press("0")
    assert drawn.zoom() == pytest.approx(zoom)
    before = drawn.items()[-1]
    drawn.frame.press("ArrowRight")
    assert drawn.items()[-1]["x"] < before["x"]
    box = drawn.frame.bounding_box()
    mouse = drawn.frame.page.mouse
    mouse.move(box["x"] + box["width"] - 20, box["y"] + box["height"] - 20)
    mouse.down()
    mouse.move(box["x"] + box["width"] - 80, box["y"] + box["height"] - 60, steps=4)
    mouse.up()
    assert drawn.items()[-1]["y"] < before["y"]
    assert drawn.zoom() == pytest.approx(zoom)
    drawn.frame.page.keyboard.down("Control")
    mouse.wheel(0, -200)
    drawn.frame.page.keyboard.up("Control")
    drawn.wait_for("node._cyreg.cy.zoom() > value", zoom)


def test_a_new_size_leaves_the_picture_where_the_user_moved_it(views, small_graph, picture_of):
    sheet = views(("graph", small_graph))
    view = sheet.outputs(0)
    drawn = picture_of(view)

    def resize(width):
        before = drawn.frame.evaluate("node => node.clientWidth")
        sheet.page.set_viewport_size({"width": width, "height": 1000})
        drawn.wait_for("node.clientWidth !== value", before)
        sheet.page.evaluate(_TWO_FRAMES)
        return drawn.frame.evaluate("node => [node._cyreg.cy.zoom(), node._cyreg.cy.pan()]")

    first = resize(1000)
    view.get_by_role("button", name="Zoom in").click()
    drawn.frame.press("ArrowRight")
    moved = drawn.frame.evaluate("node => [node._cyreg.cy.zoom(), node._cyreg.cy.pan()]")
    assert resize(900) == moved != first
    view.get_by_role("button", name="Fit").click()
    assert resize(1000) == first


def test_a_picture_that_was_out_of_sight_between_two_frames_is_drawn(
    views, small_graph, picture_of
):
    """No observer of sizes sees that; Cytoscape asks for the size whenever the window changes."""
    picture = picture_of(views(("graph", small_graph)).outputs(0))
    width = picture.frame.evaluate("""async node => {
      const { cy } = node._cyreg;
      const { style } = node.closest('.jp-OutputArea');
      await new Promise(requestAnimationFrame);
      style.display = 'none';
      cy.resize();
      const hidden = cy.width();
      style.display = '';
      return hidden;
    }""")
    assert width <= 0
    picture.wait_for("node.querySelector('canvas').clientWidth > 100")
    assert picture.sees("main.ts\n(entry)")


def test_a_picture_out_of_sight_waits_without_work(views, small_graph, picture_of):
    picture = picture_of(views(("graph", small_graph)).outputs(0))
    observed, errors = picture.frame.evaluate("""async node => {
      const counts = [0, 0];
      const { observe } = ResizeObserver.prototype;
      ResizeObserver.prototype.observe = function (target) {
        if (target === node) counts[0]++;
        return observe.call(this, target); };
      window.addEventListener('error', () => counts[1]++);
      node.closest('.jp-OutputArea').style.display = 'none';
      await new Promise(done => setTimeout(done, 1000));
      return counts;
    }""")
    assert observed <= 3  # Cytoscape asks for the size, too
    assert errors == 0
    picture.frame.evaluate("node => { node.closest('.jp-OutputArea').style.display = ''; }")
    picture.wait_for("node.querySelector('canvas').clientWidth > 100")


def test_a_cycle_is_held_once(views, small_graph):
    """One list for all of its files: lists of each would be the square of a long cycle."""
    page = views(("graph", small_graph)).page
    assert page.evaluate(_SHARED, small_graph) is True


def test_search_marks_files_and_enter_goes_to_the_first(views, small_graph, picture_of):
    view = views(("graph", small_graph)).outputs(0)
    drawn = picture_of(view)
    view.get_by_label("Search").fill("AUTH")
    assert view.get_by_role("status").inner_text() == "2 of 5 files"
    found = {item["label"].split("\n")[0] for item in drawn.items() if item["found"]}
    assert found == {"login.ts", "token.ts"}
    view.get_by_label("Search").press("Enter")
    assert paths_under(view, "Dependencies") == ["src/auth/token.ts", "src/store.ts"]


def test_two_thousand_files_are_drawn_as_folders_that_open(views, picture, picture_of, large_graph):
    sheet = views(("graph", large_graph))
    view = sheet.outputs(0)
    drawn = picture_of(view)
    assert 5 <= len(drawn.items()) <= 30
    picture(sheet, "graph-2000-folders")
    drawn.click(next(name for name in sorted(drawn.names()) if name.startswith("part")))
    assert sum(name.startswith("file") for name in drawn.names()) == 40
    assert all(item["far"] is not item["label"].startswith("file") for item in drawn.items())
    view.get_by_role("button", name="Open all folders").click()
    assert sum(name.startswith("file") for name in drawn.names()) == 2000
    picture(sheet, "graph-2000-files")
    view.get_by_label("Search").fill("file1234.ts")
    view.get_by_label("Search").press("Enter")
    view.get_by_role("button", name="Show what is around it").click()
    assert "file1234.ts" in drawn.names()
    assert len(drawn.names()) < 50
    view.get_by_role("button", name="Show all 2,000 files").click()
    assert len(drawn.names()) < 30


def overlapping(labels):
    """Return the pairs of names of which one is above the other."""
    return [
        (one["text"], other["text"])
        for one, other in combinations(labels, 2)
        if one["left"] < other["right"]
        and other["left"] < one["right"]
        and one["top"] < other["bottom"]
        and other["top"] < one["bottom"]
    ]


def test_names_appear_as_one_zooms_in_hubs_first_and_none_above_another(
    views, graph_of, picture, picture_of
):
    """All folders of 241 files open; one of them, which is not the first, is used by most."""
    files = [f"src/part{number // 40}/file{number}.ts" for number in range(241)]
    edges = [[number, 145] for number in range(241) if number != 145]
    graph = graph_of(files, edges, marks={files[145]: ["hub"]})
    sheet = views(("graph", graph))
    view = sheet.outputs(0)
    drawn = picture_of(view)
    view.get_by_role("button", name="Open all folders").click()
    drawn.wait_for("node._cyreg.cy.nodes().length > 240")
    shown = drawn.labels()
    names = {label["text"] for label in shown}
    picture(sheet, "graph-241-files")
    assert {"file145.ts\n(hub)", *(f"part{number}" for number in range(6))} <= names
    assert 10 < len(shown) < 120
    for _ in range(4):
        assert overlapping(shown) == []
        view.get_by_role("button", name="Zoom in").click()
        inside = {text for text in names if text.startswith("file") and drawn.sees(text)}
        shown = drawn.labels()
        names = {label["text"] for label in shown}
        assert inside <= names
    files_seen = [item for item in drawn.items() if drawn.sees(item["label"])]
    assert {item["label"] for item in files_seen} <= names
    picture(sheet, "graph-241-files-near")


def test_what_is_searched_for_has_its_name(views, large_graph, picture_of):
    view = views(("graph", large_graph)).outputs(0)
    drawn = picture_of(view)
    view.get_by_role("button", name="Open all folders").click()
    drawn.wait_for("node._cyreg.cy.nodes().length >= 2000")
    assert "file1234.ts" not in {label["text"] for label in drawn.labels()}
    view.get_by_label("Search").fill("file1234.ts")
    assert "file1234.ts" in {label["text"] for label in drawn.labels()}
    view.get_by_label("Search").fill("")
    assert "file1234.ts" not in {label["text"] for label in drawn.labels()}
    assert not any(item["found"] for item in drawn.items())


def test_the_folder_that_was_asked_for_is_open(views, picture_of, large_graph):
    """Of the others, those that there is no room for are closed."""
    drawn = picture_of(views(("graph", {**large_graph, "focus": "src/area3/part33"})).outputs(0))
    files = {f"file{number}.ts" for number in range(33 * 40, 34 * 40)}
    assert {name for name in drawn.names() if name.startswith("file")} == files
    assert {"area0/", "area4/", "part32/"} < drawn.names()


@pytest.mark.parametrize(
    ("focus", "others", "icons", "drawn_files"),
    [
        ("src/icons", 1, 150, 151),
        ("src/icons", 1, 151, 1),
        ("src/icons", 1, 1900, 1),
        ("src/icons", 1900, 20, 0),
    ],
    ids=["large", "too large", "huge", "in a huge one"],
)
def test_a_huge_folder_that_was_asked_for_is_closed(
    views, picture_of, graph_of, *, focus, others, icons, drawn_files
):
    """Its thousands of files would take long to draw; it is opened by a click."""
    paths = [f"src/file{n}.ts" for n in range(others)]
    paths += [f"src/icons/file{others + n}.ts" for n in range(icons)]
    graph = graph_of(paths, [[0, n] for n in range(1, len(paths))])
    drawn = picture_of(views(("graph", {**graph, "focus": focus})).outputs(0))
    assert sum(name.startswith("file") for name in drawn.names()) == drawn_files


def test_a_change_of_theme_changes_the_picture(views, small_graph, picture_of):
    sheet = views(("graph", small_graph), theme="JupyterLab Light")
    drawn = picture_of(sheet.outputs(0))
    light = drawn.items()[-1]["colour"]
    sheet.set_theme("JupyterLab Dark")
    drawn.wait_for("node._cyreg.cy.nodes()[0].style('border-color') !== value", light)


_TWO_FRAMES = "() => new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)))"
_SHARED = """async data => {
  const { Files } = await import('/lab/extensions/ipuaro-views/static/layers.js');
  const [, login, token] = new Files(data).all;
  return login.cycles[0] === token.cycles[0] && login.cycles[0].includes(token);
}"""

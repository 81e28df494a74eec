import pytest

from ipuaro_jupyter.records.outputs import Code, FailedTest, Plain, Run, Table, Tree
from ipuaro_jupyter.views import code, plain, run, shape, table, tree


def test_code_has_its_own_line_numbers():
    shown = Code(title="a.ts", lines=("let a;", "let b;"), start=9, language="ts")
    assert code.text(shown) == "a.ts (lines 9\u201310)\n 9  let a;\n10  let b;"
    assert '<span class="ipuaro-n">10  </span>' in code.html(shown)


def test_code_without_lines_says_so():
    empty = Code(title="a.ts", lines=())
    assert code.text(empty) == "a.ts\nEmpty."
    assert "Empty." in code.html(empty)


def test_table_aligns_numbers_right_and_names_its_rows():
    shown = Table(
        title="Complexity", columns=("File", "Score"), rows=(("a.ts", 7), ("b.ts", 12.5)), note="N"
    )
    assert table.text(shown) == (
        "Complexity\nFile  Score\n----  -----\na.ts      7\nb.ts   12.5\nN"
    )
    html = table.html(shown)
    assert '<th scope="row">a.ts</th><td class="ipuaro-right">7</td>' in html
    assert '<th scope="col">File</th>' in html


def test_table_groups_thousands_of_numbers_and_leaves_texts_as_they_are():
    shown = Table(
        title="t", columns=("id", "n", "of"), rows=(("2026", 1234567, 1234.5), ("1", 999, 2.0))
    )
    assert table.text(shown).splitlines()[3] == "2026  1,234,567  1,234.5"
    assert '<th scope="row">2026</th><td class="ipuaro-right">1,234,567</td>' in table.html(shown)
    assert shown.to_markdown().splitlines()[2] == "| 2026 | 1234567 | 1234.5 |"


def test_long_path_in_a_table_breaks_behind_its_slashes():
    shown = Table(
        title="t", columns=("file", "text"), rows=(("src/<b>/c.ts", "a/b"),), kinds={"file": "path"}
    )
    assert '<th scope="row">src/<wbr>&lt;b&gt;/<wbr>c.ts</th><td>a/b</td>' in table.html(shown)
    assert "src/<b>/c.ts" in table.text(shown)


def test_table_says_words_for_none_and_bool():
    shown = Table(title="t", columns=("a", "b"), rows=((None, True), ("x", False)))
    assert "\u2013  yes" in table.text(shown)
    assert "<td>no</td>" in table.html(shown)


def test_an_empty_table_says_so():
    shown = Table(title="t", columns=("a",), rows=())
    assert "Nothing." in table.text(shown)
    assert "Nothing." in table.html(shown)


def test_tree_keeps_its_branches():
    shown = Tree(
        title="src", lines=("\u251c\u2500\u2500 a.ts", "\u2514\u2500\u2500 b.ts"), note="2"
    )
    assert tree.text(shown).splitlines()[1] == "\u251c\u2500\u2500 a.ts"
    assert "\u2514\u2500\u2500 b.ts" in tree.html(shown)


def test_run_says_how_it_ended():
    shown = Run(
        title="Ran",
        command="npm test",
        stdout="\x1b[31m1 failed\x1b[0m\n",
        stderr="oops",
        exit_code=1,
        duration_ms=1500,
    )
    assert run.text(shown) == (
        "Ran\n$ npm test\nOutput:\n1 failed\nErrors:\noops\nFailed: exit code 1 after 1.5 s"
    )
    assert "1 failed</pre>" in run.html(shown)


def test_plain_is_a_paragraph():
    assert plain.html(Plain(text="a\nb")) == '<p class="ipuaro-plain">a\nb</p>'


@pytest.mark.parametrize("draw", [shape.text, shape.html])
def test_every_shape_is_drawn(draw):
    assert draw(Plain(text="hello"))


def test_a_test_run_says_its_numbers_and_what_failed_before_its_output():
    shown = Run(
        title="Tests with jest",
        command="jest",
        stdout="a long output\n",
        stderr="",
        exit_code=1,
        duration_ms=5,
        counts=((1, "failed"), (2, "passed"), (0, "skipped")),
        failed=(FailedTest(name="outer <bad>", message="1 is not 2"),),
    )
    told = run.text(shown)
    assert "\u2717 1 failed, \u2713 2 passed\n  \u2717 outer <bad>: 1 is not 2\n" in told
    html = run.html(shown)
    places = [html.index(said) for said in ("1 failed", "outer &lt;bad&gt;", "a long output")]
    assert places == sorted(places)
    assert html.index("<details>") < html.index("a long output")
    assert "skipped" not in html


def test_a_tree_needs_no_font_with_icons_in_a_page():
    drawn = tree.html(
        Tree(title="p/", lines=("\u251c\u2500\u2500 \U0001f4c1 <b>/", "\U0001f4c4 a.ts"))
    )
    assert "\u251c\u2500\u2500 <strong>&lt;b&gt;/</strong>" in drawn
    assert "\na.ts" in drawn
    assert "\U0001f4c1" not in drawn

import re
import subprocess
import sys

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views import diff
from ipuaro_jupyter.views.diffs.diff_cut import RECORD, TERMINAL


def make(old, new):
    return Diff(title="Edited a.ts", path="a.ts", old=old, new=new)


def test_text_is_a_unified_diff():
    text = diff.text(make("one\ntwo\n", "one\n2\n"))
    assert text == (
        "Edited a.ts (1 line added (+), 1 removed (\u2212))\n"
        "--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+2"
    )


def test_html_has_numbers_signs_and_elements_that_need_no_style_sheet():
    html = diff.html(make("one\ntwo\n", "one\n2\n"))
    assert '<del class="ipuaro-row"><span class="ipuaro-n">2   </span>- ' in html
    assert '<ins class="ipuaro-row"><span class="ipuaro-n">  2 </span>+ ' in html


def test_changed_words_are_marked():
    html = diff.html(make("const a = 1;\n", "const a = 2;\n"))
    assert "<mark>1</mark>" in html
    assert "<mark>2</mark>" in html


def test_a_long_diff_is_folded_and_a_short_one_open():
    assert diff.html(make("a\n", "b\n")).startswith("<details open>")
    assert diff.html(make(None, "a\n" * 100)).startswith("<details><summary>")


def test_new_deleted_and_unchanged_files_say_so():
    assert "new file, 2 lines" in diff.text(make(None, "a\nb\n"))
    assert "deleted, 1 line" in diff.text(make("a\n", None))
    assert "no difference" in diff.html(make("a\n", "a\n"))
    assert "new file, 0 lines" in diff.html(make(None, ""))


def test_a_missing_final_newline_is_said():
    assert diff.BARE_END in diff.text(make("a\n", "a"))
    assert "No newline at end of file" in diff.html(make("a\n", "a"))


def test_carriage_returns_show_only_where_the_sides_differ_in_them():
    assert "\u240d" not in diff.text(make("a\r\nb\r\n", "a\r\nc\r\n"))
    assert "-a\u240d" in diff.text(make("a\r\n", "a\n"))


def test_carriage_returns_take_neither_colours_nor_marks_away():
    for end in ("", "// \n"):
        html = diff.html(make("const a = 1;\r\n" + end, "const a = 2;\r\n" + end))
        assert '<span class="ipuaro-k">const</span>' in html
        assert "<mark>2</mark>" in html
        assert "[U+000D]" not in html


def test_characters_that_would_mislead_are_spelled_out():
    html = diff.html(make("ok\n", "ok \u202e evil\n"))
    assert "[U+202E]" in html
    assert "\u202e" not in html


def test_a_huge_diff_is_cut_in_its_middle_and_says_by_how_much():
    text = diff.text(make(None, "".join(f"{n}\n" for n in range(TERMINAL.rows + 6))))
    assert "\n\u2026 6 added lines not shown\n" in text
    assert "\n+0\n" in text
    assert text.endswith(f"\n+{TERMINAL.rows + 5}")


def test_a_huge_replacement_shows_the_ends_of_both_sides():
    old = "".join(f"old {n}\n" for n in range(3000))
    text = diff.text(make(old, old.replace("old", "new")))
    for sign, word in (("-", "old"), ("+", "new")):
        shown = [line for line in text.splitlines() if line.startswith(f"{sign}{word}")]
        assert len(shown) >= 100
        assert shown[0] == f"{sign}{word} 0"
        assert shown[-1] == f"{sign}{word} 2999"
        assert f"{3000 - len(shown):,} {'removed' if sign == '-' else 'added'} lines not" in text


def test_text_and_html_name_the_changes_that_are_left_out():
    old = "".join(f"{n}\n" for n in range(15_000))
    shown = make(old, old.replace("0\n", "zero\n"))
    text = diff.text(shown, numbered=True)
    assert re.search(r"not shown \(changes \d+ to [\d,]+\)\n@@ .* change [\d,]+ of 1,500\n", text)
    assert re.search(r"[\d,]+ removed and [\d,]+ added lines not shown<", diff.html(shown))


def test_a_long_line_is_shown_around_its_change():
    line = "".join(f"var v{n}={n};" for n in range(5000))
    shown = diff.html(make(line, line.replace("v2500=2500", "v2500=7")))
    assert "<mark>2500</mark>" in shown
    assert "<mark>7</mark>" in shown
    assert "characters not shown] \u2026" in shown
    assert len(shown) < 10_000
    assert len(diff.text(make(line, line + "end"))) < 10_000


def test_many_long_lines_are_cut_too():
    shown = diff.html(make(None, ("x" * 2000 + "\n") * 1000))
    assert "800 added lines not shown" in shown
    assert len(shown) < 4 * RECORD.characters


def test_hunks_are_numbered_on_request():
    old = "".join(f"{n}\n" for n in range(30))
    new = old.replace("3\n", "three\n", 1).replace("25\n", "c\n")
    assert "@@ -23,7 +23,7 @@ change 2 of 2" in diff.text(make(old, new), numbered=True)
    assert "change" not in diff.text(make(old, new))


def test_only_html_loads_the_highlighter():
    """A diff is told as text far more often than it is drawn: each edit is logged so."""
    code = (
        "import sys; from ipuaro_jupyter.records.outputs import Diff; "
        "from ipuaro_jupyter.views import diff; "
        "edit = Diff(title='Edited a.ts', path='a.ts', old='let a = 1;', new='let a = 2;'); "
        "diff.text(edit, numbered=True), diff.heading_text(edit); "
        "print('pygments' in sys.modules); diff.html(edit); print('pygments' in sys.modules)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_a_line_within_a_comment_that_ends_below_what_is_shown_is_coloured_as_one():
    code = "const a = 1;\n" * 20
    html = diff.html(make(f"/*\n{code}*/\n", f"/*\nlet\n{code}*/\n"))
    assert html.count("<ins") == 1
    assert '+ <span class="ipuaro-c">let</span>' in html

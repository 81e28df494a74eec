import re

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views import changes, diff_rows

OLD = "".join(f"const n{number} = {number};\n" for number in range(40))
NEW = OLD.replace("= 3;", "= 33;").replace("const n30 = 30;\n", "")


def drawn(old, new):
    return changes.html(Diff(title="T", path="a.ts", old=old, new=new))


def text_of(html):
    return re.sub("<[^>]+>", "", html)


def test_each_of_several_changes_has_a_named_checkbox():
    html = drawn(OLD, NEW)
    boxes = re.findall(r'<input type="checkbox" checked value="([^"]+)">', html)
    assert boxes == ["1", "2"]
    assert "Change 2 of 2 @@ -28,7 +28,6 @@" in text_of(html)


def test_a_single_change_has_none():
    html = drawn("a\n", "b\n")
    assert "checkbox" not in html
    assert "@@ -1 +1 @@" in html


def test_lines_that_stay_are_there_for_both_sides_and_read_once():
    html = drawn("same\na\n", "same\nb\n")
    assert html.count("same") == 2
    assert html.count('class="ipuaro-new" aria-hidden="true"') == 1
    assert html.count("<del") == html.count("<ins") == 1


def test_each_line_has_the_numbers_of_both_sides():
    html = drawn("x\nsame\n", "same\n")
    numbers = re.findall(r'ipuaro-n-(old|new)">([ 0-9]+)<', html)
    assert [(side, number.strip()) for side, number in numbers[-2:]] == [("old", "2"), ("new", "1")]


def test_what_is_not_shown_is_one_choice():
    old = "".join(f"{n}\n" for n in range(20_000))
    html = drawn(old, old.replace("0\n", "zero\n"))
    shown = len(re.findall(r'checked value="\d+"', html))
    assert f'value="{shown + 1}-2000"' in html
    assert "more changes not shown" in html
    assert len(re.findall("<(?:ins|del)", html)) <= diff_rows.MAX_ROWS


def test_a_lost_final_newline_is_said_on_its_side():
    html = drawn("a\n", "a")
    assert html.index("No newline at end of file") > html.index("<ins")


def test_everything_is_escaped():
    html = drawn("<b>\u202e\n", "<img src=x>\n")
    assert "&lt;b&gt;[U+202E]" in html
    assert "<img" not in html

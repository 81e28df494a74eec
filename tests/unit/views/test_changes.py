import re

import pytest

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views import changes
from ipuaro_jupyter.views.diffs.diff_cut import QUESTION
from ipuaro_jupyter.views.hunks import hunks

SIGNS = (("del", "-"), ("ins", "+"))
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
    """It stands between the first changes and the last ones."""
    old = "".join(f"{n}\n" for n in range(20_000))
    html = drawn(old, old.replace("0\n", "zero\n"))
    boxes = re.findall(r'checked value="([^"]+)"', html)
    (between,) = [box for box in boxes if "-" in box]
    first, last = map(int, between.split("-"))
    assert boxes == [*map(str, range(1, first)), between, *map(str, range(last + 1, 2001))]
    assert min(first - 1, 2000 - last) >= 100
    assert f"{last - first + 1:,} more changes not shown" in text_of(html)
    assert f'data-lines="{2 * (last - first + 1)}"' in html
    assert html.count('class="ipuaro-row"') <= 2 * QUESTION.rows


def paged(old, new):
    """The HTML of the changes with all pages in it, and their number."""
    diff = Diff(title="T", path="a.ts", old=old, new=new)
    html, count = changes.html(diff), 0
    gap = re.compile(r'<(div|span)(?=[^>]*ipuaro-gap)[^>]*data-page="([^"]+)"[^>]*>.*?</\1>')
    note = re.compile(r'<span class="ipuaro-note" data-page="([^"]+)">[^<]*</span>')
    while found := gap.search(html):
        more = changes.page(diff, found[2])
        assert more is not None
        html = html[: found.start()] + more + html[found.end() :]
        count += 1
        assert count < 1000
    assert "not shown" not in note.sub("", html)
    return html, count


def sides(html):
    """The removed and the added lines."""
    found = ((sign, re.findall(f"<{tag} .*?</{tag}>", html)) for tag, sign in SIGNS)
    return [[text_of(line).split(f"{sign} ", 1)[1] for line in lines] for sign, lines in found]


LINES = [f"line {n}" for n in range(3000)]
OTHER = [f"other {n}" for n in range(3000)]


def joined(lines):
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LINES, OTHER),
        (LINES, []),
        ([], LINES),
        (LINES, LINES[:10] + OTHER[:2900] + LINES[-10:]),
        (LINES, [f"{line}!" if n % 10 == 5 else line for n, line in enumerate(LINES)]),
        (LINES, [f"{line}!" if n % 5 == 0 else line for n, line in enumerate(LINES)]),
        (LINES, [*OTHER[:50], *LINES[50:1000], *OTHER, *LINES[1000:], "end"]),
        (LINES, LINES[:500] + LINES[2500:] + OTHER),
    ],
)
def test_the_pages_hold_all_that_is_left_out(old, new):
    diff = Diff(title="T", path="a.ts", old=joined(old), new=joined(new))
    html, count = paged(diff.old, diff.new)
    assert count > 0
    rows = [row for hunk in hunks(diff.old, diff.new) for row in hunk.rows]
    removed, added = ([row.text for row in rows if row.sign == sign] for sign in "-+")
    assert sides(html) == [removed, added]
    first, come = sides(changes.html(diff))
    for shown, every in ((first, removed), (come, added)):
        assert shown[:100] == every[:100]
        assert shown[-100:] == every[-100:]
    changed = len(hunks(diff.old, diff.new))
    values = re.findall(r'checked value="(\d+)"', html)
    assert values == ([str(n) for n in range(1, changed + 1)] if changed > 1 else [])


def test_the_rest_of_a_long_line_comes_in_pages():
    line = "".join(f"var v{n}={n};" for n in range(20_000))
    html, count = paged(line, line.replace("v10000=10000", "v10000=7"))
    assert count > 2
    assert [text for (text,) in sides(html)] == [line, line.replace("v10000=10000", "v10000=7")]
    same, _ = paged(f"{'x' * 3000}\na\n", f"{'x' * 3000}\nb\n")
    assert "data-line=" not in changes.html(
        Diff(title="T", path="a", old=f"{'x' * 3000}\na\n", new=f"{'x' * 3000}\nb\n")
    )
    assert text_of(same).count("x" * 3000) == 1, "the copy for the other side has no control"


@pytest.mark.parametrize(
    "key",
    ["", "1", "0-1", "2-1", "1-3", "3:0-1", "1:0-99", "1:5-5", "1:99:0-1", "1:0:0-99", "a", "1-2;"],
)
def test_a_page_that_does_not_exist_is_none(key):
    assert changes.page(Diff(title="T", path="a.ts", old=OLD, new=NEW), key) is None


def test_a_lost_final_newline_is_said_on_its_side():
    html = drawn("a\n", "a")
    assert html.index("No newline at end of file") > html.index("<ins")


def test_everything_is_escaped():
    html = drawn("<b>\u202e\n", "<img src=x>\n")
    assert "&lt;b&gt;[U+202E]" in html
    assert "<img" not in html

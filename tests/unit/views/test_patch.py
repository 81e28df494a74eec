"""What git prints, as diffs; the repositories are real."""

import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.records.outputs import GitPatch
from ipuaro_jupyter.views.diffs import patch
from ipuaro_jupyter.views.diffs.patched_files import MOST_LINES, patched_files, plain_name
from ipuaro_jupyter.views.hunks import chosen, lines

USER = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.quotePath=false")


@pytest.fixture
def git_patch(tmp_path):
    """Return a function: the patch between two states of a folder, contents by name."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)

    def put(files):
        for old in tmp_path.iterdir():
            if old.name != ".git":
                old.unlink()
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        subprocess.run(["git", *USER, "add", "-A"], cwd=tmp_path, check=True)

    def make(before, after):
        put(before)
        commit = ["commit", "-qm", "one", "--allow-empty"]
        subprocess.run(["git", *USER, *commit], cwd=tmp_path, check=True)
        put(after)
        diff = ["git", *USER, "diff", "--cached", "--find-renames", "HEAD"]
        return subprocess.run(diff, cwd=tmp_path, check=True, capture_output=True).stdout.decode()

    return make


def drawn(text, *, beside=False):
    return patch.html(GitPatch(title="t", text=text, is_beside=beside))


def test_each_file_has_its_name_and_its_lines(git_patch):
    before = {"a.ts": b"const a = 1;\n", "old.ts": b"x\n", "b.bin": b"\0\1"}
    after = {"a.ts": b"const a = 2;\n", "new.ts": b"y\n", "b.bin": b"\0\2"}
    text = git_patch(before, after)
    assert patch.text(GitPatch(title="4 files", text=text)) == (
        "4 files\n"
        "a.ts (1 line added (+), 1 removed (\u2212))\n--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n"
        "-const a = 1;\n+const a = 2;\n"
        "b.bin\nBinary files a/b.bin and b/b.bin differ\n"
        "new.ts (new file, 1 line)\n--- /dev/null\n+++ new.ts\n@@ -0,0 +1 @@\n+y\n"
        "old.ts (deleted, 1 line)\n--- old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x"
    )
    html = drawn(text)
    assert "const</span> a = <" in html.replace('<span class="ipuaro-k">', "")
    assert "<mark>2</mark>" in html
    assert html.count("<details open>") == 3


@pytest.mark.parametrize("name", ["two words.ts", 'quo"te.ts', "tab\t.ts", "caf\u00e9.ts", "a b"])
def test_a_name_is_read_as_git_writes_it(git_patch, name):
    (file,) = patched_files(git_patch({name: b"1\n"}, {name: b"2\n"}))
    assert file.diff.path == name


def test_a_renamed_file_has_both_names(git_patch):
    content = b"".join(b"%d\n" % n for n in range(30))
    text = git_patch({"one.ts": content}, {"a": content + b"more\n"})
    (file,) = patched_files(text)
    assert (file.diff.title, file.diff.path) == ("one.ts \u2192 a", "a")
    assert file.notes == ("rename from one.ts", "rename to a")
    assert "rename to b" in drawn(git_patch({"one.ts": content}, {"b": content}))


LINES = st.lists(st.sampled_from(["", "a", "b", "  c", "-d", "+e", "@@ f", "diff --git g", "\\"]))


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(before=LINES, after=LINES, end=st.sampled_from(["\n", "\r\n"]), bare=st.booleans())
def test_the_hunks_lead_from_one_text_to_the_other(git_patch, before, after, end, bare):
    texts = ["".join(f"{line}{end}" for line in side) for side in (before, after)]
    if bare:
        texts[1] = texts[1].removesuffix(end)
    old, new = texts
    found = patched_files(git_patch({"a.ts": old.encode()}, {"a.ts": new.encode()}))
    if old == new:
        assert found == []
        return
    (file,) = found
    numbers = range(1, len(file.hunks) + 1)
    made = chosen(lines(old), lines(new), found=file.hunks, numbers=numbers)
    assert "".join(made) == new
    for row in (row for hunk in file.hunks for row in hunk.rows):
        side, number = (old, row.old) if row.sign == "-" else (new, row.new)
        assert row.text == lines(side)[number - 1].removesuffix("\n")
        assert row.ends_file_bare is not lines(side)[number - 1].endswith("\n")


def test_carriage_returns_on_both_sides_are_no_difference(git_patch):
    content = b"".join(b"%d\r\n" % n for n in range(30))
    text = git_patch({"a.ts": content}, {"a.ts": content.replace(b"20\r", b"twenty\r")})
    assert "\u240d" not in drawn(text)
    mixed = git_patch({"a.ts": content}, {"a.ts": content.replace(b"20\r", b"20")})
    assert "\u240d" in drawn(mixed)


def test_side_by_side_what_is_gone_stands_beside_what_has_come(git_patch):
    text = git_patch({"a.ts": b"1\n2\n3\n4\n"}, {"a.ts": b"1\nzwei\ndrei\nund\n4\n"})
    rows = drawn(text, beside=True).partition("<tbody>")[2].split("<tr")[3:]
    sides = [[side.count("<ins"), side.count("<del")] for side in rows]
    assert sides == [[1, 1], [1, 1], [1, 0], [0, 0]]


def test_a_change_far_down_is_drawn_without_reading_colours_for_all_before(git_patch):
    lead = b"\n" * (MOST_LINES + 10)
    text = git_patch({"a.ts": lead + b"const a = 1\n"}, {"a.ts": lead + b"const a = 2\n"})
    (file,) = patched_files(text)
    assert not file.is_short
    assert "ipuaro-k" not in drawn(text)
    assert f">{MOST_LINES + 11} " in drawn(text)


def test_many_files_are_folded(git_patch):
    names = [f"f{n}.ts" for n in range(40)]
    text = git_patch(dict.fromkeys(names, b"1\n"), dict.fromkeys(names, b"2\n"))
    assert drawn(text).count("<details>") == 40


def test_where_git_was_cut_the_gap_has_no_numbers():
    text = (
        "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n-1\n[1,000 bytes not shown]\n+9\n"
    )
    (file,) = patched_files(text)
    assert [row.new for row in file.hunks[0].rows] == [None, None, 1]
    assert "bytes not shown" in drawn(text)


def test_an_escape_that_git_does_not_write_stands_for_its_character():
    assert plain_name(r'"a\8\q\303\251"') == "a8qé"

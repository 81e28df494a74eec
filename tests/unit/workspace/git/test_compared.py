"""The contents of files in two versions: of commits, of the disk, or in a diff."""

import pytest
from git_repository import parted

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.files.disk import LARGEST_BYTES
from ipuaro_jupyter.workspace.git.compared import changes_in, exact_renames, is_unified_diff
from ipuaro_jupyter.workspace.git.repository import Repository


def versions(git, revision=""):
    found = Repository(git.root).versions(revision)
    assert found.unreadable == []
    return {change.path: (change.before, change.after) for change in found.changes}


@pytest.mark.usefixtures("permissions_count")
def test_a_file_that_cannot_be_read_is_not_taken_for_a_deleted_one(git):
    git.write("sub/d.ts", "d\n")
    git("add", "-A")
    git("commit", "-qm", "more")
    git.write("a.ts", "2\n")
    (git.root / "a.ts").chmod(0)
    (git.root / "sub").chmod(0)
    try:
        found = Repository(git.root).versions()
    finally:
        (git.root / "sub").chmod(0o700)
    told = "Permission denied: what has changed in it is not known"
    assert found.changes == []
    assert found.unreadable == [f"Cannot read {name}: {told}" for name in ("a.ts", "sub/d.ts")]


def test_what_stands_in_the_place_of_a_file_or_folder_is_no_content_of_it(git):
    git.write("sub/d.ts", "d\n")
    git.write("other/d.ts", "d\n")
    git("add", "-A")
    git("commit", "-qm", "more")
    for name in ("sub/d.ts", "other/d.ts", "a.ts"):
        (git.root / name).unlink()
    (git.root / "sub").rmdir()
    (git.root / "sub").symlink_to("other")
    (git.root / "other").rmdir()
    (git.root / "other").write_text("a file\n")
    (git.root / "a.ts").mkdir()
    found = versions(git)
    assert {name: after for name, (_, after) in found.items() if name.endswith(".ts")} == {
        "sub/d.ts": None,
        "other/d.ts": None,
        "a.ts": None,
    }


def test_a_file_that_a_commit_places_outside_of_the_project_is_not_read(git):
    (git.root.parent / "secret.ts").write_text("secret\n")
    git.place_outside("secret.ts")
    found = Repository(git.root).versions()
    assert found.changes == []
    told = "Cannot read ../secret.ts: it is outside of the project"
    assert found.unreadable == [f"{told}: what has changed in it is not known"]


def test_a_file_that_is_too_large_is_told_and_not_read(git):
    with (git.root / "new.ts").open("wb") as file:
        file.truncate(LARGEST_BYTES + 1)
    found = Repository(git.root).versions()
    assert found.changes == []
    told = "Cannot read new.ts: it has 34 MB"
    assert found.unreadable == [f"{told}: what has changed in it is not known"]


def test_the_disk_is_compared_with_the_last_commit(git):
    git.write("a.ts", "2\n")
    (git.root / "b.ts").unlink()
    (git.root / "c.ts").chmod(0o755)  # differs for git, and not in its content
    git.write("new/d.ts", "d\n")
    assert versions(git) == {
        "a.ts": (b"1\n", b"2\n"),
        "b.ts": (b"1\n", None),
        "new/d.ts": (None, b"d\n"),
    }


def test_before_the_first_commit_all_files_are_new(empty):
    empty.write("a.ts", "1\n")
    empty.write("b.ts", "1\n")
    empty("add", "a.ts")
    assert versions(empty) == {"a.ts": (None, b"1\n"), "b.ts": (None, b"1\n")}


def test_a_range_compares_commits_and_three_dots_begin_where_they_parted(git):
    parted(git, "b.ts")
    git.write("c.ts", "not committed\n")
    assert versions(git, "HEAD~1..") == {"a.ts": (b"1\n", b"main\n")}
    assert versions(git, "HEAD~1..HEAD") == versions(git, "HEAD~1..")
    assert versions(git, "other..main").keys() == {"a.ts", "b.ts"}
    assert versions(git, "other...main") == versions(git, "HEAD~1..")
    assert versions(git, "other").keys() == {"a.ts", "b.ts", "c.ts"}


@pytest.mark.parametrize("revision", ["nope", "HEAD..nope", "nope...HEAD", "--all", "HEAD:a.ts"])
def test_a_revision_that_there_is_not_is_named(git, revision):
    with pytest.raises(ToolError, match="There is no revision") as caught:
        versions(git, revision)
    assert caught.value.type == "validation"
    assert "main..HEAD" in caught.value.suggestion


def test_more_files_than_can_be_compared_are_counted(git):
    for number in range(501):
        git.write(f"new/{number}.ts", "1\n")
    with pytest.raises(ToolError, match="501 files differ, more than 500") as caught:
        versions(git)
    assert caught.value.type == "validation"


def test_what_is_no_file_has_no_content(git):
    (git.root / "a.ts").unlink()
    (git.root / "a.ts").symlink_to("b.ts")
    (git.root / "b.ts").unlink()
    (git.root / "b.ts").mkdir()
    assert versions(git) == dict.fromkeys(("a.ts", "b.ts"), (b"1\n", None))


FORTH = "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n"


@pytest.mark.parametrize(
    ("text", "is_diff"),
    [(FORTH, True), ("diff --git a/a b/b\n", True), ("main..HEAD", False), ("@@ ", True)],
)
def test_a_diff_is_told_from_a_revision(text, is_diff):
    assert is_unified_diff(text) is is_diff


def read(diff, **files):
    """The changes by path, and the misfits, of a diff where these files are on the disk."""
    changes, misfits, _ = changes_in(diff, lambda path: files.get(path.partition(".")[0]))
    return {change.path: (change.before, change.after) for change in changes}, misfits


@pytest.mark.parametrize("present", [b"one\ntwo\n", b"one\nTWO\n"])
def test_a_diff_is_read_the_same_whether_it_is_applied_or_not(present):
    assert read(FORTH, a=present) == ({"a.ts": (b"one\ntwo\n", b"one\nTWO\n")}, [])


def test_a_diff_that_does_not_fit_is_told():
    assert read(FORTH, a=b"other\n") == ({}, ["a.ts"])
    assert read(FORTH) == ({}, ["a.ts"])
    twice = FORTH + "@@ -1,1 +1,1 @@\n-one\n+ONE\n"  # the hunks are not in order
    assert read(twice, a=b"one\ntwo\n") == ({}, ["a.ts"])


def test_files_are_made_and_deleted_by_a_diff():
    made = "diff --git a/a.ts b/a.ts\n--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1 @@\n+one\n"
    assert read(made) == ({"a.ts": (None, b"one\n")}, [])
    assert read(made, a=b"one\n") == ({"a.ts": (None, b"one\n")}, [])
    gone = "--- a/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n\\ No newline at end of file\n"
    assert read(gone, a=b"one\n") == ({"a.ts": (b"one\n", None)}, [])


def test_a_hunk_that_names_no_file_is_left_out():
    assert read("@@ -1 +1 @@\n-one\n+two\n" + FORTH, a=b"one\ntwo\n")[0].keys() == {"a.ts"}


RENAMED = "diff --git a/a.ts b/b.ts\nsimilarity index 90%\nrename from a.ts\nrename to b.ts\n"
EDITED = RENAMED + FORTH.replace("+++ b/a.ts", "+++ b/b.ts")


@pytest.mark.parametrize(
    ("diff", "files", "found"),
    [
        (RENAMED, {"a": b"one\n"}, ([], [], [("a.ts", "b.ts")])),
        (RENAMED, {"b": b"one\n"}, ([], [], [("a.ts", "b.ts")])),
        (RENAMED, {}, ([], ["b.ts"], [])),
        (EDITED, {"a": b"one\ntwo\n"}, (["a.ts"], [], [("a.ts", "b.ts")])),
        (EDITED, {"b": b"one\nTWO\n"}, (["b.ts"], [], [("a.ts", "b.ts")])),
        (EDITED, {"b": b"else\n"}, ([], ["b.ts"], [("a.ts", "b.ts")])),
        ("rename to b.ts\n", {"b": b"one\n"}, ([], [], [])),
        (RENAMED.replace("a.ts", '"a.ts"'), {"a": b"one\n"}, ([], [], [("a.ts", "b.ts")])),
    ],
)
def test_a_renamed_file_in_a_diff_is_told_with_what_changes(diff, files, found):
    changes, misfits, renamed = changes_in(diff, lambda path: files.get(path.partition(".")[0]))
    assert ([change.path for change in changes], misfits, renamed) == found


def test_names_that_git_quotes_are_read():
    renamed = RENAMED.replace("a.ts", r'"sub\303\251/\"a\t.ts"').replace(
        "to b.ts", r'to "\303\274.ts"'
    )
    lines = FORTH.replace("a/a.ts", r'"a/sub\303\251/\"a\t.ts"', 1)
    lines = lines.replace("b/a.ts", r'"b/\303\274.ts"')
    changes, misfits, found = changes_in(renamed + lines, {"ü.ts": b"one\nTWO\n"}.get)
    assert found == [('subé/"a\t.ts', "ü.ts")]
    assert ([change.path for change in changes], misfits) == (["ü.ts"], [])


def test_files_that_went_and_came_with_the_same_content_are_renamed():
    files = [
        ("a/x.ts", b"1\n", None),
        ("a/y.ts", b"1\n", None),
        ("b/y.ts", None, b"1"),
        ("b/z.ts", None, b"1\r\n"),
        ("b/more.ts", None, b"1\n"),
        ("a/__init__.py", b"", None),
        ("b/__init__.py", None, b""),
        ("c.ts", b"1\n", b"2\n"),
    ]
    changes = [Change(path=path, before=before, after=after) for path, before, after in files]
    assert exact_renames(changes) == [("a/y.ts", "b/y.ts"), ("a/x.ts", "b/more.ts")]


def test_line_ends_that_git_converts_are_no_difference(git):
    git.write(".gitattributes", "*.ts text eol=crlf\n")
    git.write("ends.ts", "one\r\ntwo\r\nthree\r\n")
    git("add", "-A")
    git("commit", "-qm", "more")
    git.write("ends.ts", "one\r\n2\r\nthree\r\n")
    assert versions(git)["ends.ts"] == (b"one\r\ntwo\r\nthree\r\n", b"one\r\n2\r\nthree\r\n")


def test_line_ends_alone_are_a_difference_where_git_converts_none(git):
    git.write("ends.ts", "one\ntwo\n")
    git("add", "-A")
    git("commit", "-qm", "more")
    git.write("ends.ts", "one\r\ntwo\r\n")
    assert versions(git)["ends.ts"] == (b"one\ntwo\n", b"one\r\ntwo\r\n")

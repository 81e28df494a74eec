import pytest

from ipuaro_jupyter.records.change import Decision

TEXT = "const a = 1\nconst b = 2\nconst c = 3\n"


@pytest.fixture
def update(run, tmp_path):
    """Replace text in a.ts with auto-apply; return the result and the file's bytes."""

    def update_file(before, target, patch):
        call = run({"a.ts": before}, auto_apply=True)
        result = call("update_file", {"filepath": "a.ts", "target": target, "patch": patch})
        return result, (tmp_path / "project/a.ts").read_bytes()

    return update_file


@pytest.mark.parametrize(
    ("before", "target", "patch", "after"),
    [
        (TEXT, "const b = 2", "let b = 20", TEXT.replace("const b = 2", "let b = 20")),
        (TEXT, "b = 2\nconst c", "b = 2\nlet c", TEXT.replace("const c", "let c")),
        (TEXT, "const b = 2\n", "", "const a = 1\nconst c = 3\n"),
        (TEXT, "\nconst c = 3\n", "", "const a = 1\nconst b = 2"),
        (TEXT, "1\n", "1\n\n", TEXT.replace("1\n", "1\n\n")),
        ("x = 1\nx = 1\n", "x = 1", "x = 2", "x = 2\nx = 1\n"),
        ("a = 1\r\nb = 2\r\n", "a = 1\nb = 2", "a = 3\nb = 4", "a = 3\r\nb = 4\r\n"),
        ("a = 1\r\nb = 2\r\n", "a = 1\r\nb", "a = 3\r\nx\r\nb", "a = 3\r\nx\r\nb = 2\r\n"),
        ("a\nb\r\nc\nd\r\n", "b\nc", "b\nC", "a\nb\r\nC\nd\r\n"),
        ("a\r\r\nb\r\r\nc", "b", "B", "a\r\r\nB\r\r\nc"),
        ("\ufeffa\nb\n", "a\nb", "A\nb", "\ufeffA\nb\n"),
        ("a\u2028b\x0c\n", "b", "c", "a\u2028c\x0c\n"),
        ("end", "end", "end\n", "end\n"),
        ("🙂é\r\nx", "x", "é🙂", "🙂é\r\né🙂"),
    ],
)
def test_the_target_is_replaced_and_nothing_else(update, before, target, patch, after):
    result, data = update(before, target, patch)
    assert result.success, result.text()
    assert data == after.encode()


def test_the_result_shows_the_lines_as_they_are_now(update):
    result, _ = update(TEXT, "b = 2", "b = 20")
    assert "     2\tconst b = 20" in result.text()
    assert "1 line(s) removed, 1 added" in result.text()


def test_only_the_first_of_several_is_replaced_and_the_result_says_so(update):
    result, _ = update("x\ny\nx\n", "x", "z")
    assert "occurs 2 times" in result.text()
    assert "line 1" in result.text()


def test_the_user_sees_how_many_places_there_are_and_where_before_deciding(run, tmp_path):
    asked = []
    call = run({"a.ts": "x\ny\nx x\nx\n"}, confirm=lambda p: not asked.append(p))
    result = call("update_file", {"path": "a.ts", "target": "x", "patch": "z"})
    assert asked[0].title == "Replace text in line 1 of a.ts, the first of 4 places"
    assert "lines 3 and 4" in asked[0].reason
    assert "lines 3 and 4" in result.text()
    assert (tmp_path / "project/a.ts").read_text() == "z\ny\nx x\nx\n"


def test_of_very_many_places_the_first_lines_are_named(run):
    asked = []
    call = run({"a.ts": "x\n" * 200}, confirm=lambda p: bool(asked.append(p)))
    call("update_file", {"path": "a.ts", "target": "x\n", "patch": ""})
    assert "the first of 200 places" in asked[0].title
    assert "lines 2, 3, 4" in asked[0].reason
    assert "50, 51 and 149 more" in asked[0].reason


def test_where_nobody_looks_the_first_of_several_is_not_replaced(make_project, open_assistant):
    """The model is told the lines, so that it can name one place."""
    root = make_project({"a.ts": "x\ny\nx\n"})
    assistant = open_assistant(root, [], auto_apply=True)
    assistant.call("get_lines", {"path": "a.ts"}, by_user=False)
    arguments = {"path": "a.ts", "target": "x", "patch": "z"}
    error = assistant.call("update_file", arguments, by_user=False).error
    assert error.type == "validation"
    assert "2 places, in line 1 and in line 3" in error.message
    assert (root / "a.ts").read_text() == "x\ny\nx\n"
    once = {**arguments, "target": "y\nx", "patch": "y\nz"}
    assert assistant.call("update_file", once, by_user=False).success


@pytest.mark.parametrize(
    ("target", "patch", "named"),
    [("const a", "const a", "would not change"), ("", "x", "empty"), ("const a", "a\0", "NUL")],
)
def test_what_changes_nothing_is_an_error(update, target, patch, named):
    result, data = update(TEXT, target, patch)
    assert result.error.type == "validation"
    assert named in result.error.message
    assert data == TEXT.encode()


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("const  b=2", "line 2, where only blanks differ:"),
        ("  const a = 1\n  const b = 2", "lines 1-2, where only blanks differ:"),
        ("const a = 1\nconst bee = 2\nconst c = 3", "lines 1-3, which come nearest:"),
        ("const bb = 22", "which comes nearest:"),
        ("     2\tconst bb = 2", "line numbers"),
        ("import nothing", "begins with"),
    ],
)
def test_a_target_that_is_not_there_is_answered_with_what_comes_nearest(update, target, shown):
    result, data = update(TEXT, target, "x")
    assert result.error.type == "validation"
    assert "a.ts" in result.error.message
    assert shown in result.error.suggestion
    assert "     2\tconst b = 2" in result.error.suggestion
    assert data == TEXT.encode()


def test_a_missing_file_is_answered_with_the_nearest_and_the_other_tool(run):
    call = run({"src/apple.ts": TEXT}, auto_apply=True)
    arguments = {"filepath": "src/aple.ts", "target": "a", "patch": "b"}
    error = call("update_file", arguments).error
    assert error.type == "file"
    assert "src/apple.ts" in error.suggestion
    assert "write_file" in error.suggestion


def test_a_notebook_is_not_edited_as_text(run):
    call = run({"n.ipynb": '{"cells": []}\n'}, auto_apply=True)
    result = call("update_file", {"filepath": "n.ipynb", "target": "[]", "patch": "[1]"})
    assert "notebook" in result.error.message


def test_outside_the_project_nothing_is_changed(run, tmp_path):
    (tmp_path / "b.ts").write_text("x\n")
    arguments = {"filepath": "../b.ts", "target": "x", "patch": "y"}
    assert not run({}, auto_apply=True)("update_file", arguments).error.recoverable
    assert (tmp_path / "b.ts").read_text() == "x\n"


def test_the_user_is_asked_with_both_texts(run, tmp_path):
    asked = []
    call = run({"a.ts": TEXT}, confirm=lambda p: bool(asked.append(p)))
    result = call("update_file", {"filepath": "a.ts", "target": "= 1", "patch": "= 9"})
    assert result.error.type == "cancelled"
    (proposal,) = asked
    assert (proposal.kind, proposal.tool) == ("edit", "update_file")
    assert (proposal.old_text, proposal.new_text) == (TEXT, TEXT.replace("= 1", "= 9"))
    assert (tmp_path / "project/a.ts").read_text() == TEXT


def test_a_file_that_changed_since_it_was_shown_is_a_conflict(run, tmp_path):
    call = run({"a.ts": TEXT}, auto_apply=True)
    call("read_file", {"filepath": "a.ts"})
    (tmp_path / "project/a.ts").write_text(f"// new\n{TEXT}")
    arguments = {"filepath": "a.ts", "target": "= 1", "patch": "= 9"}
    assert call("update_file", arguments).error.type == "conflict"


def test_the_mode_stays_the_index_follows_and_undo_is_byte_exact(make_project, open_assistant):
    root = make_project({"a.ts": "export function old() {}\r\n"})
    (root / "a.ts").chmod(0o750)
    assistant = open_assistant(root, [], auto_apply=True)
    arguments = {"filepath": "a.ts", "target": "old", "patch": "renamed"}
    assert assistant.call("update_file", arguments).success
    assert (root / "a.ts").stat().st_mode & 0o777 == 0o750
    assert "a.ts:1" in assistant.call("find_definition", {"symbol": "renamed"}).text()
    assert assistant.undo().success
    assert (root / "a.ts").read_bytes() == b"export function old() {}\r\n"


def test_the_model_is_told_what_the_user_wrote_instead(run):
    other = TEXT.replace("= 1", "= 7")
    call = run({"a.ts": TEXT}, confirm=lambda _: Decision(action="apply", text=other))
    result = call("update_file", {"filepath": "a.ts", "target": "= 1", "patch": "= 9"})
    assert "The user changed your text" in result.text()
    assert "const a = 7" in result.text()


def test_a_foreign_name_is_answered_with_the_signature(run):
    error = run({})("replace_in_file", {"path": "a.ts"}).error
    assert "update_file(path, target, patch)" in error.suggestion

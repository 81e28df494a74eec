import pytest

TEXT = "const a = 1\nconst b = 2\nconst c = 3\n"


@pytest.fixture
def edit(run, tmp_path):
    """Edit a.ts with auto-apply and return the result and the file's bytes."""

    def edit_file(before, /, **arguments):
        call = run({"a.ts": before}, auto_apply=True)
        result = call("edit_lines", {"path": "a.ts", **arguments})
        return result, (tmp_path / "project/a.ts").read_bytes()

    return edit_file


@pytest.mark.parametrize(
    ("before", "where", "content", "after"),
    [
        (TEXT, (2, 2), "const b = 20", "const a = 1\nconst b = 20\nconst c = 3\n"),
        (TEXT, (2, 3), "", "const a = 1\n"),
        (TEXT, (1, 0), "// head", f"// head\n{TEXT}"),
        (TEXT, (4, 3), "const d = 4", f"{TEXT}const d = 4\n"),
        (TEXT, (2, 2), "const b = 20\n", "const a = 1\nconst b = 20\nconst c = 3\n"),
        (TEXT, (2, 2), "\n", "const a = 1\n\nconst c = 3\n"),
        ("a\r\nb\r\n", (2, 2), "x\ny", "a\r\nx\r\ny\r\n"),
        ("a\nb", (2, 2), "x", "a\nx"),
        ("\ufeffa\nb\n", (1, 1), "x", "\ufeffx\nb\n"),
    ],
)
def test_lines_are_replaced_byte_exactly(edit, before, where, content, after):
    result, data = edit(before, start=where[0], end=where[1], content=content)
    assert result.success, result.text()
    assert data == after.encode()


@pytest.mark.parametrize(("start", "end"), [(1, 4), (0, 1), (3, 1), (5, 4), (-1, 1)])
def test_a_range_is_never_clamped(edit, start, end):
    result, data = edit(TEXT, start=start, end=end, content="x")
    assert result.error.type == "validation"
    assert "3 lines" in f"{result.error.message} {result.error.suggestion}"
    assert data == TEXT.encode()


@pytest.mark.parametrize(
    ("start", "end", "content"), [(2, 2, "const b = 2"), (1, 0, ""), (1, 3, TEXT), (4, 3, "")]
)
def test_what_changes_nothing_is_said_to_and_not_asked_about(run, start, end, content):
    call = run({"a.ts": TEXT})
    result = call("edit_lines", {"path": "a.ts", "start": start, "end": end, "content": content})
    assert result.error.type == "validation"
    assert "would change nothing" in result.error.message
    assert "so already" in result.error.suggestion


def test_the_result_shows_the_lines_as_they_are_now(edit):
    result, _ = edit(TEXT, start=2, end=2, content="const b = 20")
    assert "     2\tconst b = 20" in result.text()
    assert "1 line(s) removed, 1 added" in result.text()


def test_of_a_large_change_both_ends_are_shown(edit):
    content = "".join(f"const c{number} = {number}\n" for number in range(5000))
    result, data = edit(TEXT, start=2, end=2, content=content)
    assert data.count(b"\n") == 5002
    assert len(result.text()) < 20_000
    assert "     1\tconst a = 1\n     2\tconst c0 = 0\n" in result.text()
    assert "bytes left out" in result.text()
    assert result.text().endswith("  5001\tconst c4999 = 4999\n  5002\tconst c = 3")


def test_the_mode_of_the_file_stays(make_project, open_assistant):
    root = make_project({"run.sh": "echo 1\n"})
    (root / "run.sh").chmod(0o750)
    assistant = open_assistant(root, [], auto_apply=True)
    assert assistant.call(
        "edit_lines", {"path": "run.sh", "start": 1, "end": 1, "content": "echo 2"}
    ).success
    assert (root / "run.sh").stat().st_mode & 0o777 == 0o750


def test_a_notebook_is_not_edited_by_lines(run):
    call = run({"n.ipynb": "{}\n"}, auto_apply=True)
    result = call("edit_lines", {"path": "n.ipynb", "start": 1, "end": 1, "content": "x"})
    assert "notebook" in result.error.message


def test_the_proposal_shows_both_texts(run):
    asked = []
    call = run({"a.ts": TEXT}, confirm=lambda p: bool(asked.append(p)))
    result = call("edit_lines", {"path": "a.ts", "start": 1, "end": 1, "content": "const a = 9"})
    assert result.error.type == "cancelled"
    (proposal,) = asked
    assert proposal.kind == "edit"
    assert proposal.old_text == TEXT
    assert proposal.new_text == TEXT.replace("= 1", "= 9")
    assert proposal.editable


def test_a_notebook_with_a_merge_conflict_is_edited_by_lines(run, tmp_path):
    text = (
        '{"cells": [],\n<<<<<<< mine\n"a": 1,\n=======\n"a": 2,\n>>>>>>> theirs\n"nbformat": 4}\n'
    )
    call = run({"n.ipynb": text}, auto_apply=True)
    told = call("get_lines", {"path": "n.ipynb"}).text()
    assert "merge conflict, first in line 2" in told
    assert "git checkout --ours n.ipynb" in told
    assert "6\t>>>>>>> theirs" in told
    call("edit_lines", {"path": "n.ipynb", "start": 2, "end": 6, "content": '"a": 2,'})
    assert (tmp_path / "project/n.ipynb").read_text() == (
        '{"cells": [],\n"a": 2,\n"nbformat": 4}\n'
    )
    assert not call("edit_lines", {"path": "n.ipynb", "start": 2, "end": 2, "content": ""}).success

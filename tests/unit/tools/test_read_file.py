import pytest

TEXT = "alpha\nbéta\n"


@pytest.fixture
def read(run):
    """Read a.txt with the given content."""

    def read_file(content):
        return run({"a.txt": content})("read_file", {"filepath": "a.txt"})

    return read_file


@pytest.mark.parametrize("content", [TEXT, "", "no newline", "a\r\nb\rc\n", "\t a\u2028b\n"])
def test_the_content_comes_as_it_is(read, content):
    assert read(content).to_dict() == {"success": True, "output": content}


def test_a_byte_order_mark_is_no_text(read):
    assert read(f"\ufeff{TEXT}").to_dict()["output"] == TEXT


def test_an_absolute_path_in_the_project_is_read(run, tmp_path):
    call = run({"a.txt": TEXT})
    assert call("read_file", {"filepath": f"{tmp_path}/project/a.txt"}).text() == TEXT


def test_100_kb_are_the_most(read):
    assert read("x" * 102_400).success


def test_more_is_an_error_that_names_the_way_out(read):
    error = read("x" * 102_401).error
    assert error.type == "file"
    assert "100KB" in error.message
    assert "get_lines" in error.suggestion


@pytest.mark.parametrize("content", [b"a\xff\n", b"a\0b", "a".encode("utf-16")])
def test_what_is_no_utf_8_is_an_error(read, content):
    error = read(content).error
    assert error.type == "file"
    assert "UTF-8" in error.message


@pytest.mark.parametrize(
    ("arguments", "type_", "named"),
    [
        ({"filepath": "b.txt"}, "file", "a.txt"),
        ({"filepath": "src"}, "file", "folder"),
        ({"filepath": ""}, "file", "folder"),
        ({}, "validation", "filepath"),
        ({"encoding": "utf-8"}, "validation", "filepath"),
    ],
)
def test_wrong_arguments_are_named(run, arguments, type_, named):
    error = run({"a.txt": TEXT, "src/b.ts": ""})("read_file", arguments).error
    assert error.type == type_
    assert error.recoverable
    assert named in f"{error.message} {error.suggestion}"


def test_outside_the_project_is_not_recoverable(run, tmp_path):
    (tmp_path / "secret.txt").write_text("TOPSECRET")
    result = run({"a.txt": TEXT})("read_file", {"filepath": "../secret.txt"})
    assert not result.error.recoverable
    assert "TOPSECRET" not in str(result.to_dict())


def test_with_path_it_means_get_lines(run):
    call = run({"a.txt": TEXT})
    result = call("Read_File", {"path": "a.txt", "start": 2})
    assert result.tool == "get_lines"
    assert result.text() == "     2\tbéta"


def test_what_was_read_is_what_edits_are_compared_with(run, tmp_path):
    call = run({"a.txt": TEXT}, auto_apply=True)
    call("read_file", {"filepath": "a.txt"})
    (tmp_path / "project/a.txt").write_text("other\n")
    edit = {"path": "a.txt", "start": 1, "end": 1, "content": "mine"}
    assert call("edit_lines", edit).error.type == "conflict"

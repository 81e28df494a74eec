import pytest

TEXT = "alpha()\nbeta()\ngamma()\n"


def test_a_range_is_numbered_and_inclusive(run):
    result = run({"a.ts": TEXT})("get_lines", {"path": "a.ts", "start": 2, "end": 3})
    assert result.text() == "     2\tbeta()\n     3\tgamma()"


def test_a_final_newline_is_no_line_and_the_end_may_pass_the_last(run):
    result = run({"a.ts": TEXT})("get_lines", {"path": "a.ts", "end": 99})
    assert result.to_dict()["output"].count("\n") == 2


def test_an_empty_file_gives_empty_text(run):
    assert run({"a.ts": ""})("get_lines", {"path": "a.ts"}).to_dict() == {
        "success": True,
        "output": "",
    }


@pytest.mark.parametrize(
    ("arguments", "type_", "named"),
    [
        ({"path": "a.ts", "start": 4}, "validation", "3 lines"),
        ({"path": "a.ts", "start": 0}, "validation", "start=0"),
        ({"path": "a.ts", "start": 3, "end": 2}, "validation", "before"),
        ({"path": "b.ts"}, "file", "b.ts"),
        ({"path": "."}, "file", "folder"),
        ({}, "validation", "path"),
        ({"path": "a.ts", "pages": 2}, "validation", "pages"),
        ({"path": "a.ts", "start": "two"}, "validation", "two"),
        ({"path": "a.ts", "start": True}, "validation", "start=True"),
    ],
)
def test_wrong_arguments_are_named(run, arguments, type_, named):
    error = run({"a.ts": TEXT})("get_lines", arguments).error
    assert error.type == type_
    assert error.recoverable
    assert named in f"{error.message} {error.suggestion}"


def test_null_means_omitted_and_a_whole_float_is_an_integer(run):
    call = run({"a.ts": TEXT})
    arguments = {"path": "a.ts", "start": 3.0, "end": None}
    assert call("get_lines", arguments).text() == "     3\tgamma()"


def test_a_huge_file_is_answered_with_what_reads_a_part_of_it(run, tmp_path):
    call = run({"a.ts": TEXT})
    with (tmp_path / "project/huge.log").open("wb") as file:
        file.truncate(100_000_000)
    error = call("get_lines", {"path": "huge.log", "end": 2}).error
    assert "100 MB" in error.message
    assert "run_command" in error.suggestion


def test_outside_the_project_is_not_recoverable_and_shows_nothing(run, tmp_path):
    (tmp_path / "secret.txt").write_text("TOPSECRET")
    result = run({"a.ts": TEXT})("get_lines", {"path": "../secret.txt"})
    assert not result.error.recoverable
    assert "TOPSECRET" not in str(result.to_dict())


def test_the_disk_is_read_as_it_is_now(run, tmp_path):
    call = run({"a.ts": TEXT})
    call("get_lines", {"path": "a.ts"})
    (tmp_path / "project/a.ts").write_text("delta()\n")
    assert call("get_lines", {"path": "a.ts"}).text() == "     1\tdelta()"


def test_only_line_feeds_end_lines(run):
    result = run({"a.ts": "a\u2028b\x0cc\r\nd\re\n"})("get_lines", {"path": "a.ts"})
    assert len(result.to_dict()["output"].split("\n")) == 2

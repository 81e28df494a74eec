"""What varies is not compared, everything else is."""

import pytest

from ipuaro_jupyter.replay.comparison import without_volatile


def output(tool, value, roots=()):
    return without_volatile(tool, {"success": True, "output": value}, roots=roots)["output"]


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("2 passed in 0.12s", "2 passed in 3.4 s"),
        ("Duration  512ms (transform 20ms)", "Duration  1.2s (transform 3 ms)"),
        ("took 2 min", "took 14 minutes"),
        ("Start at  09:15:01", "Start at  23:59:59.123"),
        ("2026-01-02 built", "2027-11-30 built"),
        ("<X object at 0x7f3caa>", "<X object at 0x55cde01f>"),
        ("[main 1a2b3c4] message", "[main 9f8e7d6] message"),
        ("see /tmp/pytest-of-me/x1/a.txt:3", "see /tmp/pytest-of-you/y2/b.txt:3"),
    ],
)
def test_what_programs_print_is_compared_without_times_and_places(then, now):
    for tool in ("run_command", "bash", "run_tests", "job"):
        assert output(tool, {"stdout": then}) == output(tool, {"stdout": now})
    assert output("get_lines", then) != output("get_lines", now), "the code's own text counts"


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("2 passed", "3 passed"),
        ("exit code 1", "exit code 2"),
        ("x = 10", "x = 20"),
        ("3 files", "4 files"),
        ("defaced", "effaced"),
        ("version 1.2.3", "version 1.2.4"),
        ("src/a.ts:3:7", "src/a.ts:4:7"),
    ],
)
def test_what_programs_print_else_counts(then, now):
    assert output("run_command", {"stdout": then}) != output("run_command", {"stdout": now})


def test_fields_that_always_vary_are_left_out_of_their_tools_alone():
    assert output("run_command", {"duration": 3, "exitCode": 0}) == {"exitCode": 0}
    assert output("git_commit", {"hash": "1", "author": "a", "timestamp": 3, "files": []}) == {
        "files": []
    }
    assert output("get_class", {"hash": "1"}) == {"hash": "1"}
    assert without_volatile("run_command", {"error": {"duration": 3}}, roots=()) == {
        "error": {"duration": 3}
    }


def test_the_project_is_the_same_wherever_it_is():
    roots = ("/home/me/app", "/tmp/ipuaro-replay-x/app", "/")
    then = output("run_tests", {"output": "rootdir: /home/me/app, /home/me/app/src"}, roots)
    now = output("run_tests", {"output": f"rootdir: {roots[1]}, {roots[1]}/src"}, roots)
    assert then == now == {"output": "rootdir: <project>, <project>/src"}
    assert output("grep", ["/home/me/app-2/x"], roots) == ["/home/me/app-2/x"]


def test_what_was_hidden_is_the_same_on_every_machine():
    then, now = "key=[redacted:api-key:1a2b]", "key=[redacted:api-key:ffff]"
    assert output("get_lines", then) == output("get_lines", now) == "key=[redacted:api-key]"


def test_no_result_is_nothing():
    assert without_volatile("get_lines", None, roots=()) == {}


def test_how_many_files_grep_has_looked_at_does_not_count_and_what_it_found_does():
    def told(count, line):
        head = f"Found 1 match\nStrategy: python | Candidates: {count} files | all shown"
        return output("grep", {"content": f"{head}\n{line}"})

    assert told(2, "1: x") == told(3, "1: x")
    assert told(2, "1: x") != told(2, "1: y")
    quoted = "7: Strategy: python | Candidates: {} files"
    assert told(2, quoted.format(4)) != told(2, quoted.format(5)), "the code's own text counts"
    assert output("get_lines", "Candidates: 1 files") != output("get_lines", "Candidates: 2 files")

"""The program that finds the lines, run by itself."""

import json
import subprocess

import pytest
from measured import measured

from ipuaro_jupyter.project.search import line_search

WAIT_S = 120


def answers(pattern, *files, ignore_case=False, most=99, before=()):
    data = [file.encode() for file in files]
    request = {"pattern": pattern, "ignore_case": ignore_case, "most": most}
    first = json.dumps({**request, "sizes": [len(each) for each in data]}).encode()
    done = subprocess.run(
        [*before, *measured("-m", line_search.__name__)],
        input=b"\n".join((first, b"".join(data))),
        capture_output=True,
        check=True,
        timeout=WAIT_S,
    )
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_each_file_is_answered_with_its_lines_and_places():
    found = answers("a+", "xa\r\naa b a\n", "", "b")
    assert found[:2] == ["started", "ready"]
    assert found[2:] == [[[[1, [[1, 2]]], [2, [[0, 2], [5, 6]]]], []], [[], []], [[], []]]


def test_places_count_characters_and_case_may_not_count():
    assert answers("É", "né", ignore_case=True)[2:] == [[[[1, [[1, 2]]]], []]]
    assert answers("É", "né")[2:] == [[[], []]]


def test_no_more_lines_than_wanted_are_looked_for():
    assert answers("a", "a\na\na", "a", most=2)[2:] == [[[[1, [[0, 1]]], [2, [[0, 1]]]], []]]


def test_no_more_places_of_a_line_are_told_than_one_can_look_at():
    ((line, spans),) = answers("a", "a" * 999)[2][0]
    assert (line, len(spans)) == (1, line_search.MOST_SPANS)


@pytest.mark.parametrize("pattern", ["(", "*", "(?P<1>a)", "a{99999999999999999999}"])
def test_what_is_no_regular_expression_is_said(pattern):
    started, said = answers(pattern, "a")
    assert started == "started"
    assert list(said) == ["error"]
    assert said["error"]


def test_pattern_of_another_python_gives_no_warning():
    assert answers("[[a]", "[")[1] == "ready"


def test_tighter_limit_of_the_system_stays():
    before = ["sh", "-c", 'ulimit -t 50 && exec "$@"', "sh"]
    assert answers("a", "a", before=before)[2:] == [[[[1, [[0, 1]]]], []]]


def test_line_that_takes_too_long_is_left_out():
    found = answers("(a+)+$", "aa\n" + "a" * 60 + "b\naaa\n")
    assert found[2:] == [[[[1, [[0, 2]]], [3, [[0, 3]]]], [2]]]

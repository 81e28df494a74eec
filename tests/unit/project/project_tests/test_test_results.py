import re

import pytest
from annotated import project_files
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.project.project_tests.test_results import printed, read_results

SOURCES = project_files("test_results")
VITEST = SOURCES["vitest.txt"]
JEST = SOURCES["jest.txt"]
MOCHA = SOURCES["mocha.txt"]
PYTEST = """
=========================== short test summary info ============================
FAILED py/test_a.py::test_bad - assert 1 == 2
= 1 failed, 1 passed, 1 skipped, 1 xfailed, 1 xpassed, 1 warning, 3 deselected in 1.07s =
"""
NODE = SOURCES["node.txt"]


def numbers(runner, text):
    results = read_results(runner, text)
    if results is None:
        return None
    counts = results.counts
    return (counts.total, counts.passed, counts.failed, counts.skipped, results.duration_ms)


@pytest.mark.parametrize(
    ("runner", "text", "duration_ms"),
    [
        ("vitest", VITEST, 1550),
        ("jest", JEST, 1550),
        ("mocha", MOCHA, 2000),
        ("pytest", PYTEST, 1070),
        ("npm", NODE, 149),
    ],
)
def test_numbers_of_a_run(runner, text, duration_ms):
    assert numbers(runner, text) == (5, 2, 1, 2, duration_ms)
    assert numbers("npm", text) == (5, 2, 1, 2, duration_ms)


@pytest.mark.parametrize(
    ("runner", "line", "expected"),
    [
        ("vitest", "      Tests  1 failed | 2 passed | 1 skipped (4)", (4, 2, 1, 1, None)),
        ("vitest", " Tests  1 failed | 2 passed | 1 skipped (4)", (4, 2, 1, 1, None)),
        ("vitest", "      Tests  no tests\n   Duration  307ms (x 1ms)", (0, 0, 0, 0, 307)),
        ("vitest", "      Tests  4 skipped (4)", (4, 0, 0, 4, None)),
        ("jest", "Tests:       0 total\nTime:        0.312 s", (0, 0, 0, 0, 312)),
        ("jest", "Tests:       3 passed, 3 total\nTime:        2 m 3 s", (3, 3, 0, 0, 123_000)),
        ("mocha", "  0 passing (5ms)", (0, 0, 0, 0, 5)),
        ("mocha", "  1 passing\n  2 failing", (3, 1, 2, 0, None)),
        ("pytest", "1 passed in 75.02s (0:01:15)", (1, 1, 0, 0, 75_020)),
        ("pytest", "======= 1 passed, 6 deselected in 1.01s =======", (1, 1, 0, 0, 1010)),
        ("pytest", "===== no tests ran in 0.01s =====", (0, 0, 0, 0, 10)),
        ("pytest", "===== 7 deselected in 1.24s =====", (0, 0, 0, 0, 1240)),
        ("pytest", "!!! Interrupted !!!\n=== 2 errors in 0.10s ===", (2, 0, 2, 0, 100)),
        ("npm", "ℹ tests 1\nℹ pass 1\nℹ fail 0\nℹ duration_ms 12.5", (1, 1, 0, 0, 12)),  # noqa: RUF001
        ("npm", "# tests 8\n# pass  7\n# fail  1", (8, 7, 1, 0, None)),
    ],
)
def test_numbers_of_one_line(runner, line, expected):
    assert numbers(runner, f"before\n{line}\nafter\n") == expected


def test_numbers_in_json_that_the_settings_ask_for():
    jest = '{"numFailedTests":1,"numPassedTests":2,"numPendingTests":1,"numTodoTests":1,'
    jest += '"numTotalTests":5,"success":false}'
    assert numbers("jest", jest) == numbers("vitest", jest) == (5, 2, 1, 2, None)
    mocha = '{\n  "stats": {\n    "suites": 1,\n    "tests": 4,\n    "passes": 1,\n'
    mocha += '    "pending": 2,\n    "failures": 1,\n    "duration": 4\n  },\n  "tests": []\n}'
    assert numbers("mocha", f"hello\n{mocha}") == (4, 1, 1, 2, 4)


def test_tap_of_any_runner():
    assert numbers("mocha", "ok 1 a\n# tests 2\n# pass 1\n# fail 1\n1..4\n") == (2, 1, 1, 0, None)


def test_last_run_counts():
    watched = VITEST + "\n RERUN  a.js x1\n\n Tests  9 passed (9)\n   Duration  8ms\n"
    assert numbers("vitest", watched) == (9, 9, 0, 0, 8)


def test_runs_of_one_script_are_added():
    assert numbers("npm", VITEST + MOCHA) == (10, 4, 2, 4, 3550)
    assert numbers("npm", NODE + NODE) == (10, 4, 2, 4, 298)
    assert numbers("npm", "# tests 2\n# skip 2\n# duration_ms 3\n") == (2, 0, 0, 2, 3)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Tests: see below",
        "7 tests collected in 1.20s",
        "it took 3 passing cars",
        "rendered in 0.20s",
        "12 files in 0.20s",
    ],
)
@pytest.mark.parametrize("runner", ["vitest", "jest", "mocha", "pytest", "npm"])
def test_text_without_numbers(runner, text):
    assert read_results(runner, text) is None


def test_printed_text_has_no_colours_and_no_overwritten_lines():
    coloured = "\x1bc\x1b[3J\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m1 passed\x1b[39m (1)\r\n"
    assert printed(coloured) == "      Tests  1 passed (1)\n"
    assert printed("10%\r50%\rdone\nnext") == "done\nnext"
    assert printed("\x1b]8;;file:///a\x07link\x1b]8;;\x07\x1b(B") == "link"
    assert printed("\x1b[?25l\x1b[2K ok") == " ok"


@given(st.text(alphabet="ab \t\n\r\x1b[]m0;?", max_size=60))
def test_printed_leaves_no_escape_of_a_known_form(text):
    assert not re.search(r"\x1b\[[0-9;]*m", printed(text))
    assert "\r" not in printed(text)

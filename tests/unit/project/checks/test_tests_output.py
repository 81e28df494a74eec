"""What a change has broken of the tests."""

import time

import pytest

from ipuaro_jupyter.project.checks.tests_output import RunOutcome, read_tests
from ipuaro_jupyter.project.project_tests import test_results
from ipuaro_jupyter.records.outputs import FailedTest

A, B = FailedTest(name="a", message="x"), FailedTest(name="b", message="")


def outcome(*failed, passed=3, counted=True):
    counts = test_results.TestCounts(
        total=passed + len(failed), passed=passed, failed=len(failed), skipped=0
    )
    return RunOutcome(not failed, counts if counted else None, failed)


PASSED = outcome()
SILENT = RunOutcome(is_passed=False, counts=None, failed=(), said="it fell over")


@pytest.mark.parametrize(
    ("before", "after", "broken"),
    [
        (PASSED, outcome(A), ["a"]),
        (outcome(A), outcome(A), []),
        (outcome(A), outcome(A, B), ["b"]),
        (PASSED, SILENT, ["the run of the tests"]),
        (outcome(A), SILENT, ["the run of the tests"]),
        (SILENT, SILENT, []),
        (SILENT, outcome(), []),
        (outcome(A), outcome(A, passed=2), ["the run of the tests"]),
        (PASSED, PASSED, []),
    ],
)
def test_what_failed_before_is_not_broken(before, after, broken):
    assert [test.name for test in after.broken(before)] == broken


def test_the_output_of_a_runner():
    text = "FAILED tests/test_a.py::test_x - assert 1 == 2\n== 1 failed, 2 passed in 0.10s ==\n"
    found = read_tests("pytest", text, exit_code=1)
    assert (found.counts.failed, found.counts.passed) == (1, 2)
    assert [test.name for test in found.failed] == ["tests/test_a.py::test_x"]
    assert read_tests("pytest", "========== 2 passed in 0.10s ==========\n", exit_code=0).is_passed
    assert read_tests("vitest", "boom\n\n at x\n", exit_code=1).said == "boom at x"


CONFTEST = """\
ImportError while loading conftest '/copy/tests/conftest.py'.
tests/conftest.py:1: in <module>
    import click
src/click/globals.py:2: in <module>
    _local = local()
             ^^^^^
E   NameError: name 'local' is not defined
"""
SYNTAX = """\
tests/conftest.py:1: in <module>
    import click
E     File "/copy/src/click/globals.py", line 3
E       x = =
E           ^
E   SyntaxError: invalid syntax
"""
PLAIN = """\
Traceback (most recent call last):
  File "/copy/run.py", line 1, in <module>
    assert answer() == 42
           ~~~~~~~~~^^^^^
AssertionError
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CONFTEST, "NameError: name 'local' is not defined (src/click/globals.py:2)"),
        (SYNTAX, "SyntaxError: invalid syntax (src/click/globals.py:3)"),
        (PLAIN, "AssertionError (run.py:1)"),
        ("\nboom\n    ^^^\n at x\n", "boom at x"),
        (
            '  File "/copy/run.py", line 1, in <module>\n',
            'File "/copy/run.py", line 1, in <module>',
        ),
    ],
)
def test_the_end_of_a_run_is_its_error_with_the_place(text, said):
    assert read_tests("pytest", text, exit_code=4, copy="/copy").said == said


def test_frames_without_an_error_take_linear_time():
    def cost_s(count):
        began_s = time.process_time()
        read_tests("pytest", '  File "/copy/a.py", line 1, in f\n    f()\n' * count, exit_code=1)
        return time.process_time() - began_s

    assert cost_s(20_000) < 30 * max(cost_s(2000), 0.01)

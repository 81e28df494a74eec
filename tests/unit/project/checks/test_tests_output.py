"""What a change has broken of the tests."""

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

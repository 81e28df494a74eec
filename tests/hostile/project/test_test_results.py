"""The output of a test runner is read in time in proportion to its length."""

import time

import pytest

from ipuaro_jupyter.project.project_tests import test_results
from ipuaro_jupyter.project.project_tests.test_results import printed, read_results


@pytest.mark.parametrize(
    "piece",
    [
        *("Tests  1 a ", "Tests: 1, ", "1 passing ", "\n  1 passing\n", "1 passed in ", "= "),
        *("\x1b[", "\x1b]8", "\r", '"numTotalTests": ', '"stats": {', "# tests 1\n", "1, 1, "),
    ],
)
def test_long_output_is_read_in_linear_time(piece):
    text = piece * (60_000 // len(piece))
    started = time.process_time()
    for runner in test_results._READERS:
        read_results(runner, printed(text))
    assert time.process_time() - started < 20

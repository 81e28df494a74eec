import pytest
from annotated import project_files

from ipuaro_jupyter.project.project_tests.failed_tests import failed_tests
from ipuaro_jupyter.records.outputs import FailedTest

SOURCES = project_files("failed_tests")
VITEST = SOURCES["vitest.txt"]
JEST = SOURCES["jest.txt"]
MOCHA = SOURCES["mocha.txt"]
PYTEST = """
=========================== short test summary info ============================
FAILED tests/test_a.py::test_bad[a - b] - assert 1 == 2
ERROR tests/test_b.py - ModuleNotFoundError: No module named 'x'
FAILED tests/test_a.py::test_silent
1 passed, 2 failed, 1 error in 0.10s
"""
TAP = """
TAP version 13
not ok 1 - bad
  ---
  duration_ms: 1
  error: 'it broke'
  ...
ok 2 - fine
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (VITEST, [("a.test.js > outer > bad", "AssertionError: expected 1 to be 2")]),
        (JEST, [("outer \u203a bad", "expect(received).toBe(expected)")]),
        (MOCHA, [("outer bad", "AssertionError [ERR_ASSERTION]: Expected values")]),
        (
            PYTEST,
            [
                ("tests/test_a.py::test_bad[a - b]", "assert 1 == 2"),
                ("tests/test_b.py", "ModuleNotFoundError: No module named 'x'"),
                ("tests/test_a.py::test_silent", ""),
            ],
        ),
        (TAP, [("bad", "it broke")]),
    ],
    ids=["vitest", "jest", "mocha", "pytest", "tap"],
)
def test_names_and_first_lines_of_messages_are_found(text, found):
    failed = failed_tests(text)
    assert [test.name for test in failed] == [name for name, _ in found]
    for test, (_, message) in zip(failed, found, strict=True):
        assert test.message.startswith(message)


def test_what_passes_and_what_is_no_test_run_has_no_failures():
    assert failed_tests("") == ()
    assert failed_tests("  3 passing (1s)\n  1) not a failure\n") == ()
    assert failed_tests("ERROR out - of memory\n") == ()
    assert failed_tests("FAILED to connect - try again\n") == ()
    assert failed_tests("  \u25cf a list's first entry") == ()


def test_only_the_first_few_hundred_are_kept():
    many = "\n".join(f"FAILED a.py::test_{n} - no" for n in range(500))
    assert len(failed_tests(many)) == 200
    assert failed_tests(many)[0] == FailedTest(name="a.py::test_0", message="no")


class Copied(str):
    """A text that counts the characters that are copied out of it."""

    __slots__ = ("copied",)

    def __getitem__(self, key):
        part = super().__getitem__(key)
        self.copied += len(part)
        return part


@pytest.mark.parametrize(
    "line", ["  \u25cf a \u203a b\n", " FAIL  a.ts > b\n", "not ok 1 - a\n", "  1) a:\n"]
)
def test_of_a_long_output_only_what_follows_a_failure_is_looked_at(line):
    text = Copied("1 failing\n" + line * 2000 + "and the rest\n" * 20_000)
    text.copied = 0
    assert len(failed_tests(text)) == 1
    assert 0 < text.copied < 2000 * 5000


def test_a_message_is_looked_for_nearby():
    far = "  \u25cf a \u203a b\n" + " " * 5000 + "\nexpected 1\n"
    assert failed_tests(far)[0].message == ""
    assert failed_tests(far.replace(" " * 5000, ""))[0].message == "expected 1"

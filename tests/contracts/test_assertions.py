"""Every test asserts something: a test that cannot fail shows nothing."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
MODULES = sorted(TESTS.rglob("test_*.py"))
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
FAIL_BY_THEMSELVES = {"raises", "warns", "fail"}
"""What pytest offers besides the statement."""
WAIT_OR_FAIL = {"wait_for", "wait_for_function", "wait_for_selector"}
"""Methods of a page and of what is drawn there: they fail when it does not come about."""


def functions(source):
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, FUNCTIONS)]


def called(call):
    """Return the name of a function that is called, whoever owns it."""
    function = call.func
    return getattr(function, "id", "") or getattr(function, "attr", "")


def asserts(function, asserting):
    """Whether a function asserts something that is no constant, or calls one of ``asserting``."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant):
            return True
        if isinstance(node, ast.Call) and called(node) in asserting:
            return True
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in WAIT_OR_FAIL:
            return True
    return False


def idle_tests(source):
    """Return the names of the tests that assert nothing, not by a function beside them either."""
    every = functions(source)
    beside = [one for one in every if not one.name.startswith("test_")]
    asserting = FAIL_BY_THEMSELVES
    while more := {one.name for one in beside if asserts(one, asserting)} - asserting:
        asserting = asserting | more
    tests = (one for one in every if one.name.startswith("test_"))
    return [test.name for test in tests if not asserts(test, asserting)]


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(TESTS).as_posix())
def test_every_test_asserts_something(module):
    """A test calls what it tests and says what comes of it; "it raises nothing" is not enough."""
    found = idle_tests(module.read_text())
    assert not found, f"{found} assert nothing: say what holds afterwards, or what is raised."


@pytest.mark.parametrize(
    "body",
    [
        "assert run()",
        "with pytest.raises(ValueError): run()",
        "with warns(UserWarning): run()",
        "until(run)",
        "page.wait_for_selector('body')",
        "for one in (1, 2): until_both(one)",
    ],
)
def test_what_asserts_is_found(body):
    beside = (
        "def until_both(one): until(one); until(one)\n\n"
        "def until(condition):\n    while not condition(): assert in_time()\n"
    )
    assert idle_tests(f"def test_it():\n    {body}\n\n{beside}") == []


@pytest.mark.parametrize(
    "body", ["run()", "assert True", "run().check()", "'assert it'", "until()", "wait_for(1)"]
)
def test_what_asserts_nothing_is_found(body):
    source = f"def until(): pass\n\nclass TestIt:\n    def test_it(self):\n        {body}\n"
    assert idle_tests(source) == ["test_it"]

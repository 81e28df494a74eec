"""A change makes a module fail that pytest imports before any test: the check says so."""

from check_conditions import agreed

from ipuaro_jupyter.project.checks.check_plan import check_plan
from ipuaro_jupyter.project.checks.check_run import run_check
from ipuaro_jupyter.records.change import Change

BEFORE = "from threading import local\n\nSTATE = local()\n"
PATH = "src/shop/state.py"


def test_the_error_is_told_and_the_file_was_seen(opened):
    opened.write("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["src"]\n')
    opened.write("src/shop/__init__.py", "from .state import STATE\n")
    opened.write(PATH, BEFORE)
    opened.write("tests/conftest.py", "import shop\n")
    opened.write("tests/test_shop.py", "def test_it():\n    import shop\n")
    conditions = agreed(opened.workspace)
    after = BEFORE.replace("from threading import local\n", "").encode()
    change = Change(path=PATH, before=BEFORE.encode(), after=after)
    plan = check_plan(opened.workspace, [change], {PATH: ["tests/test_shop.py"]})
    report = run_check(plan, [change], conditions)
    assert report.verdict == "failed"
    assert report.lines[0].endswith("; tests: they cannot run with the change")
    error = "NameError: name 'local' is not defined (src/shop/state.py:2)"
    assert report.lines[1:] == (f"failed: the run of the tests: {error}",)

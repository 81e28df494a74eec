"""Proposals checked by real type checkers and real test runners; the project stays as it is."""

import shutil
import subprocess
import sys

import pytest
from folder_states import snapshot

from ipuaro_jupyter.demo.folder import passing_app
from ipuaro_jupyter.records.change import Decision

CORE = '"""Doubling."""\n\n\ndef double(n: int) -> int:\n    """Twice."""\n    return 2 * n\n'
TEST = "from pkg.core import double\n\n\ndef test_it() -> None:\n    assert double(2) == 4\n"


class User:
    """Has everything checked first, and then rejects it."""

    def __init__(self):
        self.report = None

    def __call__(self, proposal):
        self.report = proposal.checked
        assert proposal.check
        return Decision(action="check" if proposal.checked is None else "reject")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo's application with its real compiler and test runner."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed: apt-get install npm")
    with passing_app() as app:
        root = tmp_path_factory.mktemp("demo") / "parcels"
        shutil.copytree(app, root)
    words = ["npm", "install", "--no-audit", "--no-fund", "--silent"]
    installed = subprocess.run(words, cwd=root, check=False, capture_output=True, timeout=300)
    if installed.returncode:
        pytest.skip(f"npm cannot install: {installed.stderr.decode()[-200:]}")
    return root


def test_the_demo_is_checked_by_its_own_compiler_and_tests(demo, open_assistant):
    user, before = User(), snapshot(demo)
    assistant = open_assistant(demo, [], confirm=user)

    def change(target, patch):
        file = "src/carriers/price.ts"
        arguments = {"filepath": file, "target": target, "patch": patch}
        assistant.call("update_file", arguments)
        return user.report

    report = change("Math.ceil(cents / 5) * 5", "5 * Math.ceil(cents / 5)")
    assert report.verdict == "passed", report.lines
    assert report.lines[0] == "types: no errors; 5 of 5 tests that reach it pass"
    report = change("Math.ceil(cents / 5) * 5", "Math.ceil(cent / 5) * 5")
    assert report.verdict == "failed"
    assert report.lines[0].startswith("types: 1 new error; 1 of 5 tests that reach it pass")
    assert "Cannot find name 'cent'" in report.lines[1]
    report = change("(shipment: Shipment, tariff: Tariff)", "(tariff: Tariff, shipment: Shipment)")
    assert "src/carriers/carrier.ts:" in report.lines[1]
    assert snapshot(demo) == before, "caches are written into the copy"


def test_python_is_checked_by_mypy_and_pytest(make_project, open_assistant):
    files = {
        "mypy.ini": "[mypy]\nstrict = true\n",
        "pytest.ini": "[pytest]\n",
        "src/pkg/__init__.py": "",
        "src/pkg/core.py": CORE,
        "tests/test_core.py": TEST,
        "conftest.py": "import sys\nfrom pathlib import Path\n",
    }
    root = make_project(files)
    assert shutil.which("mypy", path=str(sys.executable).rpartition("/")[0])
    user, before = User(), snapshot(root)
    assistant = open_assistant(root, [], confirm=user)
    for returned, verdict, line in (
        ("n + n", "passed", "types: no errors; 1 of 1 test that reaches it passes"),
        ("n + 1", "failed", "types: no errors; 0 of 1 test that reaches it pass"),
        ("str(n)", "failed", "types: 1 new error; 0 of 1 test that reaches it pass"),
    ):
        arguments = {"filepath": "src/pkg/core.py", "target": "2 * n", "patch": returned}
        assistant.call("update_file", arguments)
        assert (user.report.verdict, user.report.lines[0]) == (verdict, line), user.report.lines
    assert snapshot(root) == before

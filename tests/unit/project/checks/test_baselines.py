"""The results without a change are kept while the project stays as it is."""

from ipuaro_jupyter.project.checks.baselines import Baselines, state_of
from ipuaro_jupyter.project.checks.checker_output import CheckerOutput
from ipuaro_jupyter.project.checks.checkers import TypeChecker
from ipuaro_jupyter.project.checks.tests_output import RanTests

TSC = TypeChecker("tsc", "", ("tsc",))
OUTCOME = CheckerOutput(())


def test_a_result_is_kept_for_its_state_and_a_failure_is_not():
    kept, runs = Baselines(), []

    def run(found):
        runs.append(found)
        return found

    for method, key, made in (
        (kept.types, TSC, lambda *pair: pair),
        (kept.tests, "planned", RanTests),
    ):
        assert kept.at("one") is kept
        assert method(key, lambda m=made: run(m(None, "timeout")))[1] == "timeout"
        assert method(key, lambda m=made: run(m(OUTCOME, ""))) == made(OUTCOME, "")
        assert method(key, lambda m=made: run(m(None, "again"))) == made(OUTCOME, "")
        assert method(key, list) == made(OUTCOME, "")
        kept.at("two")
        assert method(key, lambda m=made: run(m(None, "anew")))[1] == "anew"
    assert len(runs) == 6


def test_the_state_is_that_of_files_and_packages(opened):
    opened.write("a.ts", "1")
    opened.write(".gitignore", "node_modules\n*.log\n")
    states = [state_of(opened.workspace)]
    opened.write("x.log", "1")
    assert state_of(opened.workspace) == states[0]
    for path in (
        *("a.ts", "b.ts", "node_modules/.package-lock.json", "node_modules/x/lib/index.d.ts"),
        *("sub/c.ts", "sub/node_modules/x.js", ".venv/lib/python3.11/site-packages/x/y.py"),
    ):
        for text in ("12", "13"):
            opened.write(path, text)
            states.append(state_of(opened.workspace))
    assert len(set(states)) == len(states)


def test_what_tools_write_and_links_that_lead_nowhere_change_nothing(opened):
    opened.write(".gitignore", "node_modules\n.venv\n")
    opened.write("a.py", "1")
    opened.write("node_modules/x.js", "1")
    (opened.root / "node_modules/loop").symlink_to(opened.root / "node_modules")
    (opened.root / "node_modules/none").symlink_to("nowhere")
    state = state_of(opened.workspace)
    opened.write("node_modules/.vite/x.js", "1")
    opened.write("node_modules/__pycache__/x.pyc", "1")
    assert state_of(opened.workspace) == state

"""The results without a change are kept while the project stays as it is."""

from ipuaro_jupyter.project.checks.baselines import Baselines, state_of
from ipuaro_jupyter.project.checks.checker_output import CheckerOutput
from ipuaro_jupyter.project.checks.checkers import TypeChecker

TSC = TypeChecker("tsc", "", ("tsc",))
FOUND = (CheckerOutput(()), "")


def test_a_result_is_kept_for_its_state_and_a_failure_is_not():
    kept, runs = Baselines(), []

    def run(found):
        runs.append(found)
        return found

    for method, key in ((kept.types, TSC), (kept.tests, "planned")):
        assert kept.at("one") is kept
        assert method(key, lambda: run((None, "timeout"))) == (None, "timeout")
        assert method(key, lambda: run(FOUND)) == FOUND
        assert method(key, lambda: run((None, "again"))) == FOUND
        assert method(key, list) == FOUND
        kept.at("two")
        assert method(key, lambda: run((None, "anew"))) == (None, "anew")
    assert len(runs) == 6


def test_the_state_is_that_of_files_and_packages(opened):
    opened.write("a.ts", "1")
    opened.write(".gitignore", "node_modules\n*.log\n")
    states = [state_of(opened.workspace)]
    opened.write("x.log", "1")
    assert state_of(opened.workspace) == states[0]
    for path in ("a.ts", "b.ts", "node_modules/.package-lock.json"):
        opened.write(path, "12")
        states.append(state_of(opened.workspace))
    assert len(set(states)) == len(states)

"""A check runs in a copy, and says what it knows when a program hangs, dies or talks nonsense."""

import threading
import time
from dataclasses import replace

import pytest
from folder_states import snapshot

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ProjectError
from ipuaro_jupyter.project.checks.baselines import Baselines, state_of
from ipuaro_jupyter.project.checks.check_plan import check_plan
from ipuaro_jupyter.project.checks.check_run import CheckConditions, run_check
from ipuaro_jupyter.records.change import Change, Decision

LISTED = "echo $PWD/a.ts; echo $PWD/b.ts"
BROKEN = "grep -n broken *.ts | sed 's/^\\([^:]*\\):\\([0-9]*\\):.*/\\1(\\2,1): error TS1: broken/'"
TSC = f"{BROKEN}; {LISTED}; ! grep -q broken *.ts"
VITEST = """\
failed=0
for file in "${@:2}"; do
  if grep -q wrong a.ts; then failed=1; echo " FAIL  $file > adds"; echo "Error: wrong"; fi
done
[ $failed = 0 ] && echo "      Tests  2 passed (2)" && exit 0
echo "      Tests  1 failed | 1 passed (2)"; exit 1
"""
GRAPH = {"a.ts": ["a.test.ts"]}


@pytest.fixture
def project(opened):
    """Give a project with a checker and a test runner that are shell scripts."""

    def make(tsc=TSC, vitest=VITEST, **files):
        for name, text in (("tsc", tsc), ("vitest", vitest)):
            program = opened.write(f"node_modules/.bin/{name}", f"#!/bin/bash\n{text}\n")
            program.chmod(0o755)
        texts = {"a.ts": "1\n", "b.ts": "1\n", "a.test.ts": "1\n", "tsconfig.json": "{}", **files}
        for path, text in {**texts, "vitest.config.ts": "", ".gitignore": "node_modules"}.items():
            opened.write(path, text)
        return opened

    return make


@pytest.fixture
def check(opened):
    """Give a function that checks the new text of a file."""
    kept = Baselines()

    def run(path="a.ts", after="2\n", *, timeout_s=60.0, cancel=None, decide=None, **changes):
        place = opened.root / path
        before = place.read_bytes() if place.exists() else None
        change = Change(path=path, before=before, after=after and after.encode(), **changes)
        plan = check_plan(opened.workspace, [change], GRAPH)
        context = opened.workspace.execution_context
        context = replace(context, decide=decide or (lambda _: Decision(action="apply")))
        conditions = CheckConditions(
            context=context,
            timeout_s=timeout_s,
            cancel=cancel or CancelToken(),
            baselines=kept.at(state_of(opened.workspace)),
        )
        return run_check(plan, [change], conditions)

    return run


def test_what_is_right_passes_and_nothing_of_the_project_is_touched(project, check):
    root = project(tsc=f"touch written; {TSC}", vitest=f"touch other a.ts; {VITEST}").root
    before = snapshot(root)
    report = check()
    assert report.verdict == "passed"
    assert report.lines == ("types: no errors; 2 of 2 tests that reach it pass",)
    assert report.seconds > 0
    assert snapshot(root) == before


def test_new_errors_and_broken_tests_are_listed(project, check):
    project(**{"b.ts": "broken\n"})
    report = check(after="wrong\n\nbroken\n")
    assert report.verdict == "failed"
    assert report.lines == (
        "types: 1 new error; 1 of 2 tests that reach it pass",
        "a.ts:3: broken (TS1)",
        "failed: a.test.ts > adds: Error: wrong",
    )


def test_what_was_wrong_before_is_told_and_does_not_count(project, check):
    project(**{"a.ts": "wrong\nbroken\n", "b.ts": "broken\n"})
    report = check(after="wrong\nmore\nbroken\n")
    assert report.verdict == "passed"
    assert report.lines[0] == (
        "types: 2 errors as before; 1 of 2 tests that reach it pass, the others fail as before"
    )
    assert check(after="wrong\n").lines[0].startswith("types: 1 error, 1 fewer than before; ")


def test_the_results_without_the_change_are_kept(project, check, tmp_path):
    log = tmp_path / "runs"
    project(tsc=f"echo run >> {log}; {TSC}", **{"b.ts": "broken\n"})
    check()
    assert log.read_text().count("run") == 2
    check(after="3\n")
    assert log.read_text().count("run") == 3
    (tmp_path / "project/b.ts").write_text("broken again\n")
    check(after="3\n")
    assert log.read_text().count("run") == 5


def test_what_nobody_looks_at_is_not_known(project, check):
    project()
    report = check("c.ts")
    assert report.verdict == "unknown"
    assert report.lines == (
        "types: no errors; no test reaches it",
        "neither a type checker nor a test sees c.ts",
    )


def test_tests_that_cannot_run_with_the_change_have_seen_it(project, check):
    project(tsc="exit 9", vitest=f"grep -q wrong a.ts && {{ echo boom; exit 1; }}\n{VITEST}")
    report = check(after="wrong\n")
    assert report.verdict == "failed"
    assert report.lines[1:] == ("failed: the run of the tests: boom",)


def test_a_source_that_the_checker_has_read_may_go(project, check):
    project(LICENSE="mine\n")
    assert check("b.ts", after=None).verdict == "passed"
    report = check("LICENSE", after=None)
    assert report.verdict == "unknown"
    assert "neither a type checker nor a test sees LICENSE" in report.lines


def test_a_file_goes_that_the_checker_left_out(project, check):
    project(tsc="echo $PWD/a.ts")
    assert check("b.ts", after=None).verdict == "unknown"


@pytest.mark.parametrize("after", ["", "it.skip()\n", None])
def test_a_changed_test_never_passes_by_itself(project, check, after):
    project(**{"a.ts": "wrong\n"})
    report = check("a.test.ts", after=after)
    assert report.verdict == "unknown"
    assert report.lines[-1] == "a.test.ts has a say in what a check finds: look at it"


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [("1\n", "syntax\n", "failed"), ("syntax\n", "syntax, more\n", "unknown")],
)
def test_errors_of_syntax_hide_those_of_types(project, check, before, after, verdict):
    error = "echo \"a.ts(1,1): error TS1005: ';' expected.\""
    tsc = f"{LISTED}; grep -q syntax a.ts && {{ {error}; exit 2; }}; exit 0"
    project(tsc=tsc, **{"a.ts": before})
    report = check(after=after)
    assert report.verdict == verdict
    told = "1 new error" if verdict == "failed" else "without the change, types are not looked at"
    assert told in report.lines[0]


def test_what_is_installed_or_behind_a_link_is_not_written(project, check, tmp_path):
    root = project().root
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/y.ts").write_text("1\n")
    (root / "linked").symlink_to(tmp_path / "elsewhere")
    (root / "node_modules/x").mkdir()
    (root / "node_modules/x/index.js").write_text("1\n")
    before = snapshot(root)
    for path in ("node_modules/x/index.js", "linked/y.ts", "node_modules/x/new.js"):
        with pytest.raises(ProjectError, match="which the copy shares"):
            check(path)
    assert snapshot(root) == before
    assert (tmp_path / "elsewhere/y.ts").read_text() == "1\n"


@pytest.mark.parametrize(
    ("tsc", "said"),
    [
        ("sleep 60", "types: not finished within 1.5 s"),
        ("kill -9 $$", "types: no result (exit code 137): it printed nothing"),
        ("echo garbage; exit 1", "types: no result (exit code 1): garbage"),
        ("exec nothing-like-it", "types: no result (exit code 127): "),
        ("head -c 100000000 /dev/zero; exit 3", "types: no result (exit code 3): "),
    ],
)
def test_a_checker_that_fails_leaves_it_unknown(project, check, tsc, said):
    project(tsc=tsc)
    report = check(timeout_s=1.5 if "sleep" in tsc else 60)
    assert report.verdict == "unknown"
    assert said in report.lines[0]


def test_a_checker_that_fails_without_the_change_leaves_it_unknown(project, check):
    project(tsc="grep -q broken a.ts && { echo 'a.ts(1,1): error TS1: x'; exit 1; }; exit 9")
    report = check(after="broken\n")
    assert report.verdict == "unknown"
    assert "types: without the change, no result (exit code 9)" in report.lines[0]


def test_no_time_is_left_for_the_tests(project, check):
    project(tsc="sleep 5")
    lines = check(timeout_s=0.5).lines[0]
    assert lines == "types: not finished within 0.5 s; tests: not finished within 0.5 s"


@pytest.mark.parametrize(
    ("vitest", "verdict", "said"),
    [
        ("kill -9 $$", "unknown", "tests: they cannot run, with the change and without"),
        ("exit 0", "unknown", "tests: vitest ran none of those that reach it"),
        ("! grep -q 2 a.ts", "failed", "tests: they cannot run with the change"),
    ],
)
def test_tests_that_do_not_run(project, check, vitest, verdict, said):
    project(vitest=vitest)
    report = check()
    assert (report.verdict, said in report.lines[0]) == (verdict, True), report.lines


def test_a_missing_checker_says_what_to_do(project, check):
    (project().root / "node_modules/.bin/tsc").unlink()
    report = check()
    assert report.verdict == "unknown"
    assert "types: tsc is configured, but not installed: npm install typescript" in report.lines[0]


def test_a_stop_ends_it_and_leaves_nothing(project, check, tmp_path, monkeypatch):
    project(tsc="sleep 60")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    began_s, token = time.monotonic(), CancelToken()

    threading.Timer(0.7, token.cancel).start()
    with pytest.raises(Cancelled):
        check(cancel=token)
    assert time.monotonic() - began_s < 20
    assert list((tmp_path / "temporary").glob("ipuaro-copy-*")) == []


def test_what_the_user_rejects_does_not_run(project, check):
    project()
    report = check(decide=lambda _: Decision(action="reject"))
    assert report.verdict == "unknown"
    assert "Not done" in report.lines[0]


def test_where_errors_are_hidden_no_errors_are_no_evidence(project, check):
    project(**{"tsconfig.json": '{"compilerOptions": {"noCheck": true}}'})
    assert check("b.ts").verdict == "unknown"
    report = check()
    assert report.verdict == "passed"
    assert report.lines[0] == (
        "types: no errors (noCheck in tsconfig.json hides those of a.test.ts and 1 more file); "
        "2 of 2 tests that reach it pass"
    )


def test_fewer_tests_than_before_do_not_pass(project, check):
    count = "      Tests  $(grep -c . a.ts) passed ($(grep -c . a.ts))"
    project(vitest=f'echo "{count}"', **{"a.ts": "1\n2\n3\n"})
    report = check(after="1\n2\n")
    assert report.verdict == "unknown"
    assert report.lines[0].endswith(
        "2 of 2 tests that reach it pass, but 1 test fewer than before ran"
    )
    assert check(after="1\n2\n3\n4\n").verdict == "passed"


def test_a_deleted_test_is_told(project, check):
    project(**{"b.test.ts": "1\n"})
    assert "1 test file deleted" in check("b.test.ts", after=None).lines[0]


def test_pytest_that_is_not_led_to_the_copy_is_no_evidence(opened, check):
    for path in ("x.py", "test_x.py", "pytest.ini"):
        opened.write(path, "")
    program = opened.write(".venv/bin/pytest", "#!/bin/bash\necho '1 passed in 0.01s'\n")
    program.chmod(0o755)
    report = check("test_x.py")
    assert report.verdict == "unknown"
    assert "tests: Python did not say whether it has run the code of the copy" in report.lines[0]


def test_many_files_for_mypy_are_listed_in_a_file(opened, check):
    names = [f"{'x' * 200}{number}.py" for number in range(400)]
    opened.write("mypy.ini", f"[mypy]\nfiles = {','.join(names)}")
    for name in ("mypy", "python"):
        program = opened.write(f".venv/bin/{name}", "#!/bin/bash\n")
        program.chmod(0o755)
    listed = 'file="${@: -1}"; wc -l < "${file#@}"; echo "Success: no issues found"; exit 0'
    opened.write(".venv/bin/mypy", f"#!/bin/bash\n{listed}\n").chmod(0o755)
    assert check("a.py", after="1\n").lines[0] == "types: no errors; no test reaches it"

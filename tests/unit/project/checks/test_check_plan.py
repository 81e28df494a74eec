"""What a check runs for a change."""

import json

import pytest

from ipuaro_jupyter.project.checks.check_plan import check_plan
from ipuaro_jupyter.records.change import Change

VITEST = json.dumps({"devDependencies": {"vitest": "3"}})


def change(path, after=b"2"):
    return Change(path=path, before=b"1", after=after)


@pytest.fixture
def project(opened):
    opened.write("package.json", VITEST)
    opened.write("tsconfig.json", "{}")
    opened.write("node_modules/.bin/tsc", "").chmod(0o755)
    for path in ("a.ts", "a.test.ts", "b.test.ts", "py/test_x.py", "py/x.py"):
        opened.write(path, "")
    return opened


def test_the_checker_and_the_tests_that_reach_it(project):
    graph = {"a.ts": ["a.test.ts", "b.test.ts"]}
    plan = check_plan(project.workspace, [change("a.ts")], graph)
    assert plan.commands(project.root) == (
        "tsc --noEmit --pretty false --listFiles",
        "vitest run a.test.ts b.test.ts",
    )
    assert plan.test_files == {"a.test.ts", "b.test.ts"}
    assert plan.tested == {"a.ts"}
    assert not plan.is_empty


def test_many_files_are_shortened_where_they_are_shown_only(project):
    graph = {"a.ts": [f"t{n}.test.ts" for n in range(9)]}
    plan = check_plan(project.workspace, [change("a.ts")], graph)
    shown = plan.commands(project.root)[1]
    assert shown == "vitest run t0.test.ts t1.test.ts t2.test.ts and 6 more files"
    _, command = plan.tests[0].command(project.root, project.root)
    assert len(command.argv) == 2 + 9


def test_too_many_files_for_a_command_are_all_tests(project):
    graph = {"a.ts": [f"{'t' * 200}{n}.test.ts" for n in range(400)]}
    plan = check_plan(project.workspace, [change("a.ts")], graph)
    assert plan.commands(project.root)[1] == "vitest run"


def test_each_runner_gets_its_tests(project):
    graph = {"a.ts": ["a.test.ts"], "py/x.py": ["py/test_x.py"]}
    plan = check_plan(project.workspace, [change("a.ts"), change("py/x.py")], graph)
    assert [tests.found.runner for tests in plan.tests] == ["vitest", "pytest"]


def test_a_new_test_runs_and_a_deleted_one_does_not(project):
    created = Change(path="new.test.ts", before=None, after=b"1")
    plan = check_plan(project.workspace, [created, change("a.test.ts", after=None)], {})
    assert plan.test_files == {"new.test.ts"}
    gone = check_plan(project.workspace, [change("a.ts", after=None)], {"a.ts": []})
    assert [checker.name for checker in gone.checkers] == ["tsc"]


def test_mocha_runs_what_lies_in_its_folder(opened):
    opened.write("package.json", json.dumps({"devDependencies": {"mocha": "10"}}))
    graph = {"a.js": ["test/a.js"], "test/a.js": []}
    plan = check_plan(opened.workspace, [change("a.js")], graph)
    assert plan.test_files == {"test/a.js"}
    opened.write("package.json", VITEST)
    assert check_plan(opened.workspace, [change("a.js")], graph).is_empty


def test_nothing_is_to_run(opened):
    plan = check_plan(opened.workspace, [change("a.test.ts")], {})
    assert plan.is_empty
    assert plan.commands(opened.root) == ()
    opened.write("tsconfig.json", "{}")
    missing = check_plan(opened.workspace, [change("a.ts")], {})
    assert missing.is_empty
    assert missing.commands(opened.root) == ()
    opened.write("sub/tsconfig.json", "{}")
    opened.write("node_modules/.bin/tsc", "").chmod(0o755)
    inside = check_plan(opened.workspace, [change("sub/a.ts")], {})
    assert inside.commands(opened.root)[0].endswith("(in sub)")


def test_the_commands_are_those_of_the_proposed_settings(project):
    text = json.dumps({"scripts": {"pretest": "make", "test": "node --test", "posttest": " "}})
    changes = [change("package.json", text.encode()), change("a.ts")]
    plan = check_plan(project.workspace, changes, {"a.ts": ["a.test.ts"]})
    assert plan.commands(project.root) == (
        "tsc --noEmit --pretty false --listFiles",
        "npm test -- a.test.ts, which runs: make && node --test",
    )
    changes = [change("tsconfig.json", None), change("a.ts")]
    assert check_plan(project.workspace, changes, {}).checkers == ()

"""Commands in a project of several roots: each runs in one."""

import json

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.workspace.files.paths import project_of
from ipuaro_jupyter.workspace.permission import permit
from ipuaro_jupyter.workspace.running import start_job


@pytest.fixture
def opened(open_workspace, make_project):
    api = make_project({"a.txt": "in api\n", "src/x": ""}, name="api")
    web = make_project({"a.txt": "in web\n", "run.sh": "echo web\n"}, name="web")
    return open_workspace(project_of([api, web]))


@pytest.fixture
def execute(opened):
    def execute_now(command, timeout_s=20.0, **options):
        return opened.workspace.run(command, tool="run_command", timeout_s=timeout_s, **options)

    return execute_now


def test_a_command_without_a_folder_runs_in_the_first_root(opened, execute):
    outcome = execute("cat a.txt; pwd -P")
    assert outcome.stdout == f"in api\n{opened.root.joinpath('api').resolve()}\n"
    assert outcome.cwd == "api"
    assert opened.user.asked[-1].reason.endswith(" It runs in api.")


@pytest.mark.parametrize(
    ("command", "told", "ran", "cwd"),
    [
        ("cat a.txt", "web", "cat a.txt", "web"),
        ("cd web && cat a.txt", None, "cat a.txt", "web"),
        ("cd ./web && cat a.txt", "api", "cd ./web && cat a.txt", "api"),
        ("cd src && pwd", None, "cd src && pwd", "api"),
    ],
)
def test_a_command_runs_where_it_is_told(opened, command, told, ran, cwd):
    outcome = opened.workspace.run(command, tool="run_command", timeout_s=20.0, cwd=told)
    assert outcome.cwd == cwd
    assert ("in web" in outcome.stdout) == (cwd == "web")
    assert all(asked.command == ran for asked in opened.user.asked)


def test_no_command_runs_outside_of_the_roots(opened, execute):
    for cwd in ("..", "api/../..", "src"):
        with pytest.raises(ToolError):
            execute("ls", cwd=cwd)
    assert opened.user.asked == []


def test_a_permission_is_remembered_for_the_first_root_only(opened, execute):
    opened.user.decision = Decision(action="apply", remember=True)
    execute("make -v")
    (asked,) = opened.user.asked
    assert asked.pattern
    execute("make -v")
    assert len(opened.user.asked) == 1
    execute("make -v", cwd="web")
    assert len(opened.user.asked) == 2
    assert opened.user.asked[-1].pattern is None


def test_what_was_written_in_another_root_is_told(opened, execute):
    """A command in one root may run what the session has put into another."""
    opened.workspace.settings = opened.workspace.settings.model_copy(update={"approve": "edits"})
    opened.apply("web/run.sh", b"echo web\n", b"echo changed\n")
    execute("sh ../web/run.sh")
    assert "web/run.sh" in opened.user.asked[-1].reason


def test_what_a_command_writes_elsewhere_counts_too(opened, execute):
    execute("echo 'echo 1' > ../web/made.sh")
    execute("sh made.sh", cwd="web")
    assert "web/made.sh" in opened.user.asked[-1].reason


def test_a_change_while_the_question_is_open_stops_the_command(opened, execute):
    opened.user.meanwhile = lambda: opened.write("web/run.sh", "echo other\n")
    with pytest.raises(ToolError, match=r"has changed since the user was asked: .*web/run\.sh"):
        execute("sh run.sh", cwd="web")


def test_a_program_of_another_root_is_one_of_the_project(opened, monkeypatch):
    tool = opened.write("web/bin/eslint", "#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{opened.root.joinpath('web').resolve()}/bin:/usr/bin:/bin")
    permission = permit(opened.workspace.execution_context, "eslint src", tool="run_command")
    assert "web/bin/eslint" in permission.relies_on
    assert opened.user.asked == []
    opened.workspace.settings = opened.workspace.settings.model_copy(update={"approve": "edits"})
    opened.apply("web/bin/eslint", b"#!/bin/sh\n", b"#!/bin/sh\nrm x\n")
    permit(opened.workspace.execution_context, "eslint src", tool="run_command")
    assert "web/bin/eslint was changed in this session" in opened.user.asked[-1].reason


def test_scripts_are_those_of_the_root(opened, execute):
    package = json.dumps({"scripts": {"hello": "cat a.txt"}})
    opened.write("web/package.json", package)
    execute("npm run hello", cwd="web")
    assert opened.user.asked[-1].runs == ("npm run hello", "  cat a.txt")


def test_a_job_runs_in_its_root(opened):
    context = opened.workspace.execution_context
    words = ["cat", "a.txt"]
    job = start_job(context, words, judged=words, tool="run_tests", cwd="web")
    job.wait(20)
    assert job.state().output == "in web\n"

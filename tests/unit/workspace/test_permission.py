"""What a command is judged by: where it is, and what a package's scripts say."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.checked_decisions import agreed
from ipuaro_jupyter.workspace.permission import _is_inside, permit, script_text


@pytest.mark.parametrize(
    ("path", "inside"),
    [("a.ts", True), ("sub/none.ts", True), ("../x", False), ("a\0b", False), ("/etc", False)],
)
def test_path_that_cannot_be_is_not_inside(tmp_path, path, inside):
    assert _is_inside(tmp_path / path, tmp_path.resolve()) is inside


@pytest.mark.parametrize(
    ("package", "text"),
    [
        ('{"scripts": {"test": "jest"}}', "jest"),
        ('{"scripts": {"test": 1}}', None),
        ('{"scripts": []}', None),
        ("[]", None),
        ("{", None),
    ],
)
def test_script_is_that_of_the_nearest_package(make_project, package, text):
    root = make_project({"package.json": package, "src/deep/a.ts": ""})
    assert script_text(root, root / "src/deep", "test") == text


@pytest.mark.parametrize("name", ["package.yaml", "package.json5"])
def test_a_package_that_only_pnpm_reads_has_no_script_that_is_known(make_project, name):
    root = make_project({"package.json": '{"scripts": {"test": "jest"}}', f"web/{name}": ""})
    assert script_text(root, root / "web", "test") is None
    assert script_text(root, root, "test") == "jest"


def test_without_a_package_there_is_no_script(tmp_path: Path):
    assert script_text(tmp_path, tmp_path, "test") is None


@pytest.fixture
def permitted(opened):
    """Ask for a permission; gives it, or what was raised, and what the policy decided alone."""
    alone = []
    opened.workspace._decided = lambda *told: alone.append(told)

    def ask(command, **options):
        alone.clear()
        opened.user.asked.clear()
        try:
            found = permit(
                opened.workspace.execution_context, command, **{"tool": "run_command", **options}
            )
        except ToolError as error:
            found = error
        return found, [(told.command, told.reason, by.action, by.by) for told, by in alone]

    return ask


def test_what_is_denied_is_told_and_noted_and_nobody_is_asked(opened, permitted):
    error, alone = permitted("rm  -rf\nkeep " + "x" * 100)
    assert (error.type, error.recoverable) == ("command", False)
    assert "rm with -r deletes whole folders" in error.message
    told = "rm -rf keep " + "x" * 67 + "\u2026"
    assert error.message.endswith(f"This never runs, whoever asks: {told}")
    assert "tell the user" in error.suggestion
    ((command, reason, action, by),) = alone
    assert (command, action, by) == ("rm  -rf\nkeep " + "x" * 100, "reject", "policy")
    assert reason == "Denied: rm with -r deletes whole folders."
    assert opened.user.asked == []


def test_what_runs_unasked_is_noted_with_the_reason(opened, permitted):
    found, ((command, reason, action, by),) = permitted("git --version")
    assert found.folder == ""
    assert (command, action, by) == ("git --version", "apply", "policy")
    assert reason.startswith("Not asked, because ")
    assert opened.user.asked == []


@pytest.mark.parametrize(
    ("script", "is_asked"),
    [
        ("node t.js", False),
        ("node --test", False),
        ("node --test t.js", False),
        ("node ../t.js", True),
        ("node --test /t.js", True),
        ("node -e 1", True),
        ("node", True),
    ],
)
def test_how_a_package_tests_is_run_unasked_when_it_gives_its_files_to_node(
    opened, permitted, script, is_asked
):
    opened.write("package.json", json.dumps({"scripts": {"test": script}}))
    permitted("npm test", tool="run_tests")
    assert bool(opened.user.asked) is is_asked


def _deploy(script):
    return json.dumps({"scripts": {"deploy": script}})


@pytest.mark.parametrize(
    ("command", "path", "texts"),
    [
        ("npm run deploy", "package.json", (_deploy("tool up"), _deploy("tool down"))),
        ("npm run deploy", "package.json", (_deploy("bash up.sh"), _deploy("bash up.sh; rm x"))),
        ("npm run deploy", "up.sh", ("echo 1\n", "echo 2\n")),
        ("python scripts/up.py", "scripts/up.py", ("print(1)\n", "print(2)\n")),
        ("bash -c 'bash ./up.sh'", "up.sh", ("echo 1\n", "echo 2\n")),
        ("make all", "Makefile", ("all:\n\techo 1\n", "all:\n\techo 2\n")),
    ],
)
def test_what_changes_while_the_question_stands_does_not_run(
    opened, permitted, command, path, texts
):
    before, after = texts
    opened.write("package.json", _deploy("bash up.sh"))
    opened.write(path, before)
    found, _ = permitted(command)
    assert not isinstance(found, ToolError)
    opened.user.meanwhile = lambda: opened.write(path, after)
    error, _ = permitted(command)
    assert error.type == "conflict"
    assert "changed since the user was asked" in error.message
    opened.user.meanwhile = lambda: opened.write("notes.log", after)
    found, _ = permitted(command)
    assert not isinstance(found, ToolError)


def test_a_large_file_counts_as_changed_without_being_read(opened, permitted):
    """Its size and time stand for what is in it."""
    code = opened.write("up.sh", "echo 1\n")
    os.truncate(code, 20_000_001)
    assert not isinstance(permitted("bash up.sh")[0], ToolError)
    opened.user.meanwhile = lambda: os.truncate(code, 20_000_002)
    assert permitted("bash up.sh")[0].type == "conflict"


@pytest.mark.usefixtures("permissions_count")
def test_a_file_that_becomes_readable_while_the_question_stands_does_not_run(opened, permitted):
    code = opened.write("up.sh", "echo 1\n")
    code.chmod(0)
    assert not isinstance(permitted("bash up.sh")[0], ToolError)
    opened.user.meanwhile = lambda: code.chmod(0o600)
    assert permitted("bash up.sh")[0].type == "conflict"


def test_what_the_user_has_agreed_to_is_not_asked_about_and_what_is_denied_stays_so(opened):
    context = agreed(opened.workspace.execution_context)
    assert permit(context, "tool x", tool="check").folder == ""
    with pytest.raises(ToolError, match="Denied: rm with -r"):
        permit(context, "rm -rf keep", tool="check")
    assert opened.user.asked == []


def test_what_the_user_is_asked_is_not_the_policys_decision(opened, permitted):
    opened.write("sub/a.ts", "")
    found, _ = permitted("tool x", cwd="sub", env={"A": "b c", "NODE_OPTIONS": "-r ./x.js"})
    assert (found.folder, found.variables["A"]) == ("sub", "b c")
    (asked,) = opened.user.asked
    assert asked.title == "Run tool x"
    assert asked.pattern is None
    assert asked.reason.endswith(
        " It runs in sub. It gets A=b c, NODE_OPTIONS=-r ./x.js."
        " NODE_OPTIONS can make other programs run other code."
    )


@pytest.mark.parametrize(
    ("command", "told"),
    [("", "The command is empty."), (" \n", "is empty"), ("a\0", "holds a NUL character.")],
)
def test_what_is_no_command_is_an_error(permitted, command, told):
    error, alone = permitted(command)
    assert (error.type, alone) == ("validation", [])
    assert told in error.message


@pytest.mark.parametrize("name", ["", "1A", "A-B", "A B", "\u00e9", "A\0", "A="])
def test_what_cannot_name_a_variable_is_an_error(permitted, name):
    error, _ = permitted("tool", env={name: "x"})
    assert (error.type, error.message) == (
        "validation",
        f"{name!r} cannot be the name of a variable.",
    )
    assert permitted("tool", env={"aZ_9": "x"})[0].variables["aZ_9"] == "x"
    assert permitted("tool", env={"A": "x\0"})[0].type == "validation"


def test_a_git_that_only_looks_gets_variables_that_start_nothing(opened, permitted):
    subprocess.run(["git", "init", "-q", str(opened.root)], check=True)
    found, alone = permitted("git status")
    assert found.variables["GIT_OPTIONAL_LOCKS"] == "0"
    assert "core.fsmonitor" in found.variables.values()
    assert [told[2:] for told in alone] == [("apply", "policy")]
    (opened.root / ".git/config").write_text("[diff]\n\texternal = touch ran\n")
    found, alone = permitted("git status")
    assert "GIT_OPTIONAL_LOCKS" not in found.variables
    assert [told[3] for told in alone] != ["policy"]
    (asked,) = opened.user.asked
    assert asked.reason.endswith("what the repository's settings name: diff.external.")


def test_git_asks_where_it_would_not_look_at_the_project(opened, permitted, tmp_path):
    permitted("git log")
    assert "not a git repository" in opened.user.asked[0].reason
    subprocess.run(["git", "init", "-q", str(opened.root)], check=True)
    opened.write(".git/objects/info/alternates", f"{tmp_path}/outside\n")
    permitted("git log")
    told = f"it reads the objects of another one, in {tmp_path}/outside"
    assert told in opened.user.asked[0].reason


def test_an_alias_of_git_is_judged_by_what_it_stands_for(opened, permitted):
    subprocess.run(["git", "init", "-q", str(opened.root)], check=True)
    (opened.root / ".git/config").write_text("[alias]\n\tgone = reset --hard\n\tst = status\n")
    error, _ = permitted("git gone")
    assert "git reset --hard" in error.message
    assert opened.user.asked == []
    found, _ = permitted("git gone2")
    assert found.folder == ""
    (asked,) = opened.user.asked
    assert asked.title == "Run git gone2"


def test_what_a_session_has_changed_is_asked_about_whatever_ignores_it(opened, permitted):
    for path in ("node_modules/.bin/vitest", "vitest.config.ts", "sub/vitest.config.ts"):
        opened.write(path, "#!/bin/sh\n").chmod(0o755)
    opened.write(".gitignore", "vitest.config.ts\nnode_modules\n")
    assert permitted("vitest run")[1] != []
    assert opened.user.asked == []
    opened.apply("sub/vitest.config.ts", b"#!/bin/sh\n", b"1")
    permitted("vitest run", cwd="sub")
    assert "Asked, because sub/vitest.config.ts was changed" in opened.user.asked[0].reason
    opened.apply("vitest.config.ts", b"#!/bin/sh\n", b"1")
    permitted("vitest run")
    assert "vitest.config.ts was changed in this session" in opened.user.asked[0].reason


def test_what_a_session_has_deleted_is_asked_about(opened, permitted):
    opened.write("vitest.config.ts", "1")
    opened.apply("vitest.config.ts", b"1", None)
    permitted("vitest run")
    (asked,) = opened.user.asked
    assert asked.reason == "Asked, because vitest.config.ts was changed in this session."


def test_what_an_earlier_kernel_of_the_session_has_changed_is_asked_about(opened, open_workspace):
    first = open_workspace(opened.root, session="resumed")
    first.apply("deep/down/vitest.config.ts", None, b"1")
    again = open_workspace(opened.root, session="resumed")
    permit(again.workspace.execution_context, "vitest run", tool="run_command")
    (asked,) = again.user.asked
    assert "Asked, because deep/down/vitest.config.ts was changed" in asked.reason


@pytest.fixture
def pytest_on_the_path(monkeypatch):
    """Let commands find the pytest that runs this, without its options."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # it starts much faster then
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("pytest_on_the_path")
@pytest.mark.parametrize(
    ("hiding", "text", "is_there"),
    [
        (".ipuaro.json", {"project": {"ignorePatterns": ["tests/conftest.py"]}}, True),
        (".gitignore", "tests/conftest.py\n", False),
    ],
)
def test_a_repository_cannot_hide_what_the_session_has_changed(
    make_project, open_assistant, hiding, text, is_there
):
    files = {"pytest.ini": "[pytest]\n", "tests/test_a.py": "def test_a(): pass\n"}
    files[hiding] = text if isinstance(text, str) else json.dumps(text)
    if is_there:
        files["tests/conftest.py"] = "# fixtures\n"
    root = make_project(files)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=root, check=True)
    asked = []
    assistant = open_assistant(
        root, [], auto_apply=True, confirm=lambda told: bool(asked.append(told))
    )
    assert (
        assistant.call("run_command", {"command": "pytest -q"}).to_dict()["output"]["exitCode"] == 0
    )
    assert asked == []
    code = "open('ran', 'w').close()"
    if is_there:
        change = {"path": "tests/conftest.py", "start": 1, "end": 1, "content": code}
        assert assistant.call("edit_lines", change).success
    else:
        change = {"path": "tests/conftest.py", "content": code}
        assert assistant.call("create_file", change).success
    assert not assistant.call("run_command", {"command": "pytest -q"}).success
    (told,) = asked
    assert told.reason == "Asked, because tests/conftest.py was changed in this session."
    assert not (root / "ran").exists()


@pytest.mark.parametrize("package", ["", "pkg/"])
@pytest.mark.parametrize("script", ["pytest tests", "pytest"])
@pytest.mark.parametrize("command", ["npm run t", "npm run t -- -q"])
def test_what_a_script_names_is_looked_for_where_it_runs(opened, package, script, command):
    opened.write(f"{package}package.json", json.dumps({"scripts": {"t": script}}))
    opened.write(f"{package}sub/tests/test_a.py", "")
    outside = opened.root.parent / "elsewhere"
    outside.mkdir()
    context, asked = opened.workspace.execution_context, opened.user.asked
    for cwd in (package, f"{package}sub"):
        permit(context, command, tool="bash", cwd=cwd or None)
    assert asked == []
    (opened.root / package / "tests").symlink_to(outside)
    for cwd in (package, f"{package}sub"):
        permit(context, command, tool="bash", cwd=cwd or None)
    assert len(asked) == 2


def test_scripts_are_read_in_the_folder_where_they_run(open_workspace, tmp_path):
    opened = open_workspace(tmp_path / "project", approve="all")
    for name, text in (("sub", "jest"), ("bad", "rm -r x"), ("../near", "jest")):
        opened.write(f"{name}/package.json", json.dumps({"scripts": {"test": text}}))
    (opened.root / "link").symlink_to("../near")
    context = opened.workspace.execution_context
    permit(context, "cd sub && npm test", tool="run_command")
    assert opened.user.asked == []
    permit(context, "npm test && cd sub && npm test", tool="run_command")
    assert "no package.json of the project" in str(opened.user.asked.pop())
    opened.write("package.json", json.dumps({"scripts": {"test": "jest"}}))
    permit(context, "npm test && cd sub && npm test", tool="run_command")
    assert opened.user.asked == []
    with pytest.raises(ToolError, match="Denied"):
        permit(context, "cd bad && npm test", tool="run_command")
    for at, command in enumerate(("cd ../near && npm test", "cd link && npm test"), start=1):
        permit(context, command, tool="run_command")
        assert len(opened.user.asked) == at
        assert opened.user.asked[-1].pattern is None

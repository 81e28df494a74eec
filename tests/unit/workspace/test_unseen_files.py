"""What the session has written, and nobody has looked at, runs only after a question."""

import base64
import hashlib
import json
import os
import signal
import threading
import time
from contextlib import suppress
from dataclasses import replace

import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.workspace.file_states import file_states, files_changed_since
from ipuaro_jupyter.workspace.permission import permit
from ipuaro_jupyter.workspace.running import start_job
from ipuaro_jupyter.workspace.unseen_files import (
    InstalledFiles,
    is_never_code,
    told_files,
)


@pytest.fixture
def edits(open_workspace, tmp_path):
    """A workspace whose edits are applied with nobody looking."""
    root = tmp_path / "project"
    root.mkdir()
    opened = open_workspace(root, approve="edits", session="edits")
    opened.write("package.json", json.dumps({"scripts": {"test": "jest"}}))
    opened.write("src/sum.py", "one")
    return opened


def asked_about(opened, command, **options):
    """The reasons for the questions about a command, which is permitted, not run."""
    opened.user.asked.clear()
    context = options.pop("context", opened.workspace.execution_context)
    permit(context, command, **{"tool": "run_command", **options})
    return [asked.reason for asked in opened.user.asked]


def set_approve(opened, approve):
    settings = opened.workspace.settings
    opened.workspace.settings = settings.model_copy(update={"approve": approve})


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("conftest.py", "pytest --help"),
        ("conftest.py", "pytest --version"),
        ("tests/conftest.py", "pytest"),
        ("pytest.py", "python -m pytest"),
        ("_pytest/__init__.py", "python3 -m pytest -q"),
        ("test_x.py", "pytest"),
        ("test_x.py", "pytest test_x.py"),
        ("src/helper.py", "pytest -q"),
        ("src/helper.js", "npm test"),
        ("jest.config.js", "npm test"),
        (".mocharc.js", "mocha --version"),
        ("setup.cfg", "pytest"),
        ("plugin.txt", "pytest"),
        ("tsconfig.base.json", "tsc --noEmit"),
        ("rules/mine.js", "eslint ."),
        ("prettier-plugin.mjs", "prettier --check ."),
        ("vite-plugin.ts", "vitest run"),
    ],
)
def test_what_nobody_has_looked_at_is_asked_about(edits, path, command):
    assert asked_about(edits, command) == []
    edits.apply(path, None, b"1")
    (reason,) = asked_about(edits, command)
    assert path in reason
    assert edits.user.asked[0].pattern is None
    edits.workspace.undo()
    assert not any("nobody has looked" in each for each in asked_about(edits, command))


@pytest.mark.parametrize(
    "command", ["git --version", "python --version", "node -v", "npm --version", "tsc -v"]
)
def test_what_runs_no_code_of_the_project_runs_unasked(edits, command):
    edits.apply("src/conftest.py", None, b"x")
    assert asked_about(edits, command) == []


def test_an_edit_counts_until_the_content_is_as_it_was(edits):
    edits.apply("src/sum.py", b"one", b"two")
    edits.apply("src/sum.py", b"two", b"three")
    (reason,) = asked_about(edits, "pytest")
    assert reason == (
        "Asked, because it may run what this session has written and nobody has looked at: "
        "src/sum.py."
    )
    edits.write("src/sum.py", "three, and more by hand")
    assert len(asked_about(edits, "pytest")) == 1
    edits.write("src/sum.py", "one")
    assert asked_about(edits, "pytest") == []


def test_a_deleted_file_counts_too(edits):
    edits.apply("src/sum.py", b"one", None)
    assert "src/sum.py" in asked_about(edits, "pytest")[0]
    edits.workspace.undo()
    assert asked_about(edits, "pytest") == []


def test_what_a_person_has_applied_does_not_count(edits):
    set_approve(edits, "ask")
    edits.apply("test_a.py", None, b"x")
    edits.apply("src/sum.py", b"one", b"two")
    assert asked_about(edits, "pytest") == []


def test_an_applied_edit_does_not_cover_unseen_lines_before_it(edits):
    edits.apply("src/sum.py", b"one", b"bad\none")
    set_approve(edits, "ask")
    edits.apply("src/sum.py", b"bad\none", b"bad\ntwo")
    assert "src/sum.py" in asked_about(edits, "pytest")[0]
    edits.apply("src/sum.py", b"bad\ntwo", None)
    assert asked_about(edits, "pytest") == []
    edits.apply("src/sum.py", None, b"all of it")
    edits.apply("src/sum.py", b"all of it", b"all of it, and more")
    assert asked_about(edits, "pytest") == []
    edits.workspace.undo()
    assert asked_about(edits, "pytest") == []
    for _ in range(2):
        edits.workspace.undo()
    assert (edits.root / "src/sum.py").read_bytes() == b"bad\ntwo"
    assert "src/sum.py" in asked_about(edits, "pytest -v")[0]


def test_a_restart_changes_nothing_and_another_session_knows_nothing(edits, open_workspace):
    edits.apply("test_x.py", None, b"x")
    for session, count in (("edits", 1), ("other", 0)):
        again = open_workspace(edits.root, approve="ask", session=session)
        assert len(asked_about(again, "pytest")) == count


def test_all_answers_for_the_user(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, approve="all")
    opened.apply("conftest.py", None, b"x")
    assert asked_about(opened, "pytest") == []


def test_a_remembered_command_asks_again(edits):
    edits.write("deploy.py", "1")
    edits.user.decision = Decision(action="apply", remember=True)
    for command in ("python deploy.py", "cat deploy.py"):
        assert len(asked_about(edits, command)) == 1
        assert asked_about(edits, command) == []
    edits.apply("imported.py", None, b"x")
    (reason,) = asked_about(edits, "python deploy.py")
    assert "safe. It may run what this session has written" in reason
    assert "looked at: imported.py." in reason
    assert asked_about(edits, "cat deploy.py") == []


def test_a_command_that_a_person_allowed_is_asked_about_again_once_a_file_differs(edits):
    edits.apply("src/sum.py", b"one", b"two")
    assert len(asked_about(edits, "pytest")) == 1
    assert asked_about(edits, "pytest") == []
    assert len(asked_about(edits, "pytest -q")) == 1
    assert len(asked_about(edits, "pytest", cwd="src")) == 1
    edits.apply("src/sum.py", b"two", b"three")
    assert len(asked_about(edits, "pytest")) == 1
    edits.user.decision = Decision(action="reject")
    edits.apply("src/other.py", None, b"three")
    for _ in range(2):
        with pytest.raises(ToolError):
            asked_about(edits, "pytest")


def test_both_reasons_are_told(edits):
    edits.apply("conftest.py", None, b"x")
    edits.apply("helper.py", None, b"x")
    (reason,) = asked_about(edits, "pytest")
    assert reason == (
        "Asked, because conftest.py was changed in this session. It may run what this session has "
        "written and nobody has looked at: helper.py."
    )


def test_files_that_a_check_changes_in_a_copy_count(edits, tmp_path):
    (tmp_path / "copy").mkdir()
    context = edits.workspace.execution_context
    assert not context.is_copy
    copy = replace(context, root=tmp_path / "copy", proposed=("src/a.py", "conftest.py"))
    (reason,) = asked_about(edits, "pytest", context=copy)
    assert "conftest.py was changed" in reason
    assert "looked at: src/a.py." in reason
    assert len(asked_about(edits, "pytest", context=copy)) == 1


def run(opened, command):
    return opened.workspace.run(command, tool="run_command", timeout_s=60)


def test_what_an_allowed_command_has_written_counts(edits):
    edits.write("a.txt", "1")
    run(edits, "cp a.txt conftest.py; cp a.txt b.log; rm src/sum.py; exit 3")
    (reason,) = asked_about(edits, "pytest")
    assert reason.endswith("nobody has looked at: conftest.py.")
    assert asked_about(edits, "pytest") == []
    run(edits, "cp package.json conftest.py")
    assert len(asked_about(edits, "pytest")) == 1


def test_what_a_stopped_command_has_written_counts(edits):
    cancel = CancelToken()

    def stop_once_it_is_written():
        while not (edits.root / "x\\y.py").exists():
            time.sleep(0.01)
        cancel.cancel()

    threading.Thread(target=stop_once_it_is_written, daemon=True).start()
    with pytest.raises(Cancelled):
        edits.workspace.run("touch 'x\\y.py'; sleep 60", tool="bash", timeout_s=60, cancel=cancel)
    assert "x\\y.py" in asked_about(edits, "pytest")[0]


def test_what_a_job_has_written_counts(edits):
    context = edits.workspace.execution_context
    script = "touch conftest.py; while [ ! -e end ]; do sleep 0.01; done; touch more.py"
    words = ["sh", "-c", script]
    job = start_job(context, words, judged=words, tool="run_tests")
    while not (edits.root / "conftest.py").exists():
        job.wait(0.01)
    assert "conftest.py" in asked_about(edits, "pytest")[0]
    edits.write("end", "")
    assert job.wait(10)
    assert "more.py" in asked_about(edits, "pytest")[0]
    edits.write("mine.py", "")
    assert asked_about(edits, "pytest") == []
    edits.workspace.close()


def test_what_is_written_after_a_job_has_ended_and_the_project_was_closed_does_not_count(
    edits, open_workspace
):
    words = ["sh", "-c", "touch conftest.py"]
    job = start_job(edits.workspace.execution_context, words, judged=words, tool="run_tests")
    assert job.wait(10)
    edits.workspace.close()
    edits.write("mine.py", "")
    again = open_workspace(edits.root, approve="edits", session="edits")
    (reason,) = asked_about(again, "pytest")
    assert "conftest.py" in reason
    assert "mine.py" not in reason


def test_a_program_that_could_not_be_started_leaves_no_mark(edits, open_workspace):
    words = ["sh", "-c", "touch a.py"]
    edits.workspace.close()
    with pytest.raises(ToolError, match="closed"):
        start_job(edits.workspace.execution_context, words, judged=words, tool="run_tests")
    edits.write("mine.py", "")
    again = open_workspace(edits.root, approve="edits", session="edits")
    assert asked_about(again, "pytest") == []


@pytest.mark.parametrize("as_job", [False, True])
def test_what_a_command_of_a_killed_kernel_has_written_counts(edits, open_workspace, as_job):
    command = "echo 1 > src/test_left.py; sleep 60"
    kernel = os.fork()
    if not kernel:
        with suppress(BaseException):
            store = connect(StoreSettings())
            own = open_workspace(edits.root, approve="all", session="edits", store=store)
            if as_job:
                argv = ["bash", "-c", command]
                start_job(own.workspace.execution_context, argv, judged=["x"], tool="run_tests")
            else:
                run(own, command)
            time.sleep(60)
        os._exit(1)
    while not (edits.root / "src/test_left.py").exists():
        assert os.waitpid(kernel, os.WNOHANG) == (0, 0)
        time.sleep(0.01)
    os.kill(kernel, signal.SIGKILL)
    os.waitpid(kernel, 0)
    edits.write("src/later.py", "two")
    again = open_workspace(edits.root, approve="edits", session="edits")
    (reason,) = asked_about(again, "pytest")
    assert "src/test_left.py" in reason
    assert "src/sum.py" not in reason
    assert "package.json" not in reason
    again.write("test_new.py", "three")
    assert asked_about(again, "pytest") == []


def test_an_unseen_change_stops_the_jobs_that_would_run_it(edits):
    jobs = edits.workspace.jobs
    job = jobs.start(["sleep", "60"], command="watch", cwd=edits.root)
    set_approve(edits, "ask")
    edits.apply("a.py", None, b"x")
    assert job.running
    set_approve(edits, "all")
    edits.apply("b.py", None, b"x")
    assert job.running
    set_approve(edits, "edits")
    edits.apply("c.py", None, b"x")
    assert job.state().state == "stopped"
    assert "c.py was changed and nobody has looked at it" in job.state().reason


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("helper.py", True),
        ("lib/rules.json", True),
        ("tests/test_notes.txt", True),
        ("notes.md", True),
        ("Autosaved.ipynb", False),
    ],
)
def test_what_changes_while_the_question_stands_is_asked_about_again(edits, path, counts):
    def change():
        edits.write(path, "changed meanwhile")

    edits.write(path, "as it was")
    edits.user.meanwhile = change
    if not counts:
        assert asked_about(edits, "python deploy.py")
        return
    with pytest.raises(ToolError, match=f"since the user was asked: {path}") as caught:
        asked_about(edits, "python deploy.py")
    assert caught.value.type == "conflict"


def test_a_commit_asks_again_when_any_file_changes(edits):
    edits.user.meanwhile = lambda: edits.write("notes.log", "secret")
    with pytest.raises(ToolError, match=r"since the user was asked: notes\.log"):
        asked_about(edits, "git commit -am x")
    assert asked_about(edits, "cat package.json")


def made(root, *paths):
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")


def test_the_states_of_files_leave_out_packages_and_follow_no_link(tmp_path):
    made(tmp_path, "a.py", "node_modules/b.js", "sub/d.py")
    (tmp_path / "link").symlink_to("sub")
    (tmp_path / os.fsdecode(b"odd\xff.py")).write_text("x")
    assert sorted(file_states(tmp_path)) == ["a.py", "link", os.fsdecode(b"odd\xff.py"), "sub/d.py"]
    assert file_states(tmp_path / "none") == {}


def test_what_has_been_written_or_moved_since_is_found(tmp_path):
    made(tmp_path, "a.py", "b.py", "kept/c.py", "moved/d.py", "moved/sub/e.py", "node_modules/f.js")
    newest = max(state.changed_ns for state in file_states(tmp_path).values())
    newest = max(newest, *((tmp_path / name).stat().st_ctime_ns for name in ("kept", "moved")))
    time.sleep(0.05)
    (tmp_path / "a.py").write_text("y")
    (tmp_path / "kept/new.py").write_text("y")
    (tmp_path / "moved").rename(tmp_path / "other")
    found = files_changed_since(tmp_path, newest)
    assert found == ["a.py", "kept/new.py", "other/d.py", "other/sub/e.py"]


@pytest.mark.parametrize(
    ("python", "packages"),
    [
        ("bin/python", "lib/python3.12/site-packages"),
        ("Scripts/python.exe", "Lib/site-packages"),
    ],
)
def test_of_a_virtual_environment_only_packages_are_left_out(tmp_path, python, packages):
    made(tmp_path, f"env/{python}", f"env/{packages}/a.py", "env/c.py", "env/pyvenv.cfg")
    assert sorted(file_states(tmp_path)) == sorted([f"env/{python}", "env/c.py", "env/pyvenv.cfg"])


@pytest.mark.parametrize(
    ("programs", "packages"),
    [("bin", "lib/python3.12/site-packages"), ("Scripts", "Lib/site-packages")],
)
def test_what_an_installer_lists_does_not_count(edits, programs, packages):
    made(edits.root, f"env/{programs}/python", f"env/{packages}/a.py", "env/pyvenv.cfg")
    tool, record = f"env/{programs}/tool", f"env/{packages}/tool-1.dist-info/RECORD"
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"hi").digest()).decode().rstrip("=")
    up = "../" * len(packages.split("/"))
    run(edits, f"mkdir -p env/{packages}/tool-1.dist-info; printf hi > {tool}")
    (reason,) = asked_about(edits, "pytest")
    assert tool in reason
    edits.write(record, f"{up}{programs}/tool,sha256={digest},2\n")
    run(edits, f"printf hi > env/{programs}/other; ln -s /etc/hosts env/{programs}/link")
    (reason,) = asked_about(edits, "pytest")
    assert f"env/{programs}/other" in reason
    assert f"env/{programs}/link" in reason
    assert not InstalledFiles(edits.root).has(f"env/{programs}/none")
    assert not InstalledFiles(edits.root).has("env/c/tool")
    assert not InstalledFiles(edits.root).has(f"env/{programs}/{'x' * 300}")
    assert InstalledFiles(edits.root).has(tool)
    edits.write(tool, "bad")
    assert not InstalledFiles(edits.root).has(tool)
    (edits.root / "env/pyvenv.cfg").unlink()
    edits.write(tool, "hi")
    assert not InstalledFiles(edits.root).has(tool)


def test_what_an_installer_writes_runs_unasked(edits):
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"hi").digest()).decode().rstrip("=")
    packages = "env/lib/python3.12/site-packages/tool-1.dist-info"
    made(edits.root, "env/bin/python", "env/pyvenv.cfg")
    line = f"../../../bin/tool,sha256={digest},2"
    run(edits, f"mkdir -p {packages}; echo {line} > {packages}/RECORD; printf hi > env/bin/tool")
    assert asked_about(edits, "pytest") == []


def test_a_link_or_an_odd_name_that_a_command_has_made_counts(edits):
    run(edits, "ln -s /etc/hosts conftest.py; touch \"$(printf 'test_\\377.py')\"")
    (reason,) = asked_about(edits, "pytest")
    assert "conftest.py, test_\\xff.py" in reason


def test_many_files_are_told_in_part():
    assert told_files(["b", "a"]) == "a, b"
    assert told_files([f"{number}" for number in range(10)]) == "0, 1, 2, 3, 4, 5, 6, 7 and 2 more"


@pytest.mark.parametrize(
    "path",
    [
        *("a.py", "Makefile", ".env", "x.json", "a.log.js", "bin/tool", "requirements.txt"),
        *("CMakeLists.txt", "tests/test_notes.txt", "docs/usage.rst", "README.md"),
    ],
)
def test_what_may_be_code(path):
    assert not is_never_code(path)

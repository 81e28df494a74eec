"""What becomes of a command that fails in a sandbox, whatever its reason: the program is a stub.

`tests/system/workspace/test_sandbox.py` does it with a real one.
"""

import json
import os
import threading
import time
from dataclasses import replace

import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.workspace.permission import permit
from ipuaro_jupyter.workspace.running import run_program, start_job

STUB = """#!/bin/sh
for word; do [ "$word" = --unshare-net ] && export NO_NETWORK=1; done
while [ "$1" != -- ]; do shift; done
shift
export CONFINED=1
exec "$@"
"""
OUTSIDE = '[ -z "$CONFINED" ] && echo outside || { echo "x: Read-only file system" >&2; exit 1; }'
ONLINE = '[ -z "$NO_NETWORK" ] && echo "$CONFINED" || { echo "Connection refused" >&2; exit 7; }'


@pytest.fixture
def boxed(open_workspace, tmp_path, monkeypatch):
    """Give a function that opens a workspace whose sandbox is the stub."""
    programs, root = tmp_path / "programs", tmp_path / "project"
    programs.mkdir()
    root.mkdir()
    (programs / "bwrap").write_text(STUB)
    (programs / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")

    def open_now(*, offer="apply", by="user", reason="", **settings):
        opened = open_workspace(root, **({"sandbox": "auto"} | settings))
        offered = Decision(action=offer, by=by, reason=reason)

        def decide():
            is_offer = opened.user.asked[-1].title.startswith(("Run without", "Run with "))
            opened.user.decision = offered if is_offer else Decision(action="apply")

        opened.user.meanwhile = decide
        return opened

    return open_now


def execute(opened, command):
    return opened.workspace.run(command, tool="run_command", timeout_s=30)


def titles(opened):
    return [asked.title.partition(":")[0] for asked in opened.user.asked[1:]]


def test_success_is_not_asked_about(boxed):
    opened = boxed()
    assert execute(opened, "echo $CONFINED").stdout == "1\n"
    assert titles(opened) == []


def test_user_lets_it_run_without(boxed):
    opened = boxed()
    assert execute(opened, OUTSIDE).stdout == "outside\n"
    assert titles(opened) == ["Run without the sandbox"]


def test_user_gives_a_network(boxed):
    opened = boxed()
    assert execute(opened, ONLINE).stdout == "1\n"
    assert titles(opened) == ["Run with the network"]


def test_after_the_network_comes_what_else_is_denied(boxed):
    opened = boxed()
    assert execute(opened, f"{{ {ONLINE}; }} && {OUTSIDE}").stdout == "\noutside\n"
    assert titles(opened) == ["Run with the network", "Run without the sandbox"]


@pytest.mark.parametrize(
    ("by", "reason", "told"),
    [
        ("user", "", "The user did not let it run without the sandbox."),
        ("user", "no", "The user did not let it run without the sandbox: no."),
        ("nobody", "", "There is nobody to ask whether it may run without the sandbox."),
    ],
)
def test_refused_offer_is_told(boxed, by, reason, told):
    done = execute(boxed(offer="reject", by=by, reason=reason), OUTSIDE)
    assert done.exit_code == 1
    assert done.sandbox == (
        "This may have failed because it ran in a sandbox: it may write only in the project: x: "
        f"Read-only file system. {told}"
    )
    assert done.stderr == f"x: Read-only file system\n[{done.sandbox}]\n"


def test_required_sandbox_offers_only_a_network(boxed):
    opened = boxed(sandbox="required")
    done = execute(opened, f"{{ {ONLINE}; }} && {OUTSIDE}")
    assert titles(opened) == ["Run with the network"]
    assert 'Nothing runs without one, because "commands.sandbox" is "required".' in done.stderr


def test_setting_never_refuses_the_offer(boxed):
    opened = boxed(approve="never")
    assert execute(opened, "git --version").exit_code == 0
    context = opened.workspace.execution_context
    offer = Proposal(id="1", kind="command", tool="t", title="Run without the sandbox: x")
    decision = context.ask_person(offer)
    assert (decision.action, decision.by, opened.user.asked) == ("reject", "setting", [])


def test_program_s_merged_output_stays_as_it_is(boxed):
    opened = boxed()
    context = replace(opened.workspace.execution_context, ask_person=None)
    done = run_program(context, ["sh", "-c", OUTSIDE], tool="check", timeout_s=30)
    assert done.stdout == "x: Read-only file system\n"
    assert done.stderr == ""
    assert done.sandbox.endswith("x: Read-only file system.")


def test_job_runs_in_it(boxed):
    opened = boxed()
    words = ["sh", "-c", "echo $CONFINED"]
    job = start_job(opened.workspace.execution_context, words, judged=words, tool="run_tests")
    assert job.wait(30)
    assert job.state().output == "1\n"


def test_network_is_named_in_the_question(boxed):
    opened = boxed()
    execute(opened, "curl --version; echo $NO_NETWORK")
    assert opened.user.asked[0].reason.endswith("In its sandbox it gets the network.")
    off = boxed(sandbox="off")
    execute(off, "curl --version; echo $NO_NETWORK")
    assert "sandbox" not in off.user.asked[0].reason


def test_remembered_permission_gives_the_network_again(boxed):
    opened = boxed(offer="reject")
    command = "wget --version; echo net:$NO_NETWORK"
    opened.user.meanwhile = lambda: None
    opened.user.decision = Decision(action="apply", remember=True)
    assert "net:\n" in execute(opened, command).stdout
    assert "net:\n" in execute(opened, command).stdout
    assert len(opened.user.asked) <= 2


def test_setting_all_gives_no_network(boxed):
    opened = boxed(approve="all")
    assert "net:1\n" in execute(opened, "wget --version; echo net:$NO_NETWORK").stdout


def test_without_a_sandbox_a_command_runs_as_it_is(boxed):
    opened = boxed()
    context = replace(opened.workspace.execution_context, sandbox=None)
    outcome = run_program(context, ["sh", "-c", OUTSIDE], tool="check", timeout_s=30)
    assert outcome.stdout == "outside\n"


@pytest.mark.parametrize(("approve", "git"), [("ask", "all"), ("all", "commits")])
def test_only_a_person_lets_git_write_its_settings_and_hooks(boxed, approve, git):
    context = boxed(approve=approve).workspace.execution_context
    assert permit(context, "git commit -m x", tool="run_command").git == git


def test_setting_all_lets_what_writes_no_git_directory_be(boxed):
    context = boxed(approve="all").workspace.execution_context
    assert permit(context, "npm run build", tool="run_command").git == "nothing"


def test_offer_names_what_the_confined_run_has_changed(boxed):
    opened = boxed()
    assert execute(opened, f"touch helper.py x.log; {OUTSIDE}").stdout == "outside\n"
    assert opened.user.asked[-1].reason.endswith(
        "Since it was permitted, this has changed: helper.py."
    )


def test_offer_names_a_file_elsewhere_and_what_git_would_commit(boxed, tmp_path):
    opened = boxed()
    other = tmp_path / "other.sh"
    other.write_text("true")
    command = f"git init -q .; touch a.py; git add a.py; echo >> {other}; sh {other}; {OUTSIDE}"
    assert execute(opened, command).stdout == "outside\n"
    reason = opened.user.asked[-1].reason
    assert f"{other}, a.py, what git would commit" in reason


@pytest.mark.parametrize("script", ["sudo id", "echo other"])
def test_rewritten_script_is_not_run_outside(boxed, script):
    opened = boxed()
    package = opened.root / "package.json"
    package.write_text(json.dumps({"scripts": {"build": "true"}}))
    new = json.dumps({"scripts": {"build": script}})
    done = execute(opened, f"npm run build; echo '{new}' > package.json; {OUTSIDE}")
    assert done.stdout.endswith("outside\n") is False
    assert "was not run without the sandbox: it would now do something else" in done.sandbox
    assert titles(opened) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [("package.json", '{"scripts": {"build": "echo other"}}'), ("helper.py", "x")],
)
def test_what_changes_while_the_offer_stands_is_not_run_outside(boxed, path, text):
    opened = boxed()
    opened.write("package.json", '{"scripts": {"build": "true"}}')
    answer = opened.user.meanwhile

    def meanwhile():
        answer()
        if opened.user.asked[-1].title.startswith("Run without"):
            opened.write(path, text)

    opened.user.meanwhile = meanwhile
    done = execute(opened, f"npm run build; {OUTSIDE}")
    assert "was not run without the sandbox" in done.sandbox
    assert titles(opened) == ["Run without the sandbox"]


NEW_REPOSITORY = "A git directory has come or changed meanwhile: new/.git."


def test_new_repository_is_told_and_kept_through_a_second_run(boxed):
    done = execute(boxed(), f"mkdir -p new/.git; {OUTSIDE}")
    assert done.stdout == "outside\n"
    assert NEW_REPOSITORY in done.stderr
    assert NEW_REPOSITORY in done.sandbox


def test_new_repository_is_told_with_the_refusal(boxed):
    done = execute(boxed(offer="reject"), f"mkdir -p new/.git; {OUTSIDE}")
    assert done.sandbox.startswith("This may have failed")
    assert NEW_REPOSITORY in done.sandbox


def test_new_repository_is_told_of_a_command_that_is_too_slow(boxed):
    with pytest.raises(ToolError) as caught:
        boxed().workspace.run("mkdir -p new/.git; sleep 20", tool="run_command", timeout_s=0.6)
    assert NEW_REPOSITORY in caught.value.message
    with pytest.raises(ToolError) as caught:
        boxed().workspace.run("sleep 20", tool="run_command", timeout_s=0.1)
    assert NEW_REPOSITORY not in caught.value.message


def test_new_repository_of_a_stopped_command_is_told_with_the_next(boxed):
    opened, cancel = boxed(), CancelToken()
    threading.Thread(target=_when_there, args=(opened.root / "new/.git", cancel)).start()
    with pytest.raises(Cancelled):
        opened.workspace.run(
            "mkdir -p new/.git; sleep 20", tool="run_command", timeout_s=30, cancel=cancel
        )
    assert NEW_REPOSITORY in execute(opened, "true").stderr
    assert execute(opened, "true").stderr == ""


def test_new_repository_of_a_job_ends_its_output(boxed):
    opened = boxed()
    words = ["mkdir", "-p", "new/.git"]
    job = start_job(opened.workspace.execution_context, words, judged=words, tool="run_tests")
    assert job.wait(30)
    assert NEW_REPOSITORY in job.state().output
    assert NEW_REPOSITORY in job.state().output


def test_new_repository_in_a_copy_does_not_matter(boxed, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    context = replace(boxed().workspace.execution_context, root=copy)
    assert (
        run_program(context, ["mkdir", "-p", "new/.git"], tool="check", timeout_s=30).sandbox == ""
    )


def _when_there(path, cancel):
    while not path.exists():
        time.sleep(0.01)
    cancel.cancel()


def test_command_that_was_not_asked_about_has_a_ground_too(boxed):
    context = boxed().workspace.execution_context
    permission = permit(context, "git --version", tool="run_command")
    assert permission.ground.first == permission.ground.now()
    setting = boxed(sandbox="off").workspace.execution_context
    assert permit(setting, "git --version", tool="run_command").ground is None

"""Every decision is in the session: what was asked, what was shown, what was answered."""

import os
import subprocess
import sys
import threading

import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.records.change import Decision

FILES = {"a.ts": "const one = 1;\n", "keep/k.txt": "k\n", "package.json": "{}\n"}
EDIT = {"path": "a.ts", "start": 1, "end": 1, "content": "const two = 2;"}


def by(assistant):
    return [(one.proposal.kind, one.decision.action, one.decision.by) for one in read(assistant)]


def read(assistant):
    return assistant.decisions()


def test_users_answers_are_kept_with_what_was_shown(make_project, open_assistant):
    answers = iter(
        [Decision(action="reject", reason="not so"), Decision(action="apply", text="const 3;\n")]
    )
    assistant = open_assistant(make_project(FILES), [], confirm=lambda _: next(answers))
    assistant.call("edit_lines", EDIT)
    assistant.call("edit_lines", EDIT)
    first, second = read(assistant)
    assert (first.proposal.tool, first.proposal.path) == ("edit_lines", "a.ts")
    assert "const one = 1;" in first.shown
    assert "const two = 2;" in first.shown
    assert (first.decision.action, first.decision.reason) == ("reject", "not so")
    assert (second.decision.action, second.decision.text) == ("apply", "const 3;\n")
    assert 0 < first.at <= second.at


def test_answers_of_settings_nobody_and_the_policy_are_kept(make_project, open_assistant):
    assistant = open_assistant(make_project(FILES), [], auto_apply=True)
    assistant.call("edit_lines", EDIT)
    assistant.call("run_command", {"command": "touch made"})
    assistant.call("run_command", {"command": "git --version"})
    assistant.call("run_command", {"command": "rm -rf keep"})
    assert by(assistant) == [
        ("edit", "apply", "setting"),
        ("command", "reject", "nobody"),
        ("command", "apply", "policy"),
        ("command", "reject", "policy"),
    ]
    denied = read(assistant)[-1]
    assert denied.proposal.command == "rm -rf keep"
    assert "rm with -r" in denied.decision.reason
    assert "$ rm -rf keep" in denied.shown


def test_remembered_answers_say_so(make_project, open_assistant):
    assistant = open_assistant(
        make_project(FILES), [], confirm=lambda _: Decision(action="apply", remember=True)
    )
    assistant.call("run_command", {"command": "echo one"})
    assistant.call("run_command", {"command": "echo two"})
    first, second = read(assistant)
    assert (first.decision.by, first.decision.remember) == ("user", True)
    assert (second.decision.by, second.decision.reason) == ("setting", "allowed before")


def test_log_survives_a_killed_kernel(make_project, open_assistant):
    root = make_project(FILES)
    script = (
        "import os, ipuaro_jupyter as i\n"
        f"a = i.start({str(root)!r}, model=i.ScriptedModel([]), confirm=lambda p: False)\n"
        f"a.call('edit_lines', {EDIT!r})\n"
        "os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", script], env=dict(os.environ), check=False, timeout=120)
    assistant = open_assistant(root, [])
    assert by(assistant) == [("edit", "reject", "user")]
    assert "const two = 2;" in read(assistant)[0].shown


def test_log_belongs_to_its_session(make_project, open_assistant):
    root = make_project(FILES)
    first = open_assistant(root, [], confirm=lambda _: False)
    first.call("edit_lines", EDIT)
    session = first.session.id
    first.close()
    second = open_assistant(root, [], new=True)
    assert read(second) == ()
    second.load(session)
    assert by(second) == [("edit", "reject", "user")]


@pytest.mark.parametrize("text", ["x" * 300_000, "\ud800", "\x1b[31m"])
def test_odd_and_long_texts_are_kept_as_far_as_that_goes(make_project, open_assistant, text):
    assistant = open_assistant(make_project(FILES), [], confirm=lambda _: False)
    assistant.call("run_command", {"command": f"echo '{text}'"})
    (logged,) = read(assistant)
    assert logged.decision.action == "reject"
    assert len(logged.shown) < 21_000


def test_the_record_of_a_turn_says_what_was_applied_and_by_whom(make_project, open_assistant):
    edit = (
        '<tool_call name="edit_lines"><path>a.ts</path><start>1</start><end>1</end>'
        "<content>const two = 2;</content></tool_call>"
    )
    turn = [edit, edit.replace("two = 2", "three = 3"), "Done."]
    answers = iter([Decision(action="apply"), Decision(action="reject", reason="not so")])
    assistant = open_assistant(make_project(FILES), turn, confirm=lambda _: next(answers))
    applied, rejected = assistant.ask("Change it.").tool_calls
    assert applied.decided == ("Applied: Edit line 1 of a.ts",)
    assert rejected.decided == ()
    assert "not so" in rejected.result.error.message


def test_the_record_of_a_turn_says_what_settings_applied(make_project, open_assistant):
    call = '<tool_call name="create_file"><path>b.ts</path><content>x</content></tool_call>'
    assistant = open_assistant(make_project(FILES), [call, "Done."], auto_apply=True)
    (created,) = assistant.ask("Create it.").tool_calls
    assert created.decided == ("Applied by the settings: Create b.ts",)


@pytest.mark.parametrize("call", [("edit_lines", EDIT), ("run_command", {"command": "touch b.ts"})])
def test_a_decision_that_arrives_after_stop_applies_nothing(make_project, open_assistant, call):
    """A click that was on its way when the user pressed stop."""
    root = make_project(FILES)
    cancel, asked, late = CancelToken(), threading.Event(), threading.Event()

    def confirm(_proposal):
        asked.set()
        late.wait(20)
        return Decision(action="apply", remember=True)

    name, arguments = call
    tags = "".join(f"<{key}>{value}</{key}>\n" for key, value in arguments.items())
    replies = [f'<tool_call name="{name}">\n{tags}</tool_call>', "Done."]
    assistant = open_assistant(root, replies, confirm=confirm)
    answers = []
    turn = threading.Thread(target=lambda: answers.append(assistant.ask("Go on", cancel)))
    turn.start()
    assert asked.wait(20)
    cancel.cancel()
    late.set()
    turn.join(20)
    assert answers[0].ended == "stopped"
    assert answers[0].edits == ()
    assert (root / "a.ts").read_text() == FILES["a.ts"]
    assert not (root / "b.ts").exists()
    assert assistant.remembered == ()

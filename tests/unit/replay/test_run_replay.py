"""A session is exported, and run again: with no difference, then with one after a change."""

import json
import shutil

import nbformat
import pytest
from talks import ANSWERS, READ, REPLIES, call, edit, git, outcomes

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ProjectError, SettingsError
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.replay import replay
from ipuaro_jupyter.views.drawing import mimebundle


@pytest.fixture
def talk(record):
    return record(REPLIES, ["Raise the fee", "Add a file"], ANSWERS)


def state(root):
    """All files of the project and its repository, when the project's were written, its history.

    Not when git's objects were: git touches those that it would have to write again.
    """
    files = {
        p.relative_to(root).as_posix(): (p.read_bytes(), ".git" in p.parts or p.stat().st_mtime_ns)
        for p in root.rglob("*")
        if p.is_file()
    }
    return files, git(root, "--no-optional-locks", "status", "--porcelain"), git(root, "log")


def test_a_session_that_was_just_recorded_replays_without_a_difference(talk, project):
    """With reads, an applied, an edited and a rejected change, and commands, one of them denied."""
    before = state(project)
    assert "kg * 3" in (project / "src/fee.ts").read_text()
    report = replay(talk, project)
    assert outcomes(report) == [
        ("get_lines", "same"),
        ("find_references", "same"),
        ("edit_lines", "same"),
        ("edit_lines", "same"),
        ("run_command", "differs"),
        ("git_status", "same"),
        ("create_file", "same"),
        ("run_command", "same"),
        ("get_structure", "same"),
    ]
    assert report.calls[4].recorded != report.calls[4].replayed, "the nanoseconds"
    assert report.endings == ()
    assert report.restored == ("src/fee.ts", "src/new.ts")
    assert state(project) == before


def test_an_attachment_that_differs_is_reported(record, project):
    talk = record(["Two.", "One."], ["What is @src/fee.ts?", "And @u, @src/none.ts?"])
    assert replay(talk, project).endings == ()
    (project / "src/fee.ts").write_text("export const fee = (kg: number) => kg * 5\n")
    (project / "src/use.ts").unlink()
    changed, gone = replay(talk, project).endings
    assert changed == "Message 1: what @src/fee.ts attaches has changed (src/fee.ts)."
    assert gone.startswith("Message 2, @u: Attached: u in src/use.ts line 2. Now: Not attached: @u")


SEEING_EVERYTHING = [
    call("grep", pattern="fee"),
    call("get_structure"),
    call("git_status"),
    call("get_complexity"),
    "That is all.",
]


@pytest.mark.parametrize("has_git", [True, False])
def test_an_export_into_the_project_does_not_count_as_a_difference(
    project, open_assistant, has_git
):
    """Nor does another one beside it, made by another session afterwards."""
    if not has_git:
        shutil.rmtree(project / ".git")
    assistant = open_assistant(project, SEEING_EVERYTHING)
    assistant.ask("What is there?")
    talk = assistant.export(project / "conv.ipynb")
    assistant.export(project / "src" / "again.ipynb")
    assistant.close()
    report = replay(talk, project)
    assert [outcome for _, outcome in outcomes(report)] == ["same"] * 4
    assert (project / "src" / "again.ipynb").exists()


def test_an_export_that_the_session_has_found_stays_and_other_notebooks_do(project, open_assistant):
    first = open_assistant(project, ["Hello."])
    first.ask("Hello?")
    first.export(project / "tracked.ipynb")
    first.close()
    git(project, "add", "-A")
    assistant = open_assistant(project, SEEING_EVERYTHING, new=True)
    assistant.ask("What is there?")
    talk = assistant.export(project.parent / "conv.ipynb")
    assistant.close()
    assert replay(talk, project).differences == 0
    mine = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "mine.ipynb").write_text(json.dumps(mine))
    assert replay(talk, project).differences > 0


def test_after_a_change_of_the_code_the_difference_is_shown_and_counted(steady_talk, project):
    assert replay(steady_talk, project).differences == 0
    (project / "src/use.ts").write_text(
        "import { fee } from './fee'\nexport const u = fee(1) + fee(2)\n"
    )
    git(project, "commit", "-qm", "use it twice", "src/use.ts")
    before = state(project)
    report = replay(steady_talk, project)
    assert report.differences == 1
    assert [one.call.name for one in report.calls if one.differs] == ["find_references"]
    drawn = mimebundle(report)
    assert "1.2 find_references" in drawn["text/plain"]
    changed = [line.split() for line in drawn["text/plain"].splitlines()]
    assert ["-", "totalReferences:", "3"] in changed
    assert ["+", "totalReferences:", "4"] in changed
    assert "1 difference" in drawn["text/html"]
    assert state(project) == before


def test_a_file_that_was_changed_since_is_not_put_back(steady_talk, project):
    text = (project / "src/fee.ts").read_text()
    (project / "src/fee.ts").write_text(text.replace("kg * 3", "kg * 4"))
    report = replay(steady_talk, project)
    assert report.restored == ("src/new.ts",)
    assert report.calls[0].differs
    assert "kg * 4" in mimebundle(report)["text/plain"]


def test_an_undone_session_replays_too(record, project, open_assistant):
    talk = record([READ, edit(2, "  return 7"), "So."], ["Change it"], [True])
    again = open_assistant(project, [])
    assert again.undo().success
    again.close()
    report = replay(talk, project)
    assert (report.differences, report.restored) == (0, ("src/fee.ts",))
    assert "kg * 2" in (project / "src/fee.ts").read_text()


def test_in_place_it_runs_in_the_project_and_can_be_undone(record, project, open_assistant):
    talk = record([READ, edit(2, "  return 7"), "So."], ["Change it"], [True])
    git(project, "checkout", "-q", ".")
    report = replay(talk, project, in_place=True)
    assert report.in_place
    assert report.differences == 0
    assert "return 7" in (project / "src/fee.ts").read_text()
    again = open_assistant(project, [])
    assert again.session.title == "Change it"
    assert again.undo().success
    assert "kg * 2" in (project / "src/fee.ts").read_text()


def test_commits_are_taken_back_in_the_copy_and_made_there_again(record, project):
    talk = record(
        [
            call("git_status"),
            edit(2, "  return 7"),
            call("git_commit", message="one", files='["src/fee.ts"]'),
            edit(2, "  return 8"),
            call("git_commit", message="two", files='["src/fee.ts"]'),
            call("git_status"),
            "Committed.",
        ],
        ["Commit it"],
        [True] * 4,
    )
    before = state(project)
    report = replay(talk, project)
    assert {outcome for _, outcome in outcomes(report)} == {"same"}
    assert report.restored == ("HEAD, without 2 commits of the session", "src/fee.ts")
    assert state(project) == before
    git(project, "commit", "-q", "--allow-empty", "-m", "somebody's")
    assert replay(talk, project).restored == ("src/fee.ts",)


def test_a_test_run_replays_though_its_times_and_folder_differ(record, project, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)  # those are for the run of this test
    (project / "pytest.ini").write_text("[pytest]\naddopts = -v -p no:cacheprovider\n")
    test = project / "test_a.py"
    test.write_text(
        "import os\n\ndef test_a():\n    print(os.getcwd())\n    assert os.getcwd() == 1\n"
    )
    talk = record([call("run_tests"), "One fails."], ["Run the tests"], [True])
    report = replay(talk, project)
    assert outcomes(report) == [("run_tests", "same")], mimebundle(report)["text/plain"]
    test.write_text(test.read_text().replace("== 1", "!= 1"))
    report = replay(talk, project)
    assert outcomes(report) == [("run_tests", "differs")]
    assert "passed: true" in report.calls[0].replayed


def test_a_native_call_is_given_again(record, project):
    native = ToolCall(name="get_lines", arguments={"path": "src/use.ts"})
    reply = [Chunk(text="I look."), Chunk(calls=(native,))]
    talk = record([reply, "I see."], ["Read"])
    report = replay(talk, project)
    assert outcomes(report) == [("get_lines", "same")]


def test_a_turn_that_was_stopped_is_stopped_at_the_same_call(project, open_assistant, tmp_path):
    token = CancelToken()
    assistant = open_assistant(
        project,
        [READ, call("run_command", command="sleep 60; echo over"), "Never."],
        confirm=lambda _: True,
    )
    for event in assistant.stream("Wait", token):
        if getattr(getattr(event, "call", None), "name", "") == "run_command":
            token.cancel()
    talk = assistant.export(tmp_path / "stopped.ipynb")
    assistant.close()
    report = replay(talk, project)
    assert outcomes(report) == [("get_lines", "same"), ("run_command", "not compared")]
    assert report.differences == 0
    assert report.seconds < 50


def test_what_a_limit_ended_ends_again(project, open_assistant, tmp_path):
    assistant = open_assistant(project, [READ] * 9)
    assistant.ask("Loop")
    talk = assistant.export(tmp_path / "loop.ipynb")
    assistant.close()
    assert replay(talk, project).differences == 0
    assert replay(talk, project, settings={"context": {"maxRepeats": 1}}).differences > 0


def test_an_ending_that_changes_counts(record, project):
    talk = record([READ, "So."], ["Read"])
    report = replay(talk, project, settings={"context": {"maxRounds": 1}})
    assert report.differences == 1
    assert "Message 1 was answered, now it was broken off" in report.endings[0]
    assert report.endings[0] in mimebundle(report)["text/plain"]


def test_a_tool_that_is_gone_differs(record, project):
    talk = record([READ, "So."], ["Read"])
    report = replay(talk, project, settings={"tools": {"enabled": ["grep"]}})
    assert outcomes(report) == [("get_lines", "differs")]


def test_an_edited_question_and_removed_cells_replay(record, project):
    talk = record([READ, "So.", edit(2, "  return 7"), "Done."], ["Read", "Change"], [True])
    notebook = nbformat.read(talk, as_version=4)
    notebook.cells[2].source = "%%ask\nRead it, please"
    del notebook.cells[3]
    nbformat.write(notebook, talk)
    report = replay(talk, project)
    assert (report.messages, outcomes(report)) == (1, [("get_lines", "same")])


def test_an_empty_session_has_no_difference(record, project):
    report = replay(record([], []), project)
    assert (report.messages, report.calls, report.differences) == (0, (), 0)


def test_a_stop_ends_it_at_once(steady_talk, project):
    token = CancelToken()
    with pytest.raises(Cancelled):
        replay(steady_talk, project, on_message=lambda *_: token.cancel(), cancel=token)


def test_a_notebook_that_is_none_and_a_project_that_is_none_are_said(project, tmp_path):
    with pytest.raises(SettingsError, match="cannot be read"):
        replay(tmp_path / "none.ipynb", project)
    with pytest.raises(ProjectError):
        replay(tmp_path / "none.ipynb", tmp_path / "none")


def test_the_report_is_plain_data_too(steady_talk, project):
    (project / "src/use.ts").write_text("export const u = 1\n")
    git(project, "commit", "-qm", "use it no more", "src/use.ts")
    told = json.loads(json.dumps(replay(steady_talk, project).to_dict()))
    assert told["differences"] == sum(one["outcome"] == "differs" for one in told["calls"]) == 1
    one = next(one for one in told["calls"] if one["outcome"] == "differs")
    assert (one["turn"], one["number"], one["call"]["name"]) == (1, 2, "find_references")
    assert one["recorded"] != one["replayed"]


EDITED = call("edit_lines", path="src/fee.ts", start=2, end=2, content="  return kg * 9")


@pytest.mark.parametrize("approve", ["edits", "ask"])
def test_what_was_turned_away_or_moved_within_a_reply_is_so_again(record, project, approve):
    """Whoever applied it then: a person, or a setting."""
    replies = [
        EDITED + call("get_lines", path="src/fee.ts") if approve == "edits" else "Wait.",
        call("get_lines", path="src/use.ts")
        + call("edit_lines", path="src/use.ts", start=1, end=1, content="// no"),
        call("edit_lines", path="src/fee.ts", start=1, end=0, content="// one\n// two") + EDITED,
        "Done.",
    ]
    questions = ["Raise it"] if approve == "edits" else ["Wait", "Raise it"]
    options = {"settings": {"approve": approve}}
    talk = record(replies, questions, [True, True], **options)
    text = (project / "src/fee.ts").read_text()
    assert text.startswith("// one\n// two\n")
    assert "kg * 9" in text.split("\n")[3]
    report = replay(talk, project)
    assert {outcome for _, outcome in outcomes(report)} == {"same"}
    assert report.endings == ()


def test_an_edit_of_a_file_that_was_never_read_is_made_again_if_it_was_made_then(record, project):
    """As older versions made them where nobody looked."""
    talk = record([EDITED, "Done."], ["Raise it"], [True])
    notebook = nbformat.read(talk, as_version=4)
    for cell in notebook.cells:
        for one in cell.metadata.get("ipuaro", {}).get("calls", []):
            for decision in one.get("decisions", []):
                decision["by"] = "setting"
    nbformat.write(notebook, talk)
    report = replay(talk, project, trust=True)
    assert outcomes(report) == [("edit_lines", "same")]


def test_what_the_notebook_told_is_taken_from_the_recording(
    project, open_assistant, cells, tmp_path
):
    """The kernel of a replay is another one: its errors and values are not those of then."""
    calls = [
        '<tool_call name="inspect_value"><name>orders</name></tool_call>',
        '<tool_call name="inspect_value"><name>nothing</name></tool_call>',
        "There are two.",
    ]
    settings = {"context": {"notebook": "always"}}
    assistant = open_assistant(project, calls, settings=settings)
    assistant.attach(cells.kernel)
    cells.run("orders = [1, 2]")
    assistant.ask("Look")
    path = assistant.export(tmp_path / "talk.ipynb", force=True)
    assistant.close()
    cells.run("orders = None")
    report = replay(path, project)
    assert [call.outcome for call in report.calls] == ["same", "same"]


def test_what_the_user_limits_does_not_limit_a_replay(record, project, open_assistant):
    talk = record(["One.", "Two."], ["First", "Second"])
    given = {"llm": {"maxTokensPerDay": 1}, "sessions": {"maxKept": 1}}
    report = replay(talk, project, in_place=True, settings=given)
    assert report.endings == ()
    kept = open_assistant(project, []).sessions()
    assert len(kept) == 2, "the recorded one is kept"

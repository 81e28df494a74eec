"""Asking "/name arguments" with a question in a file."""

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.assistant.slash_commands import RESERVED, typed_command
from ipuaro_jupyter.assistant.templates.question_templates import (
    question_templates,
    typed_template,
)
from ipuaro_jupyter.errors import Cancelled, SettingsError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.events import Noticed

REVIEW = "---\ndescription: Reviews a file\nargument-hint: PATH\n---\nReview @$1 closely.\n"


@pytest.fixture
def project(make_project):
    return make_project({"src/a.ts": "const a = 1\n", ".claude/commands/review.md": REVIEW})


@pytest.fixture
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("IPUARO_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


class Asked:
    """Decides as told, and keeps what it was asked."""

    def __init__(self, *, answer=True):
        self.answer = answer
        self.proposals = []

    def __call__(self, proposal):
        self.proposals.append(proposal)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_question_of_the_project_is_asked_once_it_is_trusted(open_assistant, project):
    model, confirm = ScriptedModel(["Fine.", "Fine.", "Fine."]), Asked()
    assistant = open_assistant(project, model, confirm=confirm)
    assert assistant.ask("/review src/a.ts").question == "Review @src/a.ts closely."
    assert assistant.ask("/Review src/a.ts").text == "Fine."
    (proposal,) = confirm.proposals
    assert proposal.kind == "settings"
    assert proposal.title == "Trust /review: .claude/commands/review.md"
    assert proposal.message == REVIEW
    (project / ".claude/commands/review.md").write_text("Now delete $1.")
    assert assistant.ask("/review src/a.ts").question == "Now delete src/a.ts."
    assert [one.message for one in confirm.proposals] == [REVIEW, "Now delete $1."]
    assert [one.proposal.title for one in assistant.decisions()] == [proposal.title] * 2
    assert assistant.inputs()[:1] == ("Review @src/a.ts closely.",)


@pytest.mark.parametrize(
    ("confirm", "told"),
    [
        (Asked(answer=False), "and you do not trust it"),
        (Asked(answer=Decision(action="reject")), "and you do not trust it"),
        (None, "there was nobody to ask whether you trust it. Ask in a notebook"),
    ],
)
def test_a_question_that_is_not_trusted_is_not_asked(open_assistant, project, confirm, told):
    model = ScriptedModel(["Never said."])
    assistant = open_assistant(project, model, confirm=confirm, auto_apply=True)
    for approve in ("edits", "all"):
        assistant.approve = approve
        with pytest.raises(SettingsError, match=told):
            assistant.ask("/review src/a.ts")
        with pytest.raises(SettingsError, match=told):
            next(assistant.stream("/review src/a.ts"))
    assert assistant.session.messages == 0


def test_stop_at_the_question_asks_nothing(open_assistant, project):
    assistant = open_assistant(project, ["Never said."], confirm=Asked(answer=Cancelled()))
    with pytest.raises(Cancelled):
        assistant.ask("/review src/a.ts")
    assert assistant.session.messages == 0


def test_a_stream_says_where_the_question_is(open_assistant, project):
    assistant = open_assistant(project, ["Fine."], confirm=Asked())
    events = list(assistant.stream("/review src/a.ts"))
    assert events[0] == Noticed(text="The question is in .claude/commands/review.md.")
    assert events[-1].answer.question == "Review @src/a.ts closely."


def test_help_lists_them_and_an_unknown_name_finds_them(open_assistant, project):
    assistant = open_assistant(project, [])
    assert (
        "- `/review PATH` Reviews a file (.claude/commands/review.md)"
        in assistant.ask("/help").text
    )
    told = assistant.ask("/reviev src/a.ts").text
    assert "Did you mean /review?" in told
    assert assistant.typed_names[-1] == "review"


def test_the_users_own_are_trusted_and_come_first(project, own_home):
    (own_home / "commands").mkdir(parents=True)
    (own_home / "skills/pdf").mkdir(parents=True)
    (own_home / "commands/review.md").write_text("My own review of $ARGUMENTS")
    (own_home / "skills/pdf/SKILL.md").write_text("Read it.")
    found = question_templates(project, RESERVED)
    assert {name: one.is_own for name, one in found.items()} == {"review": True, "pdf": True}
    typed = typed_template("/review a\nb", project, RESERVED)
    assert typed.template.question(typed.arguments) == "My own review of a\nb"


def test_commands_keep_their_names(make_project):
    names = ("undo", "stop", "auto_apply")
    project = make_project({f".ipuaro/commands/{name}.md": "x" for name in names})
    assert not question_templates(project, RESERVED).keys() & {"undo", "stop", "auto-apply"}
    assert typed_command("/undo", project).command is not None


def test_help_names_what_cannot_be_asked_with(open_assistant, make_project, own_home):
    (own_home / "commands/mine").mkdir(parents=True)
    (own_home / "commands/mine/a.md").write_text("x")
    project = make_project(
        {
            ".ipuaro/commands/status.md": "x",
            ".ipuaro/commands/sub/nested.md": "x",
            ".ipuaro/commands/pictures/a.svg": "<svg/>",
            ".ipuaro/skills/pdf/SKILL.md": "Read it.",
        }
    )
    (project / ".ipuaro/commands/away").symlink_to(own_home / "commands/mine")
    told = open_assistant(project, []).ask("/help").text.partition("Questions in files:\n\n")[2]
    own, shared = f"{own_home}/commands", ".ipuaro/commands"
    why = "itself, or a folder with a SKILL.md."
    assert told.splitlines() == [
        "- `/pdf` (.ipuaro/skills/pdf/SKILL.md)",
        "- .ipuaro/commands/status.md is not used: /status is a command already. Rename the file.",
        f"- {own}/mine is not looked into: a question is a file of {own} {why}",
        f"- {shared}/sub is not looked into: a question is a file of {shared} {why}",
    ]


def test_other_messages_are_left_alone(project):
    for message in (" /review x", "review x", "/review/x", "/src/a.ts", "Say /review", "//review"):
        assert typed_template(message, project, RESERVED) is None


def test_a_file_that_cannot_be_used_is_an_error(open_assistant, make_project):
    project = make_project({".agents/skills/x/SKILL.md": ""})
    assistant = open_assistant(project, ["Never said."], confirm=Asked())
    with pytest.raises(SettingsError, match=r"\.agents/skills/x/SKILL\.md has no text\."):
        assistant.ask("/x")

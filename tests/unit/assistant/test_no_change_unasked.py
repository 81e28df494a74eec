"""Nothing is changed where the user only asks something."""

import sys

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.context.relevance import NO_CHANGE
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.replay.run_replay import replay
from ipuaro_jupyter.tools.tool import Project, tool

FILES = {"src/fee.ts": "export function fee(kg: number): number {\n  return kg * 2\n}\n"}
QUESTIONS = [
    "Where is `fee` defined?",
    "How does the fee come about?",
    "What would break if I made it 3?",
    "Why is there a factor of two in fee()?",
    "Should I rename `fee`?",
    "Wo wird `fee` aufgerufen?",
    "Wie h\u00e4ngt die Geb\u00fchr vom Gewicht ab?",
    "\u00bfD\u00f3nde se define `fee`?",
    "\u00bfPor qu\u00e9 se multiplica por dos?",
    "O\u00f9 est d\u00e9finie `fee` ?",
    "Pourquoi le facteur est-il deux ?",
    "\u0413\u0434\u0435 \u043e\u043f\u0440\u0435\u0434\u0435\u043b\u0435\u043d\u0430 `fee`?",
    "\u041f\u043e\u0447\u0435\u043c\u0443 \u0437\u0434\u0435\u0441\u044c \u0434\u0432\u0430?",
    "`fee` \u5728\u54ea\u91cc\u5b9a\u4e49\uff1f",
    "\u4e3a\u4ec0\u4e48\u4e58\u4ee5\u4e8c\uff1f",
]


def call(name, /, **arguments):
    tags = "".join(f"<{key}>{value}</{key}>\n" for key, value in arguments.items())
    return f'<tool_call name="{name}">\n{tags}</tool_call>'


def edit(factor=3):
    content = f"  return kg * {factor}"
    return call("edit_lines", path="src/fee.ts", start=2, end=2, content=content)


BLOCK = "src/fee.ts\n<<<<<<< SEARCH\n  return kg * 2\n=======\n  return kg * 3\n>>>>>>> REPLACE"
DIFF = "--- a/src/fee.ts\n+++ b/src/fee.ts\n@@ -2,1 +2,1 @@\n-  return kg * 2\n+  return kg * 3"
WRITING = {
    "edit": edit(),
    "file": call("create_file", path="src/new.ts", content="export const a = 1"),
    "delete": call("delete_file", path="src/fee.ts"),
    "cell": call("insert_cell", path="n.ipynb", after=0, content="1"),
    "commit": call("git_commit", message="Mine"),
    "rename": call("rename_symbol", symbol="fee", to="price"),
    "json": '{"name": "delete_file", "arguments": {"path": "src/fee.ts"}}',
    "command": call("run_command", command="echo 3 > src/fee.ts"),
    "bash": call("bash", command="touch src/new.ts"),
}


@pytest.fixture
def project(make_project):
    return make_project(FILES)


@pytest.fixture
def asked(open_assistant, project):
    """Return what `ask` does with a model's replies, which must not lead to a proposal."""

    def ask(message, replies, **options):
        model = ScriptedModel(replies)
        assistant = open_assistant(project, model, confirm=None, new=True, **options)
        proposals = []
        assistant.confirm = lambda proposal: proposals.append(proposal) or True
        answer = assistant.ask(message)
        assert proposals == []
        assert answer.edits == ()
        assert (project / "src/fee.ts").read_text() == FILES["src/fee.ts"]
        assert not (project / "src/new.ts").exists()
        return answer, model

    return ask


@pytest.mark.parametrize("message", QUESTIONS)
def test_a_model_that_always_edits_changes_nothing_beside_a_question(asked, message):
    answer, model = asked(message, [edit(factor) for factor in range(3, 6)] + ["It is there."])
    assert (answer.text, answer.ended) == ("It is there.", "limit")
    assert {one.result.error.type for one in answer.tool_calls} == {"cancelled"}
    assert not answer.proposals
    assert model.requests[0].messages[-1].content.startswith(NO_CHANGE)
    assert "asks for no change" in model.requests[1].messages[-1].content
    assert "/edit" in model.requests[1].messages[-1].content


@pytest.mark.parametrize("auto_apply", [False, True])
@pytest.mark.parametrize("reply", WRITING.values(), ids=WRITING)
def test_every_call_that_writes_is_refused(asked, reply, auto_apply):
    settings = {"approve": "all"} if auto_apply else {}
    answer, _ = asked("What is the fee?", [reply, "It is 2."], settings=settings)
    (called,) = answer.tool_calls
    assert called.result.error.message.startswith("The message asks for no change")
    assert answer.text == "It is 2."


def test_a_native_call_that_writes_is_refused(asked):
    native = ToolCall(name="delete_file", arguments={"path": "src/fee.ts"})
    answer, _ = asked("What is the fee?", [[Chunk(calls=(native,))], "It is 2."])
    assert answer.tool_calls[0].result.error.type == "cancelled"


@pytest.mark.parametrize("reply", [BLOCK, DIFF, f"```diff\n{DIFF}\n```"])
def test_an_edit_as_text_is_asked_for_again_in_words(asked, reply):
    answer, model = asked("What is the fee?", [reply, "It is 2."])
    assert answer.text == "It is 2."
    assert "Answer in words" in model.requests[1].messages[-1].content


def test_the_head_is_the_same_beside_a_question_and_a_change(open_assistant, project):
    model = ScriptedModel(["It is 2.", edit(), "Done."], native_tools=True)
    assistant = open_assistant(project, model, auto_apply=True)
    assistant.ask("What is the fee?")
    assistant.ask("Make the fee 3")
    first, second, _ = model.requests
    assert first.messages[0] == second.messages[0]
    assert first.tools == second.tools
    assert second.messages[: len(first.messages)] == first.messages


@pytest.mark.parametrize(
    "message", ["Make the fee 3", "/edit what about 3?", "/edit\nwhat about 3?", "Blorp"]
)
def test_a_request_or_what_nobody_can_tell_opens_the_calls_that_write(
    open_assistant, project, message
):
    model = ScriptedModel([edit(), "Done."])
    answer = open_assistant(project, model, confirm=lambda _: True).ask(message)
    assert [change.path for change in answer.edits] == ["src/fee.ts"]
    assert not model.requests[0].messages[-1].content.startswith(NO_CHANGE)


def test_a_short_assent_after_an_offer_opens_them(open_assistant, project):
    replies = ["It is 2.\n\nShall I make it 3?", edit(), "Done."]
    assistant = open_assistant(project, replies, confirm=lambda _: True)
    assistant.ask("What is the fee?")
    assert assistant.ask("Yes, do it").edits


def test_known_safe_commands_and_the_tests_run_beside_a_question(open_assistant, make_project):
    script = f"{sys.executable} -c 'print(7)'"
    root = make_project({**FILES, "package.json": f'{{"scripts": {{"test": "{script}"}}}}'})
    replies = [call("run_command", command="git --version"), call("run_tests"), "Both ran."]
    asked = []
    assistant = open_assistant(root, replies)
    assistant.confirm = lambda proposal: asked.append(proposal.tool) or True
    answer = assistant.ask("Do the tests pass?")
    assert [one.result.success for one in answer.tool_calls] == [True, True]
    assert asked == ["run_tests"], "its script is not known to be safe"


def test_beside_a_wish_to_run_something_commands_are_asked_about_and_edits_refused(
    open_assistant, project
):
    replies = [call("run_command", command="echo one; echo two"), edit(), "It ran."]
    asked = []
    assistant = open_assistant(project, replies)
    assistant.confirm = lambda proposal: asked.append(proposal.kind) or True
    answer = assistant.ask("Run `make all`")
    assert [one.result.success for one in answer.tool_calls] == [True, False]
    assert asked == ["command"]


def test_a_foreign_name_is_answered_with_the_right_signature(asked):
    answer, _ = asked(
        "What is the fee?", [call("str_replace_editor", path="a", old="b"), "It is 2."]
    )
    error = answer.tool_calls[0].result.error
    assert error.type == "validation"
    assert "update_file(path, target, patch)" in error.suggestion


@tool(asks_first=True)
def wipe(project: Project) -> TextOutput:
    """Wipe it."""
    raise AssertionError(project)


@tool()
def count(project: Project) -> TextOutput:
    """Count it."""
    del project
    return TextOutput(content="7")


def test_of_other_tools_those_run_that_only_read(open_assistant, project):
    assistant = open_assistant(project, [call("wipe"), call("count"), "Seven."])
    assistant.tools.replace("server", [wipe, count])
    answer = assistant.ask("How many are there?")
    assert [one.result.success for one in answer.tool_calls] == [False, True]


def test_a_person_may_write_between_questions(open_assistant, project):
    assistant = open_assistant(project, ["It is 2."], confirm=lambda _: True)
    assistant.ask("What is the fee?")
    assert assistant.call("delete_file", {"path": "src/fee.ts"}).success


def test_a_constrained_reply_cannot_be_a_call_that_writes(open_assistant, project):
    schemas = []

    class Constrained(ScriptedModel):
        def chat(self, messages, *, tools, cancel, schema=None):
            schemas.append(schema)
            return super().chat(messages, tools=tools, cancel=cancel)

    model = Constrained(["", "", "It is 2."])
    open_assistant(project, model).ask("What is the fee?")
    named = [str(one) for one in schemas if one is not None]
    assert named
    assert all("get_lines" in one and "edit_lines" not in one for one in named)


def test_a_refused_call_is_refused_again_in_a_replay(open_assistant, project, tmp_path):
    replies = [edit(), call("run_command", command="echo 1; echo 2"), "It is 2.", edit(), "Done."]
    assistant = open_assistant(project, replies, confirm=lambda _: True)
    assistant.ask("What is the fee?")
    assistant.ask("/edit what about 3?")
    path = assistant.export(tmp_path / "talk.ipynb")
    assistant.close()
    report = replay(path, project)
    assert [one.outcome for one in report.calls] == ["same"] * 3


def test_a_recording_in_which_a_question_led_to_an_edit_replays_as_recorded(
    open_assistant, project, tmp_path
):
    """Earlier versions made edits whatever the message was."""
    assistant = open_assistant(project, [edit(), "Done."], confirm=lambda _: True)
    assistant.ask("/edit what about 3?")
    path = assistant.export(tmp_path / "talk.ipynb")
    assistant.close()
    path.write_text(path.read_text().replace("/edit what about 3?", "What about 3?"))
    report = replay(path, project, trust=True)
    assert [one.outcome for one in report.calls] == ["same"]


@pytest.mark.parametrize(
    ("message", "replies", "is_said"),
    [
        ("Make the fee 3", ["I would change line 2."], True),
        ("/edit what is the fee?", ["It is 2."], True),
        ("Make the fee 3", [edit(), "Done."], False),
        ("What is the fee?", ["It is 2."], False),
        ("Blorp", ["Blorp."], False),
    ],
)
def test_a_request_that_ends_without_a_proposal_says_that_nothing_was_changed(
    open_assistant, project, message, replies, is_said
):
    answer = open_assistant(project, replies, confirm=lambda _: True).ask(message)
    for drawn in answer._repr_mimebundle_().values():
        assert ("Nothing was changed" in drawn) == is_said


def test_a_rejected_proposal_was_one(open_assistant, project):
    assistant = open_assistant(project, [edit(), "As you wish."], confirm=lambda _: False)
    assert not assistant.ask("Make the fee 3").unchanged


def test_edit_alone_means_the_last_message(open_assistant, project):
    assistant = open_assistant(project, ["It is 2.", edit(), "Done."], confirm=lambda _: True)
    with pytest.raises(SettingsError, match="There is no question yet"):
        assistant.ask("/edit")
    assistant.ask("What is the fee?")
    answer = assistant.ask("/edit")
    assert answer.question == "/edit What is the fee?"
    assert len(answer.edits) == 1

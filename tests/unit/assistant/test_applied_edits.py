"""An edit in the answer to a question is proposed where the user wants it, without a model."""

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.events import TurnFinished
from ipuaro_jupyter.terminal_turn import TerminalView

FEE = "export function fee(weight: number): number {\n  return weight * 2\n}\n"
QUESTION = "How would the fee be three?"


def block(old, new):
    return f"```\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n```"


TWICE, THRICE = "  return weight * 2", "  return weight * 3"
ANSWER = f"Like this:\n\nsrc/fee.ts\n{block(TWICE, THRICE)}"
NEW_FILE = "--- /dev/null\n+++ b/src/new.ts\n@@ -0,0 +1 @@\n+export const a = 1"
TWO = f"{ANSWER}\n\nAnd a new file:\n\n```diff\n{NEW_FILE}\n```"
CALL = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'
LOOP = {"llm": {"way": "loop"}}


@pytest.fixture
def project(make_project):
    return make_project({"src/fee.ts": FEE, "src/tax.ts": FEE.replace("fee", "tax")})


@pytest.fixture
def answered(open_assistant, project):
    """Open a project whose model has answered a question; gives the assistant and proposals."""

    def answer(*replies, settings=LOOP, **options):
        assistant = open_assistant(project, ScriptedModel([*replies]), settings=settings, **options)
        proposals = []
        assistant.confirm = lambda one: proposals.append(one) or True
        assistant.answers = [assistant.ask(QUESTION) for _ in replies]
        assert proposals == []
        assert (project / "src/fee.ts").read_text() == FEE
        return assistant, proposals

    return answer


def told(project):
    return (project / "src/fee.ts").read_text()


def test_it_is_proposed_and_undone(answered, project):
    assistant, proposals = answered(ANSWER)
    [offered] = assistant.answers[0].receipt.edits
    assert offered.told == "src/fee.ts:2"
    answer = assistant.ask("/apply")
    assert [(one.tool, one.path) for one in proposals] == [("edit_lines", "src/fee.ts")]
    assert told(project) == FEE.replace(TWICE, THRICE)
    assert "Edited src/fee.ts" in answer.text
    assert assistant.undo().success
    assert told(project) == FEE
    assert assistant.apply(offered.id).success
    assert told(project) != FEE


def test_what_is_rejected_changes_nothing(answered, project):
    assistant, _ = answered(ANSWER)
    assistant.confirm = lambda _: False
    assert assistant.apply().error.rejected
    assert told(project) == FEE


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (ANSWER, "The old lines of the edit, which begin with `return weight * 2`, are not in"),
        (f"So:\n```ts\n{FEE.replace(TWICE, THRICE)}```", "There is nothing to change"),
    ],
)
def test_it_is_applied_once(answered, text, told):
    assistant, proposals = answered(text)
    assert assistant.apply().success
    assert assistant.apply().error.message.startswith(told)
    assert len(proposals) == 1


def test_several_are_one_question_and_one_is_named_by_its_number(answered, project):
    assistant, proposals = answered(TWO)
    assert assistant.apply("2").success
    assert told(project) == FEE
    assert (project / "src/new.ts").read_text() == "export const a = 1\n"
    assert assistant.undo().success
    assert assistant.apply().success
    assert [one.path for one in proposals[-1].changed] == ["src/fee.ts", "src/new.ts"]


def test_two_edits_of_the_same_lines_are_not_made_together(answered, project):
    assistant, proposals = answered(f"{ANSWER}\nOr:\n{block(TWICE, '  return weight * 4')}")
    assert assistant.apply().error.message == "Lines 2-2 and 2-2 of src/fee.ts overlap."
    assert proposals == []
    assert assistant.apply("2").success
    assert "weight * 4" in told(project)


def test_a_number_is_of_the_last_answer_and_an_id_of_any(answered, project):
    assistant, _ = answered(ANSWER, "No edit.")
    with pytest.raises(SettingsError, match="The last one has 0 edits to propose"):
        assistant.apply()
    with pytest.raises(SettingsError, match=r"No answer .* the edit 1\. The last one has 0"):
        assistant.apply("1")
    assert assistant.apply(assistant.answers[0].receipt.edits[0].id).success
    assert told(project) != FEE


def test_the_edits_of_another_session_are_unknown(answered, open_assistant, project):
    assistant, _ = answered(ANSWER)
    [offered] = assistant.answers[0].receipt.edits
    session = assistant.session.id
    assistant.close()
    other = open_assistant(project, [], new=True)
    with pytest.raises(SettingsError, match=offered.id):
        other.apply(offered.id)
    other.close()
    again = open_assistant(project, [], session=session, confirm=lambda _: True)
    assert again.apply().success
    assert told(project) != FEE


def test_several_places_are_an_error_that_names_them(answered, project):
    assistant, proposals = answered(f"So:\n\n{block(TWICE, THRICE)}")
    assert assistant.answers[0].receipt.edits[0].told == "several places"
    result = assistant.apply()
    assert "src/fee.ts:2, src/tax.ts:2" in result.error.message
    assert proposals == []
    assert told(project) == FEE


def test_a_secret_is_not_written_over_by_what_stands_for_it(answered):
    assistant, _ = answered("So:\n```ts src/key.ts\nconst k = '[redacted:token:1a2b]'\n```")
    assert assistant.answers[0].receipt.edits == ()


@pytest.mark.parametrize("replies", [None, [CALL, CALL]])
def test_text_of_the_project_that_the_index_shows_is_not_offered(
    open_assistant, make_project, replies
):
    """Where no model answers, the source that stands for an answer may hold an edit."""
    name = "attempts_of_delivery"
    made = block("  return 3", "  return 9").replace("`", "")
    source = f"export function {name}() {{\n  return 3\n}}\n/*\na.ts\n{made}\n*/\n"
    body = f"export function shown() {{\n  const {name} = `\na.ts\n{made}\n`\n  return {name}\n}}\n"
    root = make_project({"a.ts": source, "b.ts": body})
    by_evidence = {"llm": {"way": "evidence"}}
    assistant = open_assistant(root, replies or "none", settings=by_evidence)
    answer = assistant.ask(f"How do {name.replace('_', ' ')} come about?")
    assert "SEARCH" in answer.text
    assert answer.receipt.edits == ()
    with pytest.raises(SettingsError, match="0 edits to propose"):
        assistant.apply()


def test_an_answer_from_evidence_has_it_too(open_assistant, project):
    """What it rests on is named below the block, whose fence stays closed."""
    assistant = open_assistant(
        project, [ANSWER, '["E1"]'], settings={"llm": {"way": "evidence"}}, confirm=lambda _: True
    )
    answer = assistant.ask("How do `fee` and `tax` use the weight?")
    assert answer.text.startswith(f"{ANSWER}\n\n(`")
    assert answer.receipt.edits
    assert assistant.apply().success
    assert told(project) == FEE.replace(TWICE, THRICE)


def test_a_terminal_says_so_below_the_answer(answered, capsys):
    assistant, _ = answered(TWO)
    TerminalView().show(TurnFinished(answer=assistant.answers[0]))
    line = "/apply proposes the edits of 1 src/fee.ts:2, 2 src/new.ts; /apply 2 only the last one."
    assert line in capsys.readouterr().out
    assert line in assistant.answers[0]._repr_mimebundle_()[0]["text/plain"]

"""Answers from evidence: what is sent, what is shown of the reply, what follows if it is none."""

import re
import sys

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError, SettingsError
from ipuaro_jupyter.records.events import IndexAnswered, Noticed, TextAdded, TurnFinished
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.terminal_turn import TerminalView
from ipuaro_jupyter.tools.tool import Project, tool

BY_EVIDENCE = {"llm": {"way": "evidence"}}
FEE = '''"""Fees of parcels."""


def fee(weight_kg: float, express: bool = False) -> float:
    """The fee of a parcel by its weight."""
    base = 2.5 if weight_kg < 5 else 4.0
    return base * surcharge(express)


def surcharge(express: bool) -> float:
    """The factor for express parcels."""
    return 1.5 if express else 1.0
'''
QUESTION = "How is the fee of a parcel computed from its weight?"


@pytest.fixture
def project(make_project):
    return make_project({"src/fees.py": FEE, "README.md": "# Parcels\n\nShips parcels.\n"})


@pytest.fixture
def ask(open_assistant, project):
    """Ask one question by evidence; gives the answer, and the model with its requests."""

    def asked(*replies, question=QUESTION):
        model = ScriptedModel(list(replies))
        return open_assistant(project, model, settings=BY_EVIDENCE).ask(question), model

    return asked


def test_one_request_holds_rules_evidence_and_question_and_no_tools(ask):
    answer, model = ask("It is 2.5 below five kilograms.")
    [request] = model.requests
    assert request.tools == ()
    assert [message.role for message in request.messages] == ["system", "user"]
    told = request.messages[1].content
    assert "base = 2.5 if weight_kg < 5 else 4.0" in told
    assert told.endswith(f"each sentence: [E1]. Question:\n\n{QUESTION}")
    assert request.messages[1].words == QUESTION
    assert answer.text == "It is 2.5 below five kilograms."
    assert answer.tool_calls == ()


def test_a_loop_that_a_setting_names_begins_with_what_the_index_has_found(open_assistant, project):
    model = ScriptedModel(["It is 2.5 below five kilograms."], native_tools=True)
    assistant = open_assistant(project, model, settings={"llm": {"way": "loop"}})
    answer = assistant.ask(QUESTION)
    assert answer.found.startswith("Looked at: `fee` src/fees.py:4")
    assert model.requests[0].tools


def test_the_rules_are_the_same_for_every_question(open_assistant, project):
    model = ScriptedModel(["One [E1].", "Two [E1]."])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    assistant.ask(QUESTION)
    assistant.ask("What is a surcharge?")
    first, second = (request.messages for request in model.requests)
    assert first[0] == second[0]
    assert [one.content for one in second[1:3]] == [QUESTION, "One (`fee` src/fees.py:4)."]
    assert "Facts:" not in second[1].content


def test_the_ids_of_evidence_become_names_and_places(ask):
    answer, _ = ask("The base is 2.5 [E1]. The base grows [E1].")
    assert answer.text == "The base is 2.5 (`fee` src/fees.py:4). The base grows (`fee`)."
    assert [place.path for place in answer.places] == ["src/fees.py"]


def test_a_model_that_sets_no_marks_is_asked_for_them(open_assistant, project):
    model = ScriptedModel(["It is the base times the factor.", '["E2", "E1", "E9"]'])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    events = list(assistant.stream("How does surcharge change the fee?"))
    text = "".join(event.text for event in events if isinstance(event, TextAdded))
    assert events[-1].answer.text == text
    assert re.fullmatch(
        r"It is the base times the factor\. \(`\w+` src/fees\.py:\d+, `\w+` src/fees\.py:\d+\)",
        text,
    )
    assert model.requests[1].wishes["schema"]["items"]["enum"] == ["E1", "E2"]


def test_an_answer_stands_where_a_model_names_no_excerpts(open_assistant, project):
    model = ScriptedModel(["It is the base times the factor.", ModelError("The server is gone.")])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    answer = assistant.ask("How does surcharge change the fee?")
    assert (answer.text, answer.ended) == ("It is the base times the factor.", "done")


def test_an_answer_that_rests_on_no_excerpt_is_not_sure(open_assistant, project):
    model = ScriptedModel(["It is the base times the factor.", "[]"])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    answer = assistant.ask("How does surcharge change the fee?")
    assert answer.text == "It is the base times the factor."
    assert not answer.is_sure


@pytest.mark.parametrize("chosen", ["[]", "I do not say."])
def test_excerpts_that_an_answer_names_count_as_marks(open_assistant, project, chosen):
    model = ScriptedModel(["`surcharge(express)` is a factor of the fee.", chosen])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    answer = assistant.ask("How does surcharge change the fee?")
    assert answer.text.endswith("of the fee. (`surcharge` src/fees.py:10)")
    assert answer.is_sure == (chosen != "[]")


@pytest.mark.parametrize(("cited", "is_sure"), [("fee", True), ("surcharge", False)])
def test_an_answer_that_rests_on_something_else_is_not_sure(
    open_assistant, project, cited, is_sure
):
    question = "How do `weight_kg` and the base come before surcharge?"
    ids = {}

    def reply(sent):
        ids.update(re.findall(r"^(E\d) (\w+)$", sent[-1].content, re.MULTILINE))
        (one,) = (one for one, name in ids.items() if name == cited)
        return [f"By the factor [{one}]."]

    assistant = open_assistant(project, ScriptedModel([reply]), settings=BY_EVIDENCE)
    answer = assistant.ask(question)
    assert set(ids.values()) == {"fee", "surcharge"}
    assert f"`{cited}`" in answer.text
    assert answer.is_sure == is_sure


def test_what_was_looked_at_comes_before_the_models_words(open_assistant, project):
    assistant = open_assistant(project, ["Words."], settings=BY_EVIDENCE)
    events = list(assistant.stream(QUESTION))
    kinds = [type(event) for event in events]
    assert kinds.index(IndexAnswered) < kinds.index(TextAdded)
    answer = events[-1].answer
    assert answer.found.startswith("Looked at: `fee` src/fees.py:4")
    [again] = assistant.transcript(turns=1).turns
    assert again.found == answer.found


def test_a_structural_question_is_answered_without_a_model(ask):
    answer, model = ask(question="Who calls surcharge?")
    assert model.requests == []
    assert answer.text == answer.found == str(answer)
    assert "src/fees.py:7 fee" in answer.text


def test_explain_has_the_model_word_a_structural_answer(ask):
    answer, model = ask("Only fee calls it.", question="/explain Who calls surcharge?")
    assert "src/fees.py:7 fee" in model.requests[0].messages[1].content
    assert answer.text == "Only fee calls it."
    assert str(answer).startswith(answer.found)


def test_dig_runs_the_loop_for_the_last_question(open_assistant, project):
    model = ScriptedModel(["By evidence.", "By tools."])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    assistant.ask(QUESTION)
    answer = assistant.ask("/dig")
    assert answer.question == QUESTION
    assert model.requests[1].messages[0].content != model.requests[0].messages[0].content
    assert "By evidence." not in str(model.requests[1].messages)  # a model would say it again
    assert answer.text == "By tools."


@pytest.mark.parametrize(
    "reply",
    [
        '<tool_call name="get_function">\n<path>src/fees.py</path>\n<name>fee</name>\n</tool_call>',
        '{"name": "find_lines", "arguments": {"path": "src/fees.py"}}',
        "I'm sorry, but I can't assist with that.",
        "It is computed by `parcel_price` in `src/prices.py`.",
    ],
)
def test_what_is_no_answer_is_asked_again_once(ask, reply):
    answer, model = ask(reply, "It is 2.5 or 4.0.")
    assert answer.text == "It is 2.5 or 4.0."
    assert len(model.requests) == 2
    assert answer.tool_calls == ()


def test_after_two_replies_that_are_none_the_indexs_own_answer_stands(ask):
    sorry = "I'm sorry, but I can't help with that."
    answer, model = ask(sorry, sorry)
    assert "- `fee` src/fees.py:4" in answer.text
    assert "gave no answer that holds" in answer.notice
    assert not answer.is_sure
    assert len(model.requests) == 2


def test_a_reply_that_lacks_source_chooses_more_of_it(open_assistant, make_project):
    body = "".join(f"    weight += {n}  # step {n} of the part\n" for n in range(20))
    files = {
        f"src/part{n}.py": f"def part{n}(weight):\n{body}    return weight\n" for n in range(30)
    }
    project = make_project(files)
    model = ScriptedModel(["MISSING", lambda sent: [_first_id(sent)], "It returns that."])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    events = list(assistant.stream("What does a part do with the weight?"))
    assert events[-1].answer.text == "It returns that."
    assert "MISSING" not in "".join(e.text for e in events if isinstance(e, TextAdded))
    choice, last = (model.requests[place].messages for place in (1, 2))
    assert model.requests[1].wishes["schema"]["items"]["enum"]
    assert choice[:2] == model.requests[0].messages
    assert f"{last[-2].content[2:-2]} part" in last[-1].content


def _first_id(sent):
    return f'["{sent[-1].content.splitlines()[-1].split()[0]}"]'


def test_missing_is_never_the_answer(ask):
    answer, _ = ask("", "MISSING")
    assert "MISSING" not in answer.text
    assert "gave no answer that holds" in answer.notice


@tool()
def read_tariff(project: Project, country: str) -> TextOutput:
    """Read the tariff of a country from the price list.

    Args:
        project: The project.
        country: Its name.
    """
    del project
    return TextOutput(content=f"In {country} a parcel costs 7 crowns.")


@tool(asks_first=True)
def change_tariff(project: Project, country: str) -> TextOutput:
    """Change the tariff of a country.

    Args:
        project: The project.
        country: Its name.
    """
    raise AssertionError(project, country)


def test_tools_of_ones_own_that_only_read_are_offered_where_something_is_missing(
    open_assistant, project
):
    replies = ["MISSING", '["read_tariff"]', '{"country": "Norway"}', "It is 7 crowns [E1]."]
    model = ScriptedModel(replies)
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    assistant.tools.replace("tests", [read_tariff, change_tariff])
    answer = assistant.ask("How much is the fee of a parcel in Norway?")
    assert answer.text == "It is 7 crowns (`fee` src/fees.py:4)."
    assert [one.call.name for one in answer.tool_calls] == ["read_tariff"]
    choice, arguments, last = model.requests[1:]
    assert "read_tariff" in choice.wishes["schema"]["items"]["enum"]
    assert "change_tariff" not in str(choice)
    assert arguments.wishes["schema"]["required"] == ["country"]
    assert "In Norway a parcel costs 7 crowns." in last.messages[-1].content
    assert not any(request.tools for request in model.requests)


@pytest.mark.parametrize("arguments", ["[1]", "no JSON", "7"])
def test_arguments_that_are_none_call_nothing(open_assistant, project, arguments):
    model = ScriptedModel(["MISSING", '["read_tariff"]', arguments])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    assistant.tools.replace("tests", [read_tariff])
    answer = assistant.ask("How much is the fee of a parcel in Norway?")
    assert answer.tool_calls == ()
    assert "did not find the answer" in answer.notice


def test_a_question_in_words_that_the_code_lacks_is_searched_again(ask):
    words = '["fee", "surcharge"]'
    answer, model = ask(words, "By weight.", question="Wie viel muss der Kunde bezahlen?")
    assert "JSON list" in model.requests[0].messages[-1].content
    assert "def fee" in model.requests[1].messages[-1].content
    assert answer.text == "By weight."


def test_a_server_that_is_gone_leaves_the_indexs_answer_and_the_reason(ask):
    answer, _ = ask(ModelError("The server at localhost is gone. Start it: ollama serve."))
    assert answer.ended == "done"
    assert "- `fee` src/fees.py:4" in answer.text
    assert "ollama serve" in answer.notice


def test_without_a_model_the_index_answers(open_assistant, project):
    answer = open_assistant(project, "none").ask(QUESTION)
    assert "- `fee` src/fees.py:4" in answer.text
    assert "llm.model" in answer.notice
    assert answer.usage.prompt_tokens == 0


def test_a_question_that_refers_to_the_last_answer_means_what_it_named(open_assistant, project):
    model = ScriptedModel(["It is `surcharge` that multiplies."])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    assistant.ask("What is the factor for express parcels?")
    answer = assistant.ask("And who calls that?")
    assert "src/fees.py:7 fee" in answer.text


def test_after_an_exact_answer_that_is_what_it_listed(open_assistant, make_project):
    uses = [("base", "1"), ("fee", "base()"), ("bill", "fee()")]
    chain = "\n\n".join(f"def {name}():\n    return {value}\n" for name, value in uses)
    model = ScriptedModel(["By adding."])
    assistant = open_assistant(make_project({"m.py": chain}), model, settings=BY_EVIDENCE)
    assistant.ask("Who calls base?")
    assert "m.py:10 bill" in assistant.ask("And who calls that?").text
    assistant.ask("What does fee return?")
    assert not any("Calls of it" in one.content for one in model.requests[0].messages)


def test_after_a_list_of_several_that_is_what_the_list_is_about(open_assistant, make_project):
    """Asked the same, or about "those", it is each of the list."""
    uses = [("base", "1"), ("fee", "base()"), ("bill", "base()"), ("send", "fee(), bill()")]
    code = "\n\n".join(f"def {name}():\n    return {value}\n" for name, value in uses)
    assistant = open_assistant(make_project({"m.py": code}), "none")
    assistant.ask("Who calls base?")
    about_it = assistant.ask("And what does that return?").index_answer
    assistant.ask("Who calls base?")
    about_each = assistant.ask("And what do they return?").index_answer
    assert about_it.line.startswith("Looked at: `base` m.py:1")
    assert {one.name for one in about_each.symbols[:2]} == {"fee", "bill"}
    assistant.ask("Who calls base?")
    calls = assistant.ask("And who calls that?").index_answer
    assert [one.output.symbol for one in calls.results] == ["fee", "bill"]


def test_one_of_several_declarations_is_asked_about_as_the_answer_says(
    open_assistant, make_project
):
    """A model is told of arguments, people of a question."""
    code = "def load():\n    pass\n"
    assistant = open_assistant(make_project({"a.py": code, "b.py": f"{code}\n\nload()\n"}), "none")
    found = assistant.ask("Where is load used?").index_answer
    assert "declared_in" in found.results[0].text()
    assert "declared_in" not in found.text
    assert "Ask about `a.py: load` to see one of them." in found.text
    for path, count in (("a.py", 0), ("b.py", 1)):
        one = assistant.ask(f"Where is `{path}: load` used?").index_answer
        assert one.results[0].output.declarations == (f"{path}: load",)
        assert one.lead.startswith(f"`load` is used in {count} place")


def test_a_mention_is_evidence_before_all(ask):
    answer, model = ask("Ships parcels.", question="What does @README.md say?")
    told = model.requests[0].messages[1].content
    assert told.index("Ships parcels.") < told.index("Question:")
    assert [one.mention for one in answer.attached] == ["@README.md"]


def test_an_overview_begins_with_the_readme(ask):
    _, model = ask("It ships parcels.", question="What is this project about?")
    assert model.requests[0].messages[1].content.startswith("README.md")


def test_a_change_is_for_the_loop(ask):
    _, model = ask("Nothing to do.", question="Write tests for `fee`.")
    assert "tool" in model.requests[0].messages[0].content


def test_a_passed_model_runs_the_loop_and_the_index_says_nothing_first(open_assistant, project):
    events = list(open_assistant(project, ["Words."]).stream(QUESTION))
    assert not any(isinstance(event, IndexAnswered) for event in events)
    assert isinstance(events[-1], TurnFinished)
    assert events[-1].answer.found == ""


def test_a_second_try_is_noticed(open_assistant, project):
    assistant = open_assistant(project, ["", "By weight."], settings=BY_EVIDENCE)
    notices = [one.text for one in assistant.stream(QUESTION) if isinstance(one, Noticed)]
    assert notices == ["The reply held no answer. It is asked once more."]


def test_the_program_runs_the_tests_and_a_model_words_only_a_failure(open_assistant, make_project):
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "fees.py": "def fee(kg):\n    return kg * 2\n",
        "test_fees.py": "from fees import fee\n\ndef test_fee():\n    assert fee(2) == 4\n",
    }
    root = make_project(files)
    model = ScriptedModel(["fee(2) is 6, not 4."])
    assistant = open_assistant(root, model, settings=BY_EVIDENCE)
    answer = assistant.ask("Run the tests.")
    assert "1 passed" in answer.text
    assert model.requests == []
    (root / "fees.py").write_text(files["fees.py"].replace("2", "3"))
    answer = assistant.ask("Run the tests in test_fees.py.")
    assert [one.call.name for one in answer.tool_calls] == ["run_tests"]
    assert "assert fee(2) == 4" in model.requests[0].messages[-1].content
    assert answer.text == "fee(2) is 6, not 4."


def test_a_line_that_the_model_has_not_read_is_marked(ask):
    answer, _ = ask(
        "`fee` is in `src/fees.py` at line 4, see line 1 of src/fees.py and `README.md`."
    )
    assert answer.receipt.marks == ()
    answer, _ = ask("See `README.md` at line 3: it ships, and [E1].")
    assert [mark.word for mark in answer.receipt.marks] == ["not read"]


def test_secrets_of_an_exact_answer_reach_no_later_request(open_assistant, make_project):
    key = "hunter2hunter"
    code = f'PASSWORD = "{key}"\n\n\ndef login(connect):\n    return connect("{key}")\n'
    project = make_project({"src/login.py": code})
    model = ScriptedModel(["By password.", "So it is.", "By tools."])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    exact = assistant.ask("Where is PASSWORD defined?")
    assert key in exact.text  # the user sees the code
    assistant.ask("/explain Who uses login?")
    assistant.ask("How does login connect?")
    assistant.ask("/dig")
    assert len(model.requests) == 3
    sent = [one for request in model.requests for one in request.messages]
    assert not [one for one in sent if key in f"{one.content}{one.raw}{one.context}"]


@pytest.mark.parametrize("kind", ["link", "folder", "binary"])
def test_a_readme_that_cannot_be_read_is_not_told_of(open_assistant, make_project, kind):
    project = make_project({"src/fees.py": FEE})
    readme = project / "README.md"
    if kind == "link":
        (project.parent / "outside.md").write_text("Outside.")
        readme.symlink_to(project.parent / "outside.md")
    elif kind == "folder":
        readme.mkdir()
    else:
        readme.write_bytes(b"\0\1\xff")
    model = ScriptedModel(["[]", "It computes fees."])
    answer = open_assistant(project, model, settings=BY_EVIDENCE).ask("What is this project about?")
    assert "README" not in answer.found
    assert "README" not in model.requests[-1].messages[-1].content


def test_a_long_exact_answer_is_cut_for_the_model(open_assistant, make_project):
    calls = "".join(f"def user{n}():\n    return fee({n})\n" for n in range(200))
    project = make_project({"src/fees.py": f"{FEE}\n{calls}"})
    model = ScriptedModel(["By many."])
    answer = open_assistant(project, model, settings=BY_EVIDENCE).ask("/explain Who uses fee?")
    assert len(answer.found) > 2 * len(model.requests[0].messages[-1].content)


def test_with_the_days_tokens_used_up_the_index_answers_alone(open_assistant, project):
    model = ScriptedModel(["word " * 400] * 3)
    settings = {"llm": {"way": "evidence", "maxTokensPerDay": 10}}
    assistant = open_assistant(project, model, settings=settings)
    assistant.ask(QUESTION)
    made = len(model.requests)
    assert "src/fees.py:7 fee" in assistant.ask("Who calls surcharge?").text
    answer = assistant.ask(QUESTION)
    assert "- `fee` src/fees.py:4" in answer.text
    assert "tokens are used up" in answer.notice
    with pytest.raises(SettingsError, match="tokens are used up"):
        assistant.ask("Rename fee to price.")
    assert len(model.requests) == made


def test_a_terminal_is_told_once_why_the_index_answers(open_assistant, project, capsys):
    reply = ["The fee is", ModelError("The server is gone.")]
    assistant = open_assistant(project, ScriptedModel([reply]), settings=BY_EVIDENCE)
    view = TerminalView(notes=sys.stderr)
    for event in assistant.stream(QUESTION):
        view.show(event)
        if isinstance(event, IndexAnswered):  # a notebook's cell shows it before the turn, too
            view.show(event)
    shown = capsys.readouterr()
    assert shown.err.count("The server is gone.") == shown.err.count("Looked at:") == 1
    assert shown.out.startswith("The fee is\n\n\nThe most likely places:\n")


def test_a_terminal_is_told_that_an_answer_is_not_sure(open_assistant, project, capsys):
    sorry = "I'm sorry, but I can't help with that."
    assistant = open_assistant(project, ScriptedModel([sorry, sorry]), settings=BY_EVIDENCE)
    view = TerminalView(notes=sys.stderr)
    for event in assistant.stream(QUESTION):
        view.show(event)
    assert "Not sure: " in capsys.readouterr().err
    assert [turn.is_sure for turn in assistant.transcript().turns] == [False]


def test_a_stopped_answer_is_kept_with_its_places_and_what_the_index_said(open_assistant, project):
    model = ScriptedModel([["The base is 2.5 [E1]. It", " grows", float("inf")]])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    cancel = CancelToken()
    for event in assistant.stream(QUESTION, cancel):
        if isinstance(event, TextAdded) and "grows" in event.text:
            cancel.cancel()
    assert event.answer.ended == "stopped"
    assert event.answer.text.startswith("The base is 2.5 (`fee` src/fees.py:4). It")
    [again] = assistant.transcript(turns=1).turns
    assert again.ended == "stopped"
    assert again.found == event.answer.found != ""


def test_what_a_mention_attached_is_kept_with_the_question(open_assistant, project):
    assistant = open_assistant(project, ["Ships parcels."], settings=BY_EVIDENCE)
    answer = assistant.ask("What does @README.md say?")
    [again] = assistant.transcript(turns=1).turns
    assert again.attached == answer.attached != ()


def test_an_answer_that_takes_too_long_is_not_asked_for_once_more(open_assistant, project):
    model = ScriptedModel([[float("inf")], "Without the rules."])
    settings = {**BY_EVIDENCE, "context": {"turnTimeoutS": 1}}
    answer = open_assistant(project, model, settings=settings).ask(QUESTION)
    assert answer.ended == "limit"
    assert "took longer than 1 s" in answer.notice
    assert len(model.requests) == 1


@pytest.mark.parametrize("message", ["Rename fee to price.", "Thanks!", f"/dig {QUESTION}"])
def test_without_a_model_nobody_is_asked_how_to_go_on(open_assistant, project, message):
    asked = []
    assistant = open_assistant(project, "none", on_error=asked.append)
    with pytest.raises(ModelError, match="No model is used"):
        assistant.ask(message)
    assert asked == []


def test_a_longer_question_with_it_means_what_it_says_itself(open_assistant, project):
    model = ScriptedModel(["It is `surcharge` that multiplies.", "By weight."])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    assistant.ask("What is the factor for express parcels?")
    assistant.ask("How is the fee of a parcel computed from its weight?")
    assert "surcharge is declared" not in model.requests[1].messages[-1].content


def test_the_indexs_own_answer_has_no_marks(open_assistant, project):
    assert not open_assistant(project, "none").ask(QUESTION).receipt.marks

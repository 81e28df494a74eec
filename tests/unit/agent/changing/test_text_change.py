"""A change that a model writes as text: what it is asked, what is proposed, how it ends."""

import re

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.events import IndexAnswered, Noticed

BY_EVIDENCE = {"llm": {"way": "evidence"}}
FEE = '''"""Fees of parcels."""

from functools import cache


@cache
def fee(weight_kg: float, express: bool = False) -> float:
    """The fee of a parcel by its weight."""
    base = 2.5 if weight_kg < 5 else 4.0
    return base * surcharge(express)


def surcharge(express: bool) -> float:
    """The factor for express parcels."""
    return 1.5 if express else 1.0
'''
SHOP = '''class Shop:
    """A shop."""

    def total(self, prices):
        return self.rounded(sum(prices))

    def rounded(self, price):
        return round(price, 2)
'''
NEW = '''def fee(weight_kg: float, express: bool = False) -> float:
    """The fee of a parcel by its weight."""
    base = 2.5 if weight_kg <= 5 else 4.0
    return base * surcharge(express)
'''
OTHER = NEW.replace("4.0", "4.5")
AFTER = FEE.replace("weight_kg < 5", "weight_kg <= 5")
ASKED = "Make `fee` count five kilograms as light."


def fenced(text):
    return f"Here it is:\n\n```python\n{text}```\n"


@pytest.fixture
def project(make_project):
    return make_project({"src/fees.py": FEE, "src/shop.py": SHOP})


@pytest.fixture
def change(turn, project):
    """Ask for one change; gives the answer, the text of fees.py, and the model's requests."""

    def asked(*replies, question=ASKED, confirm=None):
        options = {"auto_apply": True} if confirm is None else {"confirm": confirm}
        answer, model, _ = turn(question, *replies, **options)
        return answer, (project / "src/fees.py").read_text(), model.requests

    return asked


def test_a_function_that_is_named_is_written_anew_in_one_request_without_tools(change):
    answer, text, [request] = change(fenced(NEW))
    assert text == AFTER
    assert request.tools == ()
    told = request.messages[1].content
    assert "src/fees.py:13 def surcharge(express: bool) -> float:" in told
    assert "@cache\ndef fee(" in told
    assert told.endswith(f"Request: {ASKED}")
    assert answer.text == "Changed `fee` in src/fees.py:7."
    assert answer.is_sure
    assert not answer.unchanged
    assert answer.proposals.applied == 1
    [called] = answer.tool_calls
    assert called.call.name == "replace_symbol"


def test_the_rules_are_short_and_the_same_for_every_request(open_assistant, project):
    model = ScriptedModel([fenced(NEW), fenced(OTHER)])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE, auto_apply=True)
    assistant.ask(ASKED)
    assistant.ask("Make `fee` 4.5 for heavy ones.")
    first, second = (request.messages[0] for request in model.requests)
    assert first == second
    assert len(first.content) < 1200


def test_it_can_be_undone_and_is_in_the_record(open_assistant, project):
    assistant = open_assistant(
        project, [fenced(NEW), "Fine."], settings=BY_EVIDENCE, auto_apply=True
    )
    [edit] = assistant.ask(ASKED).edits
    assert edit.path == "src/fees.py"
    [turn] = assistant.transcript(turns=1).turns
    assert turn.text == "Changed `fee` in src/fees.py:7."
    assistant.undo()
    assert (project / "src/fees.py").read_text() == FEE


def test_the_place_is_shown_before_the_model_writes(open_assistant, project):
    assistant = open_assistant(project, [fenced(NEW)], settings=BY_EVIDENCE, auto_apply=True)
    [shown] = [one for one in assistant.stream(ASKED) if isinstance(one, IndexAnswered)]
    assert shown.answer.text == "Looked at: `fee` src/fees.py:7"


def test_a_place_that_is_not_named_is_chosen_by_the_model_among_ids(change):
    question = (
        "Parcels of exactly five kilograms should be light when computing their fee by weight."
    )
    _, text, requests = change('["E1"]', fenced(NEW), question=f"Fix this: {question}")
    choice, written = requests
    schema = choice.wishes["schema"]
    assert schema["maxItems"] == 3
    assert "E1 `fee` src/fees.py:7" in choice.messages[1].content
    assert choice.tools == written.tools == ()
    assert text == AFTER


def test_a_name_that_the_named_file_lacks_is_not_taken_from_another_one(change):
    question = "Make `fee` in src/shop.py count five kilograms as light."
    _, text, requests = change("[]", "There is none.", question=question)
    assert text == FEE
    assert requests[0].wishes["schema"]["items"]["enum"]


def test_what_else_the_model_has_chosen_is_told(change):
    question = "Fix this: parcels of exactly five kilograms have a wrong fee by weight."
    one = '[{"id": "E1", "change": "Five kilograms are light."}]'
    answer, text, _ = change('["E1", "E2"]', one, fenced(NEW), question=question)
    assert text == AFTER
    assert "Nothing else was changed; `surcharge` src/fees.py:13 may" in answer.text


def test_where_the_model_chooses_none_the_loop_goes_on(change):
    question = "Fix this: parcels of exactly five kilograms have a wrong fee by weight."
    answer, text, requests = change("[]", "I do not know.", question=question)
    assert text == FEE
    assert answer.unchanged
    assert "tool" in requests[1].messages[0].content


@pytest.mark.parametrize(
    "question",
    [
        "Write tests for `fee`.",
        "Create a page about parcels.",
        "Fix the typo in README.md",
        "Write a note about late parcels.",
        "Füge Tests hinzu, die Gebühren prüfen.",
    ],
)
def test_what_is_not_one_declaration_is_for_the_loop(change, project, question):
    (project / "README.md").write_text("# Parcles\n")
    _, text, requests = change("Nothing to do.", question=question)
    assert text == FEE
    assert "tool" in requests[0].messages[0].content


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (
            "I would change the comparison.",
            "The reply does not hold fee, whole, in one code fence.",
        ),
        (fenced(NEW.replace("    base =", "    # ... rest unchanged\n    base =")), "left out"),
        (fenced(NEW.replace("else 4.0", "else (4.0")), "syntax error in line"),
        (fenced(NEW.replace("By weight", "\0").replace("parcel", "\0")), "NUL character"),
        (fenced(NEW.replace("base *", "factor *")), "`factor` is not known in src/fees.py."),
    ],
)
def test_what_cannot_be_used_goes_back_once_with_the_reason(change, bad, problem):
    _, text, requests = change(bad, fenced(NEW))
    assert text == AFTER
    assert problem in requests[1].messages[-1].content


def test_a_text_that_changes_nothing_is_asked_for_again_in_two_steps(change):
    _, text, requests = change(fenced(FEE), "The line with weight_kg.", fenced(NEW))
    assert text == AFTER
    _, which, again = (request.messages[-1].content for request in requests)
    assert "That is the old text" in which
    assert again == "Write the whole declaration `fee` with that mended, in one code fence."
    assert requests[2].messages[-2].content == "The line with weight_kg."


def test_a_second_text_that_cannot_be_used_is_the_end_and_says_so(change):
    answer, text, requests = change("No.", "No.")
    assert text == FEE
    assert len(requests) == 2
    assert answer.unchanged
    assert answer.text == (
        "There is no new text of `fee` src/fees.py:7 that holds: "
        "The reply does not hold fee, whole, in one code fence."
    )


def test_a_second_try_is_noticed(open_assistant, project):
    assistant = open_assistant(
        project, [fenced(FEE), "It.", fenced(NEW)], settings=BY_EVIDENCE, auto_apply=True
    )
    notices = [one.text for one in assistant.stream(ASKED) if isinstance(one, Noticed)]
    assert notices == ["The reply changes nothing. It is asked once more."]


def test_a_rejection_without_a_reason_is_the_end(change):
    answer, text, requests = change(fenced(NEW), confirm=lambda _: False)
    assert text == FEE
    assert len(requests) == 1
    assert answer.text == "`fee` src/fees.py:7 stays as it is: the change was rejected."
    assert answer.proposals.rejected == 1


def test_a_reason_goes_back_to_the_model_once_for_another_text(change):
    decided = iter([Decision(action="reject", reason="heavy ones cost 4.5"), True])
    answer, text, requests = change(fenced(NEW), fenced(OTHER), confirm=lambda _: next(decided))
    assert "heavy ones cost 4.5" in requests[1].messages[-1].content
    assert text == AFTER.replace("4.0", "4.5")
    assert (answer.proposals.applied, answer.proposals.rejected) == (1, 1)


def test_the_same_text_is_not_proposed_again(change):
    asked = []

    def confirm(proposal):
        asked.append(proposal)
        return Decision(action="reject", reason="not so")

    answer, text, _ = change(fenced(NEW), fenced(NEW), confirm=confirm)
    assert len(asked) == 1
    assert text == FEE
    assert answer.text == "`fee` src/fees.py:7 stays as it is: the model wrote the same text again."


def test_a_new_import_is_part_of_the_same_question(change):
    new = NEW.replace("base * surcharge(express)", "math.floor(base)")
    answer, text, _ = change(fenced(f"import math\n\n{new}"))
    assert text.startswith('"""Fees of parcels."""\n\nfrom functools import cache\nimport math\n\n')
    assert answer.text == "Changed `fee` in src/fees.py:8."
    assert answer.proposals.applied == 1


def test_a_method_is_indented_as_in_its_class(change, project):
    reply = "```python\ndef total(self, prices):\n    return self.rounded(sum(prices, 0.0))\n```"
    _, _, [request] = change(reply, question="Make `Shop.total` add floats.")
    after = SHOP.replace("sum(prices)", "sum(prices, 0.0)")
    assert (project / "src/shop.py").read_text() == after
    assert "src/shop.py:7 def rounded(self, price):" in request.messages[1].content


def test_a_secret_in_the_declaration_is_hidden_and_its_mark_is_never_written(
    open_assistant, project
):
    secret = "zK7qLw93TfYb2xVd"
    source = f'def connect(retries):\n    password = "{secret}"\n    return password, retries\n'
    (project / "src/net.py").write_text(source)
    mark = "[redacted:password:0000]"
    model = ScriptedModel([fenced(source.replace(secret, mark))])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE, auto_apply=True)
    answer = assistant.ask("Make `connect` return the retries first.")
    assert secret not in str(model.requests)
    assert "[redacted:" in model.requests[0].messages[1].content
    assert "hidden from you" in answer.text
    assert (project / "src/net.py").read_text() == source


def test_a_secret_that_the_declaration_uses_is_hidden_too(open_assistant, project):
    secret = "zK7qLw93TfYb2xVd"
    source = f'PASSWORD = "{secret}"\n\n\ndef connect(retries):\n    return PASSWORD, retries\n'
    (project / "src/net.py").write_text(source)
    model = ScriptedModel(["I do not know.", "I do not know."])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE)
    assistant.ask("Make `connect` return the retries first.")
    assert "PASSWORD = " in model.requests[0].messages[1].content
    assert secret not in str(model.requests)


def test_a_message_with_the_mark_of_an_edit_is_asked_without_it(change):
    _, text, [request] = change(fenced(NEW), question=f"/edit {ASKED}")
    assert text == AFTER
    assert request.messages[1].content.endswith(f"Request: {ASKED}")


def test_models_that_go_by_tools_change_by_tools(open_assistant, project):
    model = ScriptedModel(["Nothing to do."], native_tools=True)
    assistant = open_assistant(project, model, settings={"llm": {"way": "loop"}})
    assert assistant.ask(ASKED).unchanged
    assert model.requests[0].tools


def test_it_means_what_the_last_answer_was_about(open_assistant, project):
    model = ScriptedModel(["`fee` takes the weight [E1].", fenced(NEW)])
    assistant = open_assistant(project, model, settings=BY_EVIDENCE, auto_apply=True)
    assistant.ask("How is the fee of a parcel computed from its weight?")
    answer = assistant.ask("Make it include five kilograms")
    assert answer.text == "Changed `fee` in src/fees.py:7."


def test_the_ids_to_choose_from_are_those_of_the_evidence(change):
    question = "Fix this: the factor for express parcels makes the fee of a shop wrong."
    _, _, requests = change("[]", "No.", question=question)
    told = requests[0].messages[1].content
    evidence, _, listed = told.partition("Which of these has to change")
    shown = dict(re.findall(r"^(E\d+) ([\w.]+)$", evidence, re.MULTILINE))
    offered = dict(re.findall(r"^(E\d+) `([\w.]+)`", listed, re.MULTILINE))
    assert shown
    assert shown.items() <= offered.items()


def test_a_local_model_of_a_server_changes_by_text_and_draws_the_likeliest_words(
    open_assistant, project, ollama_server
):
    ollama_server.add_model("qwen2.5-coder:7b-instruct")
    ollama_server.replies += [[fenced(NEW)[:40], fenced(NEW)[40:]]]
    llm = {"host": ollama_server.url, "model": "qwen2.5-coder:7b-instruct"}
    assistant = open_assistant(project, None, settings={"llm": llm}, auto_apply=True)
    assert assistant.ask(ASKED).text == "Changed `fee` in src/fees.py:7."
    [body] = ollama_server.asked("/api/chat")
    assert body["options"]["temperature"] == 0
    assert not body.get("tools")


OLD_LINE = "    base = 2.5 if weight_kg < 5 else 4.0"
NEW_LINE = OLD_LINE.replace("<", "<=")
HUNK = f"-{OLD_LINE}\n+{NEW_LINE}"


@pytest.mark.parametrize(
    "reply",
    [
        f"src/fees.py\n<<<<<<< SEARCH\n{OLD_LINE}\n=======\n{NEW_LINE}\n>>>>>>> REPLACE",
        f"```diff\n--- a/src/fees.py\n+++ b/src/fees.py\n@@ -1,9 +1,9 @@\n{HUNK}\n```",
        f"*** Begin Patch\n*** Update File: src/fees.py\n@@\n{HUNK}\n*** End Patch",
    ],
)
def test_an_edit_instead_of_the_declaration_is_proposed(change, reply):
    answer, text, requests = change(reply)
    assert text == AFTER
    assert len(requests) == 1
    assert answer.text == "Changed src/fees.py:9."
    assert answer.proposals.applied == 1


def test_an_edit_is_asked_about_and_can_be_undone(open_assistant, project):
    asked = []
    reply = f"<<<<<<< SEARCH\n{OLD_LINE}\n=======\n{NEW_LINE}\n>>>>>>> REPLACE"
    assistant = open_assistant(
        project, [reply], settings=BY_EVIDENCE, confirm=lambda one: not asked.append(one)
    )
    assistant.ask(ASKED)
    assert len(asked) == 1
    assistant.undo()
    assert (project / "src/fees.py").read_text() == FEE


def test_the_text_of_another_declaration_is_proposed_in_its_place(change):
    new = 'def surcharge(express: bool) -> float:\n    """The factor."""\n    return 2.0\n'
    answer, text, [_] = change(fenced(new))
    assert text == FEE[: FEE.index("def surcharge")] + new
    assert answer.text == "Changed src/fees.py:14."


def test_an_edit_without_a_place_goes_back_once_with_the_reason(change):
    bad = "<<<<<<< SEARCH\n    base = 3\n=======\n    base = 4\n>>>>>>> REPLACE"
    _, text, requests = change(bad, fenced(NEW))
    assert text == AFTER
    assert "begin with `base = 3`, are not in" in requests[1].messages[-1].content


def test_an_edit_outside_of_the_project_is_refused(change, project):
    outside = project.parent / "outside.py"
    outside.write_text("a = 1\n")
    bad = "../outside.py\n<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE"
    answer, text, _ = change(bad, bad)
    assert text == FEE
    assert outside.read_text() == "a = 1\n"
    assert answer.unchanged


def test_the_mark_of_a_secret_is_not_written_by_an_edit(open_assistant, project):
    source = (
        'def connect(retries):\n    password = "zK7qLw93TfYb2xVd"\n    return password, retries\n'
    )
    (project / "src/net.py").write_text(source)
    mark = 'password = "[redacted:password:0000]"'
    old = "    return password, retries"
    reply = f"<<<<<<< SEARCH\n{old}\n=======\n    {mark}\n{old}\n>>>>>>> REPLACE"
    assistant = open_assistant(project, [reply, reply], settings=BY_EVIDENCE, auto_apply=True)
    answer = assistant.ask("Make `connect` return the retries first.")
    assert "hidden from you" in answer.text
    assert (project / "src/net.py").read_text() == source

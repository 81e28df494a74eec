"""Several declarations that a model writes anew: listed first, proposed as one."""

import json

import pytest

from ipuaro_jupyter.records.change import ChosenFile, Decision

FEES = '''def fee(weight_kg, express=False):
    """The fee of a parcel."""
    return 2.5 * surcharge(express)


def surcharge(express):
    return 1.5 if express else 1.0
'''
SHOP = """from fees import surcharge


class Shop:
    def total(self, prices):
        return sum(prices) * surcharge(False)
"""
ASKED = "Give `fee` and `surcharge` a keyword `loyal`."
FEE = "def fee(weight_kg, express=False, *, loyal=False):\n    return 2.5 * surcharge(express)\n"
SURCHARGE = "def surcharge(express, *, loyal=False):\n    return 1.5 if express else 1.0\n"
BOTH = [{"id": "E1", "change": "A keyword loyal."}, {"id": "E2", "change": "The same keyword."}]


def fenced(text):
    return f"```python\n{text}```"


@pytest.fixture
def project(make_project):
    return make_project({"fees.py": FEES, "shop.py": SHOP})


@pytest.fixture
def change(turn, project):
    """Ask for one change; gives the answer, the text of fees.py, the model and the notices."""

    def asked(*replies, question=ASKED, confirm=None):
        said = [one if isinstance(one, str) else json.dumps(one) for one in replies]
        options = {"auto_apply": True} if confirm is None else {"confirm": confirm}
        answer, model, notices = turn(question, *said, **options)
        return answer, (project / "fees.py").read_text(), model, notices

    return asked


def test_several_are_listed_then_written_each_and_proposed_as_one(change):
    answer, text, model, notices = change(BOTH, fenced(FEE), fenced(SURCHARGE))
    assert text == f"{FEE}\n\n{SURCHARGE}"
    told = "`fee` fees.py:1 (A keyword loyal.); `surcharge` fees.py:6 (The same keyword.)."
    assert notices == [f"Several places are to change: {told}"]
    asked = model.requests[1].messages[-1].content
    assert asked.endswith(f"Request: {ASKED}\nHere, change `fee` alone.")
    assert [one.call.name for one in answer.tool_calls] == ["propose_changes"]
    assert answer.proposals.applied == 1
    assert answer.text == ("- Changed `fee` in fees.py:1.\n- Changed `surcharge` in fees.py:5.")


def test_they_are_undone_as_one(open_assistant, project):
    replies = [json.dumps(BOTH), fenced(FEE), fenced(SURCHARGE)]
    assistant = open_assistant(
        project, replies, settings={"llm": {"way": "evidence"}}, auto_apply=True
    )
    assistant.ask(ASKED)
    assistant.undo()
    assert (project / "fees.py").read_text() == FEES


def test_one_that_has_no_text_is_left_out_and_told(change):
    answer, text, _, notices = change(BOTH, "I cannot.", "No.", fenced(SURCHARGE))
    assert text == FEES.replace(FEES.partition("\n\n\n")[2], SURCHARGE)
    assert "- `fee` fees.py:1 stays as it is:" in answer.text
    assert any(one.startswith("`fee` fees.py:1 is left out:") for one in notices)


def test_where_none_has_a_text_nothing_is_proposed(change):
    answer, text, *_ = change(BOTH, "No.", "No.", "No.", "No.")
    assert text == FEES
    assert answer.proposals.applied == answer.proposals.rejected == 0
    assert answer.text.startswith("There is no new text of")


def test_a_rejection_with_a_reason_makes_list_and_texts_anew(change):
    decisions = [Decision(action="reject", reason="Leave fee alone."), Decision(action="apply")]
    answer, text, model, _ = change(
        BOTH,
        fenced(FEE),
        fenced(SURCHARGE),
        BOTH[1:],
        fenced(SURCHARGE),
        confirm=lambda _: decisions.pop(0),
    )
    assert "Leave fee alone." in model.requests[3].messages[-1].content
    assert text == FEES.replace(FEES.partition("\n\n\n")[2], SURCHARGE)
    assert "`fee`" not in answer.text


def test_what_is_to_change_at_all_callers_is_found_by_the_index(change, project):
    total = "def total(self, prices):\n    return sum(prices) * surcharge(True)\n"
    listed = [{"id": "E2", "change": "Express."}]
    answer, *_ = change(
        listed, fenced(total), question="Make all callers of `surcharge` pay for express."
    )
    assert "surcharge(True)" in (project / "shop.py").read_text()
    assert "`fee` fees.py:1 may have to be changed" in answer.text


def test_what_the_request_lists_stays_in_the_list_of_the_model(change):
    answer, text, _, [notice] = change(BOTH[1:], fenced(FEE), fenced(SURCHARGE))
    assert text == f"{FEE}\n\n{SURCHARGE}"
    told = "`fee` fees.py:1; `surcharge` fees.py:6 (The same keyword.)."
    assert notice == f"Several places are to change: {told}"
    assert answer.text.startswith("- Changed `fee` in fees.py:1.\n")


def test_what_uses_a_name_everywhere_is_written_where_the_model_lists_nothing(change, project):
    total = "def total(self, prices):\n    return sum(prices) * surcharge(express=False)\n"
    answer, text, *_ = change(
        [],
        fenced(SURCHARGE),
        fenced(FEE),
        fenced(total),
        question="Change `surcharge` to take keywords everywhere.",
    )
    assert text == f"{FEE}\n\n{SURCHARGE}"
    assert "surcharge(express=False)" in (project / "shop.py").read_text()
    assert answer.proposals.applied == 1


def test_a_new_import_of_several_in_one_file_is_added_once(change):
    new = [one.replace("return ", "return math.ceil(") for one in (FEE, SURCHARGE)]
    new = ["import math\n\n\n" + one.rstrip() + ")\n" for one in new]
    _, text, *_ = change(BOTH, *map(fenced, new))
    assert text.startswith("import math\n\n")
    assert text.count("import math") == 1
    assert text.count("math.ceil(") == 2


def test_a_file_that_the_user_leaves_out_is_told(change, project):
    total = "def total(self, prices):\n    return sum(prices) * surcharge(True)\n"
    listed = [{"id": "E1", "change": "A keyword."}, {"id": "E3", "change": "Express."}]
    answer, text, *_ = change(
        listed,
        fenced(SURCHARGE),
        fenced(total),
        question="Change `surcharge` to take keywords everywhere.",
        confirm=lambda _: Decision(action="apply", chosen=(ChosenFile(number=1),)),
    )
    assert SURCHARGE in text
    assert (project / "shop.py").read_text() == SHOP
    assert "- `Shop.total` shop.py:5 stays as it is: it was left out." in answer.text


def test_what_lies_in_another_place_is_not_written_by_itself(change, project):
    outer = "def outer():\n    def inner():\n        return 1\n\n    return inner()\n"
    (project / "nested.py").write_text(outer)
    new = outer.replace("return 1", "return 2")
    answer, *_ = change(fenced(new), question="Make `outer` and `inner` return 2.")
    assert (project / "nested.py").read_text() == new
    assert answer.text == "Changed `outer` in nested.py:1."

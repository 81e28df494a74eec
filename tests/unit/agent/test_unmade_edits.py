"""Edits that a model writes into a reply of the loop, where a change was asked for."""

import pytest

from ipuaro_jupyter import ScriptedModel

CODE = "def one():\n    return 1\n\n\ndef two():\n    return 1\n"
LINE = "    return 1"
NEW = "def two():\n    return 2"
BLOCK = f"<<<<<<< SEARCH\ndef two():\n{LINE}\n=======\n{NEW}\n>>>>>>> REPLACE"
EDIT = f"I change it.\n\nsrc/a.py\n{BLOCK}"
AFTER = "    return 2".join(CODE.rsplit(LINE, 1))
LOOP = {"llm": {"way": "loop"}}


@pytest.fixture
def talk(open_assistant, make_project):
    """Return a function that sends one message; gives the answer, the file and the requests."""

    def ask(*replies, question="Change `two` to return 2.", confirm=lambda _: True):
        root = make_project({"src/a.py": CODE})
        model = ScriptedModel([*replies, "Done.", "Done."])
        answer = open_assistant(root, model, confirm=confirm, settings=LOOP).ask(question)
        return answer, (root / "src/a.py").read_text(), model.requests

    return ask


def test_an_edit_is_proposed_and_its_result_goes_back(talk):
    answer, text, requests = talk(EDIT)
    assert text == AFTER
    assert answer.text == "Done."
    assert answer.proposals.applied == 1
    assert [one.call.name for one in answer.tool_calls] == ["propose_changes"]
    assert "return 2" in requests[1].messages[-1].content


def test_a_new_file_of_a_patch_is_proposed(talk):
    patch = "*** Begin Patch\n*** Add File: src/b.py\n+B = 1\n*** End Patch"
    answer, text, _ = talk(patch)
    assert [(one.path, one.after) for one in answer.edits] == [("src/b.py", b"B = 1\n")]
    assert text == CODE


@pytest.mark.parametrize("cut", ["\n>>>>>>> REPLACE", "return 2\n>>>>>>> REPLACE"])
def test_an_edit_that_was_cut_off_is_not_proposed(talk, cut):
    answer, text, _ = talk(EDIT.removesuffix(cut))
    assert text == CODE
    assert answer.proposals.applied == 0


def test_it_is_asked_about_once_and_may_be_rejected(talk):
    asked = []
    answer, text, _ = talk(EDIT, confirm=asked.append)
    assert len(asked) == 1
    assert text == CODE
    assert answer.proposals.rejected == 1


def test_an_ambiguous_one_goes_back_with_the_places(talk):
    bad = f"Like this:\nsrc/a.py\n<<<<<<< SEARCH\n{LINE}\n=======\n    return 2\n>>>>>>> REPLACE"
    _, text, requests = talk(bad, EDIT)
    assert text == AFTER
    assert "src/a.py:2, src/a.py:6" in requests[1].messages[-1].content


def test_beside_a_question_it_stays_text(talk):
    answer, text, _ = talk(EDIT, question="How does `two` work?")
    assert text == CODE
    assert answer.proposals.applied == 0


def test_what_tells_of_a_change_that_was_made_is_not_made_again(talk):
    answer, text, requests = talk(EDIT, f"It is done:\n```diff\n-{LINE}\n+    return 2\n```")
    assert text == AFTER
    assert answer.text.startswith("It is done:")
    assert len(requests) == 2

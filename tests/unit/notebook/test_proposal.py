"""The Python side of the widget; tests/system/browser has the other."""

import re

import pytest

from ipuaro_jupyter.notebook.widgets.proposal import ProposalWidget
from ipuaro_jupyter.records.change import Decision, Proposal, ProposedFile
from ipuaro_jupyter.records.check import CheckReport

EDIT = Proposal(
    id="1",
    kind="edit",
    tool="edit_lines",
    title="Edit <a.ts>",
    path="a.ts",
    old_text="1\n",
    new_text="2\n",
    editable=True,
    pattern="src/*",
)


def asked(proposal=EDIT):
    ready, decisions = [], []
    widget = ProposalWidget(
        proposal, on_ready=lambda: ready.append(True), on_decision=decisions.append
    )
    return widget, ready, decisions


def send(widget, **content):
    widget._receive(widget, content, [])


def test_it_says_when_it_is_drawn():
    widget, ready, decisions = asked()
    send(widget, type="ready")
    assert (ready, decisions) == ([True], [])


def test_apply_as_it_is():
    widget, _, decisions = asked()
    send(widget, type="decision", action="apply", text=None, reason="", remember=False)
    assert decisions == [Decision(action="apply")]


def test_apply_with_edited_text_and_remember():
    widget, _, decisions = asked()
    send(widget, type="decision", action="apply", text="3\n", remember=True)
    assert decisions == [Decision(action="apply", text="3\n", remember=True)]


def test_an_edit_that_changed_nothing_is_none():
    widget, _, decisions = asked()
    send(widget, type="decision", action="apply", text="2\n")
    assert decisions == [Decision(action="apply")]


def test_a_text_that_a_page_cannot_hold_is_not_offered_for_editing():
    assert asked()[0].editable
    assert not asked(EDIT.model_copy(update={"new_text": "2\r3\n"}))[0].editable


def test_reject_with_a_reason():
    widget, _, decisions = asked()
    send(widget, type="decision", action="reject", reason=" no ")
    assert decisions == [Decision(action="reject", reason="no")]


@pytest.mark.parametrize(
    ("typed", "text", "kept"),
    [
        (None, "3\n", "3\n"),
        ("4\n", "3\n", "3\n"),
        ("4\n", None, "4\n"),
        ("4\n", "2\n", "4\n"),
        ("2\n", "2\n", None),
        (None, "", ""),
    ],
)
def test_a_rejection_keeps_what_was_typed(typed, text, kept):
    """It is in the editor, or was kept when the editor was left."""
    widget, _, decisions = asked()
    widget.send = [].append
    if typed is not None:
        send(widget, type="typed", text=typed, hunks=None, key="null", number=1)
    send(widget, type="decision", action="reject", reason="no", text=text)
    assert decisions == [Decision(action="reject", reason="no", text=kept)]


def test_what_was_discarded_is_not_in_a_rejection():
    widget, _, decisions = asked()
    widget.send = [].append
    send(widget, type="typed", text="4\n", hunks=None, key="null", number=1)
    send(widget, type="discard", key="null")
    send(widget, type="decision", action="reject", reason="")
    assert decisions == [Decision(action="reject")]


def test_a_question_that_is_not_answered_keeps_what_was_typed():
    widget, _, _ = asked()
    widget.send = [].append
    stopped = Decision(action="reject", reason="stopped")
    assert widget.unfinished(stopped) == stopped
    send(widget, type="reason", text=" not so ")
    send(widget, type="typed", text="4\n", hunks=None, key="null", number=1)
    assert widget.reason == " not so ", "for a page that is loaded anew"
    assert widget.unfinished(stopped) == Decision(
        action="reject", reason="stopped; typed until then: not so", text="4\n"
    )
    widget.settle({})
    assert widget.reason == ""


def test_only_the_first_decision_counts():
    widget, _, decisions = asked()
    send(widget, type="decision", action="reject")
    send(widget, type="decision", action="apply")
    assert decisions == [Decision(action="reject")]


def test_an_unknown_action_is_no():
    widget, _, decisions = asked()
    send(widget, type="decision")
    assert decisions == [Decision(action="reject")]


def test_the_page_gets_the_diff_escaped_and_the_title_as_text():
    widget, _, _ = asked(EDIT.model_copy(update={"new_text": "<script>\n"}))
    assert "&lt;script&gt;" in widget.detail
    assert widget.title == "Edit <a.ts>"
    assert widget.edit_text == "<script>\n"


def test_the_button_says_what_it_does():
    command = Proposal(id="2", kind="command", tool="run_command", title="t", command="ls")
    assert asked(command)[0].apply_word == "Run"
    assert asked()[0].apply_word == "Apply"


OLD = "".join(f"{number}\n" for number in range(30))
TWO = EDIT.model_copy(
    update={
        "old_text": OLD,
        "new_text": OLD.replace("3\n", "three\n", 1).replace("25\n", ""),
    }
)


PROPOSED = "1 line added (+), 2 removed (\u2212)"
COUNTED = EDIT.model_copy(
    update={
        "kind": "changes",
        "path": None,
        "changed": (
            ProposedFile(path="a.ts", kind="edit", old_text=OLD, new_text=TWO.new_text),
            ProposedFile(path="b.ts", kind="create", old_text=None, new_text="1\n"),
            ProposedFile(
                path="a.ts",
                kind="edit",
                old_text=OLD,
                new_text=OLD.replace("\n15\n", "\n14b\n15\n"),
                is_chosen=False,
                group="By name only",
            ),
        ),
    }
)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (None, None),
        ([1, 2], None),
        ([2], (2,)),
        ([], ()),
        ([2, 2, 7, "1", None], (2,)),
    ],
)
def test_the_chosen_changes_are_in_the_decision(said, kept):
    widget, _, decisions = asked(TWO)
    assert widget.choices == 2
    send(widget, type="decision", action="apply", hunks=said)
    assert decisions == [Decision(action="apply", hunks=kept)]


def test_the_text_of_a_choice_is_edited():
    widget, _, decisions = asked(TWO)
    send(widget, type="edit", hunks=[2])
    assert widget.edit_of == [2]
    assert "three" not in widget.edit_text
    text = widget.edit_text.replace("20\n", "twenty\n")
    send(widget, type="decision", action="apply", text=text, hunks=[2])
    assert decisions == [Decision(action="apply", text=text, hunks=(2,))]


def test_what_one_view_edits_is_written_whatever_another_view_edits():
    """The text of a long file is a region of it, which is another one for another choice."""
    old = "".join(f"line {number}\n" for number in range(200))
    new = old.replace("line 20\n", "twenty\n").replace("line 180\n", "")
    widget, _, decisions = asked(TWO.model_copy(update={"old_text": old, "new_text": new}))
    sent = []
    widget.send = sent.append
    send(widget, type="edit", hunks=[1])
    text = widget.edit_text.replace("twenty\n", "typed\n")
    send(widget, type="edit", hunks=[2])
    send(widget, type="typed", number=1, text=text, hunks=[1], key="[1]")
    assert "typed" in sent[0]["html"]
    assert widget.drafts == {"[1]": text}
    send(widget, type="decision", action="apply", text=text, hunks=[1])
    written = old.replace("line 20\n", "typed\n")
    assert decisions == [Decision(action="apply", text=written, hunks=(1,))]


def test_a_choice_whose_text_was_not_changed_is_just_a_choice():
    widget, _, decisions = asked(TWO)
    send(widget, type="edit", hunks=[1])
    send(widget, type="decision", action="apply", text=widget.edit_text, hunks=[1])
    assert decisions == [Decision(action="apply", hunks=(1,))]


def test_what_has_no_choice_ignores_one():
    widget, _, decisions = asked()
    assert widget.choices == 1
    send(widget, type="decision", action="apply", hunks=[])
    assert decisions == [Decision(action="apply")]


LONG = "".join(f"{number}\n" for number in range(10_000))


def test_more_of_a_long_diff_is_sent_on_request():
    widget, _, _ = asked(EDIT.model_copy(update={"old_text": None, "new_text": LONG}))
    sent = []
    widget.send = sent.append
    (key,) = re.findall('data-page="([^"]+)"', widget.detail)
    for _ in range(2):
        send(widget, type="page", key=key, file=1)
    assert [(one["key"], one["file"]) for one in sent] == [(key, 1)] * 2
    assert "+ 1000" in re.sub("<[^>]+>", "", sent[0]["html"])
    assert widget.opened == [[key, 1]], "a page that is loaded anew asks for it again"


def test_what_is_typed_is_kept_and_shown():
    widget, _, _ = asked(TWO)
    sent = []
    widget.send = sent.append
    text = widget.edit_text.replace("20\n", "twenty\n")
    send(widget, type="typed", number=1, text=text, hunks=None, key="null")
    assert widget.drafts == {"null": text}
    assert (sent[0]["type"], sent[0]["number"]) == ("typed", 1)
    assert "twenty" in sent[0]["html"]
    send(widget, type="typed", number=3, text=widget.edit_text, hunks=None, key="null")
    assert widget.drafts == {}, "what is as proposed needs no draft"
    send(widget, type="typed", number=4, text=text, hunks=None, key="null")
    send(widget, type="discard", key="null")
    assert widget.drafts == {}


@pytest.mark.parametrize(("key", "file"), [("1:0-2", 2), ("1:0-2", 0), ("9:9-9", 1), (None, None)])
def test_more_of_nothing_is_nothing(key, file):
    widget, _, _ = asked()
    widget.send = pytest.fail
    send(widget, type="page", key=key, file=file)
    assert widget.opened == []


def test_a_pattern_that_is_a_whole_program_is_not_repeated():
    long = EDIT.model_copy(update={"pattern": "echo " + "x" * 1000})
    assert asked(long)[0].pattern == "edit_lines with exactly this text"
    assert asked()[0].pattern == "edit_lines src/*"


SET = Proposal(
    id="1",
    kind="changes",
    tool="propose_changes",
    title="Change files",
    changed=(
        {"path": "a.ts", "kind": "edit", "old_text": OLD, "new_text": TWO.new_text},
        {"path": "b.ts", "kind": "create", "old_text": None, "new_text": "x\n"},
        {
            "path": "a.ts",
            "kind": "edit",
            "old_text": OLD,
            "new_text": OLD.replace("9\n", "nine\n", 1),
            "is_chosen": False,
            "group": "By name only",
        },
    ),
)


def one(number, *hunks):
    return {"number": number, "hunks": list(hunks) or None}


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (None, None),
        ([one(1), one(2)], None),
        ([one(2), one(1, 1, 2)], None),
        ([one(1, 2), one(3)], ({"number": 1, "hunks": (2,)}, {"number": 3})),
        ([one(1), one(2), one(3)], ({"number": 1}, {"number": 2}, {"number": 3})),
        ([], ()),
        ([one(1, 7), one(9), one("2"), "3", one(2)], ({"number": 2},)),
        ([one(1), {"number": 2, "hunks": []}], ({"number": 1},)),
    ],
)
def test_the_chosen_files_of_a_set_are_in_the_decision(said, kept):
    widget, _, decisions = asked(SET)
    assert widget.files == [(0, 2), (1, 1), (0, 1)]
    assert (widget.choices, widget.editable) == (0, False)
    send(widget, type="decision", action="apply", files=said, hunks=None)
    assert decisions == [Decision(action="apply", chosen=kept)]


def test_a_set_is_rejected_and_allowed_as_any_question():
    widget, _, decisions = asked(SET.model_copy(update={"pattern": "src/*"}))
    assert widget.pattern == "propose_changes src/*"
    send(widget, type="decision", action="apply", files=[one(1), one(2)], remember=True)
    assert decisions == [Decision(action="apply", remember=True)]
    widget, _, decisions = asked(SET)
    assert widget.pattern == ""
    send(widget, type="decision", action="reject", reason="no", files=[one(1)])
    assert decisions == [Decision(action="reject", reason="no")]


def test_a_check_keeps_the_question_until_it_is_asked_again():
    cancelled = []
    offered = EDIT.model_copy(update={"check": ("tsc",)})
    decisions, later = [], []
    widget = ProposalWidget(
        offered,
        on_ready=list,
        on_decision=decisions.append,
        on_cancel=lambda: cancelled.append(True),
    )
    assert "tsc" in widget.check
    send(widget, type="cancel check")
    send(widget, type="decision", action="check", text="3\n", hunks=None)
    assert decisions == [Decision(action="check", text="3\n")]
    assert widget.checking
    send(widget, type="decision", action="apply")
    send(widget, type="decision", action="check")
    send(widget, type="cancel check")
    assert (decisions[1:], cancelled) == ([], [True])
    assert widget.checked_as == {"hunks": None, "files": None, "text": "3\n"}
    report = CheckReport(verdict="failed", lines=("types: 1 new error",))
    as_proposed = Decision(action="check")
    shown = {"checked": report, "checked_as": as_proposed, "check": ("mypy",)}
    widget.ask_again(offered.model_copy(update=shown), later.append)
    assert "1 new error" in widget.checked
    assert "mypy" in widget.check
    assert widget.checked_as == {"hunks": None, "files": None, "text": None}
    assert not widget.checking
    send(widget, type="decision", action="apply")
    assert later == [Decision(action="apply")]


def test_a_result_that_is_there_from_the_start_has_its_own_place():
    report = CheckReport(verdict="passed", lines=("types: no errors",))
    widget, _, _ = asked(EDIT.model_copy(update={"checked": report}))
    assert "no errors" in widget.checked
    assert "no errors" not in widget.detail


@pytest.mark.parametrize(
    ("asked_about", "files"),
    [(TWO, None), (SET, [{"number": 1, "hunks": None}, {"number": 2, "hunks": None}])],
)
def test_the_page_knows_what_was_checked_before_there_was_one(asked_about, files):
    report = CheckReport(verdict="passed", lines=("types: no errors",))
    checked = {"checked": report, "checked_as": Decision(action="apply")}
    widget, _, _ = asked(asked_about.model_copy(update=checked))
    assert widget.checked_as == {"hunks": None, "files": files, "text": None}
    assert asked(asked_about)[0].checked_as is None


BROKEN = EDIT.model_copy(
    update={
        "path": "a.py",
        "old_text": "a = 1\n" + "c = 3\n" * 20 + "b = 2\n",
        "new_text": "a = (\n" + "c = 3\n" * 20 + "b = 3\n",
        "problems": ("other", "syntax error in line 1: '(' was never closed"),
        "text_problems": ("syntax error in line 1: '(' was never closed",),
    }
)


def test_the_problems_follow_the_choice_and_the_text(monkeypatch):
    widget, _, _ = asked(BROKEN)
    sent = []
    monkeypatch.setattr(widget, "send", sent.append)
    send(widget, type="chosen", number=1, hunks=[1], text=None)
    send(widget, type="chosen", number=2, hunks=[2], text=None)
    send(widget, type="typed", number=3, hunks=None, text=BROKEN.old_text + "d = [\n", key="k")
    first, second, typed = sent
    assert (first["type"], first["number"], second["number"]) == ("problems", 1, 2)
    assert "line 1" in first["html"]
    assert "other" in second["html"]
    assert "never closed" not in second["html"]
    assert "line 23" in typed["problems"]
    assert "line 1:" not in typed["problems"]


def test_no_problems_draw_nothing(monkeypatch):
    widget, _, _ = asked()
    sent = []
    monkeypatch.setattr(widget, "send", sent.append)
    send(widget, type="chosen", number=1, hunks=None, text=None)
    assert sent == [{"type": "problems", "number": 1, "html": "", "lines": "", "files": {}}]


@pytest.mark.parametrize(
    ("hunks", "told"),
    [
        (None, f"Proposed: {PROPOSED}"),
        (
            [1],
            f"Chosen: 1 line added (+), 1 removed (\u2212), of {PROPOSED}",
        ),
        (
            [2],
            f"Chosen: 0 lines added (+), 1 removed (\u2212), of {PROPOSED}",
        ),
        (
            [],
            f"Chosen: 0 lines added (+), 0 removed (\u2212), of {PROPOSED}",
        ),
    ],
)
def test_the_numbers_of_lines_follow_the_choice(hunks, told):
    widget, _, _ = asked(TWO)
    sent = []
    widget.send = sent.append
    send(widget, type="chosen", number=1, hunks=hunks, text=None)
    assert sent[0]["lines"] == told


@pytest.mark.parametrize(
    ("files", "told", "first"),
    [
        (
            [{"number": 1}, {"number": 2}, {"number": 3}],
            "Proposed: 2 files, +3 \u22122",
            "+1 \u22122",
        ),
        ([{"number": 1}], "Chosen: 1 file, +1 \u22122, of 2 files, +3 \u22122", "+1 \u22122"),
        (
            [{"number": 1, "hunks": [1]}, {"number": 2}],
            "Chosen: 2 files, +2 \u22121, of 2 files, +3 \u22122",
            "+1 \u22121 of +1 \u22122",
        ),
        (
            [{"number": 1}, {"number": 3}],
            "Chosen: 1 file, +2 \u22122, of 2 files, +3 \u22122",
            "+1 \u22122",
        ),
        ([], "Chosen: 0 files, +0 \u22120, of 2 files, +3 \u22122", "+1 \u22122"),
    ],
)
def test_the_numbers_of_a_set_follow_the_ticks(files, told, first):
    """A file in two groups counts once, with the lines of both."""
    widget, _, _ = asked(COUNTED)
    assert "Chosen: 2 files, +2 \u22122, of 2 files, +3 \u22122" in widget.detail
    sent = []
    widget.send = sent.append
    said = [{"hunks": None, **one} for one in files]
    send(widget, type="chosen", number=1, files=said, text=None)
    assert sent[0]["lines"] == told
    assert re.sub("<[^>]*>", "", sent[0]["files"][1]) == f"edited {first}"
    assert sent[0]["files"].keys() == {1}, "the others are written as a whole or not at all"

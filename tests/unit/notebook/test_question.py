"""What a page needs to find a question again; tests/system/browser has the page."""

import asyncio
import gc
import re
import weakref
from contextlib import suppress
from types import ModuleType, SimpleNamespace

import pytest
from IPython.core.interactiveshell import InteractiveShell
from ipywidgets.widgets.widget import _instances
from traitlets.config import Config

from ipuaro_jupyter.notebook.confirm import KEPT, FrontEnd, decide_in_cell
from ipuaro_jupyter.notebook.output import (
    CellOutput,
    begin_outputs,
    clear,
    show,
    shown_outputs,
)
from ipuaro_jupyter.notebook.widgets.proposal import ProposalWidget
from ipuaro_jupyter.notebook.widgets.question import AskingCell
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.outputs import ToolFailure, ToolResult

DELETE = Proposal(id="1", kind="delete", tool="delete_file", title="Delete a.ts", path="a.ts")
EDIT = DELETE.model_copy(
    update={
        "kind": "edit",
        "tool": "secret",
        "pattern": "secret/**",
        "old_text": "secret = 1\n",
        "new_text": "secret = 2\n",
    }
)
PLACE = AskingCell(request="a message", cell="a cell", number=3)
RECORD = {"text/plain": "Rejected", "text/html": "<p>Rejected</p>"}


def asked(proposal=DELETE):
    return ProposalWidget(proposal, on_ready=list, on_decision=print, place=PLACE)


def test_it_knows_its_cell_and_its_own_id():
    widget = asked()
    view = widget._repr_mimebundle_()
    told = view["application/vnd.jupyter.widget-view+json"]
    assert widget.place == {**PLACE._asdict(), "id": told["model_id"]}
    assert view["text/plain"] == "Waiting for a decision: Delete a.ts"


def test_its_output_has_its_id(capsys):
    CellOutput(widget=asked())
    assert "Waiting for a decision: Delete a.ts" in capsys.readouterr().out


@pytest.mark.usefixtures("shell")
def test_what_a_cell_has_shown_is_known_in_order_until_it_is_removed():
    begin_outputs()
    shown, widget = shown_outputs(), asked()
    first, question = CellOutput({"text/plain": "Thinking"}), CellOutput(widget=widget)
    first.replace({"text/plain": "Waiting"})
    show({"text/plain": "a notice"})
    before, asking, notice = shown.told()
    assert before["data"] == {"text/plain": "Waiting"}
    assert asking == {"id": widget.model_id, "data": None}
    assert notice == {"id": None, "data": {"text/plain": "a notice"}}
    question.replace(RECORD)
    assert shown.told()[1] == {"id": widget.model_id, "data": RECORD}
    begin_outputs()
    show({"text/plain": "of another cell"})
    assert len(shown.told()) == 3
    clear(wait=True)
    assert shown_outputs().told() == []


def test_a_decided_question_holds_its_record_alone():
    widget = asked(EDIT)
    assert widget.record is None
    assert telling(widget) == {"detail", "edit_text", "pattern"}
    widget.settle(RECORD)
    assert telling(widget) == set()
    assert widget.record == RECORD


def telling(widget):
    """Return the synced traits that tell of what is proposed."""
    return {name for name, value in widget.get_state().items() if "secret" in str(value)}


def test_a_decided_question_is_not_edited_any_more():
    """A page that is late may still ask for the text of some changes."""
    widget = asked(EDIT)
    widget.settle(RECORD)
    widget._handle_custom_msg({"type": "edit", "hunks": None}, [])
    assert widget.edit_text == ""


def test_a_decided_question_lets_go_of_the_texts():
    proposal = EDIT.model_copy()
    widget, held = asked(proposal), weakref.ref(proposal)
    del proposal
    gc.collect()
    assert held() is not None
    widget.settle(RECORD)
    gc.collect()
    assert held() is None


def test_the_latest_decided_questions_are_kept():
    front_end = FrontEnd(None)
    widgets = [asked() for _ in range(KEPT + 2)]
    for widget in widgets:
        front_end.keep(widget)
    assert [widget.comm is None for widget in widgets] == [True] * 2 + [False] * KEPT


@pytest.fixture
def shell():
    """Have cells whose outputs can be replaced."""
    config = Config({"HistoryManager": {"enabled": False}})
    yield InteractiveShell.instance(config=config, user_module=ModuleType("cells"))
    InteractiveShell.clear_instance()


async def typed_and_left(*, timeout_s, stops):
    """Type a reason and a text, and leave the question; return the decision, if any, and record."""
    sent = {"content": {"allow_stdin": True}}
    kernel = SimpleNamespace(get_parent=lambda _channel: sent)
    front_end = FrontEnd(SimpleNamespace(kernel=kernel, execution_count=1))
    front_end.seen = True
    editable = EDIT.model_copy(update={"editable": True})
    known = {*_instances}
    asking = asyncio.create_task(
        decide_in_cell(editable, front_end, ack_timeout_s=60, ask_timeout_s=timeout_s)
    )
    await asyncio.sleep(0)
    (widget,) = (
        one for id_, one in _instances.items() if id_ not in known and hasattr(one, "drafts")
    )
    typed = {"type": "typed", "text": "secret = 3\n", "hunks": None, "key": "null", "number": 1}
    widget._handle_custom_msg({"type": "reason", "text": "not so"}, [])
    widget._handle_custom_msg(typed, [])
    if stops:
        asking.cancel()
    decision = None
    with suppress(asyncio.CancelledError):
        decision = await asking
    return decision, widget.record


@pytest.mark.usefixtures("shell")
@pytest.mark.parametrize("unwritten", ["1", "another", ""])
def test_a_decision_that_could_not_be_written_is_drawn_anew(unwritten):
    front_end, widget = FrontEnd(None), asked(EDIT)
    output = CellOutput(RECORD)
    widget.settle(RECORD)
    front_end.note_applied(EDIT, Decision(action="apply"), widget, output)
    failure = ToolFailure(type="conflict", message="a.ts was changed.", unwritten=unwritten)
    front_end.note_result(ToolResult(tool="edit_lines", error=failure))
    if unwritten != EDIT.id:
        assert widget.record == RECORD
        return
    assert widget.record["text/plain"] == "\u2717 Not applied: Delete a.ts \u2013 a.ts was changed."
    assert "ipuaro-bad" in widget.record["text/html"]


@pytest.mark.usefixtures("shell")
@pytest.mark.parametrize("stops", [True, False])
def test_what_was_typed_outlives_a_question_that_nobody_answers(stops):
    left = typed_and_left(timeout_s=60 if stops else 0.01, stops=stops)
    decision, record = asyncio.run(left)
    assert "typed until then: not so" in record["text/plain"]
    assert "Typed before that, and not written:" in record["text/html"]
    assert "secret = 3" in re.sub("<[^>]*>", "", record["text/html"])
    if not stops:
        assert (decision.by, decision.text) == ("nobody", "secret = 3\n")

"""What a page needs to find a question again; tests/browser/test_lost_questions.py has the page."""

from ipuaro_jupyter.notebook.confirm import KEPT, FrontEnd
from ipuaro_jupyter.notebook.output import Output
from ipuaro_jupyter.notebook.widgets.proposal import ProposalWidget
from ipuaro_jupyter.notebook.widgets.question import Place
from ipuaro_jupyter.records.change import Proposal

DELETE = Proposal(id="1", kind="delete", tool="delete_file", title="Delete a.ts", path="a.ts")
PLACE = Place(request="a message", cell="a cell", number=3)
RECORD = {"text/plain": "Rejected", "text/html": "<p>Rejected</p>"}


def asked():
    return ProposalWidget(DELETE, on_ready=list, on_decision=print, place=PLACE)


def test_it_knows_its_cell_and_its_own_id():
    widget = asked()
    view, _ = widget._repr_mimebundle_()
    told = view["application/vnd.jupyter.widget-view+json"]
    assert widget.place == {**PLACE._asdict(), "id": told["model_id"]}
    assert view["text/plain"] == "Waiting for a decision: Delete a.ts"


def test_its_output_has_its_id(capsys):
    Output(widget=asked())
    assert "Waiting for a decision: Delete a.ts" in capsys.readouterr().out


def test_a_decided_question_holds_its_record_alone():
    widget = asked()
    assert widget.record is None
    widget.settle(RECORD)
    assert (widget.record, widget.detail) == (RECORD, "")


def test_the_latest_decided_questions_are_kept():
    front_end = FrontEnd(None)
    widgets = [asked() for _ in range(KEPT + 2)]
    for widget in widgets:
        front_end.keep(widget)
    assert [widget.comm is None for widget in widgets] == [True] * 2 + [False] * KEPT

"""What the user decides about an error in a cell; tests/system/browser has the buttons."""

import io

import pytest

from ipuaro_jupyter.notebook.widgets.trouble import TroubleWidget
from ipuaro_jupyter.records.trouble import Remedy, Trouble
from ipuaro_jupyter.terminal_turn import decide_in_terminal
from ipuaro_jupyter.views import trouble as view

TROUBLE = Trouble(kind="model", message="The connection <broke>.")


def asked(trouble=TROUBLE):
    ready, remedies = [], []
    widget = TroubleWidget(trouble, on_ready=lambda: ready.append(True), on_remedy=remedies.append)
    return widget, ready, remedies


def send(widget, **content):
    widget._receive(widget, content, [])


def test_it_says_when_it_is_drawn_and_takes_the_first_answer():
    widget, ready, remedies = asked()
    send(widget, type="ready")
    send(widget, type="remedy", action="retry")
    send(widget, type="remedy", action="abort")
    assert (ready, remedies) == ([True], [Remedy(action="retry")])


@pytest.mark.parametrize("action", ["skip", "nonsense", None])
def test_what_is_no_option_aborts(action):
    widget, _, remedies = asked(TROUBLE.model_copy(update={"options": ("retry", "abort")}))
    send(widget, type="remedy", action=action)
    assert remedies == [Remedy(action="abort")]


def test_the_page_gets_the_message_escaped():
    widget, _, _ = asked()
    assert "&lt;broke&gt;" in widget.detail
    assert widget.options == ["retry", "skip", "abort"]


@pytest.mark.parametrize("kind", ["model", "tool", "store", "limit"])
def test_each_answer_is_explained(kind):
    told = view.detail_text(Trouble(kind=kind, tool="grep", message="It failed."))
    assert all(word in told for word in ("Retry ", "Skip ", "Abort ", "It failed."))


@pytest.mark.parametrize(
    ("typed", "remedy"),
    [
        ("r\n", Remedy(action="retry")),
        ("Skip\n", Remedy(action="skip")),
        ("a\n", Remedy(action="abort")),
        ("\n", Remedy(action="abort")),
        ("rest\n", Remedy(action="abort")),
        ("", Remedy(action="abort", by="nobody", reason="the terminal is closed")),
    ],
)
def test_a_terminal_asks_with_input(monkeypatch, capsys, typed, remedy):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert decide_in_terminal(TROUBLE) == remedy
    assert "The connection <broke>." in capsys.readouterr().out

"""Which models are offered in place of one that is not there."""

import io

import pytest

from ipuaro_jupyter.notebook.model_offer import others_there
from ipuaro_jupyter.notebook.widgets.trouble import TroubleWidget
from ipuaro_jupyter.records.trouble import ModelOffer, Remedy, Trouble
from ipuaro_jupyter.terminal_turn import decide_in_terminal
from ipuaro_jupyter.views import trouble as view

GGUF = "gguf:Qwen/Coder-GGUF/coder-q4.gguf"
TROUBLE = Trouble(
    kind="model",
    message="Ollama has no model 'qwen3:8b'.",
    options=("retry", "abort"),
    offers=(
        ModelOffer(name="qwen3:8b", is_download=True, note="a <stopped> download goes on"),
        ModelOffer(name="llama3:8b"),
        ModelOffer(name=GGUF, is_download=True),
    ),
)


def test_the_most_similar_come_first_and_none_that_cannot_answer():
    listed = (
        *("llama3:8b", "deepseek-coder:6.7b", "qwen2.5-coder:14b", "qwen2.5-coder:7b"),
        *("nomic-embed-text:latest", "all-minilm:22m", "bge-m3:567m", "qwen3-coder:480b-cloud"),
        *("qwen2.5-coder:14b", "qwen2.5-coder:32b"),
    )
    assert others_there("qwen2.5-coder:7b", listed) == [
        *("qwen2.5-coder:14b", "qwen2.5-coder:32b", "deepseek-coder:6.7b", "llama3:8b"),
    ]


@pytest.mark.parametrize(
    ("typed", "remedy"),
    [
        ("1\n", Remedy(action="retry", model="qwen3:8b")),
        ("3\n", Remedy(action="retry", model=GGUF)),
        ("4\n", Remedy(action="abort")),
        ("0\n", Remedy(action="abort")),
        ("12\n", Remedy(action="abort")),
        ("r\n", Remedy(action="retry")),
    ],
)
def test_a_terminal_numbers_the_offers(monkeypatch, capsys, typed, remedy):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert decide_in_terminal(TROUBLE) == remedy
    told = capsys.readouterr().out
    assert "  1  Download qwen3:8b: a <stopped> download goes on\n" in told
    assert "2 to Use llama3:8b, 3 to Download coder-q4.gguf, r to retry" in told


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ({"action": "retry", "offer": 1}, Remedy(action="retry", model="llama3:8b")),
        ({"action": "retry", "offer": 3}, Remedy(action="retry")),
        ({"action": "abort", "offer": -1}, Remedy(action="abort")),
        ({"action": "abort", "offer": True}, Remedy(action="abort")),
        ({"action": "abort", "offer": "llama3:8b"}, Remedy(action="abort")),
        ({"offer": None}, Remedy(action="abort")),
    ],
)
def test_a_button_takes_only_what_was_offered(said, remedy):
    taken = []
    widget = TroubleWidget(TROUBLE, on_ready=lambda: None, on_remedy=taken.append)
    assert widget.offers == ["Download qwen3:8b", "Use llama3:8b", "Download coder-q4.gguf"]
    widget._receive(widget, {"type": "remedy", **said}, None)
    assert taken == [remedy]


def test_the_record_names_what_was_taken():
    taken = Remedy(action="retry", model="llama3:8b")
    assert view.text(TROUBLE, taken).startswith("\u21bb Use llama3:8b: The model cannot answer yet")
    assert "Use llama3:8b" in view.html(TROUBLE, taken)
    assert "a &lt;stopped&gt; download goes on" in view.detail_html(TROUBLE)

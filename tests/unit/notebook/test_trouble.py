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


@pytest.fixture
def silent(ollama_server, ollama, monkeypatch):
    """The server, which the kernel takes for Ollama, and how it hangs."""
    monkeypatch.setenv("OLLAMA_HOST", ollama_server.url)
    return ollama_server, ollama.Fault


@pytest.fixture
def talking(silent, kernel):
    """A kernel whose model is that server's."""
    assert silent
    assert kernel.run("%load_ext ipuaro_jupyter").reply["status"] == "ok"
    ran = kernel.run(f"%ipuaro start {kernel.root} --model qwen2.5-coder:7b-instruct")
    assert ran.reply["status"] == "ok", ran.text
    return kernel


def is_static(ran):
    return all("view+json" not in kind for one in ran.outputs for kind in one.get("data", {}))


def test_an_error_is_retried_skipped_or_aborted_in_the_cell(talking, silent):
    server, fault = silent
    server.replies += [[0.8, "Half an ans", fault("disconnect")], ["It retries."]]
    ran = talking.run("%%ask\nExplain", decide={"action": "retry"})
    assert ran.reply["status"] == "ok", ran.text
    assert "It retries." in ran.result()["text/plain"]
    assert "Retried: The model could not answer" in ran.text
    assert is_static(ran)
    assert any("Loading the model" in text for text in ran.seen)

    server.replies.append(["Half an ans", fault("disconnect")])
    ran = talking.run("%%ask\nExplain", decide={"action": "skip"})
    assert ran.reply["status"] == "ok", ran.text
    assert "Half an ans" in ran.result()["text/plain"]
    assert "cut off" in ran.text
    assert is_static(ran)

    server.replies.append(["Half an ans", fault("disconnect")])
    ran = talking.run("%%ask\nExplain", decide={"action": "abort"})
    assert ran.reply["status"] == "error"
    assert "cut off" in ran.text
    assert "Half an ans" in ran.text
    assert "Traceback" not in ran.text
    assert is_static(ran)


def test_where_nobody_can_answer_an_error_ends_the_turn_at_once(talking, silent):
    server, fault = silent
    server.replies.append(["Half an ans", fault("disconnect")])
    ran = talking.run("%%ask\nExplain", allow_stdin=False)
    assert ran.reply["status"] == "error"
    assert not any("Waiting" in text for text in ran.seen[-3:])
    talking.run("%config IpuaroMagics.ack_timeout_s = 0.2")
    server.replies.append(["Half an ans", fault("disconnect")])
    ran = talking.run("%%ask\nExplain")
    assert ran.reply["status"] == "error"
    assert is_static(ran)
    server.replies.append(["Half an ans", fault("disconnect")])
    ran = talking.run("def f():\n    return get_ipython().run_line_magic('ask', 'Explain')\nf()")
    assert ran.reply["status"] == "error"

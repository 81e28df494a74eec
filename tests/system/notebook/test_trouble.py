"""What the user decides about an error in a cell; tests/system/browser has the buttons."""

import pytest


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
    ran = talking.run("%%ask\nWrite tests for retry", decide={"action": "retry"})
    assert ran.reply["status"] == "ok", ran.text
    assert "It retries." in ran.result()["text/plain"]
    assert "Retried: The model could not answer" in ran.text
    assert is_static(ran)
    assert any("Loading the model" in text for text in ran.seen)

    server.replies.append(["Half an ans", fault("disconnect")])
    ran = talking.run("%%ask\nWrite tests for retry", decide={"action": "skip"})
    assert ran.reply["status"] == "ok", ran.text
    assert "Half an ans" in ran.result()["text/plain"]
    assert "cut off" in ran.text
    assert is_static(ran)

    server.replies.append(["Half an ans", fault("disconnect")])
    ran = talking.run("%%ask\nWrite tests for retry", decide={"action": "abort"})
    assert ran.reply["status"] == "error"
    assert "cut off" in ran.text
    assert "Half an ans" in ran.text
    assert "Traceback" not in ran.text
    assert is_static(ran)


def test_where_nobody_can_answer_an_error_ends_the_turn_at_once(talking, silent):
    server, fault = silent
    server.replies.append(["Half an ans", fault("disconnect")])
    ran = talking.run("%%ask\nWrite tests for retry", allow_stdin=False)
    assert ran.reply["status"] == "error"
    assert not any("Waiting" in text for text in ran.seen[-3:])
    talking.run("%config IpuaroMagics.ack_timeout_s = 0.2")
    server.replies.append(["Half an ans", fault("disconnect")])
    ran = talking.run("%%ask\nWrite tests for retry")
    assert ran.reply["status"] == "error"
    assert is_static(ran)
    server.replies.append(["Half an ans", fault("disconnect")])
    ran = talking.run(
        "def f():\n    return get_ipython().run_line_magic('ask', 'Rename it to again')\nf()"
    )
    assert ran.reply["status"] == "error"

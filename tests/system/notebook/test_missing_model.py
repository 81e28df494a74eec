"""A question to a model that is not there leads through what helps; the browser has the buttons."""

import pytest
from ollama_server import PULL_STEPS

NAME = "qwen3:8b"


@pytest.fixture
def asking(kernel, ollama_server):
    """A kernel whose project asks a model that the server has not got, beside two that it has."""
    ollama_server.add_model("qwen3-coder:30b", capabilities=["tools"])
    ollama_server.add_model("nomic-embed-text")
    ollama_server.replies.append(["It retries."])
    kernel.run(f"import os; os.environ['OLLAMA_HOST'] = {ollama_server.url!r}")
    kernel.run("%load_ext ipuaro_jupyter")
    ran = kernel.run(f"%ipuaro start {kernel.root} --model {NAME}")
    assert "has no model" in ran.text
    return kernel


def take(kernel, offer, **options):
    """Ask, and take an offer; the answer, with the questions that were asked."""
    states = []

    def note(message):
        if message["msg_type"] == "comm_open":
            state = message["content"]["data"].get("state", {})
            states.extend([state] if "offers" in state else [])

    decide = offer if isinstance(offer, dict) else {"action": "retry", "offer": offer}
    ran = kernel.run("%%ask\nWrite tests for retry", decide=decide, on_message=note, **options)
    return ran, states


def test_the_model_is_downloaded_and_the_question_answered(asking, ollama_server):
    ollama_server.pull_steps += PULL_STEPS
    ran, (question,) = take(asking, 0)
    assert ran.reply["status"] == "ok", ran.text
    assert question["offers"][:2] == [f"Download {NAME}", "Use qwen3-coder:30b"]
    assert not any("embed" in offer for offer in question["offers"])
    assert any("1,000 of 4,000 MB (25 %)" in text for text in ran.seen)
    assert any(f"Downloading {NAME}" in text for text in ran.seen)
    assert f"Download {NAME}: The model cannot answer yet" in ran.text
    assert "It retries." in ran.result()["text/plain"]
    assert "MB" not in ran.seen[-1]
    assert ollama_server.asked("/api/chat")[-1]["model"] == NAME


def test_another_that_is_there_answers_from_then_on(asking, ollama_server):
    ran, _ = take(asking, 1)
    assert ran.reply["status"] == "ok", ran.text
    assert "It retries." in ran.result()["text/plain"]
    assert "qwen3-coder:30b answers now." in ran.text
    ollama_server.replies.append(["It does."])
    ran, questions = take(asking, 0)
    assert "It does." in ran.text
    assert not questions
    assert {one["model"] for one in ollama_server.asked("/api/chat")} == {"qwen3-coder:30b"}


def test_why_the_index_answers_alone_is_said_once(asking):
    """The question about the model has said it; neither the turn nor its record says it again."""
    for cell in ("%%ask\nHow is a request retried?", "%%ask ;\nHow is a request retried?"):
        ran = asking.run(cell, decide={"action": "abort"})
        assert ran.reply["status"] == "ok", ran.text
        assert ran.text.count("has no model") == 1, ran.text


def test_a_download_that_fails_says_why_and_asks_again(asking, ollama_server, ollama):
    ollama_server.pull_steps.append(ollama.Fault("error", error="file does not exist"))
    states = []

    def note(message):
        state = message["content"].get("data", {}).get("state", {})
        if message["msg_type"] == "comm_open" and "offers" in state:
            states.append(state)
            decide.update({"offer": 0 if len(states) == 1 else 1})

    decide = {"action": "retry", "offer": 0}
    ran = asking.run("%%ask\nWrite tests for retry", decide=decide, on_message=note)
    assert len(states) == 2
    assert "file does not exist" in states[1]["detail"]
    assert "It retries." in ran.result()["text/plain"]


def test_a_download_is_stopped(asking, ollama_server):
    ollama_server.pull_steps += [*PULL_STEPS, 10.0]
    stopped = []

    def stop_when_loading(message):
        text = message["content"].get("data", {}).get("text/plain", "")
        if "25 %" in text and not stopped:
            stopped.append(True)
            asking.manager.interrupt_kernel()

    decide = {"action": "retry", "offer": 0}
    ran = asking.run("%%ask\nWrite tests for retry", decide=decide, on_message=stop_when_loading)
    assert stopped
    assert "Stopped." in ran.text
    assert ran.elapsed_s < 30
    assert asking.run("1 + 1").text == "2"


def test_without_a_decision_the_error_says_what_to_do(asking):
    for decide in ({"action": "abort"}, None):
        ran, _ = take(asking, decide or 0, allow_stdin=decide is not None)
        assert (ran.reply["status"], ran.reply["ename"]) == ("error", "ModelMissing")
        assert f"run `ollama pull {NAME}`" in ran.text
        assert "Traceback" not in ran.text


def test_where_ollama_does_not_run_it_is_looked_for_again(asking, ollama_server):
    asking.run("import os; os.environ['OLLAMA_HOST'] = 'http://127.0.0.1:9'")
    asking.run(f"%ipuaro start {asking.root} --model qwen3-coder:30b")
    asking.run("%config IpuaroMagics.ask_timeout_s = 5")
    ran, questions = take(asking, {"action": "abort"})
    assert "does not answer" in questions[0]["detail"]
    assert questions[0]["options"] == ["retry", "abort"]
    assert ran.reply["status"] == "error"
    assert ollama_server.replies


def test_where_no_model_is_wanted_none_is_offered(kernel):
    kernel.run("%load_ext ipuaro_jupyter")
    kernel.run(f"%ipuaro start {kernel.root} --model none")
    kinds = []
    ran = kernel.run("%%ask\nAdd a file.", on_message=lambda told: kinds.append(told["msg_type"]))
    assert "No model is used" in ran.reply["evalue"]
    assert "comm_open" not in kinds


def test_a_question_is_answered_by_the_index_where_no_offer_is_taken(asking):
    ran = asking.run("%%ask\nHow does retry work?", decide={"action": "abort"})
    assert ran.reply["status"] == "ok"
    assert "`retry` src/retry.ts:1" in ran.text
    assert f"run `ollama pull {NAME}`" in ran.text

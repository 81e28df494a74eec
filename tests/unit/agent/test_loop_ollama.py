"""Whole turns with a real HTTP server that is slow, silent, breaks off, or says odd things."""

import threading

import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.records.events import PhaseChanged, TextAdded, UsageReported

MODEL = "qwen2.5-coder:7b-instruct"
READ = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'
NATIVE = {"tool_calls": [{"function": {"name": "get_lines", "arguments": {"path": "a.ts"}}}]}
LONG_S = 30


@pytest.fixture
def project(make_project):
    return make_project({"a.ts": "export const a = 1\n"})


@pytest.fixture
def talking(open_assistant, project, ollama_server):
    """Return how to open an assistant whose model is the server's."""

    def open_it(*replies, **options):
        is_native = any(NATIVE in reply for reply in replies)
        ollama_server.add_model(MODEL, capabilities=["tools"] if is_native else [])
        ollama_server.replies += replies
        llm = {"host": ollama_server.url, "model": MODEL, "way": "loop", **options.pop("llm", {})}
        return open_assistant(project, None, settings={"llm": llm}, **options)

    return open_it


def last_question(server):
    return server.asked("/api/chat")[-1]["messages"][-1]["content"]


def test_a_slow_answer_streams(talking):
    assistant = talking([0.05, "It is ", 0.05, "one."])
    events = list(assistant.stream("What is a?"))
    assert [e.text for e in events if isinstance(e, TextAdded)] == ["It is ", "one."]
    assert events[-1].answer.text == "It is one."
    phases = [e.phase for e in events if isinstance(e, PhaseChanged)]
    assert phases.index("loading") < phases.index("writing")


def test_a_call_in_text_is_run_and_answered(talking, ollama_server):
    answer = talking([READ], ["It is one."]).ask("What is a?")
    assert answer.text == "It is one."
    assert "export const a = 1" in last_question(ollama_server)


def test_a_call_as_json_in_text_is_run(talking, ollama_server):
    said = '```json\n{"name": "get_lines", "arguments": {"path": "a.ts"}}\n```'
    assert talking([said[:20], said[20:]], ["It is one."]).ask("What is a?").text == "It is one."
    assert "export const a = 1" in last_question(ollama_server)


def test_native_calls_are_run_and_answered_as_such(talking, ollama_server):
    answer = talking([NATIVE], ["It is one."]).ask("What is a?")
    assert answer.text == "It is one."
    sent = ollama_server.asked("/api/chat")[-1]["messages"][-1]
    assert (sent["role"], sent["tool_name"]) == ("tool", "get_lines")


def test_thinking_is_not_said(talking):
    thoughts = {"thinking": "I should not call <tool_call name='x'>."}
    events = list(talking([thoughts, "<think>Hm.</think>", "One."]).stream("What is a?"))
    assert "".join(e.text for e in events if isinstance(e, TextAdded)).strip() == "One."
    assert events[-1].answer.text == "One."


def test_an_empty_answer_is_asked_again(talking, ollama_server):
    assert talking([], [{"thinking": "Hm."}], ["One."]).ask("What is a?").text == "One."
    assert len(ollama_server.asked("/api/chat")) == 3


def test_an_answer_that_was_cut_off_goes_on(talking, ollama_server):
    ollama_server.finish_reason = "length"
    for event in talking(["One and "], ["two."]).stream("Count"):
        if isinstance(event, UsageReported):
            ollama_server.finish_reason = "stop"
    assert event.answer.text == "One and two."
    assert event.answer.ended == "done"


@pytest.mark.parametrize("kind", ["disconnect", "half a line", "end"])
def test_a_connection_that_broke_is_tried_again(talking, ollama_server, ollama, kind):
    asked = []
    assistant = talking(
        [READ],
        ["It is", ollama.Fault(kind)],
        ["It is one."],
        on_error=lambda trouble: asked.append(trouble) or "retry",
    )
    answer = assistant.ask("What is a?")
    assert answer.text == "It is one."
    assert [t.kind for t in asked] == ["model"]
    first, again = ollama_server.asked("/api/chat")[1:]
    assert first["messages"] == again["messages"]


def test_a_connection_that_broke_may_be_skipped(talking, ollama):
    assistant = talking(["Half an ans", ollama.Fault("disconnect")], ["Whole."])
    assistant.on_error = lambda _: "skip"
    answer = assistant.ask("What is a?")
    assert (answer.text, answer.ended) == ("Half an ans", "stopped")
    assert answer.notice
    assert assistant.ask("Again").text == "Whole."


def test_out_of_memory_is_told_and_tried_again(talking, ollama):
    said = "model requires more system memory (5.0 GiB) than is available (1.0 GiB)"
    refusal = ollama.Fault("refuse", status=500, error=said)
    asked = []
    assistant = talking([refusal], ["Now."])
    assistant.on_error = lambda trouble: asked.append(trouble) or "retry"
    assert assistant.ask("Hello").text == "Now."
    assert "memory" in asked[0].message


def test_silence_is_told_after_the_timeout(talking, ollama):
    asked = []
    assistant = talking(["It is", ollama.Fault("hang")], ["It is one."], llm={"timeout": 300})
    assistant.on_error = lambda trouble: asked.append(trouble) or "retry"
    assert assistant.ask("What is a?").text == "It is one."
    assert "llm.timeout" in asked[0].message


def test_no_server_is_told_with_the_remedy_and_tried_again(open_assistant, project, unused_host):
    asked = []
    llm = {"host": unused_host, "model": MODEL, "way": "loop"}
    assistant = open_assistant(project, None, settings={"llm": llm})
    with pytest.raises(ModelError, match="ollama serve"):
        assistant.ask("Hello")
    assistant.on_error = lambda trouble: asked.append(trouble) or ("retry", "skip")[len(asked) - 1]
    answer = assistant.ask("Hello")
    assert len(asked) == 2
    assert answer.ended == "stopped"
    assert "ollama serve" in answer.notice


@pytest.mark.parametrize("place", ["preparing", "loading", "streaming"])
def test_stop_while_the_server_is_silent_ends_the_turn(talking, ollama_server, ollama, place):
    hang = ollama.Fault("hang")
    if place == "preparing":
        ollama_server.faults["/api/show"] = hang
    replies = [["Word", hang]] if place == "streaming" else [[hang]]
    assistant, cancel = talking(*replies), CancelToken()
    path = "/api/show" if place == "preparing" else "/api/chat"

    def stop():
        for _ in range(600):
            if ollama_server.asked(path):
                break
            threading.Event().wait(0.05)
        cancel.cancel()

    threading.Thread(target=stop).start()
    answer = assistant.ask("Hello", cancel)
    assert answer.ended == "stopped"
    assert ollama_server.hung_up.wait(LONG_S), "the server goes on"


def test_a_turn_that_takes_too_long_ends_while_the_server_is_silent(
    open_assistant, project, ollama_server, ollama
):
    ollama_server.replies.append(["Word", ollama.Fault("hang")])
    settings = {
        "llm": {"host": ollama_server.url, "way": "loop"},
        "context": {"turnTimeoutS": 0.5},
    }
    answer = open_assistant(project, None, settings=settings).ask("Hello")
    assert answer.ended == "limit"
    assert answer.duration_ms < LONG_S * 1000

import json
import time
from threading import Timer

import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.llm.scripted import RecordedModel, ScriptedModel
from ipuaro_jupyter.records.chat import Message, ToolCall, Usage

ASKED = [Message(role="system", content="rules"), Message(role="user", content="hello you")]


def ask(model, messages=ASKED, cancel=None):
    return list(model.chat(messages, tools=(), cancel=cancel or CancelToken()))


def text(chunks):
    return "".join(chunk.text for chunk in chunks)


def test_replies_come_in_order_and_in_pieces():
    model = ScriptedModel(["one two  three\nfour five", "", ["a", "b"]])
    first = ask(model)
    assert text(first) == "one two  three\nfour five"
    assert len([chunk for chunk in first if chunk.text]) > 1
    assert text(ask(model)) == ""
    assert [chunk.text for chunk in ask(model) if chunk.text] == ["a", "b"]


def test_a_reply_may_be_a_function_of_the_messages():
    model = ScriptedModel([lambda messages: f"You said {messages[-1].content}."])
    assert text(ask(model)) == "You said hello you."


def test_chunks_are_given_as_they_are():
    usage = Usage(prompt_tokens=5, completion_tokens=1)
    chunks = [Chunk(phase="loading"), Chunk(thinking="hm"), Chunk(text="a", usage=usage)]
    assert ask(ScriptedModel([chunks])) == chunks


def test_usage_is_estimated():
    usage = ask(ScriptedModel(["x" * 400]))[-1].usage
    assert usage is not None
    assert usage.estimated
    assert usage.completion_tokens == 100


def test_requests_are_remembered():
    model = ScriptedModel(["a"])
    ask(model)
    assert model.requests[0].messages == tuple(ASKED)


def test_running_out_of_replies_says_how_many_there_were():
    model = ScriptedModel(["a"])
    ask(model)
    with pytest.raises(ModelError, match="given 1 reply"):
        ask(model)


def test_stop_is_heard_between_the_pieces():
    model = ScriptedModel(["word " * 3000], delay_s=0.05)
    token = CancelToken()
    Timer(0.2, token.cancel).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        ask(model, cancel=token)
    assert time.monotonic() - began < 4


def test_stop_is_heard_during_a_long_pause():
    token = CancelToken()
    Timer(0.1, token.cancel).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        ask(ScriptedModel(["a"], delay_s=60), cancel=token)
    assert time.monotonic() - began < 5


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "demo.json"
    turns = [
        {"message": "How does login  work?", "replies": ["I look.", "It works."]},
        {"message": "Rename it", "replies": ["Done."]},
    ]
    path.write_text(json.dumps({"version": 1, "turns": turns}))
    return path


def conversation(*said):
    roles = {"u": "user", "a": "assistant", "t": "tool"}
    return [Message(role=roles[role], content=content) for role, content in said]


def test_the_reply_follows_from_the_conversation_alone(recording):
    """A model that is opened in the middle goes on as the first one would have."""
    messages = conversation(("u", "Rename it"), ("a", "Done."), ("u", " How does\nlogin work? "))
    assert text(ask(RecordedModel(recording, delay_s=0), messages)) == "I look."
    messages += conversation(("a", "I look."), ("t", "class Login"))
    assert text(ask(RecordedModel(recording, delay_s=0), messages)) == "It works."


def test_a_message_that_was_not_recorded_is_answered_with_those_that_were(recording):
    with pytest.raises(ModelError) as caught:
        ask(RecordedModel(recording), conversation(("u", "Why?")))
    assert "'Why?'" in str(caught.value)
    assert "- How does login  work?\n- Rename it" in str(caught.value)
    assert "%ipuaro start --model NAME" in str(caught.value)


def test_what_was_added_to_a_message_is_no_part_of_it(recording):
    told = Message(role="user", content="Rename it", context="src/login.ts\n 1: login()").sent
    assert told.content == "src/login.ts\n 1: login()\n\nRename it"
    assert text(ask(RecordedModel(recording, delay_s=0), [told])) == "Done."
    odd = told.model_copy(update={"content": told.content.replace("Rename", "Remove")})
    with pytest.raises(ModelError, match="'Remove it' is not in it"):
        ask(RecordedModel(recording), [odd])


def test_a_turn_with_no_more_replies_says_so(recording):
    messages = conversation(("u", "Rename it"), ("a", "Done."))
    with pytest.raises(ModelError, match="all were given"):
        ask(RecordedModel(recording), messages)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not a recording"),
        ('{"version": 1}', "turns"),
        ('{"version": 1, "turns": [{"message": "a"}]}', "replies"),
        ('{"turns": []}', r'version: .* Write \{"version": 1, "turns": \['),
        ('{"version": 2, "turns": []}', "version 2"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_is_no_recording_is_refused(tmp_path, content, said):
    path = tmp_path / "r.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ModelError, match=said) as caught:
        RecordedModel(path)
    assert "r.json" in str(caught.value)


def test_both_can_always_be_asked(recording):
    for model in (ScriptedModel([]), RecordedModel(recording)):
        model.check()
        model.prepare(CancelToken())
        model.close()
        assert not model.native_tools
        assert model.context_tokens > 0


def test_a_reply_may_hold_pauses_thoughts_calls_and_counts():
    call = ToolCall(name="get_lines", arguments={"path": "a"})
    usage = Usage(prompt_tokens=7, completion_tokens=3)
    steps = [Chunk(phase="loading"), 0.01, Chunk(thinking="hm"), "a", 0, Chunk(calls=(call,))]
    chunks = ask(ScriptedModel([[*steps, Chunk(usage=usage)]]))
    assert chunks == [
        Chunk(phase="loading"),
        Chunk(thinking="hm"),
        Chunk(text="a"),
        Chunk(calls=(call,)),
        Chunk(usage=usage),
    ]


@pytest.mark.parametrize("pause_s", [60, float("inf")])
def test_stop_is_heard_in_a_pause_of_the_reply(pause_s):
    token = CancelToken()
    Timer(0.1, token.cancel).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        ask(ScriptedModel([["a", pause_s, "b"]]), cancel=token)
    assert time.monotonic() - began < 5


def test_an_error_is_raised_where_it_stands():
    model = ScriptedModel([ModelError("no server"), ["half an ", ModelError("broke off")], "fine"])
    with pytest.raises(ModelError, match="no server"):
        ask(model)
    chunks = model.chat(ASKED, tools=(), cancel=CancelToken())
    assert next(chunks).text == "half an "
    with pytest.raises(ModelError, match="broke off"):
        next(chunks)
    assert text(ask(model)) == "fine"


def test_a_function_may_return_any_reply():
    model = ScriptedModel([lambda messages: [Chunk(thinking="hm"), messages[-1].content]])
    assert [(c.thinking, c.text) for c in ask(model)][:2] == [("hm", ""), ("", "hello you")]


def test_use_is_reported_as_counted_when_tokens_can_be_counted():
    usage = ask(ScriptedModel(["one two three"], count=lambda said: len(said.split())))[-1].usage
    assert usage == Usage(prompt_tokens=3, completion_tokens=3)


def test_both_are_the_only_model_there_is(recording):
    for model in (ScriptedModel([], name="a"), RecordedModel(recording, label="b")):
        assert model.models() == (model.name,)
        assert list(model.pull(CancelToken())) == []

"""Our door to Ollama against a real one, with a real model."""

import json
import shutil
import threading
import time
from pathlib import Path

import ollama
import pytest
from asking import HELLO, ask, cancelling, text
from jsonschema import Draft202012Validator
from real_ollama import ABLE, BRIEF, MODELS, PLAIN
from waiting import until

import ipuaro_jupyter
from ipuaro_jupyter.agent.constraint import call_schema
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError, ModelMissing
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama import OllamaModel
from ipuaro_jupyter.records.chat import Message, ToolCall, ToolSchema
from ipuaro_jupyter.tools import load_tools

STORY = [Message(role="user", content="Tell a very long story about a cat and a dog.")]
PATHS = ["src/app.ts", "src/fee.ts"]
GET_LINES = ToolSchema(
    name="get_lines",
    description="The lines of a file.",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
)
CALL = {
    "type": "object",
    "properties": {
        "name": {"const": "get_lines"},
        "arguments": {
            "type": "object",
            "properties": {"path": {"enum": PATHS}},
            "required": ["path"],
        },
    },
    "required": ["name", "arguments"],
}
WINDOW = 2048
PROMISED_S = 0.5


@pytest.fixture
def open_real():
    """Return how to open a model of a server; it is closed afterwards."""
    opened = []

    def open_it(server, model=PLAIN, **settings):
        settings = {"context_window": WINDOW, "temperature": 0, "host": server.url, **settings}
        opened.append(OllamaModel(LlmSettings(model=model, **settings)))
        return opened[-1]

    yield open_it
    for model in opened:
        model.close()


@pytest.fixture
def client(real_ollama):
    """Ollama's own client, to learn what the server says for itself."""
    with ollama.Client(real_ollama.url) as opened:
        yield opened


def read_into(said, chunks):
    """Append the chunks as they come."""
    for chunk in chunks:
        said.append(chunk)


def test_a_reply_streams_in_pieces(real_ollama, open_real):
    came_at, said = [], []
    for chunk in open_real(real_ollama).chat(STORY, tools=(), cancel=CancelToken()):
        came_at.append(time.monotonic())
        said.append(chunk)
        if len(said) > 30:
            break
    assert all(chunk.text for chunk in said[1:])
    assert [chunk.phase for chunk in said if chunk.phase][-1] == "generating"
    assert came_at[-1] - came_at[1] > 0.05, "it came all at once"


def test_the_counts_are_the_servers_even_when_it_has_read_the_prompt(
    real_ollama, open_real, client
):
    model, schema = open_real(real_ollama), {"enum": ["yes", "no"]}
    first, second = (ask(model, schema=schema)[-1].usage for _ in range(2))
    counted = client.chat(
        PLAIN,
        [{"role": message.role, "content": message.content} for message in HELLO],
        format=schema,
        options={"num_ctx": WINDOW, "temperature": 0},
    )
    assert first.prompt_tokens == second.prompt_tokens == counted.prompt_eval_count > 10
    assert first.completion_tokens == second.completion_tokens == counted.eval_count > 0
    assert not first.estimated
    assert first.duration_ms > 0


def test_stop_in_the_middle_is_heard_at_once_and_the_server_ends_too(real_ollama, open_real):
    model, heard_s = open_real(real_ollama), []
    for _ in range(3):
        token, said = CancelToken(), []
        since = cancelling(token, lambda said=said: len(said) > 3)
        with pytest.raises(Cancelled):
            read_into(said, model.chat(STORY, tools=(), cancel=token))
        heard_s.append(since())
        real_ollama.wait_until_idle()
    assert min(heard_s) < PROMISED_S


def test_stop_is_heard_while_the_model_is_loaded_or_reads(real_ollama, open_real, client):
    """A window of another size has it loaded again, and a long prompt takes long to read."""
    long = [Message(role="user", content=" ".join(f"word{number}" for number in range(2000)))]
    model, heard_s = open_real(real_ollama, context_window=8192), []
    for _ in range(3):
        client.generate(PLAIN, keep_alive=0)
        token, said = CancelToken(), []
        since = cancelling(token, lambda said=said: said)
        with pytest.raises(Cancelled):
            read_into(said, model.chat(long, tools=(), cancel=token))
        assert text(said) == ""
        heard_s.append(since())
    assert min(heard_s) < PROMISED_S
    real_ollama.wait_until_idle()


def test_the_window_is_the_one_that_was_asked_for(real_ollama, open_real, client):
    for window in (1024, WINDOW):
        ask(open_real(real_ollama, context_window=window), schema={"enum": ["yes"]})
        running = {model.model: model for model in client.ps().models}
        assert running[f"{PLAIN}:latest"].context_length == window
    assert open_real(real_ollama, context_window=32_768).context_tokens == 8192, "the model's own"


def test_a_model_in_memory_is_not_said_to_be_loaded(real_ollama, open_real, client):
    client.generate(PLAIN, keep_alive=0)
    until(lambda: not client.ps().models)
    for phases in (["loading", "generating"], ["generating"]):
        chunks = ask(open_real(real_ollama), schema={"enum": ["yes"]})
        assert [chunk.phase for chunk in chunks if chunk.phase] == phases


def test_keep_alive_says_how_long_it_stays(real_ollama, open_real, client):
    model = open_real(real_ollama, keep_alive="30m")
    ask(model, schema={"enum": ["yes"]})
    (running,) = client.ps().models
    left = running.expires_at.timestamp() - time.time()
    assert 25 * 60 < left <= 30 * 60 + 5
    ask(open_real(real_ollama, keep_alive="0"), schema={"enum": ["yes"]})
    until(lambda: not client.ps().models)


def test_a_reply_by_a_schema_is_valid_and_names_what_exists(real_ollama, open_real):
    for question in ("Show the file with the fee.", "Hello", "What is the meaning of life?"):
        asked = [Message(role="user", content=question)]
        reply = json.loads(text(ask(open_real(real_ollama), asked, schema=CALL)))
        assert reply["name"] == "get_lines"
        assert reply["arguments"]["path"] in PATHS


def test_a_call_of_a_model_with_tools_comes_as_one(real_ollama, open_real):
    """The schema has this small model write a call; the server reads it by the model's template."""
    model = open_real(real_ollama, ABLE, think=False)
    assert model.native_tools
    chunks = ask(model, STORY, tools=[GET_LINES], schema=CALL)
    (call,) = [call for chunk in chunks for call in chunk.calls]
    assert (call.name, set(call.arguments)) == ("get_lines", {"path"})
    assert call.arguments["path"] in PATHS
    assert text(chunks) == ""


def test_an_answer_by_a_schema_is_not_taken_for_a_call(real_ollama, open_real):
    schema = {
        "type": "object",
        "properties": {"answer": {"enum": ["yes"]}},
        "required": ["answer"],
    }
    chunks = ask(open_real(real_ollama, ABLE, think=False), HELLO, tools=[GET_LINES], schema=schema)
    assert json.loads(text(chunks)) == {"answer": "yes"}
    assert not any(chunk.calls for chunk in chunks)


@pytest.mark.slow
@pytest.mark.parametrize("model", [PLAIN, ABLE])
def test_calls_that_are_constrained_name_what_exists(
    real_ollama, open_assistant, make_project, model
):
    files = {"src/fee.ts": "export function fee(kg: number) {\n  return kg * 2\n}\n"}
    settings = {
        "llm": {
            "host": real_ollama.url,
            "contextWindow": 4096,
            "temperature": 0,
            "constrainCalls": "always",
            "think": False,
        },
        "context": {"maxRounds": 1, "mapShare": 0},
    }
    assistant = open_assistant(make_project(files), model, settings=settings)
    answer = assistant.ask("Where is fee defined?")
    assert answer.ended in {"done", "limit"}, answer.notice
    assert answer.tool_calls or answer.text
    for called in answer.tool_calls:
        assert set(called.call.arguments.values()) & {"fee", "src/fee.ts", "src", "."}
        assert called.result.success or called.result.error.type not in {"validation", "parse"}


def test_results_and_thoughts_go_back_to_a_model_with_tools(real_ollama, open_real):
    model = open_real(real_ollama, ABLE, think=False)
    call = ToolCall(name="get_lines", arguments={"path": PATHS[0]}, id="1")
    conversation = [
        *HELLO,
        Message(role="assistant", content="", thinking="I look.", calls=(call,)),
        Message(role="tool", content="1│ let fee = 2", call_id="1", tool="get_lines"),
    ]
    short = ask(model, HELLO, tools=[GET_LINES], schema={"enum": ["yes"]})[-1].usage
    long = ask(model, conversation, tools=[GET_LINES], schema={"enum": ["yes"]})[-1].usage
    assert long.prompt_tokens > short.prompt_tokens + 30, "the template takes the call and result"


def test_thoughts_come_apart_from_the_text(real_ollama, open_real):
    model, said = open_real(real_ollama, ABLE), []
    for chunk in model.chat(HELLO, tools=(), cancel=CancelToken(), think=True):
        said.append(chunk)
        if len(said) > 5:
            break
    assert any(chunk.thinking for chunk in said)
    assert text(said) == ""
    assert not any(chunk.thinking for chunk in ask(model, think=False, schema={"enum": ["yes"]}))


def test_a_reply_ends_at_a_stop_and_at_the_models_own(real_ollama, open_real):
    model = open_real(real_ollama)
    chunks = ask(model, STORY, stop=["the"])
    assert text(chunks)
    assert "the" not in text(chunks)
    assert not chunks[-1].cut_off
    assert "<|im_end|>" not in text(ask(model, stop=["zebra"]))


def test_what_is_only_read_is_read_for_the_next_request(real_ollama, open_real):
    words = " ".join(f"word{number}" for number in range(150))
    head = Message(role="system", content=words)
    model = open_real(real_ollama, context_window=4096)
    read = ask(model, [head, HELLO[1]], only_read=True)[-1].usage
    assert read.completion_tokens <= 1
    began = time.monotonic()
    ask(model, [head, Message(role="user", content="Bye")], only_read=True)
    after = time.monotonic() - began
    began = time.monotonic()
    ask(model, [Message(role="system", content="Other " + words), HELLO[1]], only_read=True)
    assert after < (time.monotonic() - began) / 2


def test_the_models_and_their_abilities_are_learnt(real_ollama, open_real):
    model = open_real(real_ollama)
    assert set(model.models()) == {f"{name}:latest" for name in MODELS}
    model.check()
    assert not model.native_tools
    assert open_real(real_ollama, ABLE).native_tools


def test_a_missing_model_is_told_with_the_command(real_ollama, open_real):
    model = open_real(real_ollama, "no-such-model")
    for attempt in (model.check, lambda: model.prepare(CancelToken()), lambda: ask(model)):
        with pytest.raises(ModelMissing, match="`ollama pull no-such-model`"):
            attempt()


def test_a_model_that_cannot_be_fetched_is_told(real_ollama, open_real):
    """Nobody listens at the registry, as without a network."""
    model = open_real(real_ollama, "127.0.0.1:9/library/no-such-model")
    with pytest.raises(ModelError, match=r"cannot pull '127\.0\.0\.1:9.*refused"):
        list(model.pull(CancelToken()))


def test_what_a_model_cannot_do_is_told_with_the_setting(real_ollama, open_real):
    forced = open_real(real_ollama, use_native_tools=True)
    with pytest.raises(ModelError, match=r"does not support tools.*llm\.useNativeTools to false"):
        ask(forced, tools=[GET_LINES])
    with pytest.raises(ModelError, match=r"think value.*llm\.think to null"):
        ask(open_real(real_ollama, ABLE, think="high"))


def test_a_server_that_is_killed_in_the_middle_is_told_with_the_remedy(start_ollama, open_real):
    server = start_ollama()
    said = []
    model = open_real(server)
    killing = threading.Thread(target=lambda: (until(lambda: len(said) > 3), server.kill()))
    killing.start()
    with pytest.raises(ModelError, match="cut off") as caught:
        read_into(said, model.chat(STORY, tools=(), cancel=CancelToken()))
    killing.join()
    assert text(said)
    assert server.url in str(caught.value)
    with pytest.raises(ModelError, match="`ollama serve`"):
        ask(model)


def test_a_model_that_is_killed_in_the_middle_is_told_as_a_lack_of_memory(start_ollama, open_real):
    """That is what the system does when memory runs out; the next question loads it again."""
    server = start_ollama()
    said = []
    model = open_real(server)

    def kill():
        until(lambda: len(said) > 3)
        for runner in server.runners():
            runner.kill()

    killing = threading.Thread(target=kill)
    killing.start()
    with pytest.raises(ModelError, match="lack of memory"):
        read_into(said, model.chat(STORY, tools=(), cancel=CancelToken()))
    killing.join()
    assert json.loads(text(ask(model, schema={"enum": ["yes"]}))) == "yes"


def test_a_model_that_repeats_itself_is_told(real_ollama, open_real):
    """Ollama ends a reply without its last part after 30 of the same word, blanks included."""
    with pytest.raises(ModelError, match=r"cut off: .* repeats itself"):
        ask(open_real(real_ollama), schema={"const": " " * 3000})


@pytest.fixture
def demo(tmp_path):
    """A copy of the demo's application."""
    root = tmp_path / "app"
    shutil.copytree(Path(ipuaro_jupyter.__file__).parent / "demo/app", root)
    return root


@pytest.mark.slow
def test_constrained_calls_are_valid_and_name_what_exists(
    real_ollama, open_real, open_assistant, demo
):
    """By the schema that the agent makes of its tools and of the names in the index."""
    index = open_assistant(demo, []).project().index
    tools = [tool for tool in load_tools() if tool.name in {"get_lines", "get_function"}]
    for question in ("Which lines are in src/index.ts?", "Hello"):
        asked = [Message(role="user", content=question)]
        schema = dict(call_schema(tools, index, asked))
        schema["anyOf"] = [form for form in schema["anyOf"] if "name" in form["properties"]]
        reply = json.loads(text(ask(open_real(real_ollama), asked, schema=schema)))
        Draft202012Validator(schema).validate(reply)
        path = reply["arguments"].get("path")
        assert path is None or (demo / path).exists()


@pytest.mark.slow
def test_whole_turns_are_answered_in_the_demo(real_ollama, open_assistant, demo):
    """What it says is of no use, but it is asked, counted and kept as any model is."""
    llm = {"host": real_ollama.url, "contextWindow": 8192, "temperature": 0}
    assistant = open_assistant(demo, BRIEF, settings={"llm": llm})
    first = assistant.ask("What does src/index.ts declare?")
    second = assistant.ask("And who uses that?")
    for answer in (first, second):
        assert answer.ended != "error", answer.notice
        assert answer.text
        assert not answer.usage.estimated
        assert answer.usage.prompt_tokens > 500
    assert assistant.session.messages >= 4

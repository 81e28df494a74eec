"""The Ollama model against a real HTTP server that speaks Ollama's API."""

import gc
import os
import socket
import statistics
import threading
import time
from functools import partial

import ollama
import psutil
import pytest
from ollama_server import Fault

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama import OllamaModel
from ipuaro_jupyter.llm.text_calls import parse_reply
from ipuaro_jupyter.records.chat import Message, ToolCall

NAME = "qwen2.5-coder:7b-instruct"
HELLO = [Message(role="system", content="Be short."), Message(role="user", content="Hello")]


@pytest.fixture
def open_model(ollama_server):
    """Return a model of the test server; it is closed afterwards."""
    opened = []

    def open_it(**settings):
        opened.append(OllamaModel(LlmSettings(**{"host": ollama_server.url, **settings})))
        return opened[-1]

    yield open_it
    for model in opened:
        model.close()


@pytest.fixture
def unused_host():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


def ask(model, messages=HELLO, *, tools=(), cancel=None):
    return list(model.chat(messages, tools=tools, cancel=cancel or CancelToken()))


def text(chunks):
    return "".join(chunk.text for chunk in chunks)


def cancelling(token, server, path):
    """Set the token soon after the path is asked; return how to learn for how long it is set."""
    set_at = []

    def cancel():
        while not server.asked(path):
            time.sleep(0.01)
        time.sleep(0.1)
        set_at.append(time.monotonic())
        token.cancel()

    threading.Thread(target=cancel).start()
    return lambda: time.monotonic() - set_at[0]


def test_the_reply_streams(ollama_server, open_model):
    """The server sends the rest when the first piece has been seen, or after 20 s."""
    seen = threading.Event()
    ollama_server.replies.append(["Hel", seen, "lo"])
    chunks = open_model().chat(HELLO, tools=(), cancel=CancelToken())
    began = time.monotonic()
    assert next(chunks).phase == "loading"
    first = next(chunks)
    assert (first.text, first.phase) == ("Hel", "generating")
    seen.set()
    assert text(chunks) == "lo"
    assert time.monotonic() - began < 5


def test_the_last_chunk_holds_the_servers_counts(ollama_server, open_model):
    ollama_server.replies.append(["a", "b"])
    usage = ask(open_model())[-1].usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.duration_ms) == (11, 2, 2000)
    assert not usage.estimated


def test_thinking_comes_apart_from_the_text(ollama_server, open_model):
    ollama_server.replies.append([{"thinking": "hm, "}, {"thinking": "yes"}, "Yes."])
    chunks = ask(open_model())
    assert "".join(chunk.thinking for chunk in chunks) == "hm, yes"
    assert text(chunks) == "Yes."


def test_the_window_is_sent_with_every_request(ollama_server, open_model):
    ollama_server.replies += [["a"], ["b"]]
    model = open_model(context_window=16_384, temperature=0.5, keep_alive="10m")
    ask(model)
    ask(model)
    sent = ollama_server.asked("/api/chat")
    assert [body["options"]["num_ctx"] for body in sent] == [16_384, 16_384]
    assert sent[0]["options"]["temperature"] == 0.5
    assert sent[0]["keep_alive"] == "10m"
    assert sent[0]["stream"] is True
    assert len(ollama_server.asked("/api/show")) == 1


def test_the_window_is_not_larger_than_the_models_own(ollama_server, open_model):
    ollama_server.add_model("small", context_length=4096)
    model = open_model(model="small", context_window=32_768)
    assert model.context_tokens == 4096
    assert open_model(model=NAME, context_window=8192).context_tokens == 8192


def test_native_tools_are_used_when_the_model_has_them(ollama_server, open_model, schemas):
    ollama_server.add_model("able", tools=True)
    call = {"function": {"name": "get_lines", "arguments": {"path": "a.ts", "start": 2}}}
    ollama_server.replies.append([{"tool_calls": [call]}])
    model = open_model(model="able")
    assert model.native_tools
    calls = [c for chunk in ask(model, tools=schemas) for c in chunk.calls]
    assert calls == [ToolCall(name="get_lines", arguments={"path": "a.ts", "start": 2})]
    sent = ollama_server.asked("/api/chat")[0]["tools"][0]
    assert sent["type"] == "function"
    assert sent["function"]["name"] == "get_lines"
    assert sent["function"]["parameters"]["required"] == ["path"]


def test_a_setting_overrides_what_the_model_says(ollama_server, open_model):
    ollama_server.add_model("able", tools=True)
    assert not open_model(model="able", use_native_tools=False).native_tools
    assert open_model(use_native_tools=True).native_tools
    assert not open_model().native_tools


def test_calls_that_come_as_json_in_the_text_are_read_from_it(
    ollama_server, open_model, schemas, aliases
):
    """qwen2.5-coder says that it has tools and writes its calls into the text all the same."""
    ollama_server.replies.append(
        ["```json\n", '{"name": "get_lines", "arg', 'uments": {}}', "\n```"]
    )
    reply = parse_reply(text(ask(open_model())), schemas, aliases=aliases)
    assert reply.calls == (ToolCall(name="get_lines", arguments={}),)


CONVERSATION = [
    *HELLO,
    Message(
        role="assistant",
        content="I look.",
        calls=(
            ToolCall(name="get_lines", arguments={"path": "a.ts", "start": 2}, id="1"),
            ToolCall(name="git_status", arguments={}, id="2"),
        ),
        raw="<think>…</think>I look. …",
    ),
    Message(role="tool", content="2│ a", call_id="1", tool="get_lines", result={"success": True}),
    Message(role="tool", content="clean", call_id="2", tool="git_status"),
    Message(role="tool", content="Error (parse): cut off"),
]


def test_calls_and_results_are_sent_as_such_to_a_model_with_tools(ollama_server, open_model):
    ollama_server.replies.append(["ok"])
    ask(open_model(use_native_tools=True), CONVERSATION)
    *_, assistant, first, second, repair = ollama_server.asked("/api/chat")[0]["messages"]
    assert assistant["tool_calls"] == [
        {"function": {"name": "get_lines", "arguments": {"path": "a.ts", "start": 2}}},
        {"function": {"name": "git_status", "arguments": {}}},
    ]
    assert first == {"role": "tool", "content": "2│ a", "tool_name": "get_lines"}
    assert second["tool_name"] == "git_status"
    assert repair == {"role": "user", "content": "Error (parse): cut off"}


def test_calls_and_results_are_text_for_a_model_without_tools(ollama_server, open_model):
    """Roles take turns, and no message has the role "tool", which many templates drop."""
    ollama_server.replies.append(["ok"])
    ask(open_model(), CONVERSATION)
    system, user, assistant, results = ollama_server.asked("/api/chat")[0]["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert assistant == {
        "role": "assistant",
        "content": 'I look.\n<tool_call name="get_lines">\n<path>a.ts</path>\n<start>2</start>\n'
        '</tool_call>\n<tool_call name="git_status">\n</tool_call>',
    }
    assert results["role"] == "user"
    assert results["content"].startswith('<tool_result name="get_lines">\n2│ a\n</tool_result>')
    assert results["content"].endswith("Error (parse): cut off")


def test_stop_is_heard_at_once_while_the_server_is_silent(ollama_server, open_model):
    ollama_server.replies.append([Fault("hang")])
    model, token = open_model(), CancelToken()
    since = cancelling(token, ollama_server, "/api/chat")
    with pytest.raises(Cancelled):
        ask(model, cancel=token)
    assert since() < 3
    assert ollama_server.hung_up.wait(5), "the server goes on generating"


def test_stop_is_heard_at_once_in_the_middle_of_a_reply(ollama_server, open_model):
    ollama_server.replies.append(["a", Fault("hang")])
    model, token = open_model(), CancelToken()
    since = cancelling(token, ollama_server, "/api/chat")
    with pytest.raises(Cancelled):
        ask(model, cancel=token)
    assert since() < 3


def test_stop_is_heard_while_the_server_does_not_say_what_the_model_is(ollama_server, open_model):
    ollama_server.faults["/api/show"] = Fault("hang")
    model, token = open_model(), CancelToken()
    since = cancelling(token, ollama_server, "/api/show")
    with pytest.raises(Cancelled):
        ask(model, cancel=token)
    assert since() < 3


def test_a_set_token_asks_nothing(ollama_server, open_model):
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        ask(open_model(), cancel=token)
    assert ollama_server.requests == []


def test_it_can_be_asked_again_after_a_stop(ollama_server, open_model):
    ollama_server.replies += [[Fault("hang")], ["fine"]]
    model, token = open_model(), CancelToken()
    cancelling(token, ollama_server, "/api/chat")
    with pytest.raises(Cancelled):
        ask(model, cancel=token)
    assert text(ask(model)) == "fine"


def test_stop_is_heard_while_the_server_is_silent_about_the_model(ollama_server, open_model):
    """The median: one of a few may wait for a busy machine."""
    ollama_server.faults["/api/show"] = Fault("hang")
    heard_s = []
    for _ in range(5):
        ollama_server.requests.clear()
        token = CancelToken()
        since = cancelling(token, ollama_server, "/api/show")
        with pytest.raises(Cancelled):
            open_model().prepare(token)
        heard_s.append(since())
    assert statistics.median(heard_s) < 0.5


def test_a_stop_before_it_is_prepared_sends_nothing(ollama_server, open_model):
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        open_model().prepare(token)
    assert ollama_server.requests == []


def test_a_prepared_model_knows_what_it_can_do(ollama_server, open_model):
    ollama_server.add_model("able", context_length=4096, tools=True)
    model = open_model(model="able")
    model.prepare(CancelToken())
    ollama_server.faults["/api/show"] = Fault("hang")
    model.prepare(CancelToken())
    assert model.native_tools
    assert model.context_tokens == 4096
    assert len(ollama_server.asked("/api/show")) == 1


def test_preparing_asks_again_after_a_failure(ollama_server, open_model):
    model = open_model(model="qwen3:8b")
    with pytest.raises(ModelError, match="run `ollama pull qwen3:8b`"):
        model.prepare(CancelToken())
    ollama_server.add_model("qwen3:8b", tools=True)
    model.prepare(CancelToken())
    assert model.native_tools


def test_a_reply_that_is_not_read_to_its_end_is_broken_off(ollama_server, open_model):
    ollama_server.replies.append(["a", Fault("hang")])
    chunks = open_model().chat(HELLO, tools=(), cancel=CancelToken())
    next(chunks)
    next(chunks)
    chunks.close()
    assert ollama_server.hung_up.wait(5)


def test_closing_breaks_off_what_another_thread_waits_for(ollama_server, open_model):
    ollama_server.replies.append([Fault("hang")])
    model = open_model()
    chunks = model.chat(HELLO, tools=(), cancel=CancelToken())
    next(chunks)
    threading.Timer(0.3, model.close).start()
    with pytest.raises((Cancelled, ModelError)):
        next(chunks)


@pytest.mark.parametrize("kind", ["disconnect", "half a line", "end"])
def test_a_broken_connection_is_told_as_a_cut_off_answer(ollama_server, open_model, kind):
    ollama_server.replies.append(["Half an ans", Fault(kind)])
    chunks = open_model().chat(HELLO, tools=(), cancel=CancelToken())
    said = []
    with pytest.raises(ModelError, match="cut off") as caught:
        said += chunks
    assert ollama_server.url in str(caught.value)


def test_silence_ends_after_the_timeout(ollama_server, open_model):
    ollama_server.replies.append([Fault("hang")])
    with pytest.raises(ModelError, match=r"silent for 0\.3 s.*llm\.timeout"):
        ask(open_model(timeout=300))


def test_a_missing_model_names_the_command(ollama_server, open_model):
    model = open_model(model="qwen3:8b")
    with pytest.raises(ModelError, match="run `ollama pull qwen3:8b`"):
        ask(model)
    with pytest.raises(ModelError, match="run `ollama pull qwen3:8b`"):
        model.check()
    assert not model.native_tools
    assert model.context_tokens == 32_768
    assert len(ollama_server.asked("/api/show")) == 1, "a failed question is not repeated at once"


def test_no_server_names_both_commands_in_one_line(unused_host):
    model = OllamaModel(LlmSettings(host=unused_host))
    pull = partial(model.pull, NAME, lambda *_: None, CancelToken())
    prepare = partial(model.prepare, CancelToken())
    for attempt in (model.check, prepare, lambda: ask(model), pull):
        with pytest.raises(ModelError) as caught:
            attempt()
        said = str(caught.value)
        assert unused_host in said
        assert "`ollama serve`" in said
        assert f"`ollama pull {NAME}`" in said
        assert "\n" not in said
    assert not model.native_tools
    model.close()


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        (500, "model requires more system memory (5.0 GiB) than is available", "contextWindow"),
        (500, "llama runner process has terminated", "runner process has terminated"),
        (400, "registry.ollama.ai/library/x does not support tools", "llm.useNativeTools"),
    ],
)
def test_a_refusal_is_told_with_the_servers_words(ollama_server, open_model, status, error, said):
    ollama_server.replies.append([Fault("refuse", status, error)])
    with pytest.raises(ModelError) as caught:
        ask(open_model())
    assert error in str(caught.value)
    assert said in str(caught.value)


def test_an_error_in_the_middle_of_the_stream_is_told(ollama_server, open_model):
    ollama_server.replies.append(["a", Fault("error", error="an error was encountered")])
    with pytest.raises(ModelError, match="an error was encountered"):
        ask(open_model())


@pytest.mark.parametrize("path", ["/api/chat", "/api/tags"])
def test_another_server_at_the_address_is_noticed(ollama_server, open_model, path):
    ollama_server.faults[path] = Fault("html")
    with pytest.raises(ModelError, match="is not Ollama"):
        ask(open_model()) if path == "/api/chat" else open_model().check()


def test_an_impossible_address_is_a_model_error():
    for host in ("http://[", "localhost:x", "ftp://localhost"):
        model = OllamaModel(LlmSettings(host=host))
        with pytest.raises(ModelError) as caught:
            model.check()
        assert host in str(caught.value)
        model.close()


def test_a_ready_model_passes_the_check(ollama_server, open_model):
    ollama_server.add_model("llama3.2:latest")
    open_model().check()
    open_model(model="llama3.2").check()
    assert open_model().installed() == ("llama3.2:latest", NAME)


def test_the_host_may_come_from_the_environment(ollama_server, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", ollama_server.url.removeprefix("http://"))
    model = OllamaModel(LlmSettings())
    model.check()
    model.close()


def test_a_proxy_is_not_asked_for_this_machine(ollama_server, open_model, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    open_model().check()
    assert ollama_server.asked("/api/tags")


def test_a_model_is_pulled_with_its_progress(ollama_server, open_model):
    ollama_server.pull_steps += [
        {"status": "pulling manifest"},
        {"status": "pulling 60e0", "completed": 10, "total": 100, "digest": "sha256:60e0"},
        {"status": "pulling 60e0", "completed": 100, "total": 100, "digest": "sha256:60e0"},
    ]
    model, steps = open_model(model="qwen3:8b"), []
    assert model.context_tokens == 32_768
    model.pull("qwen3:8b", lambda *step: steps.append(step), CancelToken())
    assert steps == [
        ("pulling manifest", 0, 0),
        ("pulling 60e0", 10, 100),
        ("pulling 60e0", 100, 100),
        ("success", 0, 0),
    ]
    model.check()


def test_a_pull_can_be_stopped(ollama_server, open_model):
    ollama_server.pull_steps += [{"status": "pulling manifest"}, Fault("hang")]
    token = CancelToken()
    since = cancelling(token, ollama_server, "/api/pull")
    with pytest.raises(Cancelled):
        open_model().pull("qwen3:8b", lambda *_: None, token)
    assert since() < 3


def test_a_pull_that_fails_says_why(ollama_server, open_model):
    ollama_server.pull_steps.append(
        Fault("error", error="pull model manifest: file does not exist")
    )
    with pytest.raises(ModelError, match="cannot pull 'nonsense': pull model manifest"):
        open_model().pull("nonsense", lambda *_: None, CancelToken())


def connections():
    process = psutil.Process(os.getpid())
    return [c for c in process.net_connections("tcp") if c.status != psutil.CONN_LISTEN]


def test_closing_leaves_no_thread_and_no_socket(ollama_server, open_model):
    ollama_server.replies += [["a"], [Fault("hang")]]
    model, token = open_model(), CancelToken()
    ask(model)
    ollama_server.requests.clear()
    cancelling(token, ollama_server, "/api/chat")
    with pytest.raises(Cancelled):
        ask(model, cancel=token)
    assert "ipuaro-ollama" in {thread.name for thread in threading.enumerate()}
    model.close()
    assert "ipuaro-ollama" not in {thread.name for thread in threading.enumerate()}
    ollama_server.stop()
    assert connections() == []


def test_a_forgotten_model_closes_itself(ollama_server):
    model = OllamaModel(LlmSettings(host=ollama_server.url))
    model.check()
    del model
    gc.collect()
    assert "ipuaro-ollama" not in {thread.name for thread in threading.enumerate()}


def test_a_closed_model_opens_again(open_model):
    model = open_model()
    model.check()
    model.close()
    model.close()
    model.check()


def test_the_server_speaks_what_the_package_reads(ollama_server):
    """The test server itself: the package's own client takes all its answers."""
    ollama_server.replies.append(["a"])
    with ollama.Client(ollama_server.url) as client:
        assert client.list().models[0].model == NAME
        assert client.show(NAME).capabilities == ["completion"]
        parts = list(client.chat(NAME, [{"role": "user", "content": "x"}], stream=True))
    assert [part.message.content for part in parts] == ["a", ""]
    assert parts[-1].done

"""The Ollama model against a real HTTP server that speaks Ollama's API."""

import ollama
import pytest
from asking import NAME, ask, text
from ollama_server import Fault

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply
from ipuaro_jupyter.llm.wishes import Sampling
from ipuaro_jupyter.records.chat import ToolCall


def phases(chunks):
    return [chunk.phase for chunk in chunks if chunk.phase]


def test_loading_is_told_apart_from_generating(ollama_server, open_model):
    ollama_server.replies += [["a", "b"], ["c", "d"]]
    model = open_model()
    first = ask(model)
    assert phases(first) == ["loading", "generating"]
    assert first[1].phase == "generating"
    ollama_server.loaded[NAME] = 32_768
    assert phases(ask(model)) == ["generating"]


def test_a_model_that_is_loaded_with_a_smaller_window_is_loaded_again(ollama_server, open_model):
    ollama_server.replies.append(["a"])
    ollama_server.loaded[NAME] = 4096
    assert phases(ask(open_model())) == ["loading", "generating"]


def test_a_model_without_a_tag_is_the_latest(ollama_server, open_model):
    ollama_server.add_model("llama3.2")
    ollama_server.loaded["llama3.2:latest"] = 32_768
    ollama_server.replies.append(["a"])
    assert phases(ask(open_model(model="llama3.2"))) == ["generating"]


@pytest.mark.parametrize("fault", [Fault("refuse", 404, "404 page not found"), Fault("disconnect")])
def test_a_server_that_does_not_say_what_is_loaded_is_asked_all_the_same(
    ollama_server, open_model, fault
):
    ollama_server.faults["/api/ps"] = fault
    ollama_server.replies.append(["a"])
    assert text(ask(open_model())) == "a"


def test_a_reply_may_be_empty(ollama_server, open_model):
    """That is no error of the server's; the loop tells the model."""
    ollama_server.replies.append([])
    chunks = ask(open_model())
    assert text(chunks) == ""
    assert not any(chunk.cut_off or chunk.calls for chunk in chunks)


def test_the_window_is_sent_although_the_server_says_nothing_of_the_model(
    ollama_server, open_model
):
    ollama_server.faults["/api/show"] = Fault("refuse", 500, "no")
    ollama_server.replies.append(["a"])
    ask(open_model(context_window=8192))
    assert ollama_server.asked("/api/chat")[0]["options"]["num_ctx"] == 8192


@pytest.mark.parametrize("think", [True, False, "high"])
def test_a_model_that_can_think_is_asked_to(ollama_server, open_model, think):
    ollama_server.add_model("able", capabilities=["thinking"])
    ollama_server.replies += [["a"], ["b"], ["c"]]
    ask(open_model(model="able", think=think))
    ask(open_model(model="able"))
    ask(open_model(think=think))
    first, *others = ollama_server.asked("/api/chat")
    assert first["think"] == think
    assert not any("think" in body for body in others)


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
    assert sent[0]["options"]["num_predict"] == 16_384, "a model may repeat itself for ever"
    assert sent[0]["options"]["temperature"] == 0.5
    assert sent[0]["keep_alive"] == "10m"
    assert sent[0]["stream"] is True
    assert len(ollama_server.asked("/api/show")) == 1


def test_the_temperature_is_the_models_own_unless_it_is_set(ollama_server, open_model):
    ollama_server.replies += [["a"]]
    ask(open_model())
    (sent,) = ollama_server.asked("/api/chat")
    assert "temperature" not in sent["options"]
    assert sent["keep_alive"] == "30m"


def test_wished_sampling_is_sent_below_the_users_own(ollama_server, open_model):
    ollama_server.replies += [["a"], ["b"]]
    wish = Sampling(temperature=0.7, top_p=0.8, top_k=20, min_p=0.0, repeat_penalty=1.05)
    ask(open_model(), sampling=wish)
    ask(open_model(temperature=0.2), sampling=wish)
    first, second = (body["options"] for body in ollama_server.asked("/api/chat"))
    assert first.items() >= wish.model_dump().items()
    assert second == {**first, "temperature": 0.2}


@pytest.mark.parametrize(
    ("status", "said"),
    [(400, "invalid format: enum is empty"), (500, "failed to load model vocabulary for grammar")],
)
def test_schema_that_the_server_refuses_is_left_out(ollama_server, open_model, status, said):
    ollama_server.replies += [[Fault("refuse", status, said)], ["a"]]
    assert text(ask(open_model(), schema={"enum": []})) == "a"
    assert ["format" in body for body in ollama_server.asked("/api/chat")] == [True, False]


def test_other_refusal_is_not_asked_again(ollama_server, open_model):
    ollama_server.replies.append([Fault("refuse", 400, "invalid options")])
    with pytest.raises(ModelError, match="invalid options"):
        ask(open_model(), schema={"type": "object"})
    assert len(ollama_server.asked("/api/chat")) == 1


def test_wishes_are_sent_where_the_server_takes_them(ollama_server, open_model):
    ollama_server.replies += [["a"], ["b"], ["c"]]
    model = open_model()
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}}
    ask(model, schema=schema)
    ask(model, stop=("<tool_result",), only_read=True)
    ask(model)
    by_schema, read, plain = ollama_server.asked("/api/chat")
    assert by_schema["format"] == schema
    assert read["options"]["stop"] == ["<tool_result"]
    assert read["options"]["num_predict"] == 1
    assert "format" not in plain
    assert "stop" not in plain["options"]
    assert plain["options"]["num_predict"] == 32_768


def test_the_models_own_stops_stay_beside_ours(ollama_server, open_model):
    """Those of a request replace what the model's file says."""
    stops = 'num_ctx                        4096\nstop                           "<|im_end|>"\n'
    ollama_server.add_model("able", parameters=stops + "stop    ###")
    ollama_server.replies += [["a"]]
    ask(open_model(model="able"), stop=("###", "Observation:"))
    (sent,) = ollama_server.asked("/api/chat")
    assert sent["options"]["stop"] == ["<|im_end|>", "###", "Observation:"]


def test_thinking_is_turned_off_for_a_request_of_a_model_that_thinks(ollama_server, open_model):
    ollama_server.add_model("able", capabilities=["thinking"])
    ollama_server.replies += [["a"], ["b"]]
    ask(open_model(model="able", think=True), think=False)
    ask(open_model(), think=False)
    able, other = ollama_server.asked("/api/chat")
    assert able["think"] is False
    assert "think" not in other


def test_the_window_is_not_larger_than_the_models_own(ollama_server, open_model):
    ollama_server.add_model("small", context_length=4096)
    model = open_model(model="small", context_window=32_768)
    assert model.context_tokens == 4096
    assert open_model(model=NAME, context_window=8192).context_tokens == 8192


@pytest.mark.parametrize(
    ("exact", "rough", "count"),
    [
        (7_615_616_512, "7.6B", 7_615_616_512),
        (None, "20.9B", 20_900_000_000),
        (None, "494.03M", 494_030_000),
        (0, "1.5 b", 1_500_000_000),
        (None, "8x7B", None),
        (None, "", None),
    ],
)
def test_the_number_of_parameters_is_what_the_server_says(
    ollama_server, open_model, exact, rough, count
):
    ollama_server.add_model("some")
    told = ollama_server.models["some"]
    told["details"] = {**told["details"], "parameter_size": rough}
    told["model_info"]["general.parameter_count"] = exact
    assert open_model(model="some").parameter_count == count


def test_native_tools_are_used_when_the_model_has_them(ollama_server, open_model, schemas):
    ollama_server.add_model("able", capabilities=["tools"])
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
    ollama_server.add_model("able", capabilities=["tools"])
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


def test_a_prepared_model_knows_what_it_can_do(ollama_server, open_model):
    ollama_server.add_model("able", context_length=4096, capabilities=["tools"])
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
    ollama_server.add_model("qwen3:8b", capabilities=["tools"])
    model.prepare(CancelToken())
    assert model.native_tools


def test_the_server_speaks_what_the_package_reads(ollama_server):
    """The test server itself: the package's own client takes all its answers."""
    ollama_server.replies.append(["a"])
    with ollama.Client(ollama_server.url) as client:
        assert client.list().models[0].model == NAME
        assert client.show(NAME).capabilities == ["completion"]
        parts = list(client.chat(NAME, [{"role": "user", "content": "x"}], stream=True))
    assert [part.message.content for part in parts] == ["a", ""]
    assert parts[-1].done

"""The model against a real HTTP server that speaks the API of chat completions."""

import json

import pytest
from asking import HELLO, ask, text
from openai_server import Fault

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError, ToolsRefused, UnreadableCall
from ipuaro_jupyter.llm.wishes import Sampling, asked, takes
from ipuaro_jupyter.records.chat import Answer, ToolCall
from ipuaro_jupyter.views import answer as answer_view

CARD = Sampling(temperature=0.7, top_p=0.8, top_k=20, min_p=0.0)
READ = {"id": "a1", "index": 0, "function": {"name": "get_lines", "arguments": ""}}


def delta(*calls):
    return {"tool_calls": list(calls)}


def more(arguments, index=0):
    return {"index": index, "function": {"arguments": arguments}}


def calls_of(chunks):
    return [call for chunk in chunks for call in chunk.calls]


def wished(model, **wishes):
    return list(asked(model, HELLO, tools=(), cancel=CancelToken(), **wishes))


def test_a_server_need_not_count(openai_server, open_model):
    openai_server.usage = None
    openai_server.replies.append(["a"])
    assert ask(open_model())[-1].usage is None


def test_what_the_server_has_kept_is_counted_apart(openai_server, open_model):
    details = {"prompt_tokens_details": {"cached_tokens": 20}}
    openai_server.usage = {"prompt_tokens": 50, "completion_tokens": 3, **details}
    openai_server.replies.append(["a"])
    usage = ask(open_model())[-1].usage
    assert (usage.prompt_tokens, usage.cached_tokens) == (50, 20)
    assert (usage + usage).cached_tokens == 40
    answer = Answer(question="?", text="a", usage=usage)
    assert "30 tokens read, 3 written" in answer_view.text(answer)


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_thinking_comes_apart_from_the_text(openai_server, open_model, key):
    openai_server.replies.append([{key: "hm, "}, {key: "yes"}, "Yes."])
    chunks = ask(open_model())
    assert "".join(chunk.thinking for chunk in chunks) == "hm, yes"
    assert text(chunks) == "Yes."


def test_the_arguments_of_calls_come_in_pieces(openai_server, open_model):
    other = {"id": "b2", "index": 1, "function": {"name": "grep", "arguments": '{"pattern": "x"}'}}
    openai_server.replies.append(
        ["I look.", delta(READ), delta(more('{"path": "a')), delta(more('.ts"}')), delta(other)]
    )
    assert calls_of(ask(open_model())) == [
        ToolCall(name="get_lines", arguments={"path": "a.ts"}),
        ToolCall(name="grep", arguments={"pattern": "x"}),
    ]


@pytest.mark.parametrize(
    "second", [{"id": "b2", "index": 0}, {"id": "b2"}], ids=["same index", "no index"]
)
def test_calls_are_told_apart_by_their_ids(openai_server, open_model, second):
    first = {"id": "a1", "function": {"name": "get_lines", "arguments": '{"path": "a"}'}}
    second = {**second, "function": {"name": "get_lines", "arguments": '{"path": "b"}'}}
    line = json.dumps({"choices": [{"delta": delta(second)}]})  # the package would refuse it
    openai_server.replies.append([delta({"index": 0, **first}), Fault("line", error=line)])
    calls = calls_of(ask(open_model()))
    assert [call.arguments["path"] for call in calls] == ["a", "b"]


@pytest.mark.parametrize("arguments", ["", "{}", "null", '"{}"'])
def test_a_call_may_have_no_arguments(openai_server, open_model, arguments):
    openai_server.replies.append([delta(READ), delta(more(arguments))])
    assert calls_of(ask(open_model())) == [ToolCall(name="get_lines", arguments={})]


def test_line_breaks_inside_arguments_are_read(openai_server, open_model):
    openai_server.replies.append([delta(READ), delta(more('{"path": "a\nb"}'))])
    assert calls_of(ask(open_model()))[0].arguments == {"path": "a\nb"}


@pytest.mark.parametrize("arguments", ['{"path": "a', "path=a", "[1]", "7"])
def test_arguments_that_cannot_be_read_are_told_with_what_the_model_wrote(
    openai_server, open_model, arguments
):
    openai_server.replies.append([delta(READ), delta(more(arguments))])
    with pytest.raises(UnreadableCall, match="get_lines") as caught:
        ask(open_model())
    assert caught.value.raw == f'{{"name": "get_lines", "arguments": {arguments}}}'


@pytest.mark.parametrize("arguments", ['{"path": "a', '{"path": "a", "end": 3}'])
def test_a_call_that_was_cut_off_is_told_as_such(openai_server, open_model, arguments):
    openai_server.finish_reason = "length"
    openai_server.replies.append([delta(READ), delta(more(arguments))])
    with pytest.raises(UnreadableCall, match="cut off"):
        ask(open_model())


@pytest.mark.parametrize(
    "error",
    [
        {"message": "Failed to parse input at pos 7: <tool_call>{", "code": 500},
        {"message": "Failed to call a function.", "code": "tool_use_failed"},
    ],
)
def test_a_call_that_the_server_cannot_read_is_told_as_such(openai_server, open_model, error):
    whole = {**error, "failed_generation": "<tool_call>{"}
    openai_server.replies += [["a", Fault("error", error=whole)], [Fault("refuse", 500, whole)]]
    for _ in range(2):
        with pytest.raises(UnreadableCall) as caught:
            ask(open_model())
        assert caught.value.raw == "<tool_call>{"


def test_tools_are_sent_as_schemas(openai_server, open_model, schemas):
    openai_server.replies.append(["a"])
    ask(open_model(), tools=schemas)
    sent = openai_server.asked()[0]["tools"][0]
    assert sent["type"] == "function"
    assert sent["function"]["name"] == "get_lines"
    assert sent["function"]["parameters"]["required"] == ["path"]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'),
        (500, "tools param requires --jinja flag"),
        (400, "registry.ollama.ai/library/x does not support tools"),
    ],
)
def test_a_server_that_takes_no_tools_is_not_sent_any_again(
    openai_server, open_model, schemas, status, said
):
    openai_server.replies.append([Fault("refuse", status, said)])
    model = open_model()
    assert model.native_tools
    with pytest.raises(ToolsRefused, match=r"llm\.useNativeTools.*--jinja"):
        ask(model, tools=schemas)
    assert not model.native_tools
    assert open_model(use_native_tools=True).native_tools


def test_what_is_asked_for_is_sent(openai_server, open_model):
    openai_server.replies += [["a"], ["b"], ["c"]]
    model = open_model(temperature=0.5)
    wishes = ("schema", "stop", "think", "only_read", "sampling")
    assert all(takes(model, wish) for wish in wishes)
    schema = {"type": "object"}
    wished(model, schema=schema, stop=["Observation:"], think=False)
    wished(model, only_read=True)
    wished(open_model(think="low"))
    first, second, third = openai_server.asked()
    assert first["response_format"]["type"] == "json_schema"
    assert first["response_format"]["json_schema"]["schema"] == schema
    assert first["stop"] == ["Observation:"]
    assert first["chat_template_kwargs"]["enable_thinking"] is False
    assert first["temperature"] == 0.5
    assert first["stream_options"] == {"include_usage": True}
    assert second["max_tokens"] == 1
    assert not {"response_format", "stop", "chat_template_kwargs"} & second.keys()
    assert third["reasoning_effort"] == "low"


def test_wished_sampling_is_sent_below_the_users_own(openai_server, open_model):
    openai_server.replies += [["a"], ["b"]]
    wished(open_model(), sampling=CARD)
    wished(open_model(temperature=0.2), sampling=CARD)
    first, second = openai_server.asked()
    assert first.items() >= CARD.model_dump(exclude_none=True).items()
    assert "repeat_penalty" not in first
    assert second == {**first, "temperature": 0.2}


@pytest.mark.parametrize(
    ("part", "status", "error"),
    [
        ("stream_options", 400, "Unrecognized request argument supplied: stream_options"),
        ("temperature", 400, {"error": {"message": "Only 1 is allowed.", "param": "temperature"}}),
        ("top_k", 400, "Unrecognized request argument supplied: top_k"),
        (
            "stop",
            422,
            {"detail": [{"loc": ["body", "stop"], "msg": "Extra inputs are not permitted"}]},
        ),
        ("chat_template_kwargs", 400, "property 'chat_template_kwargs' is unsupported"),
        ("response_format", 400, "This model does not support json_schema."),
        ("response_format", 400, "JSON schema error: 'enum' must be a non-empty array"),
    ],
)
def test_what_a_server_does_not_take_is_left_out_from_then_on(
    openai_server, open_model, part, status, error
):
    model = open_model(temperature=0.5)
    wishes = {"schema": {"type": "object"}, "stop": ["x"], "think": True, "sampling": CARD}
    openai_server.replies += [[Fault("refuse", status, error)], ["a"], ["b"]]
    assert text(wished(model, **wishes)) == "a"
    assert text(wished(model, **wishes)) == "b"
    first, *others = openai_server.asked()
    assert part in first
    assert all(body.keys() == first.keys() - {part} for body in others)


def test_a_newer_name_for_the_longest_reply_is_understood(openai_server, open_model):
    said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    error = {"error": {"message": said, "param": "max_tokens"}}
    openai_server.replies += [[Fault("refuse", 400, error)], ["a"]]
    wished(open_model(), only_read=True)
    assert openai_server.asked()[1]["max_completion_tokens"] == 1


def test_silence_of_the_first_part_counts_until_something_is_said(openai_server, open_model):
    """Some servers send the role before they read the prompt, and comments while they do."""
    openai_server.replies.append([Fault("comment"), 0.3, "a"])
    assert text(ask(open_model(timeout=100))) == "a"


def test_the_model_can_be_asked_by_the_name_of_its_api(openai_server, open_model):
    openai_server.replies += [["a"], ["b"]]
    for host in (f"{openai_server.url}/v1", f"{openai_server.url}/v1/chat/completions"):
        ask(open_model(host=host))
    assert [body["model"] for body in openai_server.asked()] == ["qwen", "qwen"]


def test_nothing_can_be_pulled(open_model):
    with pytest.raises(ModelError, match="cannot be told to download 'qwen'"):
        list(open_model().pull(CancelToken()))

"""What goes wrong is told with what to do about it, once, and is not tried again."""

import importlib.util
import json
import re

import pytest
from asking import HELLO, NAME, ask
from ollama_server import Fault

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError, ModelMissing, UnreadableCall
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama import OllamaModel


def test_no_server_names_both_commands_in_one_line(unused_host):
    model = OllamaModel(LlmSettings(host=unused_host))
    token = CancelToken()
    attempts = (model.check, lambda: model.prepare(token), lambda: ask(model), model.models)
    for attempt in (*attempts, lambda: list(model.pull(token))):
        with pytest.raises(ModelError) as caught:
            attempt()
        said = str(caught.value)
        assert unused_host in said
        assert "`ollama serve`" in said
        assert f"`ollama pull {NAME}`" in said
        assert "\n" not in said
    assert not model.native_tools
    model.close()


def test_a_missing_model_names_the_command(open_model):
    model = open_model(model="qwen3:8b")
    for attempt in (lambda: ask(model), model.check, lambda: model.prepare(CancelToken())):
        with pytest.raises(ModelMissing, match="run `ollama pull qwen3:8b`"):
            attempt()


def test_a_model_that_needs_no_server_is_named_where_its_runtime_is_installed(unused_host):
    with pytest.raises(ModelError) as caught:
        OllamaModel(LlmSettings(host=unused_host)).check()
    is_named = "`%ipuaro pull gguf:OWNER/REPO/FILE.gguf`" in str(caught.value)
    assert is_named is (importlib.util.find_spec("xllamacpp") is not None)


def test_a_failed_question_is_not_repeated_at_once(ollama_server, open_model):
    model = open_model(model="qwen3:8b")
    with pytest.raises(ModelMissing):
        ask(model)
    assert not model.native_tools
    assert model.context_tokens == 32_768
    assert len(ollama_server.asked("/api/show")) == 1


def test_half_a_line_is_told_as_a_cut_off_answer(ollama_server, open_model):
    ollama_server.replies.append(["Half an ans", Fault("half a line")])
    said = []
    with pytest.raises(ModelError, match="cut off") as caught:
        said.extend(open_model().chat(HELLO, tools=(), cancel=CancelToken()))
    assert ollama_server.url in str(caught.value)


def test_an_answer_that_ends_without_being_done_is_told_as_a_repetition(ollama_server, open_model):
    """So does a server end it when the model repeats a word without end."""
    ollama_server.replies.append(["no", " no", Fault("end")])
    with pytest.raises(ModelError, match=r"cut off: .* repeats itself") as caught:
        ask(open_model())
    assert "memory" not in str(caught.value)


@pytest.mark.parametrize("kind", ["disconnect", "end"])
def test_an_answer_that_does_not_begin_is_an_error(ollama_server, open_model, kind):
    ollama_server.replies.append([Fault(kind)])
    with pytest.raises(ModelError, match="broke"):
        ask(open_model())


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        (500, "model requires more system memory (5.0 GiB) than is available", "contextWindow"),
        (500, "llama runner process has terminated: signal: killed", "a smaller model"),
        (500, "unable to allocate CUDA0 buffer", "a smaller model"),
        (500, "llama runner process has terminated: exit status 2", "a smaller model"),
        (500, "an error was encountered while running the model: unexpected EOF", "contextWindow"),
        (500, 'POST predict: Post "http://127.0.0.1:6333/completion": EOF', "contextWindow"),
        (500, "model runner has unexpectedly stopped, this may be due to …", "contextWindow"),
        (400, "registry.ollama.ai/library/x does not support tools", "llm.useNativeTools"),
        (400, '"x" does not support thinking', "llm.think"),
        (503, "server busy, please try again. maximum pending requests exceeded", "Ask again"),
        (500, "something else", "Look into the server's log"),
    ],
)
def test_a_refusal_is_told_with_the_servers_words(ollama_server, open_model, status, error, said):
    ollama_server.replies.append([Fault("refuse", status, error)])
    with pytest.raises(ModelError) as caught:
        ask(open_model())
    assert error.removesuffix(".") in str(caught.value)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (500, "unexpected server status: llm server error"),
        (500, "unexpected error format in response"),
        (500, "CUDA error: an illegal memory access was encountered"),
        (500, "llama runner process has terminated: signal: illegal instruction (core dumped)"),
        (500, "llama runner process has terminated: error loading model: unknown model"),
        (500, "llama runner process has terminated: this model is not supported by your version"),
        (400, "json: unexpected value in messages: no memory of it"),
    ],
)
def test_what_is_no_lack_of_memory_is_not_told_as_one(ollama_server, open_model, status, error):
    ollama_server.replies.append([Fault("refuse", status, error)])
    with pytest.raises(ModelError) as caught:
        ask(open_model())
    assert error in str(caught.value)
    assert "less memory" not in str(caught.value)
    assert "lack of memory" not in str(caught.value)


def test_a_models_name_is_no_part_of_what_is_wrong_with_it(ollama_server, open_model):
    name = "out-of-memory-tools"
    ollama_server.add_model(name)
    ollama_server.replies.append([Fault("refuse", 400, f'"{name}" does not support thinking')])
    with pytest.raises(ModelError, match=r"Set llm\.think to null\.$"):
        ask(open_model(model=name))


CALL = '{"path":"src/memory.ts","content":"it\'s\\n\\"new\\", err=none"]'
ESCAPED = json.dumps(CALL)[1:-1]


@pytest.mark.parametrize(
    ("error", "raw"),
    [
        (f"error parsing tool call: raw='{CALL}', err=invalid character ']' after", CALL),
        (f"error parsing tool call: raw='{ESCAPED}', err=unexpected end of JSON input", CALL),
        (f"error parsing tool call: raw='{CALL}', err=", CALL),
        (f"error parsing tool call: raw='{CALL}'", CALL),
        ("error parsing tool call: raw='ls -R\n', err=invalid character 'l'", "ls -R\n"),
        ("error parsing tool call: raw='', err=unexpected end of JSON input", ""),
        ("error parsing tool call: invalid character 'c' looking for beginning of value", ""),
        ("failed to parse JSON: unexpected end of JSON input", ""),
        ("failed to parse XML: XML syntax error on line 1: unexpected EOF", ""),
        ("XML syntax error on line 115: unexpected EOF", ""),
        ("XML syntax error on line 7: element <parameter> closed by </function>", ""),
        ("expected element type <function> but have <parameter>", ""),
        ("unexpected end of JSON input", ""),
        ("invalid character '}' looking for beginning of object key string", ""),
        ("json: cannot unmarshal array into Go value of type api.ToolCall", ""),
        ("tool 'get_memory' not found", ""),
        ("empty function name", ""),
        ("EOF", ""),
    ],
)
def test_a_call_that_the_server_cannot_read_is_told_with_the_call(
    ollama_server, open_model, error, raw
):
    """Before the first piece it is a status, and afterwards a line of its own."""
    ollama_server.replies += [[Fault("refuse", 500, error)], ["I edit.", Fault("error", 0, error)]]
    model = open_model()
    for _ in range(2):
        with pytest.raises(UnreadableCall) as caught:
            ask(model)
        assert caught.value.raw == raw
        assert "could not read the tool call" in str(caught.value)
        assert "lack of memory" not in str(caught.value)
        assert "less memory" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, "json: cannot unmarshal number into Go struct field ChatRequest.messages"),
        (500, "error unmarshalling llm prediction response: invalid character 'x'"),
        (500, "an error was encountered while running the model: unexpected EOF"),
        (500, "invalid JSON schema in format"),
    ],
)
def test_other_errors_of_reading_are_no_calls(ollama_server, open_model, status, error):
    ollama_server.replies.append([Fault("refuse", status, error)])
    with pytest.raises(ModelError, match=re.escape(error)) as caught:
        ask(open_model())
    assert not isinstance(caught.value, UnreadableCall)


def test_an_error_in_the_middle_of_the_stream_is_told(ollama_server, open_model):
    error = "an error was encountered while running the model: CUDA error: out of memory"
    ollama_server.replies.append(["a", Fault("error", error=error)])
    with pytest.raises(ModelError, match=re.escape(error)) as caught:
        ask(open_model())
    assert "use a smaller model, or lower llm.contextWindow (now 32768)" in str(caught.value)


def test_an_impossible_address_is_a_model_error():
    for host in ("http://[", "localhost:x", "ftp://localhost"):
        model = OllamaModel(LlmSettings(host=host))
        with pytest.raises(ModelError) as caught:
            model.check()
        assert host in str(caught.value)
        model.close()

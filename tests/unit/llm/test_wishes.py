"""What may be asked of a model beyond the protocol."""

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm import Chunk, LlmSettings
from ipuaro_jupyter.llm.scripted import ScriptedModel
from ipuaro_jupyter.llm.wishes import Sampling, asked, sampling_options, takes
from ipuaro_jupyter.records.chat import Message

HELLO = [Message(role="user", content="Hello")]


class Plain(ScriptedModel):
    """A model as anybody may write it, by the protocol alone."""

    def chat(self, messages, *, tools, cancel):
        yield from super().chat(messages, tools=tools, cancel=cancel)


def ask(model, **wishes):
    chunks = asked(model, HELLO, tools=(), cancel=CancelToken(), **wishes)
    return "".join(chunk.text for chunk in chunks)


def test_a_model_is_given_what_it_declares():
    model = ScriptedModel(["yes"])
    assert ask(model, schema={"type": "object"}, stop=["Observation:"], think=None) == "yes"
    assert model.requests[0].wishes == {"schema": {"type": "object"}, "stop": ["Observation:"]}


def test_a_model_is_not_given_what_it_does_not_declare():
    model = Plain(["yes"])
    assert not takes(model, "schema")
    assert ask(model, schema={"type": "object"}, stop=["x"]) == "yes"
    assert model.requests[0].wishes == {}


def test_the_users_settings_come_before_wished_sampling():
    wish = Sampling(temperature=0.7, top_k=20)
    assert sampling_options(LlmSettings(), wish) == {"temperature": 0.7, "top_k": 20}
    own = LlmSettings(temperature=0)
    assert sampling_options(own, wish) == {"temperature": 0, "top_k": 20}
    assert sampling_options(own, None) == {"temperature": 0}
    assert sampling_options(LlmSettings(), None) == {}


def test_a_prompt_that_is_only_read_uses_up_no_reply():
    model = ScriptedModel([[Chunk(text="first")]])
    assert ask(model, only_read=True) == ""
    assert ask(model) == "first"
    assert len(model.reads) == len(model.requests) == 1

import pytest

from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.llm.metered import metered
from ipuaro_jupyter.records.chat import ToolCall, Usage

USAGE = Usage(prompt_tokens=90, completion_tokens=10)


@pytest.fixture
def spent():
    return []


def _failing(*chunks):
    yield from chunks
    raise ModelError("it is gone")


def test_a_whole_reply_takes_what_the_model_tells(spent):
    chunks = [Chunk(text="It "), Chunk(text="is."), Chunk(usage=USAGE)]
    assert list(metered(chunks, lambda *told: spent.append(told))) == chunks
    assert spent == [("It is.", USAGE)]


@pytest.mark.parametrize(
    "first",
    [
        Chunk(text="It"),
        Chunk(thinking="It"),
        Chunk(calls=(ToolCall(name="grep", arguments={"pattern": "It"}),)),
    ],
)
def test_a_reply_that_is_stopped_takes_what_has_come(spent, first):
    reply = metered([first, Chunk(usage=USAGE)], lambda *told: spent.append(told))
    next(reply)
    reply.close()
    ((text, usage),) = spent
    assert "It" in text
    assert usage is None


def test_a_prompt_that_is_being_read_counts(spent):
    reply = metered(_failing(Chunk(phase="generating")), lambda *told: spent.append(told))
    with pytest.raises(ModelError):
        list(reply)
    assert spent == [("", None)]


@pytest.mark.parametrize("chunks", [[], [Chunk(phase="loading")]])
def test_a_request_that_was_never_read_takes_nothing(spent, chunks):
    with pytest.raises(ModelError):
        list(metered(_failing(*chunks), lambda *told: spent.append(told)))
    assert spent == []

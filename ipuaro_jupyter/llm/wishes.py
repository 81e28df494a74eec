"""What a request may ask of a model beyond the protocol, for the models that can do it."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from pydantic import Field

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm import Chunk, LlmSettings, Model
from ipuaro_jupyter.llm.turn_marks import joined_messages
from ipuaro_jupyter.records.chat import Message, ToolSchema
from ipuaro_jupyter.records.record import Record


class Sampling(Record):
    """How the next word is drawn; None leaves it to the server.

    Attributes:
        temperature: Higher is more varied, 0 takes the likeliest.
        top_p: Draw from the likeliest words that together have this probability.
        top_k: Draw from so many of the likeliest words.
        min_p: Draw from words at least so likely, as a share of the likeliest one's probability.
        repeat_penalty: Divides the likelihood of what was just said; 1 does not.
    """

    temperature: float | None = Field(None, ge=0)
    top_p: float | None = Field(None, gt=0, le=1)
    top_k: int | None = Field(None, ge=0)
    min_p: float | None = Field(None, ge=0, le=1)
    repeat_penalty: float | None = Field(None, gt=0)


class Wishes(TypedDict, total=False):
    """Further keywords of `Model.chat`; a model takes those that its method declares.

    Attributes:
        schema: The JSON schema that the text of the reply has to match; no tools are called.
        stop: Texts at which the reply ends; they are not part of it.
        think: Whether the model thinks before it replies, over its settings.
        only_read: Read the prompt and write at most one token, so that the next request with the
            same head begins sooner.
        sampling: How it draws its words, where the user's settings leave that to the model.
    """

    schema: Mapping[str, Any] | None
    stop: Sequence[str]
    think: bool | None
    only_read: bool
    sampling: Sampling | None


def sampling_options(settings: LlmSettings, wish: Sampling | None) -> dict[str, float]:
    """What a request says of sampling, as Ollama and llama.cpp name it; the user's settings win."""
    own = Sampling(temperature=settings.temperature).model_dump(exclude_none=True)
    return (wish or Sampling()).model_dump(exclude_none=True) | own


def takes(model: Model, wish: str) -> bool:
    """Whether the model's ``chat`` declares the keyword."""
    parameters = inspect.signature(model.chat).parameters
    return wish in parameters


def asked(
    model: Model,
    messages: Sequence[Message],
    *,
    tools: Sequence[ToolSchema],
    cancel: CancelToken,
    **wishes: Unpack[Wishes],
) -> Iterator[Chunk]:
    """The reply to the conversation, piece by piece; wishes that the model does not take are left.

    No control token in the conversation is sent as one; see `turn_marks.plain`.

    Raises:
        Cancelled: The token was set.
        ModelError: As `Model.chat`.
    """
    taken: dict[str, Any] = {name: value for name, value in wishes.items() if takes(model, name)}
    return model.chat(joined_messages(messages), tools=tools, cancel=cancel, **taken)

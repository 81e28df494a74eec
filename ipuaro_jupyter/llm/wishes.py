"""What a request may ask of a model beyond the protocol, for the models that can do it."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm import Chunk, Model
from ipuaro_jupyter.records.chat import Message, ToolSchema


class Wishes(TypedDict, total=False):
    """Further keywords of `Model.chat`; a model takes those that its method declares.

    Attributes:
        schema: The JSON schema that the text of the reply has to match; no tools are called.
        stop: Texts at which the reply ends; they are not part of it.
        think: Whether the model thinks before it replies, over its settings.
        only_read: Read the prompt and write at most one token, so that the next request with the
            same head begins sooner.
    """

    schema: Mapping[str, Any] | None
    stop: Sequence[str]
    think: bool | None
    only_read: bool


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

    Raises:
        Cancelled: The token was set.
        ModelError: As `Model.chat`.
    """
    taken: dict[str, Any] = {name: value for name, value in wishes.items() if takes(model, name)}
    return model.chat(messages, tools=tools, cancel=cancel, **taken)

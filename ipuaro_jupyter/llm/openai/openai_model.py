"""Models behind an OpenAI-compatible API."""

import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm import Chunk, LlmSettings
from ipuaro_jupyter.llm.hosts import CLOUD_HOST, is_cloud_model
from ipuaro_jupyter.llm.openai.abilities import (
    ListedModel,
    StatedAbilities,
    find,
    learned,
    read_list,
)
from ipuaro_jupyter.llm.openai.api_key import ApiKey
from ipuaro_jupyter.llm.openai.chat_request import (
    refused_parts,
    refuses_tools,
    request_body,
    without,
)
from ipuaro_jupyter.llm.openai.openai_connection import OpenAiConnection, Refusal, Unreadable
from ipuaro_jupyter.llm.openai.server_troubles import TROUBLE, ServerTroubles
from ipuaro_jupyter.llm.openai.streamed_reply import StreamedReply
from ipuaro_jupyter.llm.wishes import Sampling, Wishes
from ipuaro_jupyter.records.chat import Message, ToolSchema
from ipuaro_jupyter.records.events import PullProgress

PREFIX = "openai:"
_QUESTION_S = 10.0
_ASK_AGAIN_S = 5.0
_NO_LIST = (404, 405, 501)


class OpenAiModel:
    """A model behind an OpenAI-compatible API: llama.cpp, LM Studio, vLLM, LiteLLM, MLX and others.

    Nothing is sent before it is asked or checked. After closing, it reopens when it is asked.

    Args:
        name: The model's name as the user knows it.
        settings: How it is asked; their ``model`` is ignored.
        served_as: Its name at the server.
        host: The server's address; None is that of the settings.
        key: The key for the server; None is that of the settings.
        window: The server's window in tokens, where it is known; None asks the server.
        too_long: The remedy for a prompt that is longer; "" is that for a server of the user's.
    """

    def __init__(
        self,
        name: str,
        settings: LlmSettings,
        *,
        served_as: str,
        host: str | None = None,
        key: ApiKey | None = None,
        window: int | None = None,
        too_long: str = "",
    ) -> None:
        self.name = name
        self._id = served_as
        self._settings = settings
        self._window = window
        self._connection = OpenAiConnection(
            host or settings.host,
            key or ApiKey(settings.api_key_env, settings.api_key_host),
            connect_s=settings.connect_timeout / 1000,
        )
        self._troubles = ServerTroubles(
            served_as,
            self._connection,
            settings=settings,
            models=self._served_names,
            too_long=too_long,
        )
        self._abilities: StatedAbilities | None = None
        self._ask_again_at = float("-inf")
        self._refused: set[str] = set()
        self._thinking_key = ""
        weakref.finalize(self, self._connection.close)

    @property
    def context_tokens(self) -> int:
        """The window in tokens: the setting, or the server's where that is smaller."""
        own = self._window or self._ask_abilities().context_tokens
        wanted = self._settings.context_window
        return wanted if own is None else min(own, wanted)

    @property
    def native_tools(self) -> bool:
        """Whether the model takes tool schemas: by the setting, else unless the server denies it.

        Most servers say nothing of it before they are sent some.
        """
        setting = self._settings.use_native_tools
        if setting is not None:
            return setting
        return "tools" not in self._refused and self._ask_abilities().tools is not False

    @property
    def parameter_count(self) -> int | None:
        """The number of the model's parameters, where the server says it."""
        return self._ask_abilities().parameter_count

    @property
    def remote_host(self) -> str | None:
        """The host that what it is sent goes to, if that is not this machine; else None.

        An Ollama on this machine passes cloud models on.
        """
        try:
            address = self._connection.address
        except ModelError:
            return None  # it cannot be sent anything
        if not address.is_local:
            return address.name
        return CLOUD_HOST if is_cloud_model(self._id) else None

    def check(self) -> None:
        """Raise ModelError unless the server responds and has the model.

        Raises:
            ModelError: It does not; the message says what to do.
        """
        models = self._listed(None, within_s=_QUESTION_S)
        if models is not None and find(models, self._id) is None:
            raise self._troubles.missing([model.name for model in models])

    def prepare(self, cancel: CancelToken) -> None:
        """Ask the server for the model's abilities, unless they are known.

        Raises:
            Cancelled: The token was set.
            ModelError: The server does not respond, or does not have the model.
        """
        cancel.check()
        if self._abilities is None:
            self._learn_abilities(cancel)

    def models(self, *, within_s: float = _QUESTION_S) -> tuple[str, ...]:
        """The names of the server's models, sorted, with their prefix.

        Also this one's, where the server knows it by another name.

        Raises:
            ModelError: The server does not respond.
        """
        listed = self._listed(None, within_s=within_s)
        names = {PREFIX + model.name for model in listed or ()}
        if find(listed or (), self._id) is not None:
            names.add(self.name)
        return tuple(sorted(names))

    def chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSchema],
        cancel: CancelToken,
        schema: Mapping[str, Any] | None = None,
        stop: Sequence[str] = (),
        think: bool | None = None,
        only_read: bool = False,
        sampling: Sampling | None = None,
    ) -> Iterator[Chunk]:
        """Yield the reply.

        Parts of the request that the server refuses are left out from then on: not every server
        takes, say, a schema. For the keywords see `Wishes`.

        Raises:
            Cancelled: The token was set; closing the connection tells the server.
            ToolsRefused: The server takes no tools; from then on ``native_tools`` is False.
            UnreadableCall: The server, or this method, cannot read a call that the model wrote.
            ModelError: The server cannot be reached, refuses, or stopped in the middle.
        """
        cancel.check()
        abilities = self._ask_abilities(cancel)
        wishes = Wishes(
            schema=schema, stop=stop, think=think, only_read=only_read, sampling=sampling
        )
        body = request_body(
            self._id,
            messages,
            tools=tools,
            native_tools=self.native_tools,
            thinking_key=self._thinking_key,
            settings=self._settings,
            wishes=wishes,
        )
        if abilities.reports_reading:
            body["return_progress"] = True
        yield Chunk(phase="generating")
        while True:
            try:
                yield from self._replied(without(body, self._refused), cancel)
            except Refusal as error:
                self._settle_for_less(error, body)
            else:
                return

    def pull(self, cancel: CancelToken) -> Iterator[PullProgress]:
        """Not possible here.

        Raises:
            ModelError: Always; it says what to do instead.
        """
        del cancel
        raise self._troubles.not_pulled()

    def close(self) -> None:
        """End the connection and its thread."""
        self._connection.close()

    def _replied(self, body: Mapping[str, Any], cancel: CancelToken) -> Iterator[Chunk]:
        """Yield the reply to one request.

        Raises:
            Refusal: The server has sent nothing but an error.
        """
        began, started = False, time.monotonic()
        reply = StreamedReply()
        parts = self._connection.stream(
            body,
            cancel,
            first_s=self._settings.load_timeout / 1000,
            silence_s=self._settings.timeout / 1000,
        )
        try:
            for part in parts:
                began = True
                yield _taken(reply, part)
        except TROUBLE as error:
            if isinstance(error, Refusal) and not began:
                raise
            raise self._troubles.translated(error, began=began) from None
        self._thinking_key = reply.thinking_key or self._thinking_key
        if not reply.ended_by:
            raise self._troubles.broken_off()
        yield reply.rest(duration_ms=round((time.monotonic() - started) * 1000))

    def _settle_for_less(self, error: Refusal, body: Mapping[str, Any]) -> None:
        """Note what the server refuses.

        Raises:
            ModelError: The request cannot do without it.
        """
        parts = refused_parts(error, without(body, self._refused)) - self._refused
        if parts:
            self._refused |= parts
            return
        if refuses_tools(error, body):
            self._refused.add("tools")
            raise self._troubles.tools_refused(error) from None
        raise self._troubles.translated(error) from None

    def _served_names(self) -> list[str]:
        listed = self._listed(None, within_s=_QUESTION_S)
        return [model.name for model in listed or ()]

    def _listed(
        self, cancel: CancelToken | None, *, within_s: float
    ) -> tuple[ListedModel, ...] | None:
        """The server's models; None when it does not list them.

        Raises:
            ModelError: The server does not respond.
        """
        url = f"{self._connection.address.api}/models"
        try:
            return read_list(self._connection.get(url, cancel, within_s=within_s))
        except TROUBLE as error:
            if isinstance(error, Refusal) and error.status in _NO_LIST and error.body:
                return None
            raise self._troubles.translated(error) from None

    def _ask_abilities(self, cancel: CancelToken | None = None) -> StatedAbilities:
        """Ask the server for the model's abilities; unknown ones while it does not respond."""
        if self._abilities is None and time.monotonic() > self._ask_again_at:
            with suppress(ModelError):
                self._learn_abilities(cancel)
        return self._abilities or StatedAbilities()

    def _learn_abilities(self, cancel: CancelToken | None) -> None:
        connection = self._connection
        try:
            listed = self._listed(cancel, within_s=_QUESTION_S)
            model = None if listed is None else find(listed, self._id)
            if listed is not None and model is None:
                raise self._troubles.missing([model.name for model in listed])
            abilities = StatedAbilities()
            if model is not None:
                abilities = learned(
                    model,
                    connection.address,
                    lambda url: connection.get(url, cancel, within_s=_QUESTION_S),
                )
        except TROUBLE as error:
            self._ask_again_at = time.monotonic() + _ASK_AGAIN_S
            raise self._troubles.translated(error) from None
        except ModelError:
            self._ask_again_at = time.monotonic() + _ASK_AGAIN_S
            raise
        self._abilities = abilities


def _taken(reply: StreamedReply, part: Any) -> Chunk:
    """What a part adds.

    Raises:
        Unreadable: It is no part of a reply.
    """
    try:
        return reply.taken(part)
    except (ValueError, TypeError, AttributeError) as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from None

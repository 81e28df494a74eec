"""Models that an Ollama server runs."""

import json
import re
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import IpuaroError, ModelError
from ipuaro_jupyter.llm import Chunk, LlmSettings
from ipuaro_jupyter.llm.bounded_responses import count
from ipuaro_jupyter.llm.hosts import CLOUD_HOST, is_cloud_model
from ipuaro_jupyter.llm.ollama.ollama_connection import Ask, OllamaConnection, Start
from ipuaro_jupyter.llm.ollama.package import package
from ipuaro_jupyter.llm.ollama.troubles import Troubles, refuses_schema, trouble
from ipuaro_jupyter.llm.streaming import Silence
from ipuaro_jupyter.llm.wishes import Sampling, sampling_options
from ipuaro_jupyter.loopback import host_name, is_loopback
from ipuaro_jupyter.records.chat import Message, ToolCall, ToolSchema, Usage
from ipuaro_jupyter.records.events import PullProgress

if TYPE_CHECKING:
    import ollama

Part = TypeVar("Part")

_QUESTION_S = 10.0
_LOADED_QUESTION_S = 2.0
_ASK_AGAIN_S = 5.0
_NS_PER_MS = 1_000_000
_ROUGH_COUNT = re.compile(r"(\d+(?:\.\d+)?) ?([KMBT])", re.IGNORECASE)
_UNITS = {"K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
_STOP = re.compile(r"^stop[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Abilities:
    """The model's abilities as the server reports them; None where it does not.

    ``stops`` are the texts at which its replies end anyway.
    """

    context_tokens: int | None = None
    parameter_count: int | None = None
    tools: bool = False
    thinking: bool = False
    stops: tuple[str, ...] = ()


class OllamaModel:
    """A model of an Ollama server, asked over HTTP.

    Nothing is sent before it is asked or checked. After closing, it reopens when it is asked.
    """

    def __init__(self, settings: LlmSettings) -> None:
        self.name = settings.model
        self._settings = settings
        self._connection = OllamaConnection(
            settings.host,
            connect_s=settings.connect_timeout / 1000,
            key_host=settings.api_key_host,
        )
        self._troubles = Troubles(self.name, self._connection.host, settings)
        self._abilities: _Abilities | None = None
        self._ask_again_at = float("-inf")
        weakref.finalize(self, self._connection.close)

    @property
    def context_tokens(self) -> int:
        """The window in tokens: the setting, or the model's own where that is smaller."""
        own = self._ask_abilities().context_tokens
        wanted = self._settings.context_window
        return wanted if own is None else min(own, wanted)

    @property
    def parameter_count(self) -> int | None:
        """The number of the model's parameters; None when the server does not tell."""
        return self._ask_abilities().parameter_count

    @property
    def native_tools(self) -> bool:
        """Whether the model takes tool schemas, by the setting or by the server's report."""
        setting = self._settings.use_native_tools
        return self._ask_abilities().tools if setting is None else setting

    @property
    def remote_host(self) -> str | None:
        """The host that what it is sent goes to, if that is not this machine; else None.

        A server on this machine passes cloud models on; it says so of a copy by another name once
        it was asked for its abilities.
        """
        name = host_name(self._connection.host)
        if not is_loopback(name):
            return name
        further = host_name(self._connection.passed_on_to or "")
        if further and not is_loopback(further):
            return further
        return CLOUD_HOST if is_cloud_model(self.name) else None

    def check(self) -> None:
        """Raise ModelError unless the server responds and has the model.

        Raises:
            ModelMissing: It does not have the model.
            ModelError: It does not respond; the message holds the commands that fix it.
        """
        if not self._own_names() & set(self.models()):
            raise self._troubles.missing()

    def prepare(self, cancel: CancelToken) -> None:
        """Ask the server for the model's abilities, unless they are known.

        Raises:
            Cancelled: The token was set.
            ModelMissing: The server has no such model.
            ModelError: The server does not respond.
        """
        cancel.check()
        if self._abilities is None:
            self._learn_abilities(cancel)

    def models(self, *, within_s: float = _QUESTION_S) -> tuple[str, ...]:
        """The names of the server's models, sorted.

        Raises:
            ModelError: The server does not respond.
        """
        try:
            names = self._connection.local_models(within_s=within_s)
        except (Silence, OSError) as error:
            raise self._troubles.translated(error, began=False) from error
        if names is None:
            listed = self._ask(lambda client: client.list(), within_s=within_s)
            names = tuple(model.model for model in listed.models if model.model)
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
        """Yield the reply; the first chunk says whether the model has to be loaded.

        Further keywords as in `wishes.Wishes`. A model that thinks does so before it writes by a
        schema.

        Raises:
            Cancelled: The token was set; closing the connection tells the server.
            ModelMissing: The server has no such model.
            ModelError: The server cannot be reached, refuses, or stopped in the middle.
        """
        cancel.check()
        self._ask_abilities(cancel)
        request = self._request(messages, tools)
        request["options"] |= sampling_options(self._settings, sampling)
        if stop:
            own = self._ask_abilities().stops  # a request's replace them
            request["options"]["stop"] = list(dict.fromkeys([*own, *stop]))
        if only_read:
            request["options"]["num_predict"] = 1
        if schema is not None:
            request["format"] = dict(schema)
        if think is not None and self._ask_abilities().thinking:
            request["think"] = think
        phase = "generating" if self._is_loaded(cancel) else "loading"
        yield Chunk.model_validate({"phase": phase})
        done = began = False
        for part in self._replied(request, cancel):
            began, done = True, done or bool(part.done)
            yield _chunk(part, phase="generating" if phase == "loading" else None)
            phase = "generating"
        if not done:
            raise self._troubles.repeated() if began else self._troubles.broken_off()

    def pull(self, cancel: CancelToken) -> Iterator[PullProgress]:
        """Have the server download the model, yielding the progress.

        Raises:
            Cancelled: The token was set; the downloaded part is kept for the next time.
            ModelError: There is no such model, or the server cannot be reached.
        """
        cancel.check()
        done: dict[str, int] = {}
        total: dict[str, int] = {}
        status = ""
        name = self.name
        try:
            for part in self._stream(
                lambda client: client.pull(name, stream=True),
                cancel,
                silence_s=self._settings.load_timeout / 1000,
            ):
                status = part.status or ""
                if part.digest and part.total:
                    total[part.digest] = part.total
                    done[part.digest] = part.completed or done.get(part.digest, 0)
                yield PullProgress(
                    status=status, done_bytes=sum(done.values()), total_bytes=sum(total.values())
                )
        except ModelError as error:
            if isinstance(error.__cause__, package().ResponseError):
                raise self._troubles.not_pulled(error.__cause__.error) from error.__cause__
            raise
        if status != "success":
            raise self._troubles.broken_off()
        self._abilities = None
        self._ask_again_at = float("-inf")

    def close(self) -> None:
        """End the connection and its thread."""
        self._connection.close()

    def _replied(
        self, request: dict[str, Any], cancel: CancelToken
    ) -> "Iterator[ollama.ChatResponse]":
        """Yield the parts of the reply, without a schema if the server refuses this one."""
        silence_s = self._settings.timeout / 1000
        try:
            yield from self._stream(
                lambda client: client.chat(**request, stream=True), cancel, silence_s=silence_s
            )
        except ModelError as error:
            if "format" not in request or not refuses_schema(error.__cause__):
                raise
        else:
            return
        free = {key: value for key, value in request.items() if key != "format"}
        yield from self._stream(
            lambda client: client.chat(**free, stream=True), cancel, silence_s=silence_s
        )

    def _request(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> dict[str, Any]:
        from ipuaro_jupyter.llm.ollama.messages import to_ollama  # noqa: PLC0415 - slow to import
        from ipuaro_jupyter.llm.wire_messages import wire_tool  # noqa: PLC0415 - the same

        window = self.context_tokens
        options: dict[str, Any] = {
            "num_ctx": window,
            "num_predict": window,  # repetition would otherwise go on ten times as long
        }
        return {
            "model": self.name,
            "messages": to_ollama(messages, native_tools=self.native_tools),
            "tools": [wire_tool(tool) for tool in tools],
            "options": options,
            "keep_alive": self._settings.keep_alive,
            "think": self._settings.think if self._ask_abilities().thinking else None,
        }

    def _own_names(self) -> set[str]:
        """The spellings that the server may use for the model's name."""
        return {self.name, f"{self.name}:latest"}

    def _is_loaded(self, cancel: CancelToken) -> bool:
        """Whether the model is in memory with the requested window; False if unknown."""
        try:
            running = self._ask(
                lambda client: client.ps(), cancel=cancel, within_s=_LOADED_QUESTION_S
            )
        except ModelError:
            return False  # the request itself will report the error
        return any(
            {model.model, model.name} & self._own_names()
            and (model.context_length or self.context_tokens) >= self.context_tokens
            for model in running.models
        )

    def _ask_abilities(self, cancel: CancelToken | None = None) -> _Abilities:
        """Ask the server for the model's abilities; unknown ones while it does not respond."""
        if self._abilities is None and time.monotonic() > self._ask_again_at:
            with suppress(ModelError):
                self._learn_abilities(cancel)
        return self._abilities or _Abilities()

    def _learn_abilities(self, cancel: CancelToken | None) -> None:
        name = self.name
        try:
            shown = self._ask(lambda client: client.show(name), cancel=cancel)
        except ModelError:
            self._ask_again_at = time.monotonic() + _ASK_AGAIN_S
            raise
        self._abilities = _read_abilities(shown)

    def _ask(
        self,
        ask: Ask[Part],
        *,
        cancel: CancelToken | None = None,
        within_s: float = _QUESTION_S,
    ) -> Part:
        try:
            return self._connection.ask(ask, cancel, within_s=within_s)
        except IpuaroError:
            raise  # its message is complete, and the package may not load
        except trouble() as error:
            raise self._troubles.translated(error, began=False) from error

    def _stream(
        self, start: Start[Part], cancel: CancelToken, *, silence_s: float
    ) -> Iterator[Part]:
        began = False
        first_s = self._settings.load_timeout / 1000
        parts = self._connection.stream(start, cancel, first_s=first_s, silence_s=silence_s)
        try:
            for part in parts:
                began = True
                yield part
        except IpuaroError:
            raise  # its message is complete, and the package may not load
        except trouble() as error:
            raise self._troubles.translated(error, began=began) from error


def _chunk(part: "ollama.ChatResponse", *, phase: Any) -> Chunk:
    message = part.message
    usage = None
    if part.done and (prompt := count(part.prompt_eval_count)):
        usage = Usage(
            prompt_tokens=prompt,
            completion_tokens=count(part.eval_count),
            duration_ms=count((part.total_duration or 0) // _NS_PER_MS),
        )
    calls = tuple(
        ToolCall(name=call.function.name, arguments=dict(call.function.arguments))
        for call in message.tool_calls or ()
    )
    return Chunk(
        text=message.content or "",
        thinking=message.thinking or "",
        calls=calls,
        usage=usage,
        phase=phase,
        cut_off=part.done_reason == "length",
    )


def _read_abilities(shown: "ollama.ShowResponse") -> _Abilities:
    lengths = [
        value
        for key, value in (shown.modelinfo or {}).items()
        if key.endswith(".context_length") and isinstance(value, int) and value > 0
    ]
    can = shown.capabilities or ()
    return _Abilities(
        context_tokens=min(lengths, default=None),
        parameter_count=_parameter_count(shown),
        tools="tools" in can,
        thinking="thinking" in can,
        stops=tuple(map(_unquoted, _STOP.findall(shown.parameters or ""))),
    )


def _unquoted(text: str) -> str:
    """A text as Go quotes it, or as it is."""
    try:
        read = json.loads(text)
    except ValueError:
        return text
    return read if isinstance(read, str) else text


def _parameter_count(shown: "ollama.ShowResponse") -> int | None:
    """The number of parameters, exact or as in "7.6B" and "494.03M"; None when it is not told."""
    exact = (shown.modelinfo or {}).get("general.parameter_count")
    if isinstance(exact, int) and exact > 0:
        return exact
    rough = _ROUGH_COUNT.fullmatch((shown.details and shown.details.parameter_size) or "")
    return round(float(rough[1]) * _UNITS[rough[2].upper()]) if rough else None

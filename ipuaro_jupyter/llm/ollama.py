"""Models that an Ollama server runs."""

import os
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import aclosing, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import ollama

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError
from ipuaro_jupyter.llm import Chunk, LlmSettings
from ipuaro_jupyter.llm.loop_thread import LoopThread
from ipuaro_jupyter.llm.ollama_messages import to_ollama, to_ollama_tool
from ipuaro_jupyter.records.chat import Message, ToolCall, ToolSchema, Usage

Part = TypeVar("Part")
PullProgress = Callable[[str, int, int], None]
"""Called with what is done, and the bytes of this step that are done and there are (0: unknown)."""

_DEFAULT_HOST = "http://127.0.0.1:11434"
_LOOPBACK = ("localhost", "127.", "::1", "0.0.0.0")  # noqa: S104 - compared, not bound
_CONNECT_S = 5.0
_QUESTION_S = 10.0
_ASK_AGAIN_S = 5.0
_NOT_FOUND, _BAD_REQUEST = 404, 400
_NS_PER_MS = 1_000_000
_TROUBLE = (
    httpx.HTTPError,
    httpx.InvalidURL,
    ollama.ResponseError,
    OSError,
    ValueError,  # what came is no JSON, or no answer of Ollama's
    TypeError,
    AttributeError,
)


@dataclass(frozen=True, slots=True)
class _Abilities:
    """What the server says of the model; None where it says nothing."""

    context_tokens: int | None = None
    tools: bool = False


class _Connection:
    """The client, on a loop thread of its own; both begin with the first request."""

    def __init__(self, settings: LlmSettings) -> None:
        self.host = settings.host or os.environ.get("OLLAMA_HOST") or _DEFAULT_HOST
        self._silence_s = settings.timeout / 1000
        self._thread = LoopThread("ipuaro-ollama", self._close_client)
        self._client: ollama.AsyncClient | None = None

    def submit(
        self, ask: Callable[[ollama.AsyncClient], Coroutine[Any, Any, Part]]
    ) -> "Future[Part]":
        """Start what ``ask`` does with the client; return its future."""
        return self._thread.submit(self._with_client(ask))

    def close(self) -> None:
        """Break off what is going on, close the client and end the thread."""
        self._thread.close()

    async def _with_client(
        self, ask: Callable[[ollama.AsyncClient], Coroutine[Any, Any, Part]]
    ) -> Part:
        if self._client is None:
            try:
                self._client = self._new_client()
            except (ValueError, httpx.InvalidURL) as error:
                raise ModelError(
                    f"llm.host {self.host!r} is no address like {_DEFAULT_HOST}: {error}."
                ) from error
        return await ask(self._client)

    def _new_client(self) -> ollama.AsyncClient:
        """Return a client; a proxy for the outside world is not asked for this machine."""
        name = urlsplit(self.host if "//" in self.host else f"//{self.host}").hostname or ""
        return ollama.AsyncClient(
            self.host,
            timeout=httpx.Timeout(self._silence_s, connect=_CONNECT_S),
            limits=httpx.Limits(max_keepalive_connections=0),  # one could be closed meanwhile
            trust_env=not name.startswith(_LOOPBACK),
        )

    async def _close_client(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()  # type: ignore[no-untyped-call]


class OllamaModel:
    """A model of an Ollama server, asked over HTTP.

    Nothing is sent before it is asked or checked. A closed one opens again when it is asked.
    """

    def __init__(self, settings: LlmSettings) -> None:
        self.name = settings.model
        self._settings = settings
        self._connection = _Connection(settings)
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
    def native_tools(self) -> bool:
        """Whether the model takes tool schemas, by the setting or as the server says."""
        setting = self._settings.use_native_tools
        return self._ask_abilities().tools if setting is None else setting

    def check(self) -> None:
        """Return when the server answers and has the model.

        Raises:
            ModelError: It does not; the message holds the commands that fix it.
        """
        installed = self.installed()
        if not {self.name, f"{self.name}:latest"} & set(installed):
            raise ModelError(self._missing())

    def prepare(self, cancel: CancelToken) -> None:
        """Ask the server what the model can do, unless it has already said so.

        Raises:
            Cancelled: The token was set.
            ModelError: The server does not answer, or has no such model.
        """
        cancel.check()
        if self._abilities is None:
            self._learn_abilities(cancel)

    def installed(self) -> tuple[str, ...]:
        """Return the names of the models that the server has, sorted.

        Raises:
            ModelError: The server does not answer.
        """
        listed = self._question(lambda client: client.list())
        return tuple(sorted(model.model for model in listed.models if model.model))

    def chat(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSchema], cancel: CancelToken
    ) -> Iterator[Chunk]:
        """Yield the reply; the first chunk says that the model is being loaded.

        Raises:
            Cancelled: The token was set; the server is told by closing the connection.
            ModelError: The server cannot be reached, refuses, or broke off.
        """
        cancel.check()
        yield Chunk(phase="loading")
        self._ask_abilities(cancel)
        request = self._request(messages, tools)
        began = done = False
        for part in self._stream(lambda client: client.chat(**request, stream=True), cancel):
            done = bool(part.done)
            yield _chunk(part, phase=None if began else "generating")
            began = True
        if not done:
            raise ModelError(self._broken_off())

    def pull(self, name: str, progress: PullProgress, cancel: CancelToken) -> None:
        """Have the server download a model.

        Raises:
            Cancelled: The token was set; what was downloaded is kept for the next time.
            ModelError: There is no such model, or the server cannot be reached.
        """
        parts = self._stream(lambda client: client.pull(name, stream=True), cancel)
        try:
            for part in parts:
                progress(part.status or "", part.completed or 0, part.total or 0)
        except ModelError as error:
            if isinstance(error.__cause__, ollama.ResponseError):
                reason = error.__cause__.error
                raise ModelError(f"Ollama cannot pull {name!r}: {reason}") from error.__cause__
            raise
        self._abilities = None

    def close(self) -> None:
        """End the connection and its thread."""
        self._connection.close()

    def _request(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> dict[str, Any]:
        options = {"num_ctx": self.context_tokens, "temperature": self._settings.temperature}
        return {
            "model": self.name,
            "messages": to_ollama(messages, native_tools=self.native_tools),
            "tools": [to_ollama_tool(tool) for tool in tools],
            "options": options,
            "keep_alive": self._settings.keep_alive,
        }

    def _ask_abilities(self, cancel: CancelToken | None = None) -> _Abilities:
        """Return what the server says of the model; unknown abilities while it does not answer."""
        if self._abilities is None and time.monotonic() > self._ask_again_at:
            with suppress(ModelError):
                self._learn_abilities(cancel)
        return self._abilities or _Abilities()

    def _learn_abilities(self, cancel: CancelToken | None) -> None:
        name = self.name
        try:
            shown = self._question(lambda client: client.show(name), cancel)
        except ModelError:
            self._ask_again_at = time.monotonic() + _ASK_AGAIN_S
            raise
        self._abilities = _read_abilities(shown)

    def _question(
        self,
        ask: Callable[[ollama.AsyncClient], Coroutine[Any, Any, Part]],
        cancel: CancelToken | None = None,
    ) -> Part:
        """Return the answer to a request that the server answers at once."""
        future = self._connection.submit(ask)

        def stop() -> None:
            future.cancel()

        try:
            with (cancel or CancelToken()).calling(stop):
                return future.result(timeout=_QUESTION_S)
        except CancelledError:
            raise Cancelled from None
        except _TROUBLE as error:
            raise ModelError(self._explain(error, began=False)) from error
        finally:
            future.cancel()

    def _stream(
        self,
        start: Callable[[ollama.AsyncClient], Awaitable[AsyncIterator[Part]]],
        cancel: CancelToken,
    ) -> Iterator[Part]:
        """Yield the parts of a streamed answer; whoever sets the token wakes this up."""
        queue: SimpleQueue[Part | None] = SimpleQueue()
        future = self._connection.submit(lambda client: _pump(start, client, queue))
        future.add_done_callback(lambda _: queue.put(None))
        began = False
        with cancel.calling(lambda: queue.put(None)):
            try:
                while (part := queue.get()) is not None:
                    cancel.check()
                    began = True
                    yield part
                cancel.check()
                future.result()
            except CancelledError:
                raise Cancelled from None
            except _TROUBLE as error:
                raise ModelError(self._explain(error, began=began)) from error
            finally:
                future.cancel()

    def _explain(self, error: BaseException, *, began: bool) -> str:
        """Return what went wrong and what the user can do, in one line."""
        host = self._connection.host
        if isinstance(error, ollama.ResponseError):
            return self._explain_refusal(error)
        if isinstance(error, (httpx.ReadTimeout, TimeoutError)):
            own = isinstance(error, httpx.ReadTimeout)
            silent_s = self._settings.timeout / 1000 if own else _QUESTION_S
            return (
                f"Ollama at {host} was silent for {silent_s:g} s: restart it, use a smaller model, "
                f"or raise llm.timeout (now {self._settings.timeout} ms)."
            )
        if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, OSError)) and not began:
            return (
                f"Ollama does not answer at {host}: run `ollama serve`, "
                f"then `ollama pull {self.name}`."
            )
        if began or isinstance(error, httpx.TransportError):
            return self._broken_off()
        return f"What answers at {host} is not Ollama ({type(error).__name__}: {error})."

    def _explain_refusal(self, error: ollama.ResponseError) -> str:
        if error.status_code == _NOT_FOUND:
            return self._missing()
        text = f"Ollama cannot run {self.name!r}: {error.error}."
        if "memory" in error.error:
            window = self._settings.context_window
            return f"{text} Use a smaller model, or lower llm.contextWindow (now {window})."
        if error.status_code == _BAD_REQUEST and "tools" in error.error:
            return f"{text} Set llm.useNativeTools to false."
        return text

    def _missing(self) -> str:
        return f"Ollama has no model {self.name!r}: run `ollama pull {self.name}`."

    def _broken_off(self) -> str:
        return (
            f"The answer was cut off: the connection to Ollama at {self._connection.host} broke. "
            "Ask again; if it happens again, look into the server's log."
        )


async def _pump(
    start: Callable[[ollama.AsyncClient], Awaitable[AsyncIterator[Part]]],
    client: ollama.AsyncClient,
    queue: "SimpleQueue[Part | None]",
) -> None:
    """Put the parts of the answer into the queue as they come."""
    async with aclosing(await start(client)) as parts:  # type: ignore[type-var]
        async for part in parts:
            queue.put(part)


def _chunk(part: ollama.ChatResponse, *, phase: Any) -> Chunk:
    message = part.message
    usage = None
    if part.done and part.prompt_eval_count:
        usage = Usage(
            prompt_tokens=part.prompt_eval_count,
            completion_tokens=part.eval_count or 0,
            duration_ms=(part.total_duration or 0) // _NS_PER_MS,
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
    )


def _read_abilities(shown: ollama.ShowResponse) -> _Abilities:
    lengths = [
        value
        for key, value in (shown.modelinfo or {}).items()
        if key.endswith(".context_length") and isinstance(value, int) and value > 0
    ]
    return _Abilities(
        context_tokens=min(lengths, default=None), tools="tools" in (shown.capabilities or ())
    )

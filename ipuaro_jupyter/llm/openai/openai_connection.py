"""The connection to a server with an OpenAI-compatible API: the only user of its packages.

They are imported with the first request that needs them: that takes long.
"""

import base64
import json
import ssl
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm.bounded_responses import TooMuchSentError, ask_plain, bound
from ipuaro_jupyter.llm.loop_thread import LoopThread
from ipuaro_jupyter.llm.openai.api_key import ApiKey
from ipuaro_jupyter.llm.openai.server_address import ServerAddress
from ipuaro_jupyter.llm.streaming import awaited, streamed
from ipuaro_jupyter.store.user_folders import home

if TYPE_CHECKING:
    from concurrent.futures import Future

    import httpx2
    import openai

Part = TypeVar("Part")
_MOST_BYTES = 8_000_000  # a longer response is no description of models
_OK, _REDIRECTS = range(200, 300), range(300, 400)
_HEADERS = {
    *("host", "accept", "accept-encoding", "connection", "content-type", "content-length"),
    "transfer-encoding",
}
"""Nothing else is sent: the package adds facts about this machine, and headers that the environment
holds for another server."""


class Refusal(Exception):  # noqa: N818 - translated where it is known what was asked
    """The server responded with an error.

    Attributes:
        status: The HTTP status; 0 when the error came in the middle of a response.
        said: The server's words, in one line; "" for a page.
        body: The response's error object, or {}.
    """

    def __init__(self, status: int, said: str, body: Mapping[str, Any]) -> None:
        super().__init__(status, said)
        self.status = status
        self.said = said
        self.body = body


class Redirected(Refusal):
    """The server names another address."""


class Unreachable(Exception):  # noqa: N818 - the same
    """No connection; ``tls`` says why it cannot be a safe one, "" if that was not the reason."""

    def __init__(self, tls: str = "") -> None:
        super().__init__(tls)
        self.tls = tls


class BrokenOff(Exception):  # noqa: N818 - the same
    """The connection ended in the middle of a response."""


class Unreadable(Exception):  # noqa: N818 - the same
    """A response that no such server sends."""


class OpenAiConnection:
    """A client on a loop thread of its own; both start with the first request.

    Args:
        host: The server's address; None when none is set.
        key: The key for it.
        connect_s: The time limit for connecting.
    """

    def __init__(self, host: str | None, key: ApiKey, *, connect_s: float) -> None:
        self._host = host
        self.key = key
        self._connect_s = connect_s
        self._thread = LoopThread("ipuaro-openai", self._close_client)
        self._http: httpx2.AsyncClient | None = None
        self._client: openai.AsyncOpenAI | None = None

    @property
    def address(self) -> ServerAddress:
        """The server's address.

        Raises:
            ModelError: There is none, or it is no address.
        """
        if not self._host:
            raise ModelError(
                "llm.host is not set, the address of the server: add "
                '"llm": {"host": "http://127.0.0.1:8080"} (llama.cpp; the port of LM Studio is '
                f"1234, that of vLLM 8000) to your {home() / 'settings.json'}."
            )
        return ServerAddress.at(self._host)

    def get(self, url: str, cancel: CancelToken | None, *, within_s: float) -> Any:
        """The JSON at a URL of the server.

        Raises:
            Cancelled: The token was set, or the connection was closed.
            Silence: It took longer than ``within_s``.
            Refusal: The server responded with an error.
            Unreachable: It cannot be reached.
            BrokenOff: It did not complete its response.
            Unreadable: The response is no JSON.
        """
        return awaited(self._submit(self._get(url)), cancel, within_s=within_s)

    def stream(
        self, body: Mapping[str, Any], cancel: CancelToken, *, first_s: float, silence_s: float
    ) -> Iterator[Any]:
        """Yield the parts of a reply; setting the token wakes this up.

        Args:
            body: The request for ``/chat/completions``.
            cancel: Cancels it.
            first_s: How long the server may take for the first part that says something.
            silence_s: How long it may be silent between parts.

        Raises:
            Cancelled: The token was set, or the connection was closed.
            Silence: The server was silent for too long.
            Refusal: The server responded with an error, or sent one in the middle.
            Unreachable: It cannot be reached.
            BrokenOff: It did not complete its response.
            Unreadable: A part is no JSON.
        """
        return streamed(
            lambda queue: self._submit(self._pump(body, queue)),
            cancel,
            first_s=first_s,
            silence_s=silence_s,
        )

    def close(self) -> None:
        """Cancel all requests, close the client and end the thread."""
        self._thread.close()

    def _submit(self, coroutine: Coroutine[Any, Any, Part]) -> "Future[Part]":
        return self._thread.submit(coroutine)

    async def _get(self, url: str) -> Any:
        async with (
            self._translating(),
            self._http_client().stream("GET", url, timeout=self._timeout()) as response,
        ):
            content = b""
            async for piece in response.aiter_bytes():
                content += piece
                if len(content) > _MOST_BYTES:
                    raise Unreadable("it is too long")
            if response.status_code not in _OK:
                location = response.headers.get("location")
                raise self._refusal(response.status_code, content, location)
            return json.loads(content)

    async def _pump(self, body: Mapping[str, Any], queue: "SimpleQueue[Any]") -> None:
        """Put the parts of the reply into the queue as they come."""
        async with self._translating():
            import openai  # noqa: PLC0415 - slow to import

            stream: openai.AsyncStream[object] = await self._openai_client().post(
                "/chat/completions",
                body=dict(body),
                cast_to=object,
                stream=True,
                stream_cls=openai.AsyncStream[object],
            )
            came = False
            async with stream:
                async for part in stream:
                    came = True
                    if not isinstance(part, dict):  # None would be taken for the end
                        raise Unreadable("no part of a reply")
                    if not _says_nothing(part):
                        queue.put(part)
            if not came:
                raise Unreadable("no reply, or one that is not streamed")

    def _timeout(self) -> "httpx2.Timeout":
        import httpx2  # noqa: PLC0415 - slow to import

        return httpx2.Timeout(None, connect=self._connect_s)  # silence is measured here

    def _http_client(self) -> "httpx2.AsyncClient":
        """The client; without a proxy for a server on this machine, and without redirects."""
        import httpx2  # noqa: PLC0415 - slow to import

        if self._http is None:
            self._http = httpx2.AsyncClient(
                timeout=self._timeout(),
                limits=httpx2.Limits(max_keepalive_connections=0),  # idle ones may be closed
                trust_env=not self.address.is_local,
                follow_redirects=False,  # the key is for this server
                event_hooks={"request": [self._set_headers, ask_plain], "response": [bound]},
            )
        return self._http

    def _openai_client(self) -> "openai.AsyncOpenAI":
        """The package's client; what it would take from the environment is given as empty."""
        import openai  # noqa: PLC0415 - slow to import

        if self._client is None:
            self._client = openai.AsyncOpenAI(
                base_url=self.address.api,
                api_key="none",  # `_set_headers` sets the right one
                admin_api_key="",
                organization="",
                project="",
                webhook_secret="",
                max_retries=0,
                timeout=self._timeout(),
                http_client=self._http_client(),
            )
        return self._client

    async def _set_headers(self, request: "httpx2.Request") -> None:
        """Leave only the headers that are meant, and the key."""
        for name in set(request.headers) - _HEADERS:
            del request.headers[name]
        request.headers["User-Agent"] = "ipuaro-jupyter"
        address = self.address
        if (key := self.key.sent_to(address)) is not None:
            request.headers["Authorization"] = f"Bearer {key.get_secret_value()}"
        elif address.login is not None:
            login = base64.b64encode(":".join(address.login).encode()).decode()
            request.headers["Authorization"] = f"Basic {login}"

    @asynccontextmanager
    async def _translating(self) -> AsyncIterator[None]:
        """Raise the packages' exceptions as this module's, without the key.

        They are not kept as a cause: they hold the request.
        """
        import httpx2  # noqa: PLC0415 - slow to import

        try:
            yield
        except (Refusal, Unreachable, BrokenOff, Unreadable, ModelError):
            raise
        except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError):
            raise BrokenOff from None
        except (httpx2.TransportError, OSError, ExceptionGroup) as error:
            raise Unreachable(_tls_problem(error)) from None
        except (ValueError, RecursionError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise Unreadable(f"{type(error).__name__}: {error}") from None
        except Exception as error:
            translated = self._of_package(error)
            if translated is None:
                raise
            raise translated from None

    def _of_package(self, error: Exception) -> Exception | None:
        """The meaning of one of the package's own exceptions; None for any other."""
        import openai  # noqa: PLC0415 - slow to import

        if isinstance(error, openai.APIStatusError):
            location = error.response.headers.get("location")
            return self._refusal(error.status_code, error.response.content, location)
        if isinstance(error, openai.APIConnectionError):
            return _of_connection(error)
        if isinstance(error, openai.APIError):
            body = error.body if isinstance(error.body, dict) else {"message": error.message}
            return self._refusal(0, json.dumps(body).encode(), None)
        return None

    def _refusal(self, status: int, content: bytes, location: str | None) -> Refusal:
        """The error that a response means; a server may repeat the key."""
        text = self.key.hidden(content.decode("utf-8", "replace"))
        return _read_refusal(status, text, self.key.hidden(location or ""))

    async def _close_client(self) -> None:
        http, self._http, self._client = self._http, None, None
        if http is not None:
            await http.aclose()


def _of_connection(error: Exception) -> Exception:
    import httpx2  # noqa: PLC0415 - slow to import

    broken = (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError)
    if isinstance(error.__cause__, broken):
        return BrokenOff()
    if isinstance(error.__cause__, TooMuchSentError):
        return Unreadable(f"{error.__cause__}")
    if isinstance(error.__cause__, TooMuchSentError):
        return Unreadable(f"{error.__cause__}")
    return Unreachable(_tls_problem(error))


def _tls_problem(error: BaseException | None) -> str:
    """What was wrong with TLS, in a few words; "" when something else was."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, ssl.SSLCertVerificationError):
            return error.verify_message or "the certificate is not valid"
        text = str(error)
        if isinstance(error, ssl.SSLError) or "SSL" in text:
            return _one_line(text)
        error = error.__cause__ or error.__context__
    return ""


def _read_refusal(status: int, text: str, location: str) -> Refusal:
    """The error that a response means, by its text."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    if status in _REDIRECTS:
        return Redirected(status, _one_line(location), {})
    if not isinstance(read, dict):
        is_page = text.lstrip().startswith("<")
        return Refusal(status, "" if is_page else _one_line(text), {})
    error = read.get("error", read)
    body = error if isinstance(error, dict) else read
    said = next(
        (body[key] for key in ("message", "detail", "msg", "error") if body.get(key)), error
    )
    told = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return Refusal(status, _one_line(told), body)


def _one_line(text: str) -> str:
    """The text in one line of a length that can be read."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


_LONGEST = 600


def _says_nothing(part: Mapping[str, Any]) -> bool:
    """Whether a part only opens the reply: some servers send it before they read the prompt."""
    read = part.get("prompt_progress")
    if part.get("usage") or (isinstance(read, dict) and read.get("processed")):
        return False
    choices = part.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        return False
    delta = choices[0].get("delta")
    if choices[0].get("finish_reason") or not isinstance(delta, dict):
        return False
    return not any(value for key, value in delta.items() if key != "role")

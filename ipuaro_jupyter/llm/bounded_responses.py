"""Limits of what a server may send, so that none fills the memory of the kernel.

They hold for httpx, which the package ``ollama`` uses, and for httpx2, which ``openai`` and ``mcp``
use: both have the same classes.
"""

import sys
from collections.abc import AsyncIterator
from typing import Any, Protocol

LINE_BYTES = 16_000_000
REPLY_BYTES = 128_000_000
ERROR_BYTES = 1_000_000
LARGEST_COUNT = 10**12
_PLAIN = ("", "identity")
_STREAMS = "text/event-stream"


class TooMuchSentError(ValueError):
    """A response is larger than any answer, or compressed though that was not asked for."""


class _Stream(Protocol):
    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def aclose(self) -> None: ...


async def ask_plain(request: Any) -> None:
    """Ask for a response that is not compressed: what a few bytes become is known too late."""
    request.headers["Accept-Encoding"] = "identity"


async def bound(response: Any) -> None:
    """Have a response fail where it goes on beyond the limits; the text of an error ends there.

    A stream of events may be endless, but not a line of it.

    Raises:
        TooMuchSentError: It is compressed.
    """
    if (coding := response.headers.get("Content-Encoding", "")).lower() not in _PLAIN:
        await response.aclose()
        raise TooMuchSentError(f"it is compressed ({coding[:20]!r}), which was not asked for")
    package: Any = sys.modules[type(response).__module__.partition(".")[0]]
    is_stream = response.headers.get("Content-Type", "").startswith(_STREAMS)
    is_endless = is_stream and response.request.method == "GET"
    most = ERROR_BYTES if response.status_code >= 400 else REPLY_BYTES  # noqa: PLR2004 - an error
    response.stream = _bounded(package.AsyncByteStream)(
        response.stream, None if is_endless else most, is_error=most == ERROR_BYTES
    )


def _bounded(base: type) -> type:
    """The class of streams of a package, with limits."""

    class BoundedStream(base):  # type: ignore[misc] # of one package or the other
        def __init__(self, stream: _Stream, most: int | None, *, is_error: bool) -> None:
            self._stream = stream
            self._most = most
            self._is_error = is_error

        async def __aiter__(self) -> AsyncIterator[bytes]:
            count = line = 0
            async for part in self._stream:
                count += len(part)
                end = part.rfind(b"\n")
                line = line + len(part) if end < 0 else len(part) - end - 1
                is_over = self._most is not None and count > self._most
                if is_over and self._is_error:
                    yield part[: ERROR_BYTES - count]
                    return
                if is_over or line > LINE_BYTES:
                    what = "it has" if is_over else "a line of it has"
                    raise TooMuchSentError(f"{what} more bytes than any answer")
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    return BoundedStream


def count(told: object) -> int:
    """A number of tokens, or of milliseconds, as a server tells it; 0 where it is no sane one."""
    return told if isinstance(told, int) and 0 <= told <= LARGEST_COUNT else 0

"""Lines of the client as messages: what is none is answered with an error, and the next is read.

The package leaves such a line unanswered, or ends at it.
"""

import asyncio
import json
from contextlib import suppress
from typing import Any

from acp.exceptions import RequestError
from acp.task import MessageSender, TaskSupervisor

_PARSE_ERROR, _INVALID_REQUEST, _INVALID_PARAMS, _INTERNAL_ERROR = -32700, -32600, -32602, -32603
_REPLY_S = 30.0  # then a client that does not read goes without the error
_IDS = (str, int, type(None))


class AcpLines:
    """A transport of the package: messages, each a line of JSON, in and out.

    Args:
        reader: The client's lines; its limit is that of one.
        writer: Where ours go.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._tasks = TaskSupervisor(source="ipuaro acp")
        self._sender = MessageSender(writer, self._tasks)

    async def send(self, message: dict[str, Any]) -> None:
        """Write a message."""
        await self._sender.send(_told(message))

    async def receive(self) -> dict[str, Any] | None:
        """The client's next message; None at its end."""
        while True:
            try:
                line = await self._line()
                if not line:
                    return None
                if line.strip():
                    return _message(line)
            except _LineError as wrong:
                await self._refuse(wrong)

    async def close(self) -> None:
        """Write what is still to be written, and no more."""
        await self._sender.close()
        await self._tasks.shutdown()

    async def _line(self) -> bytes:
        """The next line; b"" at the end.

        Raises:
            _LineError: It is too long, and has been passed over.
        """
        is_long = False
        while True:
            try:
                line = await self._reader.readuntil()
                break
            except asyncio.LimitOverrunError as over:
                is_long = True
                await self._reader.readexactly(over.consumed)
            except asyncio.IncompleteReadError as end:
                line = end.partial
                break
        if is_long:
            raise _LineError(_INVALID_REQUEST, "The line is too long for a message.")
        return line

    async def _refuse(self, wrong: "_LineError") -> None:
        answer = {"jsonrpc": "2.0", "id": wrong.request_id, "error": wrong.to_error_obj()}
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(_REPLY_S):
                await self.send(answer)


class _LineError(RequestError):
    """A line that is no message.

    Attributes:
        request_id: Its id, as far as it has one.
    """

    def __init__(self, code: int, message: str, request_id: str | int | None = None) -> None:
        super().__init__(code, message)
        self.request_id = request_id


def _message(line: bytes) -> dict[str, Any]:
    """The message of a line.

    Raises:
        _LineError: It is none.
    """
    try:
        message = json.loads(line.decode())
    except RecursionError:
        raise _LineError(_PARSE_ERROR, "The JSON of this line is nested too deeply.") from None
    except ValueError as error:  # also where it is not UTF-8
        told = f"The line is not JSON in UTF-8: {error}."
        raise _LineError(_PARSE_ERROR, told) from error
    if not isinstance(message, dict):
        told = "A message is a JSON object, one to a line; several in a list are not taken."
        raise _LineError(_INVALID_REQUEST, told)
    given = message.get("id")
    if not isinstance(given, _IDS) or isinstance(given, bool):
        raise _LineError(_INVALID_REQUEST, "The id of a message is a string or a whole number.")
    if isinstance(message.get("method"), str):
        return message
    if message.get("method") is None and "id" in message and {"result", "error"} & message.keys():
        return _response(message)
    told = "A message has a method, which is a string, or an id with a result or an error."
    raise _LineError(_INVALID_REQUEST, told, given)


def _response(message: dict[str, Any]) -> dict[str, Any]:
    """A response of the client; an error in another form than the protocol's is told as one."""
    error = message.get("error")
    if "result" in message or isinstance(error, dict):
        return message
    told = f"The client answered with an error of no known form: {error!r:.200}"
    return {**message, "error": {"code": _INTERNAL_ERROR, "message": told}}


def _told(message: dict[str, Any]) -> dict[str, Any]:
    """A message of ours; wrong parameters are named in a sentence, not in data alone."""
    error = message.get("error") or {}
    data = error.get("data")
    wrong = data.get("errors") if isinstance(data, dict) else None
    if error.get("code") != _INVALID_PARAMS or not wrong:
        return message
    places = [f"{'.'.join(map(str, one['loc'])) or 'params'}: {one['msg']}" for one in wrong]
    return {**message, "error": {**error, "message": f"Invalid parameters: {'; '.join(places)}."}}

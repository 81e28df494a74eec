"""Waits until a replica has what cannot be made again, so that a failover does not lose it.

Replication is asynchronous: a server confirms a change before any replica has it, and what none has
is lost with the server. The index is made again from the files; conversations and what can be
undone are not. See "WAIT" in the manual of Redis: it counts the replicas that have received all
changes of the same connection.
"""

import threading
import time
from collections.abc import Sequence
from typing import Any

from redis import Redis
from redis.exceptions import ResponseError

from ipuaro_jupyter.store import repeating
from ipuaro_jupyter.store.keys import is_irreplaceable
from ipuaro_jupyter.store.routes import Command, key_of

_WAIT_MS = 1000


class Replicas:
    """Sends changes, and waits for a replica; what none has received in time is told.

    While the replicas lag, nothing waits for them.

    Attributes:
        lags: Whether the last change had reached no replica in time.

    Args:
        name: The server's name in messages.
        losses: Sentences on what may be lost are added to it.
    """

    def __init__(self, name: str, losses: list[str]) -> None:
        self._name = name
        self._losses = losses
        self._lock = threading.Lock()
        self.lags = False

    def must_have(self, commands: Sequence[Command]) -> bool:
        """Whether a command changes what cannot be made again."""
        return any(
            is_irreplaceable(str(key_of(command)))
            for command in commands
            if not repeating.is_read(command)
        )

    def send(self, server: Redis, commands: Sequence[Command], *, atomic: bool) -> list[Any]:
        """The plain response to each command, once a replica has received what they change.

        Args:
            server: The primary.
            commands: The commands.
            atomic: Send them as a transaction.

        Raises:
            RedisError: One could not be executed; the first that failed.
        """
        wait_ms = 1 if self.lags else min(_WAIT_MS, _patience_ms(server))
        framed: list[Command] = [("MULTI",), *commands, ("EXEC",)] if atomic else [*commands]
        *responses, reached = _responses(server, [*framed, ("WAIT", 1, wait_ms)])
        failed = next((one for one in _flat(responses) if isinstance(one, Exception)), None)
        if failed is not None:
            raise failed
        self._note(is_received=isinstance(reached, int) and reached > 0)
        return list(responses[-1]) if atomic else responses

    def _note(self, *, is_received: bool) -> None:
        with self._lock:
            is_new = not is_received and not self.lags
            self.lags = not is_received
        if not is_new:
            return
        at = time.strftime("%H:%M:%S", time.localtime())
        self._losses.append(
            f"{self._name} has no replica that keeps up: if it fails now, what was kept of "
            f"conversations and can be undone since {at} is lost. See `redis-cli info replication`."
        )


def _patience_ms(server: Redis) -> int:
    """Half of the time in which the server has to respond; the other half is for the change."""
    patience_s: float = server.connection_pool.connection_kwargs["socket_timeout"]
    return max(1, round(patience_s * 500))


def _responses(server: Redis, commands: Sequence[Command]) -> list[Any]:
    """The responses as they were sent, errors among them.

    redis-py has no transaction followed by another command of the same connection.
    """
    pool = server.connection_pool
    connection: Any = pool.get_connection()
    try:
        connection.send_packed_command(connection.pack_commands(commands))
        return [_response(connection) for _ in commands]
    except BaseException:
        connection.disconnect()
        raise
    finally:
        pool.release(connection)


def _response(connection: Any) -> Any:
    try:
        return connection.read_response()
    except ResponseError as error:
        return error


def _flat(responses: Sequence[Any]) -> list[Any]:
    flat: list[Any] = []
    for response in responses:
        flat.extend(response if isinstance(response, list) else [response])
    return flat

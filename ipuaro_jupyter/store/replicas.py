"""Waits until a replica has what cannot be made again, so that a failover does not lose it.

A server confirms a change before any replica has it. See "WAIT" in the manual of Redis, which
counts the replicas that have received all changes of the same connection.
"""

import time
from collections.abc import Sequence
from typing import Any

from redis import Redis
from redis.exceptions import ResponseError

from ipuaro_jupyter.store.routes import Command

_WAIT_MS = 1000


class Replicas:
    """Sends changes, and waits for a replica; what none has received in time is told.

    While the replicas lag, nothing waits for them.

    Args:
        name: The server's name in messages.
        losses: Sentences on what may be lost are added to it.
    """

    def __init__(self, name: str, losses: list[str]) -> None:
        self._name = name
        self._losses = losses
        self.lags = False

    def send(self, server: Redis, commands: Sequence[Command], *, atomic: bool) -> list[Any]:
        """The plain response to each command, once a replica has received what they change.

        Raises:
            RedisError: One could not be executed; the first that failed.
        """
        patience_s: float = server.connection_pool.connection_kwargs["socket_timeout"]
        wait_ms = 1 if self.lags else max(1, min(_WAIT_MS, round(patience_s * 500)))
        framed: list[Command] = [("MULTI",), *commands, ("EXEC",)] if atomic else [*commands]
        *found, reached = _responses(server, [*framed, ("WAIT", 1, wait_ms)])
        each = [*found, *(found[-1] if atomic and isinstance(found[-1], list) else ())]
        if failed := next((one for one in each if isinstance(one, Exception)), None):
            raise failed
        did_lag, self.lags = self.lags, not (isinstance(reached, int) and reached)
        if self.lags and not did_lag:
            self._losses.append(
                f"{self._name} has no replica that keeps up: if it fails now, what was kept of "
                f"conversations and can be undone since {time.strftime('%H:%M:%S')} is lost. See "
                "`redis-cli info replication`."
            )
        return list(found[-1]) if atomic else found


def _responses(server: Redis, commands: Sequence[Command]) -> list[Any]:
    """The responses as they were sent; redis-py has nothing that follows a transaction."""
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

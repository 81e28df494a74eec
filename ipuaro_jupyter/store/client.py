"""The door to redis-py: sends commands, and turns each of its errors into a StorageError.

Importing this module imports redis (170 ms), so `connection` does it when a store is opened.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from redis import Redis
from redis.exceptions import RedisClusterException, RedisError, ResponseError, WatchError

from ipuaro_jupyter.errors import StorageError, WrongKeyType
from ipuaro_jupyter.store.address import parsed
from ipuaro_jupyter.store.explained import OTHER_TYPE, explained, server_words
from ipuaro_jupyter.store.failover import Failover, is_read, is_repeatable
from ipuaro_jupyter.store.keys import is_irreplaceable
from ipuaro_jupyter.store.routes import (
    Command,
    Reviving,
    Route,
    Value,
    address_of,
    key_of,
)

_REVIVED_S = 10.0
_SCANS = 5
T = TypeVar("T")
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


class Client:
    """Pools of connections to one server, or to those of sentinels or a cluster; thread-safe.

    A server that has gone is started again when ``revive`` is given; sentinels and clusters name a
    successor. A command that was under way is then sent again if it may safely be executed twice;
    any other raises. Commands that may not be repeated are sent only once the server has responded.
    To other servers nothing is sent twice.

    Attributes:
        closed: Whether `close` was called.
        name: The server's name in messages.

    Args:
        url: See `address`.
        name: The server's name in messages.
        remedy: The user's remedy when the server does not respond.
        revive: Starts the server when no connection can be made, before a command is sent, and
            keeps it from being stopped within its block. None: the server cannot be started.
        losses: Sentences on what may be lost are added to it.

    Raises:
        StorageError: The URL is not usable, or the cluster cannot be reached.
    """

    def __init__(
        self,
        url: str,
        *,
        name: str,
        remedy: str,
        revive: Reviving | None = None,
        losses: list[str] | None = None,
    ) -> None:
        self.name = name
        self._remedy = remedy
        self.closed = False
        self._process = os.getpid()
        address = parsed(url)
        with self._translated([]):
            self._route = Route(address, revive)
        self._has_replicas = address.kind != "server"
        self._failover = Failover(self._route)
        self._failover.patience_s = 0.0 if revive is None else _REVIVED_S
        self._replicas = Replicas(name, [] if losses is None else losses)

    def begin(self, *, failover_s: float) -> None:
        """Check that the server responds, and wait for a successor of it from now on.

        Args:
            failover_s: The longest wait for a successor.

        Raises:
            StorageError: It does not respond.
        """
        self.run("PING")
        if self._has_replicas:
            self.run("WAIT", 0, 1)  # whether that is allowed
            self._failover.patience_s = failover_s

    def run(self, *command: Value) -> Any:
        """The response to one command, as redis-py shapes it, with strings as bytes.

        Args:
            command: The name of the command and its arguments.

        Raises:
            StorageError: The command could not be executed; names the server and the remedy.
        """

        def send() -> Any:
            it = self._route.serving(command)
            if self._must_be_kept([command]):
                return self._replicas.send(it, [command], atomic=False)[0]
            return it.execute_command(*command)  # type: ignore[no-untyped-call]

        return self._sent(send, [command])

    @property
    def kind(self) -> str:
        """What the servers are: "embedded", "server", "sentinel" or "cluster"."""
        return self._route.kind

    def infos(self, section: str) -> list[tuple[str, dict[str, Any]]]:
        """The address of each server, and a section of INFO, empty where it is hidden."""
        return self._sent(
            lambda: [(address_of(one), _info(one, section)) for one in self._route.servers()],
            [("INFO",)],
        )

    def scanned(
        self, pattern: str, step: Callable[[int], Command]
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield what a scan finds, each once, in no order: keys without, fields with their values.

        A cursor is good for one process of a server alone, so each is asked over one connection;
        when that breaks or the servers have changed, the scan begins anew, and misses nothing.

        Args:
            pattern: A key, or a pattern of keys; says on which servers they are.
            step: Makes the command that goes on at a cursor.

        Raises:
            StorageError: It cannot be executed, or the servers are replaced all the time.
        """
        seen: set[bytes] = set()
        for last in (*[False] * (_SCANS - 1), True):
            began_on = self._scannable(pattern)
            try:
                for server in began_on.values():
                    for name, value in self._scan_of(server, step):
                        if name not in seen:
                            seen.add(name)
                            yield name, value
            except StorageError:
                if last:
                    raise
                continue
            if self._scannable(pattern).keys() == began_on.keys():
                return
        raise StorageError(
            f"{self.name}: servers are replaced again and again while its keys are listed; try "
            "again."
        )

    def _scannable(self, pattern: str) -> dict[str, Redis]:
        """The servers that may have keys which match a pattern, by their addresses."""

        def respond() -> dict[str, Redis]:
            if "{" not in pattern:
                found = self._route.servers()
                for one in found:
                    one.ping()
            else:
                found = [self._route.server(pattern)]
                found[0].exists(pattern)  # a slot may have moved
            return {address_of(one): one for one in found}

        return self._sent(respond, [("EXISTS", pattern)])

    def _scan_of(
        self, server: Redis, step: Callable[[int], Command]
    ) -> Iterator[tuple[bytes, bytes]]:
        with self._translated([]):
            one = server.client()  # type: ignore[no-untyped-call]
        cursor = -1
        with one:
            while cursor:
                command = step(max(cursor, 0))
                with self._translated([command]):
                    cursor, some = one.execute_command(*command)
                yield from some.items() if isinstance(some, dict) else ((key, b"") for key in some)

    def run_all(self, commands: Sequence[Command], *, atomic: bool) -> list[Any]:
        """Send the commands in one go; return the response to each, as `run` does.

        Args:
            commands: The names of the commands and their arguments.
            atomic: No client sees only some of them done; and when the server refuses to queue one,
                none is executed. Their keys have the same hash tag.

        Raises:
            StorageError: The first that failed; when not ``atomic``, others were executed.
        """

        def send() -> list[Any]:
            places: dict[Redis, list[int]] = {}
            for place, command in enumerate(commands):
                places.setdefault(self._route.serving(command), []).append(place)
            if atomic and len(places) > 1:
                raise ValueError("a transaction with keys of more than one hash tag")
            responses: list[Any] = [None] * len(commands)
            for it, some in places.items():
                found = self._responses(it, [commands[place] for place in some], atomic=atomic)
                for place, response in zip(some, found, strict=True):
                    responses[place] = response
            return responses

        return self._sent(send, commands, is_whole=atomic)

    def _responses(self, server: Redis, commands: Sequence[Command], *, atomic: bool) -> list[Any]:
        if self._must_be_kept(commands):
            return self._replicas.send(server, commands, atomic=atomic)
        with server.pipeline(transaction=atomic) as pipeline:
            for command in commands:
                pipeline.execute_command(*command)  # type: ignore[no-untyped-call]
            return pipeline.execute()

    def run_while(self, key: str, value: bytes, commands: Sequence[Command]) -> bool:
        """Send the commands in one transaction if ``key`` is ``value`` until they are executed.

        Returns:
            Whether they were executed; else nothing has changed.

        Raises:
            StorageError: They could not be executed.
        """
        return self._sent(lambda: self._run_while(key, value, commands), commands)

    def _run_while(self, key: str, value: bytes, commands: Sequence[Command]) -> bool:
        with self._route.server(key).pipeline(transaction=True) as pipeline:
            pipeline.watch(key)  # type: ignore[no-untyped-call]
            if pipeline.execute_command("GET", key) != value:  # type: ignore[no-untyped-call]
                return False
            pipeline.multi()
            for command in commands:
                pipeline.execute_command(*command)  # type: ignore[no-untyped-call]
            try:
                pipeline.execute()
            except WatchError:
                return False
            return True

    def _must_be_kept(self, commands: Sequence[Command]) -> bool:
        """Whether they change what cannot be made again, where a replica is to have it."""
        return self._has_replicas and any(
            is_irreplaceable(str(key_of(one))) for one in commands if not is_read(one)
        )

    def _sent(
        self, send: Callable[[], T], commands: Sequence[Command], *, is_whole: bool = True
    ) -> T:
        """The result of ``send``, which sends ``commands``; see the class.

        Args:
            send: Sends them.
            commands: The commands.
            is_whole: Whether all or none of them are executed.
        """
        may_repeat = all(map(is_repeatable, commands))
        with self._translated(commands):
            if not self._failover.patience_s:
                return send()

            def respond() -> object:
                return self._route.serving(commands[0]).ping()

            if may_repeat or is_whole or len(commands) == 1:
                return self._failover.send(send, respond, is_repeatable=may_repeat)
            # When some of them were executed, the others may not be sent again.
            self._failover.send(respond, respond, is_repeatable=True)
            return send()

    @property
    def is_forked(self) -> bool:
        """Whether this is a fork of the process that opened it, the only one that may use it.

        A fork has copies of the locks that threads held at that moment, which nobody will release,
        and shares with its parent what is there for one reader: the events of the watch.
        """
        return os.getpid() != self._process

    def check_process(self) -> None:
        """Raise StorageError when `is_forked`."""
        if self.is_forked:
            raise StorageError(
                "The project was opened in another process, of which this one is a fork. Open it "
                "here as well, with ipuaro_jupyter.start(), or ask in the process that opened it."
            )

    def close(self) -> None:
        """Close all connections; a command after that raises StorageError."""
        self.closed = True
        self._route.close()

    @contextmanager
    def _translated(self, commands: Sequence[Command]) -> Iterator[None]:
        self.check_process()
        if self.closed:
            raise StorageError(f"{self.name}: the connection was closed; start again.")
        try:
            yield
        except (RedisError, RedisClusterException) as error:
            kind = WrongKeyType if OTHER_TYPE in server_words(error) else StorageError
            raise kind(explained(error, self.name, self._remedy, commands)) from error


def _info(server: Redis, section: str) -> dict[str, Any]:
    try:
        return server.info(section)
    except ResponseError:  # so it is at some hosting services
        return {}


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

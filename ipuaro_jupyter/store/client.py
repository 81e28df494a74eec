"""The door to redis-py: sends commands, and turns each of its errors into a StorageError.

Importing this module imports redis (170 ms), so `connection` does it when a store is opened.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeVar, cast

from redis import Redis
from redis.exceptions import (
    BusyLoadingError,
    RedisClusterException,
    RedisError,
    ResponseError,
    WatchError,
)
from redis.exceptions import ConnectionError as RedisConnectionError

from ipuaro_jupyter.errors import StorageError, WrongKeyType
from ipuaro_jupyter.store import repeating
from ipuaro_jupyter.store.address import Address, parsed
from ipuaro_jupyter.store.explained import OTHER_TYPE, explained, server_words
from ipuaro_jupyter.store.replicas import Replicas
from ipuaro_jupyter.store.routes import (
    Cluster,
    Command,
    OneServer,
    Reviving,
    Route,
    SentinelService,
    Value,
    key_of,
)
from ipuaro_jupyter.store.successor import Successor

T = TypeVar("T")


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
        self._revive = revive
        self.closed = False
        self._process = os.getpid()
        address = parsed(url)
        with self._translated([]):
            self._route = _route(address, revive)
        self._successor = Successor(self._route)
        self._replicas = Replicas(name, [] if losses is None else losses)

    def begin(self, *, failover_s: float) -> None:
        """Check that the server responds, and wait for a successor of it from now on.

        Args:
            failover_s: The longest wait for a successor.

        Raises:
            StorageError: It does not respond.
        """
        self.run("PING")
        if self._route.has_successors:
            self.run("WAIT", 0, 1)  # whether that is allowed
            self._successor.patience_s = failover_s

    def run(self, *command: Value, server: Redis | None = None, **options: Any) -> Any:
        """The response to one command, as redis-py shapes it, with strings as bytes.

        Args:
            command: The name of the command and its arguments.
            server: One of `servers`; None: the one that has the key.
            options: Options that redis-py needs to shape the response.

        Raises:
            StorageError: The command could not be executed; names the server and the remedy.
        """

        def send() -> Any:
            if server is not None and all(server is not one for one in self._route.servers()):
                raise RedisError("another server has taken over from one of them")
            it = server or self._route.server(key_of(command))
            if self._must_be_kept([command]):
                return self._replicas.send(it, [command], atomic=False)[0]
            return it.execute_command(*command, **options)  # type: ignore[no-untyped-call]

        return self._sent(send, [command])

    @property
    def kind(self) -> Literal["embedded", "server", "sentinel", "cluster"]:
        """What the servers are."""
        return "embedded" if self._revive is not None else self._route.kind

    def servers(self, pattern: str = "") -> list[Redis]:
        """The servers that may have keys which match a pattern, for `run`; of "": all."""
        with self._translated([]):
            return [self._route.server(pattern)] if "{" in pattern else self._route.servers()

    def info(self, section: str, server: Redis) -> dict[str, Any]:
        """A section of what one of `servers` tells of itself; empty where it is hidden.

        Raises:
            StorageError: It does not respond.
        """
        try:
            return cast("dict[str, Any]", self.run("INFO", section, server=server))
        except StorageError as error:
            if isinstance(error.__cause__, ResponseError):  # so it is at some hosting services
                return {}
            raise

    def identities(self, pattern: str) -> list[str]:
        """The processes of `servers`: another process has another order of keys and fields."""
        if "{" in pattern and self._route.has_successors:
            self.run("EXISTS", pattern)  # follows a slot that has moved
        return [self.info("server", one).get("run_id", "") for one in self.servers(pattern)]

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
            parts = self._route.share(commands)
            if atomic and len(parts) > 1:
                raise ValueError("a transaction with keys of more than one hash tag")
            responses: list[Any] = [None] * len(commands)
            for it, places in parts:
                some = [commands[place] for place in places]
                found = self._responses(it, some, atomic=atomic)
                for place, response in zip(places, found, strict=True):
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
        return self._route.has_successors and self._replicas.must_have(commands)

    def _sent(
        self, send: Callable[[], T], commands: Sequence[Command], *, is_whole: bool = True
    ) -> T:
        """The result of ``send``, which sends ``commands``; see the class.

        Args:
            send: Sends them.
            commands: The commands.
            is_whole: Whether all or none of them are executed.
        """
        is_repeatable = all(map(repeating.is_repeatable, commands))
        with self._translated(commands):
            if self._revive is not None:
                return self._send_or_revive(self._revive, send, is_repeatable=is_repeatable)
            if not self._route.has_successors:
                return send()
            if not (is_repeatable or is_whole or len(commands) == 1):
                return send()  # when some of them were executed, the others may not be sent again
            key = key_of(commands[0]) if commands else None
            return self._successor.send(
                send, lambda: self._route.server(key).ping(), is_repeatable=is_repeatable
            )

    def _send_or_revive(self, revive: Reviving, send: Callable[[], T], *, is_repeatable: bool) -> T:
        if not is_repeatable:
            self._send_or_revive(revive, self._route.server(None).ping, is_repeatable=True)
        try:
            return send()
        except BusyLoadingError:  # the server has only just started; nothing was executed
            pass
        except RedisConnectionError:
            if not is_repeatable:
                raise
        with revive():
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


def _route(address: Address, revive: Reviving | None) -> Route:
    if address.kind == "sentinel":
        return SentinelService(address)
    return Cluster(address) if address.kind == "cluster" else OneServer(address, revive)

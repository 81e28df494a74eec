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
from ipuaro_jupyter.store.routes import (
    Command,
    Reviving,
    Route,
    Value,
    is_repeatable,
    key_of,
)

_REVIVED_S = 10.0
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
        kind: What the servers are: "embedded", "server", "sentinel" or "cluster".

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
        self.kind: str = "embedded" if revive else address.kind
        with self._translated([]):
            self._route = Route(address, revive)
        self._route.patience_s = 0.0 if revive is None else _REVIVED_S
        self._losses = [] if losses is None else losses
        self._primaries: set[object] = set()

    def begin(self, *, failover_s: float) -> None:
        """Check that the server responds, and wait for a successor of it from now on.

        Args:
            failover_s: The longest wait for a successor.

        Raises:
            StorageError: It does not respond.
        """
        self.run("PING")
        if self.kind in {"sentinel", "cluster"}:
            self._route.patience_s = failover_s

    def run(self, *command: Value) -> Any:
        """The response to one command, as redis-py shapes it, with strings as bytes.

        Args:
            command: The name of the command and its arguments.

        Raises:
            StorageError: The command could not be executed; names the server and the remedy.
        """
        return self._sent(
            lambda: self._route.server(key_of(command)).execute_command(*command),  # type: ignore[no-untyped-call]
            [command],
        )

    def infos(self) -> list[dict[str, Any]]:
        """What INFO tells of each server, empty where it is hidden."""
        return self._sent(lambda: [_info(one) for one in self._route.servers()], [("INFO",)])

    def scanned(self, pattern: str, count: int) -> set[bytes]:
        """The keys that match a glob pattern.

        A cursor is good for one process of a server alone, so each is asked over one connection;
        when that breaks, or a slot has moved, the scan begins anew, and misses nothing.
        """

        def scan() -> set[bytes]:
            found: set[bytes] = set()
            for server in self._route.servers(pattern if "{" in pattern else None):
                with server.client() as one:  # type: ignore[no-untyped-call]
                    found.update(one.scan_iter(pattern, count))
                    if "{" in pattern:
                        one.exists(pattern)  # is refused if its slot has moved
            return found

        return self._sent(scan, [("SCAN", 0, "MATCH", pattern)])

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
                places.setdefault(self._route.server(key_of(command)), []).append(place)
            if atomic and len(places) > 1:
                raise ValueError("a transaction with keys of more than one hash tag")
            responses: list[Any] = [None] * len(commands)
            for it, some in places.items():
                with it.pipeline(transaction=atomic) as pipeline:
                    for place in some:
                        pipeline.execute_command(*commands[place])  # type: ignore[no-untyped-call]
                    for place, response in zip(some, pipeline.execute(), strict=True):
                        responses[place] = response
            return responses

        return self._sent(send, commands, is_whole=atomic)

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
        key = key_of(commands[0]) if commands else None
        with self._translated(commands):
            if not self._route.patience_s:
                result = send()
            elif may_repeat or is_whole or len(commands) == 1:
                result = self._route.send(send, key, is_repeatable=may_repeat)
            else:  # When some of them were executed, the others may not be sent again.
                self._route.send(lambda: self._route.server(key).ping(), key, is_repeatable=True)
                result = send()
        self._tell_successor()
        return result

    def _tell_successor(self) -> None:
        before, self._primaries = self._primaries, self._route.addresses()
        if before - self._primaries:
            self._losses.append(
                f"{self.name}: another server took over by {time.strftime('%H:%M:%S')}. What it "
                "had not received is lost: look at the end of the conversation and the undo list."
            )

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


def _info(server: Redis) -> dict[str, Any]:
    try:
        return server.info()
    except ResponseError:  # so it is at some hosting services
        return {}

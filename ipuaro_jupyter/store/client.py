"""The door to redis-py: sends commands, and turns each of its errors into a StorageError.

Importing this module imports redis (170 ms), so `connection` does it when a store is opened.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import AbstractConnection, ConnectionPool, parse_url
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    MovedError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    WatchError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.retry import Retry

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store import repeating
from ipuaro_jupyter.store.address import check, option_refusal

Value = str | bytes | int | float
Command = tuple[Value, ...]
T = TypeVar("T")
Reviving = Callable[[], AbstractContextManager[object]]

_CONNECT_S = 2.0
_COMMAND_S = 10.0
_LONGEST_TEXT = 300


class Client:
    """A pool of connections to one server; thread-safe.

    A server that has gone is started again when ``revive`` is given. A command that was under way
    is then sent again if it may safely be executed twice; any other raises. Commands that may not
    be repeated are sent only once the server has responded. To other servers nothing is sent twice.

    Args:
        url: ``redis://``, ``rediss://`` or ``unix://``.
        name: The server's name in messages.
        remedy: The user's remedy when the server does not respond.
        revive: Starts the server when no connection can be made, before a command is sent, and
            keeps it from being stopped within its block. None: the server cannot be started.

    Raises:
        StorageError: The URL is not usable.
    """

    def __init__(self, url: str, *, name: str, remedy: str, revive: Reviving | None = None) -> None:
        check(url)
        self._name = name
        self._remedy = remedy
        self.closed = False
        self._pool = _pool(url, "ipuaro" if revive else None)
        self._pool.revive = revive
        self._redis = Redis(connection_pool=self._pool)

    def run(self, *command: Value, **options: Any) -> Any:
        """The response to one command, as redis-py shapes it, with strings as bytes.

        Args:
            command: The name of the command and its arguments.
            options: Options that redis-py needs to shape the response.

        Raises:
            StorageError: The command could not be executed; names the server and the remedy.
        """
        with self._translated():
            return self._send_or_revive(
                lambda: self._redis.execute_command(*command, **options),  # type: ignore[no-untyped-call]
                [command],
            )

    def run_all(self, commands: Sequence[Command], *, atomic: bool) -> list[Any]:
        """Send the commands in one go; return the response to each, as `run` does.

        Args:
            commands: The names of the commands and their arguments.
            atomic: No client sees only some of them done; and when the server refuses to queue one,
                none is executed.

        Raises:
            StorageError: The first that failed; when not ``atomic``, others were executed.
        """

        def send() -> list[Any]:
            with self._redis.pipeline(transaction=atomic) as pipeline:
                for command in commands:
                    pipeline.execute_command(*command)  # type: ignore[no-untyped-call]
                return pipeline.execute()

        with self._translated():
            return self._send_or_revive(send, commands)

    def run_while(self, key: str, value: bytes, commands: Sequence[Command]) -> bool:
        """Send the commands in one transaction if ``key`` is ``value`` until they are executed.

        Returns:
            Whether they were executed; else nothing has changed.

        Raises:
            StorageError: They could not be executed.
        """
        with self._translated():
            return self._send_or_revive(lambda: self._run_while(key, value, commands), commands)

    def _run_while(self, key: str, value: bytes, commands: Sequence[Command]) -> bool:
        with self._redis.pipeline(transaction=True) as pipeline:
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

    def _send_or_revive(self, send: Callable[[], T], commands: Sequence[Command]) -> T:
        """The result of ``send``, which sends ``commands``; see the class."""
        revive = self._pool.revive
        if revive is None:
            return send()
        is_repeatable = all(map(repeating.is_repeatable, commands))
        if not is_repeatable:
            self._send_or_revive(self._redis.ping, [("PING",)])
        try:
            return send()
        except BusyLoadingError:  # the server has only just started; nothing was executed
            pass
        except RedisConnectionError:
            if not is_repeatable:
                raise
        with revive():
            return send()

    def close(self) -> None:
        """Close all connections; a command after that raises StorageError."""
        self.closed = True
        self._pool.disconnect()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        if self.closed:
            raise StorageError(f"{self._name}: the connection was closed; start again.")
        try:
            yield
        except RedisError as error:
            raise StorageError(self._explained(error)) from error

    def _explained(self, error: RedisError) -> str:
        name, text = self._name, str(error)[:_LONGEST_TEXT]
        for kind, explanation in _EXPLAINED:
            if isinstance(error, kind):
                return f"{name} {explanation} ({text})"
        if "MISCONF" in text:
            return f"{name} cannot write its data to disk: free some space there ({text})"
        if isinstance(error, ResponseError):
            return f"{name} refused a command: {text}"
        said = str(text or type(error).__name__).rstrip(".")
        return f"{name} does not answer: {said}. {self._remedy}"


_EXPLAINED: tuple[tuple[type[RedisError], str], ...] = (
    (AuthenticationError, "wants a user name or password, or other ones: put them into redis.url"),
    (NoPermissionError, "does not let this user do that: ask for the right, or be another user"),
    (BusyLoadingError, "is still loading its data: try again in a moment"),
    (ReadOnlyError, "is a read-only replica: name its primary in redis.url"),
    (OutOfMemoryError, "is out of memory: free some, or raise maxmemory on that server"),
    (MovedError, "is one node of a cluster: name a server in redis.url that holds all keys"),
)


class _RevivingPool(ConnectionPool):
    """Starts the server when no connection can be made."""

    revive: Reviving | None = None

    def get_connection(self, *args: Any, **options: Any) -> Any:
        try:
            return super().get_connection(*args, **options)
        except RedisConnectionError:
            if self.revive is None:
                raise
        with self.revive():
            return super().get_connection(*args, **options)


def _pool(url: str, client_name: str | None) -> _RevivingPool:
    try:
        options: dict[str, Any] = {
            "client_name": client_name,
            "socket_connect_timeout": _CONNECT_S,
            "socket_timeout": _COMMAND_S,
            **parse_url(url),  # type: ignore[no-untyped-call]
            "decode_responses": False,
            "protocol": 2,
            "retry": Retry(NoBackoff(), 0),
        }
        pool = _RevivingPool(**options)
        if client_name is None:  # a server of the user's own
            connection: AbstractConnection = pool.connection_class(**pool.connection_kwargs)
            del connection  # made to check the options of the URL, never opened
    except (TypeError, ValueError, RedisError):  # its text may quote a part of the password
        raise StorageError(option_refusal(url)) from None
    return pool

"""The store: typed commands on a Redis server, the user's own or the embedded one.

Importing this module is light; redis is loaded by `connect`.
"""

import secrets
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import quote

from pydantic import Field

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.address import masked, ping_command
from ipuaro_jupyter.store.batch import COUNTS, HAVE_COUNTS, Batch

if TYPE_CHECKING:
    from ipuaro_jupyter.store.client import Client
    from ipuaro_jupyter.store.routes import Value

KeyType = Literal["string", "list", "hash", "zset"]
PROBES: dict[KeyType, str] = {"string": "GET", "list": "LLEN", "hash": "HLEN", "zset": "ZCARD"}
"""Commands that only values of a type allow."""
_SCAN_COUNT = 1000
_LOCK_STEP_S = 0.02
FREE_LOCK = """
if redis.call('PTTL', KEYS[1]) == -1 then return redis.call('UNLINK', KEYS[1]) end
return 0
"""
"""Every lock ends by itself: what does not is none, and would never make room."""
_UNLOCK = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class StoreSettings(Record):
    """The server that keeps the data."""

    url: str | None = Field(
        None,
        description="A Redis server of your own (redis://, rediss://, unix://), or those of "
        "sentinels (redis+sentinel://) or a cluster (redis+cluster://), never reconfigured; null "
        "is the embedded one.",
    )
    failover_s: float = Field(
        60.0,
        ge=0,
        le=3600,
        description="Seconds to wait until sentinels or a cluster have another server take over.",
    )
    keeper_idle_s: float = Field(
        600.0, gt=0, description="Seconds without clients after which the embedded server stops."
    )
    unused_days: int = Field(
        90,
        ge=1,
        description="Days after which the embedded server drops a project that was not used "
        "and is not open.",
    )
    max_memory_mb: int | None = Field(
        None,
        ge=8,
        description="The most memory that the embedded server's data may take: indexes, sessions "
        "and what can be undone. When it is full, what is there stays; null is no limit.",
    )


def connect(settings: StoreSettings) -> "Store":
    """Open a store; without a URL, on the embedded server, which is started if need be.

    Raises:
        StorageError: The server cannot be reached or used; names its URL and the remedy.
    """
    if settings.url is None:
        return _embedded(settings)
    from ipuaro_jupyter.store.client import Client  # noqa: PLC0415 - loads redis

    shown = masked(settings.url)
    losses: list[str] = []
    client = Client(
        settings.url,
        name=f"The Redis server {shown}",
        losses=losses,
        remedy=f"Is it running? Try `{ping_command(settings.url)}`; start it (`redis-server`), or "
        "remove redis.url from the settings, or IPUARO_REDIS_URL from the environment, to use the "
        "embedded server.",
    )
    return _opened(client, shown, settings, losses=losses)


def _embedded(settings: StoreSettings) -> "Store":
    if sys.platform == "win32":
        raise StorageError(
            "there is no embedded Redis server on Windows; run one elsewhere (WSL, Docker, "
            "another machine) and name it in redis.url, for example redis://localhost:6379/0"
        )
    from ipuaro_jupyter.store.client import Client  # noqa: PLC0415 - loads redis
    from ipuaro_jupyter.store.embedded import EmbeddedServer  # noqa: PLC0415 - not on Windows

    server = EmbeddedServer(
        keeper_idle_s=settings.keeper_idle_s, max_memory_mb=settings.max_memory_mb
    )
    with server.running() as socket:
        url = f"unix://{quote(str(socket))}"
        client = Client(
            url,
            name=f"The embedded Redis server {url}",
            remedy="Try again: it is started anew when it has gone. "
            f"Its log is {str(server.data.log)!r}.",
            revive=server.running,
        )
        return _opened(client, url, settings, losses=server.losses)


def _opened(client: "Client", url: str, settings: StoreSettings, *, losses: list[str]) -> "Store":
    try:
        client.begin(failover_s=settings.failover_s)
        return Store(client, url, settings, losses=losses)
    except BaseException:
        client.close()
        raise


class Store:
    """An open connection: commands on keys, bytes in and out, batches of them, locks; thread-safe.

    Every method raises StorageError, which names the URL and the remedy, when the server has gone
    or refuses. A store on the embedded server starts it again when it has gone. If that happens
    during a command that must not be executed twice, it raises, since the command may or may not
    have been executed.

    Attributes:
        url: For messages, with the password masked.
        settings: Those with which another process can open it; None when it is not known how.
    """

    def __init__(
        self,
        client: "Client",
        url: str,
        settings: StoreSettings | None = None,
        *,
        losses: list[str] | None = None,
    ) -> None:
        self._client = client
        self.settings = settings
        self._losses = [] if losses is None else losses
        self.url = url

    def take_losses(self) -> list[str]:
        """Sentences on data that the server has lost, each returned once."""
        found: list[str] = []
        while self._losses:
            found.append(self._losses.pop(0))
        return found

    def tell_loss(self, told: str) -> None:
        """Have the user told, in a sentence, of data that is lost."""
        self._losses.append(told)

    @property
    def kind(self) -> str:
        """What it is on: "embedded", "server", "sentinel" or "cluster"."""
        return self._client.kind

    def infos(self) -> list[dict[str, Any]]:
        """What INFO tells of each server; empty if that is hidden."""
        return self._client.infos()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._client.closed

    @property
    def is_forked(self) -> bool:
        """Whether this is a fork of the process that opened it, the only one that may use it."""
        return self._client.is_forked

    def check_process(self) -> None:
        """Raise StorageError when `is_forked`."""
        self._client.check_process()

    def close(self) -> None:
        """Close the connections; a command after that raises StorageError."""
        self._client.close()

    @contextmanager
    def batch(self, *, atomic: bool) -> Iterator[Batch]:
        """Collect write commands and send them in one go at the end of the block.

        Nothing is sent when the block raises.

        Args:
            atomic: Send them in one transaction, so that no reader sees only some of them done.
        """
        batch = Batch()
        yield batch
        if batch.commands:
            self._client.run_all(batch.commands, atomic=atomic)

    def send_while(self, key: str, value: bytes, batch: Batch) -> bool:
        """Send a batch at once, as a transaction, if ``key`` keeps this value until it is done.

        Returns:
            Whether it was executed; else nothing has changed.
        """
        return self._client.run_while(key, value, batch.commands)

    @contextmanager
    def lock(self, name: str, *, timeout_s: float, wait_s: float) -> Iterator[bool]:
        """Hold a lock between all clients of the server; yields whether it was acquired.

        Args:
            name: The lock's key.
            timeout_s: Seconds after which it is free again even if its holder was killed.
            wait_s: Seconds to wait for it; 0: one try.
        """
        token = secrets.token_bytes(16)
        deadline = time.monotonic() + wait_s
        while not (had := self.set(name, token, ex_s=timeout_s, nx=True)):
            if self.evaluate(FREE_LOCK, name):
                continue
            if time.monotonic() >= deadline:
                break
            time.sleep(_LOCK_STEP_S)
        try:
            yield had
        finally:
            if had:
                with suppress(StorageError):  # it frees itself after timeout_s
                    self._run("EVAL", _UNLOCK, 1, name, token)

    def get(self, key: str) -> bytes | None:
        """The value of ``key``; None when it does not exist."""
        return cast("bytes | None", self._run("GET", key))

    def set(self, key: str, value: bytes, *, ex_s: float | None = None, nx: bool = False) -> bool:
        """Set ``key``.

        Args:
            key: The key.
            value: Its new value.
            ex_s: Seconds after which it expires; None: never.
            nx: Only when it does not exist.

        Returns:
            Whether it was set.
        """
        lifetime: tuple[Value, ...] = () if ex_s is None else ("PX", round(ex_s * 1000))
        return bool(self._run("SET", key, value, *lifetime, *(("NX",) if nx else ())))

    def delete(self, *keys: str) -> int:
        """Delete keys; return how many existed."""
        return int(self._run("UNLINK", *keys)) if keys else 0

    def exists(self, key: str) -> bool:
        """Whether ``key`` exists."""
        return bool(self._run("EXISTS", key))

    def scan(self, match: str, *, count: int = _SCAN_COUNT) -> frozenset[bytes]:
        """The keys that match a glob pattern; about ``count`` are fetched at a time."""
        return frozenset(self._client.scanned(match, count))

    def memory(self, *keys: str) -> list[int]:
        """The size of each key on the server, in bytes; 0 for one that does not exist.

        Every field of a hash is counted, which takes a second for five million.
        """
        commands = [("MEMORY USAGE", key, "SAMPLES", 0) for key in keys]
        return [size or 0 for size in self._client.run_all(commands, atomic=False)]

    def hget(self, key: str, field: str | bytes) -> bytes | None:
        """A field of a hash; None when it does not exist."""
        return cast("bytes | None", self._run("HGET", key, field))

    def hmget(self, key: str, fields: Sequence[str] | Sequence[bytes]) -> list[bytes | None]:
        """Fields of a hash, in the order asked; None for those that do not exist."""
        return cast("list[bytes | None]", self._run("HMGET", key, *fields)) if fields else []

    def hmget_each(
        self, keys: Sequence[str], fields: Sequence[str] | Sequence[bytes]
    ) -> list[list[bytes | None]]:
        """The same fields of several hashes, in one go; see `hmget`."""
        if not fields:
            return [[] for _ in keys]
        return self._client.run_all([("HMGET", key, *fields) for key in keys], atomic=False)

    def hgetall(self, key: str) -> dict[bytes, bytes]:
        """All fields of a hash; empty when there is none."""
        return cast("dict[bytes, bytes]", self._run("HGETALL", key))

    def hkeys(self, key: str) -> list[bytes]:
        """The names of the fields of a hash, in no order."""
        return cast("list[bytes]", self._run("HKEYS", key))

    def hlen(self, key: str) -> int:
        """The number of fields of a hash; 0 when there is none."""
        return int(self._run("HLEN", key))

    def hexists(self, key: str, field: str | bytes) -> bool:
        """Whether a hash has the field."""
        return bool(self._run("HEXISTS", key, field))

    def hset(self, key: str, mapping: Mapping[str, bytes] | Mapping[bytes, bytes]) -> int:
        """Set fields of a hash; return how many are new. An empty mapping changes nothing."""
        pairs = (part for pair in mapping.items() for part in pair)
        return int(self._run("HSET", key, *pairs)) if mapping else 0

    def hdel(self, key: str, *fields: str | bytes) -> int:
        """Delete fields of a hash; return how many existed."""
        return int(self._run("HDEL", key, *fields)) if fields else 0

    def hincrby(self, key: str, field: str | bytes, amount: int = 1) -> int:
        """Add to a number in a hash, a missing one counting as 0; return the sum."""
        return int(self._run("HINCRBY", key, field, amount))

    def rpush(self, key: str, *values: bytes) -> int:
        """Append to a list; return its new length."""
        return int(self._run("RPUSH", key, *values)) if values else self.llen(key)

    def lpush(self, key: str, *values: bytes) -> int:
        """Prepend to a list, the last value first; return its new length."""
        return int(self._run("LPUSH", key, *values)) if values else self.llen(key)

    def lrange(self, key: str, start: int, stop: int) -> list[bytes]:
        """Values of a list: 0-based, ``stop`` included, -1 being the last."""
        return cast("list[bytes]", self._run("LRANGE", key, start, stop))

    def llen(self, key: str) -> int:
        """The length of a list; 0 when there is none."""
        return int(self._run("LLEN", key))

    def lindex(self, key: str, index: int) -> bytes | None:
        """One value of a list: 0-based, -1 being the last; None beyond the end."""
        return cast("bytes | None", self._run("LINDEX", key, index))

    def ltrim(self, key: str, start: int, stop: int) -> None:
        """Keep only values ``start`` to ``stop`` of a list: 0-based, both included, -1 the last."""
        self._run("LTRIM", key, start, stop)

    def zadd(self, key: str, scores: Mapping[str, float]) -> int:
        """Set the scores of members of a sorted set; return how many are new."""
        pairs = (part for member, score in scores.items() for part in (score, member))
        return int(self._run("ZADD", key, *pairs)) if scores else 0

    def zrevrange(self, key: str, start: int, stop: int) -> list[bytes]:
        """Members by descending score: 0-based, ``stop`` included, -1 being the last."""
        return cast("list[bytes]", self._run("ZREVRANGE", key, start, stop))

    def zbelow(self, key: str, most: float) -> list[bytes]:
        """Members with a score below ``most``, the lowest first."""
        return cast("list[bytes]", self._run("ZRANGEBYSCORE", key, "-inf", f"({most!r}"))

    def zscore(self, key: str, member: str | bytes) -> float | None:
        """The score of a member; None when it is not in the set."""
        return cast("float | None", self._run("ZSCORE", key, member))

    def zrem(self, key: str, *members: str | bytes) -> int:
        """Remove members of a sorted set; return how many existed."""
        return int(self._run("ZREM", key, *members)) if members else 0

    def check_types(self, types: Mapping[str, KeyType]) -> None:
        """Look at the types of keys, as far as they exist; strings are read.

        Raises:
            WrongKeyType: One is of another type.
        """
        self._client.run_all([(PROBES[kind], key) for key, kind in types.items()], atomic=False)

    def have_counts(self, key: str, hashes: Sequence[str]) -> bool:
        """Whether hashes have as many fields as was noted; else a key is damaged.

        `Batch.replace_hashes` and `Batch.renewing_counts` note it.

        Args:
            key: The hash with the note.
            hashes: The others, in the same order.
        """
        keys = (key, *hashes)
        return bool(self._run("EVAL", HAVE_COUNTS, len(keys), *keys, COUNTS))

    def evaluate(
        self, script: str, key: str, *arguments: "Value", others: Sequence[str] = ()
    ) -> int:
        """The number that a Lua script returns.

        Args:
            script: Its text.
            key: Its first key.
            arguments: Its arguments.
            others: Its further keys, with the same hash tag.
        """
        keys = (key, *others)
        return int(self._run("EVAL", script, len(keys), *keys, *arguments))

    def _run(self, *command: "Value") -> Any:
        return self._client.run(*command)

"""Single commands on keys, bytes in and out.

Importing this module is light; redis is loaded by `connection.connect`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from ipuaro_jupyter.store.batch import COUNTS, HAVE_COUNTS
from ipuaro_jupyter.store.scanning import scanned

if TYPE_CHECKING:
    from ipuaro_jupyter.store.client import Client
    from ipuaro_jupyter.store.routes import Value

KeyType = Literal["string", "list", "hash", "zset"]
PROBES: dict[KeyType, str] = {"string": "GET", "list": "LLEN", "hash": "HLEN", "zset": "ZCARD"}
"""Commands that only values of a type allow."""
_SCAN_COUNT = 1000


class KeyCommands:
    """The commands on strings, hashes, lists and sorted sets; thread-safe.

    Every method raises StorageError; see `connection.Store`.

    Args:
        client: Sends them.
    """

    def __init__(self, client: "Client") -> None:
        self._client = client

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

    def scan(self, match: str, *, count: int = _SCAN_COUNT) -> Iterator[bytes]:
        """Yield the keys that match a glob pattern, each once, in no order; see `scanned`."""
        found = scanned(
            self._client, match, lambda cursor: ("SCAN", cursor, "MATCH", match, "COUNT", count)
        )
        return (key for key, _ in found)

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

    def hscan(
        self, key: str, match: str | None = None, *, count: int = _SCAN_COUNT
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield fields of a hash with their values, each once, in no order.

        Args:
            key: The hash.
            match: A glob pattern for the field; None: all.
            count: The approximate number to fetch at a time.
        """
        matching = () if match is None else ("MATCH", match)
        return scanned(
            self._client, key, lambda cursor: ("HSCAN", key, cursor, *matching, "COUNT", count)
        )

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

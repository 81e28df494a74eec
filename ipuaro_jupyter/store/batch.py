"""Write commands that are collected and sent in one go."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ipuaro_jupyter.store.routes import Command

RENAME = """
redis.call('UNLINK', KEYS[2])
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('RENAME', KEYS[1], KEYS[2]) end
"""
"""A plain RENAME fails when the new value is empty, because then it was never created."""


COUNTS = b"counts"
MARK = b""
"""A field of a hash that is being made: the server has not dropped the hash since it was set."""
_COUNTS = """
local counts = {}
for i = 2, #KEYS do
  local length = redis.pcall('HLEN', KEYS[i])
  if type(length) == 'table' then return 0 end
  counts[#counts + 1] = length
end
local told = table.concat(counts, ' ')
"""
FORGET_FALSE_COUNTS = (
    _COUNTS
    + "local noted = redis.pcall('HGET', KEYS[1], ARGV[1])\n"
    + "if noted ~= told then redis.pcall('HDEL', KEYS[1], ARGV[1]) end"
)
RENEW_COUNTS = (
    _COUNTS
    + "if redis.pcall('HGET', KEYS[1], ARGV[1]) then redis.call('HSET', KEYS[1], ARGV[1], told) end"
)
UNMARK = """
local whole = true
for i = 1, #KEYS do whole = redis.call('HDEL', KEYS[i], ARGV[1]) == 1 and whole end
if whole then redis.call('HSET', KEYS[1], ARGV[2], '') else redis.call('UNLINK', KEYS[1]) end
"""
HAVE_COUNTS = _COUNTS + "return redis.pcall('HGET', KEYS[1], ARGV[1]) == told and 1 or 0"


class Batch:
    """The commands sent at the end of a `Store.batch` block. Nothing is sent before."""

    def __init__(self) -> None:
        self.commands: list[Command] = []

    def set(self, key: str, value: bytes, *, ex_s: float | None = None) -> None:
        """Set ``key``; it expires after ``ex_s`` seconds."""
        lifetime = () if ex_s is None else ("PX", round(ex_s * 1000))
        self.commands.append(("SET", key, value, *lifetime))

    def delete(self, *keys: str) -> None:
        """Delete the keys that exist."""
        if keys:
            self.commands.append(("UNLINK", *keys))

    def move(self, old: str, new: str) -> None:
        """Rename ``old`` to ``new``; a missing ``old`` leaves no ``new``."""
        self.commands.append(("EVAL", RENAME, 2, old, new))

    def hset(self, key: str, mapping: Mapping[str, bytes] | Mapping[bytes, bytes]) -> None:
        """Set fields of a hash; an empty mapping changes nothing."""
        if mapping:
            pairs: Iterable[Any] = chain.from_iterable(mapping.items())
            self.commands.append(("HSET", key, *pairs))

    @contextmanager
    def renewing_counts(self, key: str, hashes: Sequence[str]) -> Iterator[None]:
        """Note again, after the commands of the block, how many fields hashes have.

        See `Store.have_counts`. Where those before did not hold, because the server has dropped a
        key, none are noted.
        """
        keys = (key, *hashes)
        self.commands.append(("EVAL", FORGET_FALSE_COUNTS, len(keys), *keys, COUNTS))
        yield
        self.commands.append(("EVAL", RENEW_COUNTS, len(keys), *keys, COUNTS))

    def replace_hashes(self, staged: Mapping[str, str], key: str, hashes: Sequence[str]) -> None:
        """Put hashes in the place of others, and note how many fields they have.

        See `Store.have_counts`. If one of them has lost its `MARK`, because the server has dropped
        it, ``key`` is deleted.

        Args:
            staged: Where each new one is, by its place.
            key: The hash with the note.
            hashes: The others.
        """
        keys = (key, *hashes)
        news = [staged[each] for each in keys]
        self.commands.append(("EVAL", UNMARK, len(keys), *news, MARK, COUNTS))
        for old, new in zip(news, keys, strict=True):
            self.move(old, new)
        self.commands.append(("EVAL", RENEW_COUNTS, len(keys), *keys, COUNTS))

    def hset_new(self, key: str, field: str | bytes, value: bytes) -> None:
        """Set a field of a hash unless it exists."""
        self.commands.append(("HSETNX", key, field, value))

    def hdel(self, key: str, *fields: str | bytes) -> None:
        """Delete fields of a hash."""
        if fields:
            self.commands.append(("HDEL", key, *fields))

    def hincrby(self, key: str, field: str | bytes, amount: int = 1) -> None:
        """Add to a number in a hash; a missing one counts as 0."""
        self.commands.append(("HINCRBY", key, field, amount))

    def rpush(self, key: str, *values: bytes) -> None:
        """Append to a list."""
        if values:
            self.commands.append(("RPUSH", key, *values))

    def lpush(self, key: str, *values: bytes) -> None:
        """Prepend to a list, one value after the other: the last comes first."""
        if values:
            self.commands.append(("LPUSH", key, *values))

    def lset(self, key: str, index: int, value: bytes) -> None:
        """Replace one value of a list: 0-based, -1 being the last."""
        self.commands.append(("LSET", key, index, value))

    def ltrim(self, key: str, start: int, stop: int) -> None:
        """Keep only values ``start`` to ``stop`` of a list: 0-based, both included, -1 the last."""
        self.commands.append(("LTRIM", key, start, stop))

    def lrem(self, key: str, value: bytes) -> None:
        """Remove every occurrence of a value from a list."""
        self.commands.append(("LREM", key, 0, value))

    def zadd(self, key: str, scores: Mapping[str, float]) -> None:
        """Set the scores of members of a sorted set."""
        if scores:
            pairs = (part for member, score in scores.items() for part in (score, member))
            self.commands.append(("ZADD", key, *pairs))

    def zrem(self, key: str, *members: str | bytes) -> None:
        """Remove members of a sorted set."""
        if members:
            self.commands.append(("ZREM", key, *members))

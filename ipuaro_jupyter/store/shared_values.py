"""Values that all projects of a server share: bounded in size, dropped when nobody uses them.

A value can be made again, so that a reader who finds none makes it. What is found was stored whole
and under this name, by a digest; whoever may write to the server may of course store anything.

    values  name -> the digest, then the value
    used    the names, by the time of their last use
    info    bytes, and how many values were reused, dropped, or wrong, since the server has them

One script changes all three, so that they agree whoever is killed, and whatever is trimmed while
others read. When they do not, since a server that is short of memory has dropped one, all begin
anew.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import chain

from ipuaro_jupyter.errors import StorageError, WrongKeyType
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import SHARED_INFO, SHARED_USED, SHARED_VALUES
from ipuaro_jupyter.store.projects import made_anew

UNUSED_DAYS = 30
"""Days after which a value that nobody used is dropped."""
_DAY_S = 86_400.0
_DIGEST = 16
_AT_ONCE = 200
_KEYS = (SHARED_VALUES, SHARED_USED, SHARED_INFO)
_CHANGE = """
local values, used, info = KEYS[1], KEYS[2], KEYS[3]
local most, now, oldest = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local function is_number(what)
  local value = redis.call('HGET', info, what) or ''
  return #value < 16 and string.match(value, '^-?[1-9]%d*$') or value == '0'
end
local count = redis.call('HLEN', values)
if count ~= redis.call('ZCARD', used) or not is_number('bytes') then
  redis.call('UNLINK', values, used)
  redis.call('HSET', info, 'bytes', 0)
end
local function drop(name)
  local value = redis.call('HGET', values, name)
  redis.call('ZREM', used, name)
  if not value then return 0 end
  redis.call('HDEL', values, name)
  redis.call('HINCRBY', info, 'bytes', -(#name + #value))
  return 1
end
local function tell(what, number)
  if not is_number(what) then redis.call('HDEL', info, what) end
  if number > 0 then redis.call('HINCRBY', info, what, number) end
end
local at, reused, wrong, dropped = 6, 0, 0, 0
for i = at, at + ARGV[4] - 1 do
  if redis.call('ZSCORE', used, ARGV[i]) then
    redis.call('ZADD', used, now, ARGV[i])
    reused = reused + 1
  end
end
at = at + ARGV[4]
for i = at, at + ARGV[5] - 1 do wrong = wrong + drop(ARGV[i]) end
for i = at + ARGV[5], #ARGV, 2 do
  if redis.call('HSETNX', values, ARGV[i], ARGV[i + 1]) == 1 then
    redis.call('HINCRBY', info, 'bytes', #ARGV[i] + #ARGV[i + 1])
  end
  redis.call('ZADD', used, now, ARGV[i])
end
for _, name in ipairs(redis.call('ZRANGEBYSCORE', used, '-inf', '(' .. oldest)) do
  dropped = dropped + drop(name)
end
while tonumber(redis.call('HGET', info, 'bytes') or 0) > most do
  local names = redis.call('ZRANGEBYSCORE', used, '-inf', '+inf', 'LIMIT', 0, 100)
  for _, name in ipairs(names) do
    if tonumber(redis.call('HGET', info, 'bytes')) > most then dropped = dropped + drop(name) end
  end
  if #names == 0 then redis.call('HSET', info, 'bytes', 0) end
end
if redis.call('ZCARD', used) == 0 then redis.call('HSET', info, 'bytes', 0) end
tell('reused', reused)
tell('wrong', wrong)
tell('dropped', dropped)
return 0
"""


class SharedCounts(Record):
    """What a server holds of shared values, and how many were reused, dropped or wrong so far."""

    size_bytes: int = 0
    reused: int = 0
    dropped: int = 0
    wrong: int = 0


class SharedValues:
    """The shared values of a server. Thread-safe; a server that refuses holds none.

    Args:
        store: The server.
        most_bytes: The size above which the values that were not used for longest are dropped.
    """

    def __init__(self, store: Store, *, most_bytes: int) -> None:
        self._store = store
        self._most_bytes = most_bytes

    def get(self, names: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values that are there, by name. One that is not what was stored is dropped."""
        found: dict[bytes, bytes] = {}
        wrong: list[bytes] = []
        with suppress(StorageError):
            for start in range(0, len(names), _AT_ONCE):
                some = names[start : start + _AT_ONCE]
                values = self._store.hmget(SHARED_VALUES, some)
                for name, value in zip(some, values, strict=True):
                    if value is None:
                        continue
                    if value[:_DIGEST] == _digest(name, value[_DIGEST:]):
                        found[name] = value[_DIGEST:]
                    else:
                        wrong.append(name)
            if found or wrong:
                self._change(used=tuple(found), wrong=wrong)
        return found

    def put(self, values: Mapping[bytes, bytes]) -> None:
        """Store values, or note that they are used; those that are there already stay."""
        pairs = [(name, _digest(name, value) + value) for name, value in values.items()]
        with suppress(StorageError):  # such as memory that is short
            for start in range(0, len(pairs), _AT_ONCE):
                self._change(put=pairs[start : start + _AT_ONCE])

    def drop_wrong(self, names: Sequence[bytes]) -> None:
        """Drop values that turned out to be wrong, though they are what was stored."""
        with suppress(StorageError):
            self._change(wrong=names)

    def trim(self) -> None:
        """Drop what nobody has used for long, and what is too much."""
        with suppress(StorageError):
            if self._store.exists(SHARED_VALUES):
                self._change()

    def _change(
        self,
        *,
        used: Sequence[bytes] = (),
        wrong: Sequence[bytes] = (),
        put: Sequence[tuple[bytes, bytes]] = (),
    ) -> None:
        now = time.time()
        numbers = (self._most_bytes, now, now - UNUSED_DAYS * _DAY_S, len(used), len(wrong))
        first, *others = _KEYS
        pairs = list(chain.from_iterable(put))

        def change() -> None:
            self._store.evaluate(_CHANGE, first, *numbers, *used, *wrong, *pairs, others=others)

        try:
            change()
        except WrongKeyType:
            forget_shared(self._store)
            change()


def shared_counts(store: Store) -> SharedCounts:
    """What a server holds of shared values."""
    names = ("bytes", "reused", "dropped", "wrong")
    found = made_anew(store, SHARED_INFO, lambda: store.hmget(SHARED_INFO, names))
    numbers = (int(value) if value is not None and value.isdigit() else 0 for value in found)
    size_bytes, reused, dropped, wrong = numbers
    return SharedCounts(size_bytes=size_bytes, reused=reused, dropped=dropped, wrong=wrong)


def forget_shared(store: Store) -> None:
    """Delete all shared values, since it is not known whose they are."""
    store.delete(*_KEYS)


def _digest(name: bytes, value: bytes) -> bytes:
    return blake2b(name + value, digest_size=_DIGEST).digest()

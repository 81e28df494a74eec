"""Which commands may be sent again when nobody knows whether they were executed."""

from collections.abc import Sequence

_READ = frozenset(
    {
        *("GET", "EXISTS", "SCAN", "MEMORY USAGE", "INFO", "PING"),
        *("HGET", "HMGET", "HGETALL", "HKEYS", "HEXISTS", "HSCAN"),
        *("LRANGE", "LLEN", "LINDEX", "ZREVRANGE", "ZSCORE"),
    }
)
_WRITTEN = frozenset({"SET", "UNLINK", "HSET", "HDEL", "ZADD", "ZREM"})
"""They leave the same whether they are executed once or twice."""


def is_repeatable(command: Sequence[object]) -> bool:
    """Return whether a command that is executed twice leaves and returns what it does once.

    What is returned may differ in how much of it is new.

    Args:
        command: Its name and arguments.
    """
    name = str(command[0]).upper()
    if name == "SET":
        return "NX" not in command
    return name in _READ or name in _WRITTEN

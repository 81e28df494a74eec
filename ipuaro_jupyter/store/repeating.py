"""The commands that may be sent again when it is unknown whether they were executed."""

from collections.abc import Sequence

_READ = frozenset(
    {
        *("GET", "EXISTS", "SCAN", "MEMORY USAGE", "INFO", "PING"),
        *("HGET", "HMGET", "HGETALL", "HKEYS", "HEXISTS", "HSCAN"),
        *("LRANGE", "LLEN", "LINDEX", "ZREVRANGE", "ZRANGEBYSCORE", "ZSCORE", "ZCARD", "HLEN"),
    }
)
_WRITTEN = frozenset({"SET", "UNLINK", "HSET", "HDEL", "LSET", "ZADD", "ZREM"})
"""Commands with the same effect whether they are executed once or twice."""


def is_repeatable(command: Sequence[object]) -> bool:
    """Whether executing a command twice has the same effect and result as once.

    The count of new items in the result may differ.

    Args:
        command: Its name and arguments.
    """
    name = str(command[0]).upper()
    if name == "SET":
        return "NX" not in command
    return name in _READ or name in _WRITTEN


def is_read(command: Sequence[object]) -> bool:
    """Whether a command changes nothing; of scripts that is not known.

    Args:
        command: Its name and arguments.
    """
    return str(command[0]).upper() in _READ

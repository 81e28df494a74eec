"""Scans that miss nothing, also when another server takes over in the middle.

A cursor is good for one process of a server alone: each has an order of its own, which is random.
See "SCAN" in the manual of Redis: what is there from the beginning of a scan to its end is found.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ipuaro_jupyter.errors import StorageError

if TYPE_CHECKING:
    from ipuaro_jupyter.store.client import Client
    from ipuaro_jupyter.store.routes import Command

_TRIES = 5


def scanned(
    client: "Client", pattern: str, step: Callable[[int], "Command"]
) -> Iterator[tuple[bytes, bytes]]:
    """Yield what a scan finds, each once, in no order: keys without, fields with their values.

    It begins anew when it ends on other servers than it began on.

    Args:
        client: Sends the commands.
        pattern: A key, or a pattern of keys; says on which servers they are.
        step: Makes the command that goes on at a cursor.

    Raises:
        StorageError: It cannot be executed, or the servers are replaced all the time.
    """
    seen: set[bytes] = set()
    for _ in range(_TRIES):
        began_on = client.identities(pattern)
        try:
            for name, value in _once(client, pattern, step):
                if name not in seen:
                    seen.add(name)
                    yield name, value
        except StorageError:
            if client.identities(pattern) == began_on:
                raise
            continue
        if client.identities(pattern) == began_on:
            return
    raise StorageError(
        f"{client.name}: servers are replaced again and again while its keys are listed; try again."
    )


def _once(
    client: "Client", pattern: str, step: Callable[[int], "Command"]
) -> Iterator[tuple[bytes, bytes]]:
    for server in client.servers(pattern):
        cursor = -1
        while cursor:
            found: tuple[int, Any] = client.run(*step(max(cursor, 0)), server=server)
            cursor, some = found
            yield from some.items() if isinstance(some, dict) else ((key, b"") for key in some)

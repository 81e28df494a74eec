"""The MCP servers of one root among several, which its user has approved for it."""

from collections.abc import Mapping
from itertools import chain, count
from typing import Any

Servers = Mapping[str, Mapping[str, Any]]

_TOLD = (
    "The MCP servers of {}, which you have approved for that project, run in {}: {}. The model may "
    "call them in questions about the other roots, too."
)


def servers_of_root(
    servers: Servers, name: str, taken: Servers, *, file: str
) -> tuple[dict[str, dict[str, Any]], str]:
    """The servers that are not disabled, under names of their own, to run in the root.

    Args:
        servers: Those of the root's settings, as they are written.
        name: The root's, with which theirs begin. A name that is taken gets a number, so that none
            takes the place of another.
        taken: The servers that there are.
        file: The root's settings for the user.

    Returns:
        The servers, and a remark for the user.
    """
    found: dict[str, dict[str, Any]] = {}
    told = []
    for key, server in servers.items():
        if not server.get("disabled"):
            wanted = f"{name}-{key}"
            free = _free(wanted, {**taken, **found})
            found[free] = {**server, "root": name}
            told.append(free if free == wanted else f"{free} (there is another {wanted})")
    return found, _TOLD.format(file, name, ", ".join(told))


def without_others(off: Servers, name: str, there: Servers) -> dict[str, Mapping[str, Any]]:
    """What a root's settings switch off, without the servers of other roots.

    Args:
        off: The servers that they switch off.
        name: The root's.
        there: The servers that there are.
    """
    return {
        key: server for key, server in off.items() if there.get(key, {}).get("root") in {None, name}
    }


def _free(wanted: str, taken: Servers) -> str:
    numbered = chain((wanted,), (f"{wanted}-{number}" for number in count(2)))
    return next(name for name in numbered if name not in taken or taken[name].get("disabled"))

"""The MCP servers of one root among several, which its user has approved for it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_ELSEWHERE = ("~", "$")  # such a folder is the user's to name


def servers_of_root(
    servers: Mapping[str, Mapping[str, Any]], root: Path, name: str
) -> dict[str, dict[str, Any]]:
    """The servers that are not disabled, under names of their own; programs run in the root.

    Args:
        servers: Those of the root's settings, as they are written.
        root: Its folder.
        name: Its name, with which theirs begin, so that none takes the place of another's.
    """
    return {
        f"{name}-{key}": _placed(server, root)
        for key, server in servers.items()
        if not server.get("disabled")
    }


def _placed(server: Mapping[str, Any], root: Path) -> dict[str, Any]:
    cwd = server.get("cwd") or ""
    if "command" not in server or cwd.startswith(_ELSEWHERE):
        return dict(server)
    return {**server, "cwd": str(root / cwd)}

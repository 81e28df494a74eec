"""The folder that a client works in, as it tells by MCP's roots.

The protocol of 2026-07-28 deprecates roots and lets a server ask for nothing. So they count where a
client speaks an older one, and only while the server was given no folder: they never lead it out of
one that it was given.
"""

import asyncio
import warnings
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mcp import MCPDeprecationWarning, MCPError

from ipuaro_jupyter.mcp_server.mcp_questions import Context

_ANSWER_S = 5.0


async def client_root(context: Context) -> Path | None:
    """The first of the client's folders that is there; None where it tells of none.

    The user's home folder and those above it are left out: they are no project.
    """
    capabilities = context.session.client_capabilities
    can_tell = capabilities is not None and capabilities.roots is not None
    if not can_tell or not context.session.can_send_request:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        try:
            async with asyncio.timeout(_ANSWER_S):
                told = await context.session.list_roots()
        except (MCPError, ValueError, TimeoutError):  # a root that is no file's is a ValueError
            return None
    named = (folder_of(str(one.uri)) for one in told.roots)
    return next((one for one in named if one is not None), None)


def folder_of(uri: str) -> Path | None:
    """The folder that a URI names; None when there is none, or it is too much for a project."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    folder = Path(url2pathname(parts.path))
    if not folder.is_absolute():
        return None
    home = Path.home().resolve()
    try:
        found = folder.resolve(strict=True)
    except (OSError, ValueError):
        return None
    return found if found.is_dir() and found not in (home, *home.parents) else None

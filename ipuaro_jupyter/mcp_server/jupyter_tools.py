"""The tools that read, for the MCP server of a Jupyter server.

The package ``jupyter-server-mcp`` finds `TOOLS` by the entry point ``jupyter_server_mcp.tools`` and
runs the functions in the Jupyter server's process. A project is a folder below the server's own;
secrets are hidden, and nothing is changed: a client's model may be anywhere. They work only where
the user's own settings turn them on: the port of that server asks for no key.
"""

import asyncio
import atexit
import logging
import threading
from collections import OrderedDict
from functools import partial
from pathlib import Path
from typing import Any

from ipuaro_jupyter.errors import IpuaroError, ProjectError

_MOST_OPEN = 4
_NAME = "ipuaro_jupyter.mcp_server.jupyter_tools"
TOOLS = [
    f"{_NAME}:{name}"
    for name in (
        "codebase_structure",
        "codebase_definition",
        "codebase_references",
        "codebase_function",
        "codebase_lines",
        "codebase_grep",
        "codebase_impact",
    )
]
"""The functions, as jupyter-server-mcp names them."""


async def codebase_structure(project: str = "", path: str = "") -> str:
    """List the files of a codebase as a tree.

    Args:
        project: The codebase's folder, relative to the Jupyter server's; "" for that folder.
        path: A folder in the codebase; "" for all of it.
    """
    return await _read(project, "get_structure", path=path or None)


async def codebase_definition(symbol: str, project: str = "") -> str:
    """Find where a function, class, method, type or variable is declared.

    Args:
        symbol: Its name, such as login or Session.close.
        project: The codebase's folder, relative to the Jupyter server's; "" for that folder.
    """
    return await _read(project, "find_definition", symbol=symbol)


async def codebase_references(symbol: str, project: str = "", declared_in: str = "") -> str:
    """Find where a symbol is used, through imports and re-exports.

    Args:
        symbol: Its name, such as login or Session.close.
        project: The codebase's folder, relative to the Jupyter server's; "" for that folder.
        declared_in: The file that declares the one meant, where several files declare the name.
    """
    return await _read(project, "find_references", symbol=symbol, declared_in=declared_in or None)


async def codebase_function(path: str, name: str, project: str = "") -> str:
    """Read a function or method with its complexity.

    Args:
        path: The file, relative to the codebase.
        name: The function, such as login or Session.close.
        project: The codebase's folder, relative to the Jupyter server's; "" for that folder.
    """
    return await _read(project, "get_function", path=path, name=name)


async def codebase_lines(path: str, start: int = 1, end: int = 200, project: str = "") -> str:
    """Read lines of a file, with their numbers.

    Args:
        path: The file, relative to the codebase.
        start: The first line, 1-based.
        end: The last line, included.
        project: The codebase's folder, relative to the Jupyter server's; "" for that folder.
    """
    return await _read(project, "get_lines", path=path, start=start, end=end)


async def codebase_grep(pattern: str, use_regex: bool = False, project: str = "") -> str:  # noqa: FBT001, FBT002 - named by the client
    """Search the files of a codebase for text or a regular expression.

    Args:
        pattern: What to look for.
        use_regex: Whether the pattern is a regular expression.
        project: The codebase's folder, relative to the Jupyter server's; "" for that folder.
    """
    return await _read(project, "grep", pattern=pattern, use_regex=use_regex)


async def codebase_impact(diff: str = "", project: str = "", symbol: str = "") -> str:
    """Tell which symbols a change touches, who reaches them, and which tests.

    Args:
        diff: A revision of git to compare with; "" for what is not committed.
        project: The codebase's folder, relative to the Jupyter server's; "" for that folder.
        symbol: A declaration whose change is meant, instead of a diff.
    """
    return await _read(project, "get_impact", diff=diff or None, symbol=symbol or None)


class _Codebase:
    """A project, opened by its first call; one call at a time.

    Args:
        root: Its folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._opened: tuple[Any, Any] | None = None
        self._is_dropped = False

    def text(self, tool: str, arguments: dict[str, Any]) -> str:
        """What a tool says, without secrets.

        Raises:
            IpuaroError: The project cannot be opened, or the tool fails.
        """
        from ipuaro_jupyter.agent.redaction import path_of  # noqa: PLC0415 - loads every room

        with self._lock:
            try:
                assistant, redaction = self._opened = self._opened or self._open()
                at = assistant.project()
                refused = redaction.refusal(assistant.tools.find(tool), arguments, at)
                result = refused or assistant.call(tool, arguments, by_user=False)
                text = result.text()
                known = redaction.known(arguments, text, at)
                return str(redaction.text(text, path_of(arguments), known))
            finally:
                if self._is_dropped:  # while this call waited for the one before
                    self._close()

    def close(self) -> None:
        """Close the project, after the call that it is answering."""
        self._is_dropped = True
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._opened is not None:
            self._opened[0].close()
            self._opened = None

    def _open(self) -> tuple[Any, Any]:
        from ipuaro_jupyter.agent.redaction import Redaction, redaction_key  # noqa: PLC0415 - the same
        from ipuaro_jupyter.assistant import start  # noqa: PLC0415 - the same
        from ipuaro_jupyter.store.user_folders import home  # noqa: PLC0415 - the same

        assistant = start(self._root, settings={"approve": "never"}, new=True)
        enabled = assistant.settings.context.redact
        return assistant, Redaction(redaction_key(home()), enabled=enabled)


_known: OrderedDict[Path, _Codebase] = OrderedDict()
_choosing = threading.Lock()
_has_told = False


async def _read(project: str, tool: str, **arguments: object) -> str:
    """The text of a tool; of one that fails, why."""
    given = {name: value for name, value in arguments.items() if value is not None}
    return await asyncio.to_thread(partial(_text, project, tool, given))


def _text(project: str, tool: str, arguments: dict[str, Any]) -> str:
    try:
        _check_allowed()
        return _codebase(folder_of(project, server_folder())).text(tool, arguments)
    except IpuaroError as error:
        return f"Error: {error}"


def _check_allowed() -> None:
    """Raise unless the user wants it: the server's port asks nobody for a key.

    Raises:
        ProjectError: The user's own settings do not turn it on.
        SettingsError: They are wrong.
    """
    from ipuaro_jupyter.settings.own_settings import is_served_in_jupyter  # noqa: PLC0415 - the same
    from ipuaro_jupyter.settings.settings import user_file  # noqa: PLC0415 - the same

    if not is_served_in_jupyter():
        raise ProjectError(
            "These tools are off, since every user of this machine could call them: "
            f'{{"tools": {{"inJupyterServer": true}}}} in {user_file()} turns them on.'
        )
    global _has_told  # noqa: PLW0603 - once for the process
    if not _has_told:
        _has_told = True
        logging.getLogger(__name__).warning(
            "ipuaro_jupyter: every user of this machine can read the projects below the server's "
            "folder through jupyter-server-mcp, since tools.inJupyterServer is on."
        )


def server_folder() -> Path:
    """The folder of the Jupyter server that this runs in.

    Raises:
        ProjectError: It runs in none.
    """
    from jupyter_server.serverapp import ServerApp  # noqa: PLC0415 - only in a server

    if not ServerApp.initialized():
        raise ProjectError("These tools run in a Jupyter server; elsewhere, use ipuaro mcp.")
    return Path(ServerApp.instance().root_dir).expanduser().resolve()


def folder_of(project: str, server: Path) -> Path:
    """The folder of a project.

    Args:
        project: Relative to the server's folder.
        server: The server's folder.

    Raises:
        ProjectError: It is not below the server's folder, or there is none; or it is hidden, the
            user's home folder, or above that.
    """
    try:
        folder = (server / project.strip().lstrip("/")).resolve()
        is_there = folder.is_dir()
    except (OSError, ValueError, RuntimeError):
        is_there = False
    if not is_there or not folder.is_relative_to(server):
        raise ProjectError(f"There is no folder {project!r} below the Jupyter server's.")
    home = Path.home().resolve()
    if folder in (home, *home.parents):
        raise ProjectError("The home folder is no codebase: name a folder in it as the project.")
    if any(part.startswith(".") for part in folder.relative_to(server).parts):
        raise ProjectError(f"{project!r} is hidden, and not read here.")
    return folder


def _codebase(root: Path) -> _Codebase:
    """The project of a folder; the one that was used longest ago is closed for it."""
    closing = []
    with _choosing:
        if root not in _known:
            _known[root] = _Codebase(root)
            if len(_known) == 1:
                atexit.register(close)
        found = _known[root]
        _known.move_to_end(root)
        while len(_known) > _MOST_OPEN:
            closing.append(_known.popitem(last=False)[1])
    for one in closing:
        one.close()
    return found


def close() -> None:
    """Close all projects."""
    while _known:
        _, one = _known.popitem()
        one.close()

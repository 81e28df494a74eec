"""The project that is open in this kernel."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipuaro_jupyter.errors import IpuaroError, ProjectError, SettingsError
from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.text_distance import closest

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant import Assistant
    from ipuaro_jupyter.assistant.reading_ahead import ReadingAhead
    from ipuaro_jupyter.sessions.session import SessionInfo
    from ipuaro_jupyter.settings.opened_folder import Folder
    from ipuaro_jupyter.tools import Tools
    from ipuaro_jupyter.tools.tool import Tool


_NOTEBOOK = "JPY_SESSION_NAME"


class OpenProject:
    """Holds the one assistant of a kernel, if a project is open.

    Args:
        on_open: Called with each assistant once it is open.
    """

    def __init__(self, on_open: "Callable[[Assistant], None] | None" = None) -> None:
        self._on_open = on_open
        self._assistant: Assistant | None = None
        self._options: dict[str, Any] = {}
        self._ahead: ReadingAhead | None = None

    @property
    def assistant(self) -> "Assistant":
        """The assistant of the open project.

        Raises:
            ProjectError: No project is open.
        """
        if self._assistant is None:
            raise ProjectError("No project is open in this kernel. Run %ipuaro start PATH first.")
        return self._assistant

    def check_open(self) -> None:
        """Raise ProjectError unless a project is open.

        Raises:
            ProjectError: None is.
        """
        _ = self.assistant

    @property
    def is_open(self) -> bool:
        """Whether a project is open."""
        return self._assistant is not None

    def open(self, folder: "Folder", **options: Any) -> None:
        """Open a project as `ipuaro_jupyter.start` does, and close the one that was open.

        When the new one cannot be opened, the previous one stays open. The same project is closed
        first, because a session is only open once: possible errors are checked before that, and if
        opening still fails, it is opened again as it was, except for the permissions remembered in
        the session. ``confirm`` is for questions during the opening only.
        """
        from ipuaro_jupyter.assistant import start  # noqa: PLC0415 - loads every room

        options.setdefault("notebook", own_notebook())
        before = None
        if self.is_open and self.assistant.root == _root(folder, options):
            _check_opening(self.assistant.root, options)
            before = _Before(self.assistant, self._options)
            self.close()
        try:
            opened = start(folder, **options)
        except IpuaroError as error:
            if before is not None:
                self._open_again(before, error)
            raise
        self.close()
        self._take(opened, options)

    def _open_again(self, before: "_Before", error: IpuaroError) -> None:
        """Open the project closed for a failed opening again; ``error`` notes a second failure."""
        from ipuaro_jupyter.assistant import start  # noqa: PLC0415 - loads every room

        try:
            opened = start(before.root, **before.options)
        except IpuaroError:
            error.args = (f"{error} The project is closed now.",)
            return
        opened.approve = before.approve
        self._take(opened, before.options)

    def _take(self, opened: "Assistant", options: Mapping[str, Any]) -> None:
        """Make an assistant that of this kernel."""
        opened.confirm = None
        opened.connect()
        if self._on_open is not None:
            self._on_open(opened)
        self._assistant, self._options = opened, dict(options)

    def close(self) -> None:
        """Close the open project, if there is one."""
        assistant, self._assistant = self._assistant, None
        if assistant is not None:
            assistant.close()

    def cancel_check(self) -> None:
        """Cancel the check of a proposal that runs, if one does."""
        if self._assistant is not None:
            self._assistant.cancel_check()

    def read_ahead(self) -> None:
        """Have the model read the start of the prompt, from the next `begin_reading` on."""
        self._ahead = self.assistant.read_ahead()

    def begin_reading(self, show: "Callable[[ReadingAhead], Callable[[], None]] | None") -> None:
        """Begin to read ahead if that is due.

        Args:
            show: Shows how far it is and returns what shows it anew; None shows nothing.
        """
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            ahead.start(None if show is None else show(ahead))

    @property
    def tools(self) -> "Tools":
        """The tools of the open project; without one, those that every project has."""
        from ipuaro_jupyter.tools import load_tools  # noqa: PLC0415 - loads every room

        return load_tools() if self._assistant is None else self._assistant.tools

    def listed_tools(self) -> str:
        """The tools with their parameters, one per line."""
        return "\n".join(["The tools:", *(f"  {tool.signature}" for tool in self.tools)])

    def find_tool(self, name: str) -> "Tool":
        """A tool by its name or alias.

        Raises:
            SettingsError: There is none; the message names the closest.
        """
        tools = self.tools
        found = tools.find(name)
        if found is None:
            names = [tool.name for tool in tools]
            near = closest(name, names)
            told = f"Did you mean {', '.join(near)}?" if near else f"There are: {', '.join(names)}."
            raise SettingsError(f"There is no tool {name!r}. {told}")
        return found

    @contextmanager
    def asking(self, thread: AnyCellThread) -> Iterator["Assistant"]:
        """Provide the assistant, whose questions go through ``thread`` inside the block."""
        assistant = self.assistant
        before = assistant.confirm, assistant.on_error
        assistant.confirm, assistant.on_error = thread.ask, thread.ask_remedy
        try:
            yield assistant
        finally:
            assistant.confirm, assistant.on_error = before


def own_notebook() -> str:
    """The notebook of this kernel, as Jupyter's server has told it; "" where there is none."""
    told = os.environ.get(_NOTEBOOK, "")
    return told if told.endswith(".ipynb") else ""


def resumed(session: "SessionInfo") -> str:
    """That an opened session goes on, why it is this one, and how to begin another."""
    own = own_notebook()
    whose = f"the last one of {Path(own).name}" if own else "the latest of the project"
    return f"{session.resumed()} It is {whose}; to begin another, add --new to %ipuaro start."


class _Before:
    """The parameters for opening a project again as it is now."""

    def __init__(self, assistant: "Assistant", options: Mapping[str, Any]) -> None:
        self.root = assistant.root
        self.approve = assistant.approve
        session = assistant.session.id
        is_listed = any(listed.id == session for listed in assistant.sessions())
        gone = {"progress", "cancel", "confirm"}
        self.options = {key: value for key, value in options.items() if key not in gone}
        self.options |= {"session": session if is_listed else None, "new": not is_listed}
        if isinstance(options.get("model"), str | None):
            self.options["model"] = assistant.model.name


def _root(folder: "Folder", options: Mapping[str, Any]) -> Path:
    """The folder of the project that is meant.

    Raises:
        IpuaroError: It cannot be opened.
    """
    from ipuaro_jupyter.settings.opened_folder import opened_folder  # noqa: PLC0415 - more rooms

    return opened_folder(folder, options.get("settings") or {}).root


def _check_opening(root: Path, options: Mapping[str, Any]) -> None:
    """Check the settings, the store and the session of an opening without opening anything.

    Raises:
        IpuaroError: The opening would fail with it.
    """
    from ipuaro_jupyter.sessions.stored_session import (  # noqa: PLC0415 - loads more rooms
        find_session,
        session_ids,
    )
    from ipuaro_jupyter.settings.settings import load_settings  # noqa: PLC0415 - the same
    from ipuaro_jupyter.store.connection import connect  # noqa: PLC0415 - the same
    from ipuaro_jupyter.store.keys import Keys, project_id  # noqa: PLC0415 - the same

    store = connect(load_settings(root, options.get("settings") or {}).settings.redis)
    try:
        if options.get("session") is not None:
            find_session(session_ids(store, Keys(project_id(root))), options["session"])
    finally:
        store.close()

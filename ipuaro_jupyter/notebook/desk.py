"""The project that is open in this kernel."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipuaro_jupyter.errors import IpuaroError, ProjectError, SettingsError
from ipuaro_jupyter.notebook.work import AnyWork
from ipuaro_jupyter.text_distance import closest

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant import Assistant
    from ipuaro_jupyter.tools import Tools
    from ipuaro_jupyter.tools.tool import Tool


class Desk:
    """Holds the one assistant of a kernel, if a project is open."""

    def __init__(self) -> None:
        self._assistant: Assistant | None = None

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
        """Return when a project is open.

        Raises:
            ProjectError: None is.
        """
        _ = self.assistant

    @property
    def is_open(self) -> bool:
        """Whether a project is open."""
        return self._assistant is not None

    def open(self, path: str, **options: Any) -> None:
        """Open a project as `ipuaro_jupyter.start` does, and close the one that was open.

        When another project cannot be opened, the one before stays open. The same one is closed
        first, because a session is open once; when it cannot be opened again, the error says so.
        ``confirm`` is for the questions of the opening alone.
        """
        from ipuaro_jupyter.assistant import start  # noqa: PLC0415 - loads every room

        again = self.is_open and self.assistant.root == Path(path).expanduser().resolve()
        if again:
            self.close()
        try:
            opened = start(path, **options)
        except IpuaroError as error:
            if again:
                error.args = (f"{error} The project is closed now.",)
            raise
        self.close()
        opened.confirm = None
        opened.connect()
        self._assistant = opened

    def close(self) -> None:
        """Close the open project; without one, do nothing."""
        assistant, self._assistant = self._assistant, None
        if assistant is not None:
            assistant.close()

    @property
    def tools(self) -> "Tools":
        """The tools of the open project; without one, those that every project has."""
        from ipuaro_jupyter.tools import load_tools  # noqa: PLC0415 - loads every room

        return load_tools() if self._assistant is None else self._assistant.tools

    def listed_tools(self) -> str:
        """Return the tools with their parameters, one on a line."""
        return "\n".join(["The tools:", *(f"  {tool.signature}" for tool in self.tools)])

    def find_tool(self, name: str) -> "Tool":
        """Return a tool by its name or alias.

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
    def asking(self, work: AnyWork) -> Iterator["Assistant"]:
        """Return the assistant, whose questions are asked by ``work`` inside the block."""
        assistant = self.assistant
        before = assistant.confirm, assistant.on_error
        assistant.confirm, assistant.on_error = work.ask, work.ask_remedy
        try:
            yield assistant
        finally:
            assistant.confirm, assistant.on_error = before

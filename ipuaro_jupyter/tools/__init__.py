"""The loader: every module in this folder is a tool, except those that tools are made of.

So is every file in the folders that the environment variable IPUARO_TOOLS names, separated as in
PATH: a file ``word_count.py`` holds the function ``word_count``, made a tool by `tool.tool`.
"""

import importlib
import logging
import pkgutil
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from typing import Any

from ipuaro_jupyter.added_modules import added_modules
from ipuaro_jupyter.address_space import shortage
from ipuaro_jupyter.cancellation import Deadline, watching
from ipuaro_jupyter.errors import Cancelled, SettingsError, StorageError, TimeUp, ToolError
from ipuaro_jupyter.index.storage.questions import IndexQuestion, asking
from ipuaro_jupyter.records.chat import ToolCall, chosen
from ipuaro_jupyter.records.outputs import Output, ToolFailure, ToolResult
from ipuaro_jupyter.stopwatch import Stopwatch
from ipuaro_jupyter.text_distance import closest
from ipuaro_jupyter.tools.tool import Project, Tool

SEARCH_PATH = "IPUARO_TOOLS"
_log = logging.getLogger(__name__)
_MOST_NAMED = 60
_NOT_TOOLS = {
    "call_trees",
    "cell_edits",
    "content",
    "declaring_files",
    "edited_notebook",
    "known_lines",
    "notebook_kernel",
    "error_places",
    "late_places",
    "open_notebooks",
    "path_parameters",
    "placed_files",
    "source_lines",
    "tool",
}


def load_tools() -> "Tools":
    """Every tool of this folder and of those that IPUARO_TOOLS names, sorted by name.

    Ours are imported when a tool is first needed; opening a project needs none. The others are
    imported at once, so that errors in them are reported at once.

    Raises:
        SettingsError: A file in those folders is not a tool, or has the name of another.
    """
    names = own_names()
    return Tools(_added({name.lower() for name in names}), later=partial(_own, names))


@cache
def own_names() -> frozenset[str]:
    """The names of the tools of this folder."""
    found = {found.name for found in pkgutil.iter_modules(__path__)}
    return frozenset(found - _NOT_TOOLS)


def _own(names: Iterable[str]) -> Iterator[Tool]:
    for name in names:
        yield getattr(importlib.import_module(f"{__name__}.{name}"), name)


def _added(taken: set[str]) -> Iterator[Tool]:
    """Yield the tools of added files; ``taken`` are the names in use, in lower case."""
    for module in added_modules(SEARCH_PATH):
        name = Path(str(module.__file__)).stem
        found = getattr(module, name, None)
        if not isinstance(found, Tool) or found.name != name:
            raise SettingsError(
                f"{module.__file__} (from {SEARCH_PATH}) holds no tool {name!r}: "
                f"write a function of that name under @tool()."
            )
        if name.lower() in taken:
            raise SettingsError(
                f"{module.__file__} (from {SEARCH_PATH}): there is a tool {name!r} already. "
                "Give file and function another name."
            )
        taken.add(name.lower())
        yield found


class Tools:
    """The tools by name, sorted; names are case-insensitive.

    Args:
        tools: The tools.
        later: Returns further tools; called when a tool is first needed.
    """

    def __init__(
        self, tools: Iterable[Tool], *, later: Callable[[], Iterable[Tool]] = tuple
    ) -> None:
        self._by_source = {"": tuple(tools)}
        self._later = later
        self._lock = threading.Lock()
        self._known: dict[str, Tool] | None = None

    @property
    def _tools(self) -> dict[str, Tool]:
        with self._lock:
            if self._known is None:
                more = tuple(self._later())
                self._known = _by_name([more, *self._by_source.values()])
            return self._known

    def replace(self, source: str, tools: Iterable[Tool]) -> None:
        """Replace the tools of ``source``; callable from any thread."""
        with self._lock:
            self._by_source[source] = tuple(tools)
            self._known = None

    def only(self, names: Collection[str] | None) -> "Tools":
        """The tools with these names, which may contain wildcards; all of them for None."""
        if names is None:
            return self
        wanted = [name.lower() for name in names]
        return Tools(
            tool
            for name, tool in self._tools.items()
            if any(fnmatchcase(name, pattern) for pattern in wanted)
        )

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    @property
    def aliases(self) -> dict[str, str]:
        """Lower-case alias -> tool name, for read-only tools."""
        return {alias: tool.name for tool in self._tools.values() for alias in tool.aliases}

    def find(self, name: str, arguments: object = ()) -> Tool | None:
        """The tool with that name or alias; None when there is none.

        A tool's name may also be an alias: it is one for a call with ``arguments`` that only the
        other tool has, or, if neither has them, that only the other tool understands.
        """
        lower = name.lower()
        tool, other = self._tools.get(lower), self._tools.get(self.aliases.get(lower, ""))
        if tool is None or other is None:
            return tool or other
        schemas = chosen([tool.schema, other.schema], arguments)
        return other if schemas is other.schema else tool

    def meant(self, call: ToolCall) -> ToolCall:
        """The call with its arguments under the tool's own names, as far as they are understood."""
        tool = self.find(call.name, call.arguments)
        if tool is None:
            return call
        given = tool.schema.given(call.arguments, changes=tool.asks_first)
        if given is None or given.problems or given.values == call.arguments:
            return call
        return call.model_copy(update={"arguments": given.values})

    def call(self, name: str, arguments: Mapping[str, Any], project: Project) -> ToolResult:
        """Run one tool; every failure becomes the result, except `Cancelled`.

        The arguments may be in the forms of `given_arguments`, too.
        """
        watch = Stopwatch()
        tool = self.find(str(name), arguments)
        name = str(name) if tool is None else tool.name
        changes = tool is not None and (tool.asks_first or tool.times_itself)
        question = IndexQuestion(changes=changes)
        with asking(question), watch.in_force():
            result = self._result(tool, name, arguments, project)
        spent = {"doubts": tuple(question.doubts), "duration_ms": watch.elapsed_ms}
        return result.model_copy(update=spent)

    def _result(
        self, tool: Tool | None, name: str, arguments: Mapping[str, Any], project: Project
    ) -> ToolResult:
        """The result of running a tool, without the time it took."""
        try:
            output, remarks = self._run(tool, name, arguments, project)
        except (ToolError, StorageError) as error:
            return _failure(name, ToolFailure.of(error))
        except TimeUp as late:
            project.cancel.check()  # it may be the time of the whole turn
            return _failure(name, ToolFailure.of(_too_slow(tool, project, str(late))))
        except Cancelled:
            raise
        except MemoryError:
            return _failure(name, ToolFailure.of(ToolError("internal", shortage())))
        except Exception as error:  # noqa: BLE001 - one tool's bug must not end the turn
            _log.exception("The tool %s failed", name)
            failure = ToolFailure(
                type="internal",
                message=f"{name} failed: {type(error).__name__}: {error}",
                recoverable=False,
            )
            return _failure(name, failure)
        root = str(project.workspace.root)
        return ToolResult(tool=name, output=output, root=root, remarks=remarks)

    def _run(
        self, tool: Tool | None, name: str, arguments: Mapping[str, Any], project: Project
    ) -> tuple[Output, tuple[str, ...]]:
        """Run a tool; return its output, and what the user has to know of the call."""
        if tool is None:
            raise self.unknown(name)
        project.workspace.check_there()
        given, remarks = tool.located(tool.validate(arguments), project.workspace)
        if tool.times_itself:
            with watching(project.cancel):
                return tool.function(project, **given), remarks
        deadline = Deadline(project.timeout_s, project.cancel)
        with deadline.running(), deadline.in_force():
            return tool.function(replace(project, cancel=deadline.token), **given), remarks

    def unknown(self, name: str) -> ToolError:
        """The error for an unknown name: it lists the tools, likely ones with their parameters."""
        meant = [tool.name for tool in self._tools.values() if name.lower() in tool.foreign]
        meant = meant or closest(name, [tool.name for tool in self], cutoff=0.4)
        others = [tool.name for tool in self if tool.name not in meant]
        likely = "; ".join(self._tools[close.lower()].signature for close in meant)
        left = len(others) - _MOST_NAMED
        named = [*others[:_MOST_NAMED], *([f"and {left} more"] if left > 0 else [])]
        listed = f"{'; other tools' if likely else ''}: {', '.join(named)}"
        return ToolError(
            "validation",
            f"There is no tool {name!r}.",
            suggestion=f"{f'Closest: {likely}' if likely else 'There are'}{listed}",
        )


def _by_name(sources: Iterable[tuple[Tool, ...]]) -> dict[str, Tool]:
    tools = [tool for source in sources for tool in source]
    return {tool.name.lower(): tool for tool in sorted(tools, key=lambda tool: tool.name.lower())}


def _too_slow(tool: Tool | None, project: Project, why: str) -> ToolError:
    """The error for a call that ran out of time without a partial answer.

    Args:
        tool: The tool that was called.
        project: Its time limit counts.
        why: A sentence about the work that continues; "" when none does.
    """
    told = (
        f"{tool.name if tool else 'It'} took longer than {project.timeout_s:g} s and was stopped."
    )
    narrower = tool is not None and tool.takes(["path"])
    less = "a part of the project with path" if narrower else "something smaller"
    hint = "Ask again later" if why else f"Ask for {less}"
    return ToolError(
        "timeout",
        f"{told} {why}".rstrip(),
        suggestion=f"{hint}; the user can allow more with the setting tools.timeoutS.",
    )


def _failure(name: str, failure: ToolFailure) -> ToolResult:
    return ToolResult(tool=name, error=failure)

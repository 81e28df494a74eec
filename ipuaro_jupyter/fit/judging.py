"""The judgement of a model's reply to a task, by the index."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.fit.task import FitTask, arguments_of, meant
from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.tools.tool import Tool

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant import Assistant

_CREATING = {"create_file", "write_file"}


class Judgement(NamedTuple):
    """What is true of the first call of a reply; an answer in words is judged as one, too.

    Attributes:
        is_valid: A tool takes it; for a task that needs no tool: there is none.
        names_exist: The files and symbols that it names exist.
        is_right: It is one of the steps of the task.
    """

    is_valid: bool
    names_exist: bool
    is_right: bool


class Judge:
    """Judges replies about the project of an assistant."""

    def __init__(self, assistant: "Assistant") -> None:
        self._assistant = assistant
        self._index = assistant.project().index
        self._paths = frozenset(self._index.paths())

    def judged(self, task: FitTask, call: ToolCall | None, *, is_answer: bool = False) -> Judgement:
        """Judge the first call of a reply.

        Args:
            task: The task.
            call: The call; None when there was none.
            is_answer: Whether the reply was an answer in words.
        """
        if not task.steps:
            done = call is None and is_answer
            return Judgement(done, names_exist=True, is_right=done)
        nothing = Judgement(is_valid=False, names_exist=False, is_right=False)
        if call is None:
            return nothing
        tool = self._assistant.tools.find(call.name, call.arguments)
        given = None if tool is None else _taken(tool, call)
        if tool is None or given is None:
            return nothing
        return Judgement(
            is_valid=True,
            names_exist=tool.name in _CREATING or all(self._existing(given)),
            is_right=any(
                step.is_taken_by(tool.name, given, paths=self._paths) for step in task.steps
            ),
        )

    def _existing(self, given: Mapping[str, Any]) -> Iterator[bool]:
        for path in arguments_of("path", given):
            named = meant(path, self._paths)
            inside = f"{named}/" if named not in {"", "."} else ""
            yield named in self._paths or any(one.startswith(inside) for one in self._paths)
        for symbol in arguments_of("symbol", given):
            yield bool(self._index.definitions(symbol))


def _taken(tool: Tool, call: ToolCall) -> dict[str, Any] | None:
    """The arguments as the tool takes them; None if it does not."""
    try:
        return tool.validate(call.arguments)
    except ToolError:
        return None

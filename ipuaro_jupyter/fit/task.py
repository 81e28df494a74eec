"""A task: a question, and the calls that are a right first step towards its answer."""

from collections.abc import Collection, Mapping
from typing import Any, Literal

from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.tools.tool import Tool

Role = Literal["path", "symbol", "text"]

_ROLES: Mapping[str, Role] = {
    "path": "path",
    "filepath": "path",
    "directory": "path",
    "symbol": "symbol",
    "name": "symbol",
    "pattern": "text",
    "command": "text",
}
_LEAST_TEXT = 4  # letters of a text that still stand for it


class Step(Record):
    """A call of ``tool``; what is empty may be anything.

    ``lines`` are 1-based and include the last; a call for more lines than these is the same step.
    ``text`` is for a pattern or a command, which may be a part of it, or hold it.
    """

    tool: str
    path: str = ""
    symbol: str = ""
    text: str = ""
    lines: tuple[int, int] | None = None

    def call(self, tool: Tool) -> ToolCall:
        """The step as a call of its tool."""
        wanted = {"path": self.path, "symbol": self.symbol, "text": self.text}
        arguments: dict[str, Any] = {}
        for name in tool.schema.parameters["properties"]:
            value = wanted.get(_ROLES.get(name, ""))
            if value:
                arguments[name] = value
        if self.lines is not None and tool.takes(["start", "end"]):
            arguments["start"], arguments["end"] = self.lines
        return ToolCall(name=self.tool, arguments=arguments)

    def is_taken_by(self, tool: str, given: Mapping[str, Any], *, paths: Collection[str]) -> bool:
        """Whether a call is this step.

        Args:
            tool: The tool's own name.
            given: The arguments as the tool takes them.
            paths: The project's files.
        """
        if tool != self.tool:
            return False
        has_path = not self.path or any(
            meant(path, paths) == self.path for path in arguments_of("path", given)
        )
        has_symbol = not self.symbol or any(
            _last(name) == _last(self.symbol) for name in arguments_of("symbol", given)
        )
        has_text = not self.text or any(
            _is_about(text, self.text) for text in arguments_of("text", given)
        )
        return has_path and has_symbol and has_text and self._covered(given)

    def _covered(self, given: Mapping[str, Any]) -> bool:
        if self.lines is None:
            return True
        start, end = given.get("start"), given.get("end")
        first, last = self.lines
        return (start is None or start <= first) and (end is None or end >= last)


class FitTask(Record):
    """A question about a project.

    Attributes:
        kind: The rule that made it.
        question: As a user asks it.
        steps: The first calls that are right; none when no tool is needed.
    """

    kind: str
    question: str
    steps: tuple[Step, ...] = ()


def arguments_of(role: Role, given: Mapping[str, Any]) -> list[str]:
    """The arguments that stand for a path, a symbol, or a text."""
    return [str(value) for name, value in given.items() if _ROLES.get(name) == role]


def meant(path: str, paths: Collection[str]) -> str:
    """The file or folder of the project that a path stands for; the path itself if none does."""
    plain = path.strip().removeprefix("./").strip("/")
    if plain in paths:
        return plain
    ending = [one for one in paths if one.endswith(f"/{plain}") or plain.endswith(f"/{one}")]
    return ending[0] if len(ending) == 1 else plain


def _last(symbol: str) -> str:
    return symbol.strip().removesuffix("()").rpartition(".")[2]


def _is_about(pattern: str, text: str) -> bool:
    """Whether a pattern looks for a text, as far as one can tell without running it."""
    plain = pattern.replace("\\b", "").replace("\\", "").strip("^$*./ ").casefold()
    wanted = text.casefold()
    return wanted in plain or (len(plain) >= max(_LEAST_TEXT, len(wanted) // 2) and plain in wanted)

"""The repeated parts of a recorded turn: the model's replies and the user's decisions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.llm.scripted import ScriptedModel
from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.chat import Message, ToolCall, ToolSchema
from ipuaro_jupyter.records.outputs import Output, TextOutput, ToolFailure
from ipuaro_jupyter.tools import Tools, load_tools
from ipuaro_jupyter.tools.tool import Project, Tool
from ipuaro_jupyter.workspace.approval import is_unasked

_WINDOW = 2**40  # tokens: nothing is ever left out or summarized


class RecordedReplies(ScriptedModel):
    """Gives the replies of a recording, turn by turn."""

    def __init__(self, tools: Tools) -> None:
        super().__init__([], name="the recording", context_tokens=_WINDOW)
        self._tools = tools

    def begin(self, turn: Sequence[Message]) -> None:
        """Give the replies of this turn from now on."""
        self.requests.clear()
        self._replies = [list(self._chunks(message)) for message in replies_of(turn)]

    def _chunks(self, message: Message) -> Iterator[Chunk]:
        yield Chunk(text=message.raw)
        yield Chunk(calls=native_calls(message, self._tools))
        if message.usage is not None:
            yield Chunk(usage=message.usage)


class RecordedAnswers:
    """Makes the user's recorded decisions, call by call.

    Attributes:
        is_unasked: Whether the present call was refused beside a question.
    """

    def __init__(self) -> None:
        self.is_unasked = False
        self._results: Sequence[Message] = ()
        self._started = 0
        self._left: list[Decision] = []

    def begin(self, turn: Sequence[Message]) -> None:
        """Use the decisions of this turn from now on."""
        self._results = [message for message in turn if message.role == "tool" and message.call_id]
        self._started = 0

    def call_started(self) -> bool:
        """Use the decisions of the next call; False when it was interrupted in the recording."""
        recorded = self._results[self._started] if self._started < len(self._results) else None
        self._started += 1
        self._left = [] if recorded is None else list(recorded.decisions)
        error = None if recorded is None else (recorded.result or {}).get("error")
        self.is_unasked = error is not None and is_unasked(str(error.get("message")))
        return recorded is None or not recorded.interrupted

    @property
    def is_decided(self) -> bool:
        """Whether the recording has a decision, made by anybody, on a question of this call."""
        return bool(self._left)

    def __call__(self, proposal: Proposal) -> Decision:
        """The decision on the next question of the call; ``remember`` never takes effect."""
        if proposal.kind == "settings" or not self._left:
            reason = "the recording has no answer to it"
            return Decision(action="reject", by="nobody", reason=reason)
        return self._left.pop(0).model_copy(update={"remember": False, "failed": ""})


class RecordedKernel:
    """Gives what the tools that read a notebook's kernel have told: that kernel is gone."""

    def __init__(self) -> None:
        self._left: dict[str, list[Message]] = {}

    def begin(self, turn: Sequence[Message]) -> None:
        """Give the results of this turn from now on."""
        self._left = {}
        for message in turn:
            if message.role == "tool" and message.tool is not None:
                self._left.setdefault(message.tool, []).append(message)

    def tools(self) -> list[Tool]:
        """The tools that read a kernel, with the recorded results, call by call."""
        return [
            replace(tool, function=partial(self._told, tool.name))
            for tool in load_tools()
            if tool.in_notebook
        ]

    def _told(self, name: str, _project: Project, /, **_arguments: object) -> Output:
        left = self._left.get(name)
        if not left:
            raise ToolError("validation", "The recording has no result of this call.")
        message = left.pop(0)
        result = message.result or {}
        if (error := result.get("error")) is not None:
            failure = ToolFailure.model_validate(error)
            raise ToolError(
                failure.type,
                failure.message,
                suggestion=failure.suggestion,
                recoverable=failure.recoverable,
            )
        return _RecordedOutput(content=message.content, recorded=result.get("output"))


class _RecordedOutput(TextOutput):
    """The output of a call in a recording."""

    recorded: Any

    def value(self) -> Any:
        """What the recording has."""
        return self.recorded


def replies_of(turn: Sequence[Message]) -> list[Message]:
    """The model's replies in a turn, without an interrupted one."""
    return [message for message in turn if message.role == "assistant" and not message.interrupted]


def calls_of(message: Message, tools: Tools) -> tuple[ToolCall, ...]:
    """The calls that a repeated reply makes, by its text and its metadata.

    They may differ from the recorded calls: the file may have been edited.
    """
    return (*native_calls(message, tools), *_parsed(message, tools))


def native_calls(message: Message, tools: Tools) -> tuple[ToolCall, ...]:
    """The calls of a reply that are not in its text."""
    return message.calls[: max(0, len(message.calls) - len(_parsed(message, tools)))]


def _parsed(message: Message, tools: Tools) -> tuple[ToolCall, ...]:
    """The calls in a reply's text, including those of tools that no longer exist."""
    schemas = [tool.schema for tool in tools]
    others = {call.name for call in message.calls if tools.find(call.name) is None}
    parameters: dict[str, object] = {"type": "object", "properties": {}}
    schemas += [ToolSchema(name=name, description="", parameters=parameters) for name in others]
    return parse_reply(message.raw, schemas, aliases=tools.aliases, unknown_calls=True).calls

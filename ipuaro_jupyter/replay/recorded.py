"""What is given again of a recorded turn: the model's replies, and the user's answers."""

from collections.abc import Iterator, Sequence

from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.llm.scripted import ScriptedModel
from ipuaro_jupyter.llm.text_calls import parse_reply
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.chat import Message, ToolCall, ToolSchema
from ipuaro_jupyter.tools import Tools

_WINDOW = 2**40  # tokens: nothing is ever left out or summed up


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
    """Gives the user's answers of a recording, call by call."""

    def __init__(self) -> None:
        self._results: Sequence[Message] = ()
        self._started = 0
        self._left: list[Decision] = []

    def begin(self, turn: Sequence[Message]) -> None:
        """Answer the questions of this turn from now on."""
        self._results = [message for message in turn if message.role == "tool" and message.call_id]
        self._started = 0

    def call_started(self) -> bool:
        """Answer the questions of the next call; False when it was broken off at that time."""
        recorded = self._results[self._started] if self._started < len(self._results) else None
        self._started += 1
        self._left = [] if recorded is None else list(recorded.decisions)
        return recorded is None or not recorded.interrupted

    def __call__(self, proposal: Proposal) -> Decision:
        """Return the answer to the next question of the call, which is asked again every time."""
        if proposal.kind == "settings" or not self._left:
            reason = "the recording has no answer to it"
            return Decision(action="reject", by="nobody", reason=reason)
        return self._left.pop(0).model_copy(update={"remember": False})


def replies_of(turn: Sequence[Message]) -> list[Message]:
    """Return the model's replies of a turn, without one that was broken off."""
    return [message for message in turn if message.role == "assistant" and not message.interrupted]


def calls_of(message: Message, tools: Tools) -> tuple[ToolCall, ...]:
    """Return the calls that a reply makes when it is given again, as its text and its metadata say.

    They need not be those that the recording tells of: it may have been changed by hand.
    """
    return (*native_calls(message, tools), *_parsed(message, tools))


def native_calls(message: Message, tools: Tools) -> tuple[ToolCall, ...]:
    """Return the calls of a reply that are not in its text."""
    return message.calls[: max(0, len(message.calls) - len(_parsed(message, tools)))]


def _parsed(message: Message, tools: Tools) -> tuple[ToolCall, ...]:
    """Return the calls in a reply's text, those of tools that are not there now included."""
    schemas = [tool.schema for tool in tools]
    others = {call.name for call in message.calls if tools.find(call.name) is None}
    parameters: dict[str, object] = {"type": "object", "properties": {}}
    schemas += [ToolSchema(name=name, description="", parameters=parameters) for name in others]
    return parse_reply(message.raw, schemas, aliases=tools.aliases, unknown_calls=True).calls

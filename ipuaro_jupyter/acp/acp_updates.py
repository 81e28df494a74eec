"""What a client of the protocol is told of a turn: text, calls with diffs and places, tokens."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from acp import schema as protocol
from acp.helpers import (
    start_tool_call,
    text_block,
    tool_content,
    tool_diff_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_tool_call,
    update_user_message_text,
)

from ipuaro_jupyter.agent.mcp.mcp_tools import PREFIX
from ipuaro_jupyter.records.change import Change, Proposal, text_of
from ipuaro_jupyter.records.chat import Answer, CalledTool, ToolCall
from ipuaro_jupyter.records.markdown import fenced
from ipuaro_jupyter.records.outputs import Diff, ToolResult
from ipuaro_jupyter.records.transcript import Transcript
from ipuaro_jupyter.tools import Tools
from ipuaro_jupyter.tools.tool import Tool
from ipuaro_jupyter.views import attached
from ipuaro_jupyter.views.answer import STOPPED, UNSURE, ending
from ipuaro_jupyter.views.call import line
from ipuaro_jupyter.views.markup import visible
from ipuaro_jupyter.views.proposal import detail_text, diffs
from ipuaro_jupyter.views.receipts import receipt
from ipuaro_jupyter.workspace.processes.head_tail import shortened

Content = (
    protocol.ContentToolCallContent
    | protocol.FileEditToolCallContent
    | protocol.TerminalToolCallContent
)

Update = (
    protocol.UserMessageChunk
    | protocol.AgentMessageChunk
    | protocol.AgentThoughtChunk
    | protocol.ToolCallStart
    | protocol.ToolCallProgress
    | protocol.AvailableCommandsUpdate
    | protocol.CurrentModeUpdate
    | protocol.UsageUpdate
)
"""What the agent tells by itself."""

_MOST_SHOWN = 60_000  # bytes of a result or question as text
_MOST_DIFFED = 2_000_000  # characters of a file's two sides


class AcpUpdates:
    """Makes the updates of one session; calls are numbered from its beginning on.

    Args:
        root: The project's folder: the protocol wants absolute paths.
        tools: The tools that are called.
    """

    def __init__(self, root: Path, tools: Tools) -> None:
        self._root = root
        self._tools = tools
        self._count = 0
        self._running: list[tuple[str, ToolCall]] = []

    @property
    def running_id(self) -> str | None:
        """The id of the call that runs, if one does; calls that ask a question run alone."""
        return self._running[-1][0] if self._running else None

    def own_id(self) -> str:
        """An id for a question outside of any call."""
        return self._next_id()

    def started(self, call: ToolCall) -> Update:
        """A call that begins."""
        call_id = self._next_id()
        self._running.append((call_id, call))
        return self._start(call_id, call, status="in_progress")

    def finished(self, call: ToolCall, result: ToolResult, changes: Sequence[Change]) -> Update:
        """A call that has ended, with what it has changed."""
        found = next((one for one in self._running if one[1] == call), None)
        if found is not None:
            self._running.remove(found)
        drawn = result.output.shape() if result.output is not None else None
        if isinstance(drawn, Diff) and len(changes) == 1:  # of a cell, not of its file
            shown = list(self._diff(changes[0].path, drawn.old, drawn.new))
        else:
            shown = [content for one in changes for content in self._changed(one)]
        return update_tool_call(
            found[0] if found else self._next_id(),
            status="completed" if result.success else "failed",
            content=[*shown, text_content(result.text())],
        )

    def asked(self, proposal: Proposal) -> list[Content]:
        """The subject of a question: the diffs of what would be applied, and the rest in words."""
        words = self.words(proposal)
        shown = [
            content
            for one in _applied(proposal)
            for content in self._diff(proposal.path or one.path, one.old, one.new)
        ]
        return [*shown, *([text_content(words)] if words else [])]

    def words(self, proposal: Proposal) -> str:
        """What the diffs of a question do not show, or a client may not draw, in words.

        "" where they show all. Clients that draw diffs leave out other content, so that it has to
        be told before the question too.
        """
        applied = _applied(proposal)
        texts = [text or "" for one in applied for text in (one.old, one.new)]
        is_drawn = bool(applied) and sum(map(len, texts)) <= _MOST_DIFFED
        is_all = len(applied) == len(diffs(proposal)) and not any(
            (proposal.problems, proposal.reason, proposal.checked)
        )
        if is_drawn and is_all and all(visible(text) == text for text in texts):
            return ""
        return detail_text(proposal, offers_check=bool(proposal.check))

    def past(self, transcript: Transcript) -> Iterator[Update]:
        """Yield the turns of a session that is opened again."""
        for answer in transcript.turns:
            yield update_user_message_text(visible(answer.question))
            if answer.attached:
                yield update_agent_thought_text(attached.text(answer.attached))
            for called in answer.tool_calls:
                if called.said.strip():
                    yield update_agent_message_text(visible(called.said.strip()) + "\n\n")
                yield self._called(called)
            if answer.text:
                yield update_agent_message_text(visible(answer.text))
            yield from self.ended(answer)

    def ended(self, answer: Answer) -> Iterator[Update]:
        """Yield what is told at the end of a turn besides the model's text."""
        if answer.text and not answer.is_sure:
            yield update_agent_message_text(f"\n\n{UNSURE}")
        if answer.receipt and (told := receipt.text(answer.receipt)):
            yield update_agent_message_text(f"\n\n{told}")
        if answer.notice and answer.notice != STOPPED:
            yield update_agent_message_text(f"\n\n{visible(answer.notice)}")
        if answer.proposals or answer.unchanged or answer.ended in ("stopped", "limit"):
            yield update_agent_message_text(f"\n\n*{ending(answer)}*")

    def _called(self, called: CalledTool) -> Update:
        status = "completed" if called.result.success else "failed"
        content = [text_content("\n".join([*called.decided, called.result.text()]))]
        return self._start(self._next_id(), called.call, status=status, content=content)

    def _start(self, call_id: str, call: ToolCall, **more: Any) -> Update:
        tool = self._tools.find(call.name, call.arguments)
        return start_tool_call(
            call_id,
            line(call),
            kind=_kind(tool),
            locations=list(self._places(tool, call)),
            raw_input=call.arguments,
            **more,
        )

    def _places(self, tool: Tool | None, call: ToolCall) -> Iterator[protocol.ToolCallLocation]:
        """Yield the files that a call names, with the line at which it begins."""
        for name, named in (tool.names if tool else {}).items():
            path, start = call.arguments.get(name), call.arguments.get("start")
            if named == "symbol" or not isinstance(path, str) or not path:
                continue
            line = start if isinstance(start, int) and start > 0 else None
            yield protocol.ToolCallLocation(path=self._absolute(path), line=line)

    def _changed(self, change: Change) -> Iterable[Content]:
        return self._diff(change.path, text_of(change.before), text_of(change.after))

    def _diff(self, path: str, old: str | None, new: str | None) -> Iterator[Content]:
        """Yield a file's two sides, unless they are too large to be shown."""
        sides = len(old or "") + len(new or "")
        if sides <= _MOST_DIFFED:
            yield tool_diff_content(self._absolute(path), new or "", old)
        else:
            yield text_content(f"{visible(path)}: too large to be shown as a diff")

    def _absolute(self, path: str) -> str:
        """The place of a path of the project, which may be one that a model has made up."""
        return str(self._root / path)

    def _next_id(self) -> str:
        self._count += 1
        return f"call-{self._count}"


def _applied(proposal: Proposal) -> list[Diff]:
    """The diffs of a proposal without those of a change set that are not ticked."""
    ticked = [one.is_chosen for one in proposal.changed] or [True]
    return [one for one, is_in in zip(diffs(proposal), ticked, strict=False) if is_in]


def text_content(said: str) -> Content:
    """A text that shows as it is written, with its ends where it is long."""
    return tool_content(text_block(fenced(shortened(visible(said), _MOST_SHOWN))))


def _kind(tool: Tool | None) -> protocol.ToolKind:
    """The word of the protocol for a tool, by what is known of it."""
    if tool is None or tool.name.startswith(PREFIX):
        return "other"
    if tool.times_itself:
        return "execute"
    if tool.asks_first:
        return "delete" if tool.gone else "edit"
    parameters = set(tool.schema.parameters["properties"])
    return "search" if parameters & {"symbol", "pattern", "query"} else "read"

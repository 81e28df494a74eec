"""JSON alone that other data may look like: ``{"name": "TOOL", "path": …}``, ``{"TOOL": {…}}``.

Also, for who answers them himself, calls of tools that do not exist; for others these are text.
"""

from collections.abc import Callable
from typing import Any

from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.json_calls import lone_calls, next_object, unknown_calls
from ipuaro_jupyter.llm.text_calls.json_text import json_end, lone_likeness
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import Outcomes, ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.results import ends_all, ends_block
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames
from ipuaro_jupyter.llm.text_calls.values import load_json


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    try:
        like = lone_likeness(reply, mark.start, tools)
        if like == "known":
            end, outcomes = _read(reply, mark.start, tools, lone_calls)
            return ParsedForm(end, outcomes) if outcomes and ends_block(reply, end) else None
        if like == "other" and tools.unknown_calls and not reply.has_shown:
            end, outcomes = _read(reply, mark.start, tools, unknown_calls)
            return ParsedForm(end, outcomes) if outcomes and ends_all(reply, end) else None
    except CutOff:
        if not reply.has_ended:
            raise CutOff from None  # it may be data
    except ValueError:
        pass
    return None


def _read(
    reply: ReplyText, at: int, tools: ToolNames, calls: Callable[[Any, ToolNames], Outcomes]
) -> tuple[int, Outcomes]:
    """Where the values that stand one behind the other end, and what they all call."""
    outcomes: Outcomes = ()
    while True:
        end = json_end(reply, at)
        found = calls(load_json(reply.text[at:end]), tools)
        outcomes += found
        at = next_object(reply, end)
        if at < 0 or not found:
            return end, outcomes if found else ()


FORM = Form(
    order=85,
    marks=("{", "["),
    parse=_parse,
    is_unmarked=True,
    is_alone=True,
    needs_end=True,
    samples={
        '```json\n{"name": "get_lines", "path": "a.ts"}\n```': [LINES],
        '```json\n{"get_lines": {"path": "a.ts"}}\n{"git_status": {}}\n```': [LINES, STATUS],
    },
)

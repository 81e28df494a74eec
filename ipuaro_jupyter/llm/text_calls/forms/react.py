"""ReAct's form: ``Action: TOOL``, and ``Action Input:`` with an object or a word on the next line.

Cohere's Command R and LangChain's models write JSON behind ``Action:``.
"""

import re
from contextlib import suppress

from ipuaro_jupyter.llm.text_calls.announced import (
    after_fence,
    fence_end,
    name_at,
    read_python,
    wait,
)
from ipuaro_jupyter.llm.text_calls.forms import LINES, Form
from ipuaro_jupyter.llm.text_calls.json_calls import read_addressed, read_objects
from ipuaro_jupyter.llm.text_calls.json_text import likeness
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import Outcomes, ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import NotCalls, call_start, python_calls
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames, required

_QUOTES = re.compile(r"[*`\"' \t]*")
_TO_INPUT = re.compile(
    rf"[*`\"' \t]*[{BLANKS}]{{0,20}}[*`]*(?i:action[ _]?input|input|arguments|args|parameters)"
    r"[*`]*[ \t]*:[*`]*[ \t]*"
)
_LONGEST_TO_INPUT = 100
_LINE = re.compile(r"(?:[^\n<]|<(?!\|))*")
_NO_INPUT = "The call of {name} was not run: no Action Input follows. Write it again in full."
_RESULT = re.compile(r"[*`\"' \t\r\n]*(?:\Z|Observation)")


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    at = after_fence(reply, mark.end)
    if reply.char(at) in {"{", "["} and likeness(reply, at, tools) in {"call", "loose"}:
        end, outcomes = read_objects(reply, at, tools)
        return ParsedForm(fence_end(reply, end, reply.text[mark.end : at]), outcomes)
    at = reply.run(_QUOTES, mark.end)
    if call_start(reply, at, tools):
        return read_python(reply, at, tools)
    return _read_action(reply, mark, at, tools)


def _read_action(reply: ReplyText, mark: Mark, at: int, tools: ToolNames) -> ParsedForm | None:
    """Read the action whose name stands at ``at``, and its input."""
    name, at = name_at(reply, at)
    if not name or (mark.text.startswith("Tool") and not tools.candidates(name)):
        return None
    if reply.char(at) == "[" and tools.candidates(name):
        return _read_brackets(reply, at, tools, name=name)
    wait(reply, at, _LONGEST_TO_INPUT)
    to_input = _TO_INPUT.match(reply.text, at)
    if to_input is not None:
        return _read_input(reply, to_input.end(), tools, name=name)
    if not tools.candidates(name) or not _RESULT.match(reply.text, at):
        return None
    needs = any(required(schema) for schema in tools.candidates(name)[:1])
    return ParsedForm(at, (_NO_INPUT.format(name=name) if needs else tools.call(name, {}),), name)


def _read_brackets(
    reply: ReplyText, start: int, tools: ToolNames, *, name: str
) -> ParsedForm | None:
    """Read ``TOOL[a.ts]``, as ReAct's paper has it."""
    end = reply.run(_LINE, start)
    line = reply.text[start:end].rstrip(BLANKS + "`*")
    given = tools.only_argument(name, line[1:-1]) if line.endswith("]") else None
    return None if given is None else ParsedForm(end, (tools.call(name, given),), name)


def _read_input(reply: ReplyText, start: int, tools: ToolNames, *, name: str) -> ParsedForm:
    """Read the input of an action: an object, in a fence or not, or the rest of the line."""
    at = after_fence(reply, start)
    if reply.char(at) == "{":
        parsed = read_addressed(reply, name, at, tools)
        end = fence_end(reply, parsed.end, reply.text[start:at])
        return ParsedForm(end, parsed.outcomes, name)
    end = reply.run(_LINE, start)
    word = reply.text[start:end]
    if (named := _named(word, name, tools)) is not None:
        return ParsedForm(end, named, name)
    given = tools.only_argument(name, word)
    if not given and any(required(schema) for schema in tools.candidates(name)[:1]):
        return ParsedForm(end, (_NO_INPUT.format(name=name),), name)
    if given is None:
        given = {"input": word.strip()} if word.strip() else {}
    return ParsedForm(end, (tools.call(name, given),), name)


def _named(word: str, name: str, tools: ToolNames) -> Outcomes | None:
    """The call when the input is ``path="a.ts", start=2`` or ``path: a.ts``."""
    with suppress(NotCalls):
        called = python_calls(f"{name}({word.strip()})", tools) if "=" in word else ()
        if tools.understands(called):
            return called
    key, _, value = word.partition(":")
    call = tools.call(name, {key.strip(): value.strip()})
    is_named = key.strip().isidentifier() and value.startswith(" ") and tools.understands([call])
    return (call,) if is_named else None


FORM = Form(
    order=230,
    line_marks=("Action:", "**Action:**", "**Action**:", "Action :", "Tool:", "Tool Name:"),
    parse=_parse,
    needs_end=True,
    samples={
        'Action: get_lines\nAction Input: {"path": "a.ts"}': [LINES],
        'Action:\n```json\n[{"tool_name": "get_lines", "parameters": {"path": "a.ts"}}]\n```': [
            LINES
        ],
        'Action: get_lines(path="a.ts")': [LINES],
        "**Action:** `last_error`\n**Action Input:** None": [("last_error", {})],
    },
)

"""Calls that a line announces in words: ReAct's ``Action: TOOL``, and ``Tool call: …``."""

import re
from contextlib import suppress

from ipuaro_jupyter.llm.reply_marks import LINES
from ipuaro_jupyter.llm.text_calls.announced import name_at
from ipuaro_jupyter.llm.text_calls.forms import Form
from ipuaro_jupyter.llm.text_calls.json_calls import (
    after_fence,
    begins_call,
    json_calls,
    read_addressed,
    read_objects,
)
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import NotCalls, python_calls, read_python
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, Mark, ReplyText
from ipuaro_jupyter.llm.text_calls.results import MARK
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames
from ipuaro_jupyter.records.chat import ToolCall

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
    """Parse what a word announces: JSON, Python, or ReAct's name of a tool and its input."""
    at = after_fence(reply, mark.end)
    if reply.char(at) in {"{", "["} and begins_call(reply, at, tools):
        return read_objects(reply, mark.end, lambda text: json_calls(text, tools))
    at = reply.run(_QUOTES, mark.end)
    if parsed := read_python(reply, at, tools):
        return parsed
    name, at = name_at(reply, at)
    is_known = bool(tools.candidates(name))
    if not name or not (is_known or "Action" in mark.text):
        return None
    if reply.char(at) == "[" and is_known:  # ``TOOL[a.ts]``, as in ReAct's paper
        end = reply.run(_LINE, at)
        line = reply.text[at:end].rstrip(BLANKS + "`*")
        given = tools.only_argument(name, line[1:-1]) if line.endswith("]") else None
        return None if given is None else ParsedForm(end, (tools.call(name, given),))
    reply.wait(at, _LONGEST_TO_INPUT)
    if to_input := _TO_INPUT.match(reply.text, at):
        return _read_input(reply, to_input.end(), tools, name=name)
    is_call = is_known and _RESULT.match(reply.text, at)
    return ParsedForm(at, (_with_input("", name, tools),)) if is_call else None


def _read_input(reply: ReplyText, start: int, tools: ToolNames, *, name: str) -> ParsedForm:
    """Read the input of an action: an object, in a fence or not, or the rest of the line."""
    if reply.char(after_fence(reply, start)) == "{":
        return read_addressed(reply, name, start, tools)
    end = reply.run(_LINE, start)
    if found := MARK.search(reply.text, start, end):
        end = found.start()
    return ParsedForm(end, (_with_input(reply.text[start:end].strip(), name, tools),))


def _with_input(word: str, name: str, tools: ToolNames) -> ToolCall | str:
    """The call with this input: ``path="a.ts", start=2``, ``path: a.ts``, or the one value."""
    with suppress(NotCalls):
        called = python_calls(f"{name}({word})", tools) if "=" in word else ()
        if tools.understands(called):
            return called[0]
    key, _, value = word.partition(": ")
    call = tools.call(name, {key.strip(): value.strip()})
    if key.strip().isidentifier() and value and tools.understands([call]):
        return call
    given = tools.only_argument(name, word)
    if given is None:
        given = {"input": word} if word else {}
    if not given and any(schema.required for schema in tools.candidates(name)[:1]):
        return _NO_INPUT.format(name=name)
    return tools.call(name, given)


FORMS = (
    Form(
        line_marks=LINES,
        closings=("[/TOOL_CALL]",),
        parse=_parse,
        needs_end=True,
    ),
)

"""Calls that a line announces in words: ReAct's ``Action: TOOL``, and ``Tool call: …``."""

import re
from contextlib import suppress

from ipuaro_jupyter.llm.text_calls.announced import (
    after_fence,
    fence_end,
    name_at,
    read_announced,
    read_python,
)
from ipuaro_jupyter.llm.text_calls.forms import Form
from ipuaro_jupyter.llm.text_calls.json_calls import (
    begins_call,
    json_calls,
    read_addressed,
    read_objects,
)
from ipuaro_jupyter.llm.text_calls.pieces import Outcomes, ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import NotCalls, call_start, python_calls
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, Mark, ReplyText
from ipuaro_jupyter.llm.text_calls.results import ends_block
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames, required
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


def _parse_action(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Parse ReAct's action; Cohere's Command R and LangChain's models write JSON there."""
    at = after_fence(reply, mark.end)
    if reply.char(at) in {"{", "["} and begins_call(reply, at, tools):
        end, outcomes = read_objects(reply, at, lambda text: json_calls(text, tools))
        return ParsedForm(fence_end(reply, end, reply.text[mark.end : at]), outcomes)
    at = reply.run(_QUOTES, mark.end)
    if call_start(reply, at, tools):
        return read_python(reply, at, tools)
    name, at = name_at(reply, at)
    is_known = bool(tools.candidates(name))
    if not name or (mark.text.startswith("Tool") and not is_known):
        return None
    if reply.char(at) == "[" and is_known:
        return _read_brackets(reply, at, tools, name=name)
    reply.wait(at, _LONGEST_TO_INPUT)
    if to_input := _TO_INPUT.match(reply.text, at):
        return _read_input(reply, to_input.end(), tools, name=name)
    is_call = is_known and _RESULT.match(reply.text, at)
    return ParsedForm(at, (_without_input(name, tools),), name) if is_call else None


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
    if given is None:
        given = {"input": word.strip()} if word.strip() else {}
    return ParsedForm(
        end, (tools.call(name, given) if given else _without_input(name, tools),), name
    )


def _without_input(name: str, tools: ToolNames) -> ToolCall | str:
    needs = any(required(schema) for schema in tools.candidates(name)[:1])
    return _NO_INPUT.format(name=name) if needs else tools.call(name, {})


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


def _parse_word(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Parse JSON or Python behind a word, as Phi's ``functools``."""
    at = reply.after_blanks(mark.end)
    is_json = reply.char(at) in {"{", "["} and begins_call(reply, at, tools)
    if not is_json and not call_start(reply, at, tools):
        return None
    parsed = read_announced(reply, mark, tools)
    return parsed if parsed is not None and (is_json or ends_block(reply, parsed.end)) else None


FORMS = (
    Form(
        line_marks=("Action:", "**Action:**", "**Action**:", "Action :", "Tool:", "Tool Name:"),
        parse=_parse_action,
        needs_end=True,
    ),
    Form(
        line_marks=(
            *("functools", "TOOL_CALL:", "Tool call:", "Tool Call:", "tool_call:", "[TOOL_CALL]"),
            *("Function call:", "Function Call:"),
        ),
        closings=("[/TOOL_CALL]",),
        parse=_parse_word,
        needs_end=True,
    ),
)

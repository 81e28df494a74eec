"""Calls behind a mark that means nothing else: mostly the special tokens of models' templates."""

import json
import re
from collections.abc import Mapping

from ipuaro_jupyter.llm.text_calls.announced import (
    announced,
    name_at,
    read_announced,
    unreadable,
)
from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form, Sample
from ipuaro_jupyter.llm.text_calls.json_calls import json_calls, read_addressed
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, Mark, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames


def _form(
    *marks: str, closings: tuple[str, ...], samples: Mapping[str, list[Sample]]
) -> Form:
    """A form whose mark announces calls in any notation, up to the first of its closing marks."""
    parse = announced(closings[0])
    return Form(marks=marks, closings=closings, parse=parse, samples=samples)


def _signs(*words: str) -> tuple[str, ...]:
    """DeepSeek's special tokens; some servers hand them on in ASCII, as Kimi's are."""
    plain = [f"<|{word}|>" for word in words]
    return (*plain, *(p.replace("|", "\uff5c").replace("_", "\u2581") for p in plain))


_CALLS, _SEP = _signs("tool_call_begin"), _signs("tool_sep")[1]
_BEGIN, _END = _signs("tool_calls_begin")[1], _signs("tool_calls_end")[1]
_CLOSING = _signs("tool_call_end")[1]


def _parse_section(reply: ReplyText, mark: Mark, _tools: ToolNames) -> ParsedForm | None:
    """Drop the mark of a section before the mark of a call."""
    at = reply.after_blanks(mark.end)
    return ParsedForm(at) if any(reply.starts(sign, at) for sign in _CALLS) else None


_PYTHON_TAG = "<|python_tag|>"
_NO_PYTHON = (
    f"What stands behind {_PYTHON_TAG} was not run: Python is not there. Call a tool, as "
    '<tool_call name="TOOL"><parameter>value</parameter>…</tool_call>.'
)


def _parse_python_tag(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    return read_announced(reply, mark, tools) or ParsedForm(mark.end, (_NO_PYTHON,))


_FUNCTION, _ARGUMENTS = "\u273fFUNCTION\u273f", "\u273fARGS\u273f"
_COLON = re.compile(r"[: \t]*")


def _parse_qwen_agent(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    name, at = name_at(reply, reply.run(_COLON, mark.end))
    at = reply.after_blanks(at)
    if not name or not reply.starts(_ARGUMENTS, at):
        return None
    return read_addressed(reply, name, reply.run(_COLON, at + len(_ARGUMENTS)), tools)


_GEMMA = {"<start_function_call>": "<end_function_call>", "<|tool_call>": "<tool_call|>"}
_GEMMA_CALL = "call:"
_GEMMA_TOKEN = re.compile(
    r"""<escape>(?P<escaped>.*?)(?:<escape>|\Z)|<\|"\|>(?P<quoted>.*?)(?:<\|"\|>|\Z)"""
    r"""|"(?>[^"\\]+|\\.)*(?:"|\Z)|[{}\[\]]""",
    re.DOTALL,
)
"""FunctionGemma quotes texts by ``<escape>``, Gemma 4 by ``<|"|>``; keys have no quotes."""


def _parse_gemma(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    name, start = name_at(reply, reply.after_blanks(mark.end))
    name, start = name.removeprefix(_GEMMA_CALL), reply.after_blanks(start)
    is_bare = mark.text == _GEMMA_CALL
    if not name or reply.char(start) != "{" or (is_bare and not tools.candidates(name)):
        return None if is_bare else unreadable(reply, mark, _GEMMA[mark.text])
    depth = 0
    for token in _GEMMA_TOKEN.finditer(reply.text, start):
        depth += (token[0] in "{[") - (token[0] in "}]")
        if depth == 0:
            text = _GEMMA_TOKEN.sub(_in_json, reply.text[start : token.end()])
            return ParsedForm(token.end(), json_calls(text, tools, name=name), name)
    raise CutOff.in_call(name)


def _in_json(token: re.Match[str]) -> str:
    return token[0] if token.lastgroup is None else json.dumps(token[token.lastgroup])


FORMS = (
    _form(  # Mistral
        "[TOOL_CALLS]",
        closings=("[/TOOL_CALLS]",),
        samples={
            '[TOOL_CALLS] [{"name": "get_lines", "arguments": {"path": "a.ts"}}] [/TOOL_CALLS]': [
                LINES
            ],
            '[TOOL_CALLS]get_lines[ARGS]{"path": "a.ts"}[TOOL_CALLS]git_status{}': [LINES, STATUS],
            '[TOOL_CALLS]get_lines[CALL_ID]a1b2c3d4e[ARGS]{"path": "a.ts"}': [LINES],
        },
    ),
    _form(  # LM Studio, for models without a form of their own
        "[TOOL_REQUEST]",
        closings=("[END_TOOL_REQUEST]", "[TOOL_REQUEST_END]"),
        samples={
            '[TOOL_REQUEST]{"name": "get_lines", "arguments": {"path": "a.ts"}}'
            "[END_TOOL_REQUEST]": [LINES],
            '[TOOL_REQUEST]\nget_lines {"path": "a.ts"}\n[TOOL_REQUEST_END]': [LINES],
        },
    ),
    _form(  # Granite
        "<|tool_call|>",
        closings=("<|/tool_call|>",),
        samples={'<|tool_call|>[{"name": "get_lines", "arguments": {"path": "a.ts"}}]': [LINES]},
    ),
    _form(  # Apertus
        "<|tools_prefix|>",
        closings=("<|tools_suffix|>",),
        samples={
            '<|tools_prefix|>[{"get_lines": {"path": "a.ts"}}, {"git_status": {}}]'
            "<|tools_suffix|>": [LINES, STATUS]
        },
    ),
    _form(  # InternLM
        *("<|action_start|><|plugin|>", "<|action_start|> <|plugin|>", "<|action_start|>"),
        closings=("<|action_end|>",),
        samples={
            '<|action_start|><|plugin|>{"name": "get_lines", "parameters": {"path": "a.ts"}}'
            "<|action_end|>": [LINES],
        },
    ),
    _form(  # Cohere
        "<|start_action|>",
        closings=("<|end_action|>", "<|start_response|>", "<|end_response|>"),
        samples={
            '<|START_ACTION|>[\n {"tool_call_id": "0", "tool_name": "get_lines", "parameters": '
            '{"path": "a.ts"}}\n]<|END_ACTION|>': [LINES],
        },
    ),
    _form(  # LFM2
        "<|tool_call_start|>",
        closings=("<|tool_call_end|>",),
        samples={
            '<|tool_call_start|>[get_lines(path="a.ts"), git_status()]<|tool_call_end|>': [
                LINES,
                STATUS,
            ],
            '<|tool_call_start|>[{"name": "get_lines", "arguments": {"path": "a.ts"}}]'
            "<|tool_call_end|>": [LINES],
        },
    ),
    _form(  # DeepSeek, with the object in a fence in V3 and R1; Kimi
        *_CALLS,
        closings=(_CLOSING, *_signs("tool_calls_end", "tool_call_end")),
        samples={
            f"{_BEGIN}{_CALLS[1]}function{_SEP}get_lines\n"
            f'```json\n{{"path": "a.ts"}}\n```{_CLOSING}{_END}': [LINES],
            f'{_CALLS[1]}get_lines{_SEP}{{"path": "a.ts"}}{_CLOSING}'
            f"{_CALLS[1]}git_status{_SEP}{{}}{_CLOSING}": [LINES, STATUS],
        },
    ),
    Form(
        marks=(
            *_signs("tool_calls_begin"),
            *("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"),
        ),
        closings=("<|tool_calls_section_end|>", "<|tool_call_section_end|>"),
        parse=_parse_section,
        samples={
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_lines:0"
            '<|tool_call_argument_begin|>{"path": "a.ts"}<|tool_call_end|><|tool_call_begin|>'
            "functions.git_status:1<|tool_call_argument_begin|>{}<|tool_call_end|>"
            "<|tool_calls_section_end|>": [LINES, STATUS],
        },
    ),
    Form(  # Llama
        marks=(_PYTHON_TAG, "<|python_start|>"),
        closings=("<|python_end|>", "<|eom_id|>", "<|eom|>", "<|eot|>"),
        parse=_parse_python_tag,
        samples={
            '<|python_tag|>{"name": "get_lines", "parameters": {"path": "a.ts"}}<|eom_id|>': [
                LINES
            ],
            '<|python_tag|>{"name": "git_status", "parameters": {}}; '
            '{"name": "get_lines", "parameters": {"path": "a.ts"}}': [STATUS, LINES],
            '<|python_tag|>get_lines.call(path="a.ts")': [LINES],
            '<|python_start|>[get_lines(path="a.ts"), git_status()]<|python_end|>': [LINES, STATUS],
        },
    ),
    Form(  # Qwen-Agent
        marks=(_FUNCTION,),
        closings=("\u273fRETURN\u273f",),
        parse=_parse_qwen_agent,
        samples={f'{_FUNCTION}: get_lines\n{_ARGUMENTS}: {{"path": "a.ts"}}': [LINES]},
    ),
    Form(
        marks=tuple(_GEMMA),
        line_marks=(_GEMMA_CALL,),
        closings=tuple(_GEMMA.values()),
        parse=_parse_gemma,
        samples={
            "<start_function_call>call:get_lines{path:<escape>a.ts<escape>}<end_function_call>"
            "<start_function_call>call:git_status{}<end_function_call>": [LINES, STATUS],
            '<|tool_call>call:get_lines{path:<|"|>a.ts<|"|>}<tool_call|>': [LINES],
        },
    ),
)

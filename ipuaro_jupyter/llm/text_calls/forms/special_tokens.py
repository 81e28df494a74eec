"""Calls behind a mark that means nothing else: mostly the special tokens of models' templates."""

import re

from ipuaro_jupyter.llm.text_calls.announced import read_announced
from ipuaro_jupyter.llm.text_calls.forms import Form
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import Mark, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import WRITE_IT, ToolNames


def _signs(*words: str) -> tuple[str, ...]:
    """DeepSeek's special tokens; some servers hand them on in ASCII, as Kimi's are."""
    plain = [f"<|{word}|>" for word in words]
    return (*plain, *(p.replace("|", "\uff5c").replace("_", "\u2581") for p in plain))


_CALLS = _signs("tool_call_begin")  # of DeepSeek, with the object in a fence in V3 and R1; of Kimi
_SECTIONS = (
    *_signs("tool_calls_begin"),
    *("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"),
)
_ANNOUNCING = (
    *_CALLS,
    *(section + gap + call for section in _SECTIONS for gap in ("", "\n") for call in _CALLS),
    "\u273fFUNCTION\u273f:",  # of Qwen-Agent
    *("[TOOL_CALLS]", "[TOOL_REQUEST]"),  # of Mistral; of LM Studio, for models without a form
    *("<|tool_call|>", "<|tools_prefix|>", "<|start_action|>"),  # of Granite, Apertus, Cohere
    *("<|action_start|><|plugin|>", "<|action_start|> <|plugin|>", "<|action_start|>"),  # InternLM
    *("<|tool_call_start|>", "<|python_tag|>", "<|python_start|>"),  # of LFM2, Llama
    *("<start_function_call>", "<|tool_call>"),  # of FunctionGemma, Gemma 4
)
_CLOSINGS = (
    *_signs("tool_call_end", "tool_calls_end"),
    *("[/TOOL_CALLS]", "[END_TOOL_REQUEST]", "[TOOL_REQUEST_END]"),
    *("<|/tool_call|>", "<|tools_suffix|>", "<|end_action|>", "<|action_end|>"),
    *("<|start_response|>", "<|end_response|>", "<|python_end|>", "\u273fRETURN\u273f"),
    *("<end_function_call>", "<tool_call|>", *_SECTIONS),
    *("<|tool_calls_section_end|>", "<|tool_call_section_end|>"),
)
_CLOSING = re.compile(f"(?i:{'|'.join(map(re.escape, _CLOSINGS))})")
_LONGEST_UNREADABLE = 2000
_UNREADABLE = f"What stands behind {{mark}} cannot be read as a call. It was not run. {WRITE_IT}"
_NO_PYTHON = (
    f"What stands behind {{mark}} was not run: Python is not there. Call a tool. {WRITE_IT}"
)


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Parse what stands behind the mark; what is no call is told if a closing mark follows."""
    if parsed := read_announced(reply, mark, tools):
        return parsed
    if "python" in mark.text:
        return ParsedForm(mark.end, (_NO_PYTHON.format(mark=mark.text),))
    found = _CLOSING.search(reply.text, mark.end, mark.end + _LONGEST_UNREADABLE)
    if found is None:
        reply.wait(mark.end, _LONGEST_UNREADABLE)
        return None
    return ParsedForm(found.end(), (_UNREADABLE.format(mark=mark.text),))


FORMS = (Form(marks=_ANNOUNCING, closings=_CLOSINGS, parse=_parse),)

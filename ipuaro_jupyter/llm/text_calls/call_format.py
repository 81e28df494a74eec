"""A call as the text from which the same call is read."""

import json
from typing import Any

from ipuaro_jupyter.llm.reply_marks import VERBATIM
from ipuaro_jupyter.llm.text_calls.forms.tagged import CALL, CDATA_CLOSE, CDATA_OPEN
from ipuaro_jupyter.llm.text_calls.tool_names import plain_text, typed
from ipuaro_jupyter.records.chat import ToolCall, ToolSchema


def format_call(call: ToolCall, schema: ToolSchema) -> str:
    """The call as text; arguments that are None are left out, as they say nothing else."""
    lines = [f'<{CALL} name="{call.name}">']
    for name, value in call.arguments.items():
        if value is None:
            continue
        quote = "'" if '"' in name else '"'
        is_plain = name.isascii() and name.isidentifier() and name.lower() != CALL
        tag = name if is_plain else "param"
        opening = f"<{name}>" if is_plain else f"<param name={quote}{name}{quote}>"
        lines.append(f"{opening}{_format_value(name, value, schema, tag)}</{tag}>")
    return "\n".join([*lines, f"</{CALL}>"])


def _format_value(name: str, value: Any, schema: ToolSchema, tag: str) -> str:
    """The value as it stands between its tags: bare if that reads well, else as CDATA."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    bare = f"\n{text}" if name in VERBATIM and "\n" in text else text
    hostile = (f"</{tag}", f"<{CALL}", f"</{CALL}", CDATA_OPEN[:3])
    entry = schema.properties.get(name, {})
    read = typed(plain_text(name, bare), entry)
    is_plain = bare.strip() != "null" and not any(h in bare.lower() for h in hostile)
    if is_plain and type(read) is type(value) and read == value:
        return bare
    return CDATA_OPEN + text.replace(CDATA_CLOSE, f"]]{CDATA_CLOSE}{CDATA_OPEN}>") + CDATA_CLOSE

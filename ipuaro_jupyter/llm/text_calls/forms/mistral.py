"""Mistral's form: ``[TOOL_CALLS]``, then a list in JSON, or ``TOOL[ARGS]{…}``."""

from ipuaro_jupyter.llm.text_calls.announced import announced
from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form

_CLOSING = "[/TOOL_CALLS]"

FORM = Form(
    order=50,
    marks=("[TOOL_CALLS]",),
    closings=(_CLOSING,),
    parse=announced(_CLOSING),
    samples={
        '[TOOL_CALLS] [{"name": "get_lines", "arguments": {"path": "a.ts"}}] [/TOOL_CALLS]': [
            LINES
        ],
        '[TOOL_CALLS]get_lines[ARGS]{"path": "a.ts"}[TOOL_CALLS]git_status{}': [LINES, STATUS],
        '[TOOL_CALLS]get_lines[CALL_ID]a1b2c3d4e[ARGS]{"path": "a.ts"}': [LINES],
    },
)

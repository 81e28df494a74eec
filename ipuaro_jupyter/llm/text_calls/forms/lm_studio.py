"""The form that LM Studio asks of models without one of their own: ``[TOOL_REQUEST]``."""

from ipuaro_jupyter.llm.text_calls.announced import announced
from ipuaro_jupyter.llm.text_calls.forms import LINES, Form

_CLOSING = "[END_TOOL_REQUEST]"

FORM = Form(
    order=170,
    marks=("[TOOL_REQUEST]",),
    closings=(_CLOSING, "[TOOL_REQUEST_END]"),
    parse=announced(_CLOSING),
    samples={
        '[TOOL_REQUEST]{"name": "get_lines", "arguments": {"path": "a.ts"}}[END_TOOL_REQUEST]': [
            LINES
        ],
        '[TOOL_REQUEST]\nget_lines {"path": "a.ts"}\n[TOOL_REQUEST_END]': [LINES],
    },
)

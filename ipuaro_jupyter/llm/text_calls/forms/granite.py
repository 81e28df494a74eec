"""Granite's form: ``<|tool_call|>``, then a list in JSON."""

from ipuaro_jupyter.llm.text_calls.announced import announced
from ipuaro_jupyter.llm.text_calls.forms import LINES, Form

_CLOSING = "<|/tool_call|>"

FORM = Form(
    order=60,
    marks=("<|tool_call|>",),
    closings=(_CLOSING,),
    parse=announced(_CLOSING),
    samples={'<|tool_call|>[{"name": "get_lines", "arguments": {"path": "a.ts"}}]': [LINES]},
)

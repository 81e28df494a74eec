"""LFM2's form: ``<|tool_call_start|>``, then a list of calls in Python, or in JSON."""

from ipuaro_jupyter.llm.text_calls.announced import announced
from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form

_CLOSING = "<|tool_call_end|>"

FORM = Form(
    order=110,
    marks=("<|tool_call_start|>",),
    closings=(_CLOSING,),
    parse=announced(_CLOSING),
    samples={
        '<|tool_call_start|>[get_lines(path="a.ts"), git_status()]<|tool_call_end|>': [
            LINES,
            STATUS,
        ],
        '<|tool_call_start|>[{"name": "get_lines", "arguments": {"path": "a.ts"}}]'
        "<|tool_call_end|>": [LINES],
    },
)

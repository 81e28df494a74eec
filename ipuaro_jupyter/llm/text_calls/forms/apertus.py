"""Apertus' form: ``<|tools_prefix|>``, then a list of ``{"TOOL": {…}}``."""

from ipuaro_jupyter.llm.text_calls.announced import announced
from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form

_CLOSING = "<|tools_suffix|>"

FORM = Form(
    order=160,
    marks=("<|tools_prefix|>",),
    closings=(_CLOSING,),
    parse=announced(_CLOSING),
    samples={
        '<|tools_prefix|>[{"get_lines": {"path": "a.ts"}}, {"git_status": {}}]<|tools_suffix|>': [
            LINES,
            STATUS,
        ]
    },
)

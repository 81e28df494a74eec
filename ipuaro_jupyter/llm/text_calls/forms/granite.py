"""Granite's form: ``<|tool_call|>``, then a list in JSON."""

from ipuaro_jupyter.llm.text_calls.forms import LINES, Form
from ipuaro_jupyter.llm.text_calls.json_calls import read_marked_json

FORM = Form(
    order=60,
    marks=("<|tool_call|>",),
    closings=("<|/tool_call|>",),
    parse=read_marked_json,
    samples={'<|tool_call|>[{"name": "get_lines", "arguments": {"path": "a.ts"}}]': [LINES]},
)

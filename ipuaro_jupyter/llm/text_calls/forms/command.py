"""Cohere's form: ``<|START_ACTION|>``, then a list in JSON; ``Action:`` and a fence is ReAct's."""

from ipuaro_jupyter.llm.text_calls.announced import announced
from ipuaro_jupyter.llm.text_calls.forms import LINES, Form

_CLOSING = "<|END_ACTION|>"

FORM = Form(
    order=140,
    marks=("<|start_action|>",),
    closings=(_CLOSING.lower(), "<|start_response|>", "<|end_response|>"),
    parse=announced(_CLOSING),
    samples={
        '<|START_ACTION|>[\n {"tool_call_id": "0", "tool_name": "get_lines", "parameters": '
        '{"path": "a.ts"}}\n]<|END_ACTION|>': [LINES],
    },
)

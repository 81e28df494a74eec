"""InternLM's form: ``<|action_start|><|plugin|>``, then an object in JSON."""

from ipuaro_jupyter.llm.text_calls.announced import announced
from ipuaro_jupyter.llm.text_calls.forms import LINES, Form

_CLOSING = "<|action_end|>"

FORM = Form(
    order=150,
    marks=("<|action_start|><|plugin|>", "<|action_start|> <|plugin|>", "<|action_start|>"),
    closings=(_CLOSING,),
    parse=announced(_CLOSING),
    samples={
        '<|action_start|><|plugin|>{"name": "get_lines", "parameters": {"path": "a.ts"}}'
        "<|action_end|>": [LINES],
    },
)

"""Qwen coder's and Llama's form: ``<function=TOOL>`` with ``<parameter=NAME>``, or with JSON."""

from ipuaro_jupyter.llm.text_calls.forms import LINES, Form
from ipuaro_jupyter.llm.text_calls.tag_calls import read_tag_call

FORM = Form(
    order=20,
    marks=("<function",),
    closings=("</function>",),
    parse=read_tag_call,
    samples={
        "<function=get_lines>\n<parameter=path>\na.ts\n</parameter>\n</function>": [LINES],
        "<tool_call>\n<function=get_lines>\n<parameter=path>a.ts</parameter>\n</function>\n"
        "</tool_call>": [LINES],
        '<function=get_lines>{"path": "a.ts"}</function>': [LINES],
    },
)

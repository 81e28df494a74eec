"""Claude's and MiniMax' form: ``<invoke name="TOOL">`` with ``<parameter name="NAME">``."""

from ipuaro_jupyter.llm.text_calls.forms import LINES, Form
from ipuaro_jupyter.llm.text_calls.tag_calls import read_tag_call

FORM = Form(
    order=30,
    marks=("<invoke",),
    closings=("</invoke>",),
    parse=read_tag_call,
    samples={
        '<invoke name="get_lines"><parameter name="path">a.ts</parameter></invoke>': [LINES],
        '<function_calls>\n<invoke name="get_lines">\n<parameter name="path">a.ts</parameter>\n'
        "</invoke>\n</function_calls>": [LINES],
    },
)

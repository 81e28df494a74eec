"""Claude's, MiniMax' and DeepSeek's form: ``<invoke name="TOOL"><parameter name="NAME">``."""

from ipuaro_jupyter.llm.text_calls.forms import LINES, Form
from ipuaro_jupyter.llm.text_calls.tag_calls import read_tag_call

_NAMES = ("invoke", "antml:invoke", "steptml:invoke", "\uff5cdsml\uff5cinvoke")

FORM = Form(
    order=30,
    marks=tuple(f"<{name}" for name in _NAMES),
    closings=tuple(f"</{name}>" for name in _NAMES),
    parse=read_tag_call,
    samples={
        '<invoke name="get_lines"><parameter name="path">a.ts</parameter></invoke>': [LINES],
        '<minimax:tool_call>\n<invoke name="get_lines">\n<parameter name="path">a.ts</parameter>\n'
        "</invoke>\n</minimax:tool_call>": [LINES],
        '<\uff5cDSML\uff5cinvoke name="get_lines"><\uff5cDSML\uff5cparameter name="path" '
        'string="true">a.ts</\uff5cDSML\uff5cparameter></\uff5cDSML\uff5cinvoke>': [LINES],
        '<function_calls>\n<invoke name="get_lines">\n<parameter name="path">a.ts</parameter>\n'
        "</invoke>\n</function_calls>": [LINES],
    },
)

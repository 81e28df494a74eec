"""DeepSeek's form: a name, ``tool_sep``, and an object, which stands in a fence in V3 and R1."""

from ipuaro_jupyter.llm.text_calls.announced import announced
from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames


def _signs(*words: str) -> tuple[str, ...]:
    """The special tokens; some servers hand them on in ASCII."""
    plain = [f"<|{word}|>" for word in words]
    return (*plain, *(p.replace("|", "\uff5c").replace("_", "\u2581") for p in plain))


_SECTIONS, _CALLS = _signs("tool_calls_begin"), _signs("tool_call_begin")
_CLOSING = _signs("tool_call_end")[1]
_parse_call = announced(_CLOSING)


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    if mark.text in _CALLS:
        return _parse_call(reply, mark, tools)
    at = reply.after_blanks(mark.end)
    return ParsedForm(at) if any(reply.starts(sign, at) for sign in _CALLS) else None


FORM = Form(
    order=120,
    marks=(*_SECTIONS, *_CALLS),
    closings=_signs("tool_calls_end", "tool_call_end"),
    parse=_parse,
    samples={
        "".join(
            (
                _SECTIONS[1],
                f"{_CALLS[1]}function{_signs('tool_sep')[1]}get_lines\n```json\n",
                '{"path": "a.ts"}\n```',
                _CLOSING,
                _signs("tool_calls_end")[1],
            )
        ): [LINES],
        f'{_CALLS[1]}get_lines{_signs("tool_sep")[1]}{{"path": "a.ts"}}{_CLOSING}'
        f"{_CALLS[1]}git_status{_signs('tool_sep')[1]}{{}}{_CLOSING}": [LINES, STATUS],
    },
)

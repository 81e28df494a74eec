"""A tool call in one line that opens to its arguments and its result."""

import json
from typing import Any

from ipuaro_jupyter.records.chat import CalledTool, ToolCall
from ipuaro_jupyter.views import tool_result
from ipuaro_jupyter.views.markup import element, ends, escape, folded, scrolling, seconds, visible

STYLES = tool_result.STYLES
VALUE_CHARACTERS = 40
LINE_CHARACTERS = 100
LONG_CHARACTERS = 600
LONG_LINES = 8
MOST_CHARACTERS = 100_000


def line(call: ToolCall) -> str:
    """The call on one line, long values cut: ``get_lines(path="src/a.ts", start=2)``."""
    said = ", ".join(f"{name}={_value(value)}" for name, value in call.arguments.items())
    return visible(f"{call.name}({_short(said, LINE_CHARACTERS)})")


def outcome(called: CalledTool) -> str:
    """The outcome of the call in words, and its duration where known."""
    error = called.result.error
    if error is None:
        word = "done"
    else:
        word = "not done" if error.type == "cancelled" else f"failed ({error.type})"
    took_ms = called.result.duration_ms
    return f"{word}, {seconds(took_ms)}" if took_ms else word


def text(called: CalledTool) -> str:
    """The call's line, its applied proposals and, when it failed, the reason."""
    error = called.result.error
    told = [f"{_sign(called)} {line(called.call)} \u2013 {outcome(called)}"]
    told += [f"  {decided}" for decided in called.decided]
    return "\n".join(told if error is None else [*told, f"  {visible(error.message)}"])


def html(called: CalledTool, *, is_drawn_elsewhere: bool = False) -> str:
    """The call's line, which opens to its arguments and result.

    ``is_drawn_elsewhere`` says that the change which it made is drawn beside it: the ends of long
    arguments are enough then.
    """
    error = called.result.error
    tone = "ipuaro-good" if error is None else "ipuaro-bad"
    if error is not None and error.type == "cancelled":
        tone = "ipuaro-note"
    why = "".join(element("div", escape(one), class_="ipuaro-why") for one in called.decided)
    why += "" if error is None else element("div", escape(error.message), class_="ipuaro-why")
    summary = (
        element("span", _sign(called), class_=tone, aria_hidden="true")
        + " "
        + element("code", escape(line(called.call)))
        + " "
        + element("span", escape(outcome(called)), class_="ipuaro-note")
        + why
    )
    if is_drawn_elsewhere:
        note = element("div", "The change is shown below.", class_="ipuaro-note")
        return folded(summary, _arguments(called.call, most=LONG_CHARACTERS) + note)
    return folded(summary, _arguments(called.call) + tool_result.html(called.result))


def started_text(call: ToolCall) -> str:
    """The line of a call that is still running."""
    return f"\u2026 {line(call)} \u2013 running"


def started_html(call: ToolCall) -> str:
    """The same line, which opens to the arguments."""
    sign = element("span", "\u2026", aria_hidden="true")
    note = element("span", "running", class_="ipuaro-note ipuaro-running")
    summary = f"{sign} {element('code', escape(line(call)))} {note}"
    return folded(summary, _arguments(call)) if call.arguments else element("div", summary)


def _sign(called: CalledTool) -> str:
    if called.result.error is None:
        return "\u2713"
    return "\u2013" if called.result.error.type == "cancelled" else "\u2717"


def _arguments(call: ToolCall, *, most: int = MOST_CHARACTERS) -> str:
    if not call.arguments:
        return ""
    rows = "".join(
        element(
            "tr",
            element("th", escape(name), scope="row"),
            element("td", _argument(name, ends(_full(value), most))),
        )
        for name, value in call.arguments.items()
    )
    return element("table", element("tbody", rows), class_="ipuaro-arguments")


def _argument(name: str, value: str) -> str:
    """A value as it was given; a long one in a scrolling box."""
    if len(value) <= LONG_CHARACTERS and value.count("\n") < LONG_LINES:
        return element("pre", escape(value))
    return scrolling(escape(value), label=f"Argument {name}", tag="pre")


def _full(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _value(value: Any) -> str:
    return _short(json.dumps(value, ensure_ascii=False), VALUE_CHARACTERS)


def _short(said: str, limit: int) -> str:
    return said if len(said) <= limit else said[: limit - 1] + "\u2026"

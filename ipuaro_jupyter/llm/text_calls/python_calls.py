"""Calls as Python: ``get_lines(path="a.ts", start=2)``, alone, in a list, or in ``print(…)``.

The code is parsed and never run; arguments count only as literals.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ipuaro_jupyter.llm.text_calls.pieces import Outcomes, ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames
from ipuaro_jupyter.records.chat import ToolCall

_STRING = (
    r'"""(?>[^"\\]+|\\.|"(?!""))*(?:"""|\Z)' + r"|'''(?>[^'\\]+|\\.|'(?!''))*(?:'''|\Z)"
    r'|"(?>[^"\\]+|\\.)*(?:"|\\?\Z)' + r"|'(?>[^'\\]+|\\.)*(?:'|\\?\Z)"
)
_TOKEN = re.compile(rf"[()\[\]{{}}]|\#[^\n]*|{_STRING}", re.DOTALL)
_NAME = re.compile(r"[\w.:\-/]{1,200}")
_DEEPEST = 40
_LONGEST = 1_000_000
_CONSTANTS = {"true": "True", "false": "False", "null": "None", "none": "None"}
_TOKEN_OR_CONSTANT = re.compile(
    rf"{_TOKEN.pattern}|(?<![\w.])(?i:{'|'.join(_CONSTANTS)})(?!\s*=(?!=)|[\w.(])", re.DOTALL
)
_NOT_LITERAL = (
    "The call of {name} was not run: its arguments are no plain values. Write each as "
    "name=value with a text in quotes, a number, true or false."
)


class NotCalls(Exception):  # noqa: N818 - a verdict, not a fault
    """The code is more, or something else, than calls of tools."""


def read_python(reply: ReplyText, start: int, tools: ToolNames) -> ParsedForm | None:
    """The calls in Python that stand at ``start``, one after the other; None for other code."""
    outcomes: Outcomes = ()
    end = start
    with suppress(NotCalls):
        while _begins_call(reply, start, tools):
            end = _expression_end(reply, start)
            outcomes += python_calls(reply.text[start:end], tools)
            start = reply.after_blanks(end)
            if reply.char(start) in {",", ";"}:
                start = reply.after_blanks(start + 1)
            if not reply.char(start).isalpha():
                break
        return ParsedForm(end, outcomes) if outcomes else None
    return None


def _begins_call(reply: ReplyText, at: int, tools: ToolNames) -> bool:
    """Whether a call of a tool begins at ``at``, a list of them, or one that is printed."""
    for opening in ("[", "print("):
        if reply.starts(opening, at):
            at = reply.after_blanks(at + len(opening))
    end = reply.run(_NAME, at)
    name = reply.text[at:end].removesuffix(".call")
    return bool(name) and reply.char(end) == "(" and bool(tools.candidates(name))


def _expression_end(reply: ReplyText, start: int) -> int:
    """Where the expression ends that begins at ``start``: after what closes its first bracket."""
    depth = 0
    for token in _TOKEN.finditer(reply.text, start):
        depth += (token[0] in {"(", "[", "{"}) - (token[0] in {")", "]", "}"})
        if depth > _DEEPEST:
            raise NotCalls
        if depth <= 0 and token[0] in {")", "]", "}"}:
            return token.end()
    reply.calling = reply.calling or ""
    raise CutOff


def python_calls(code: str, tools: ToolNames) -> Outcomes:
    """What the code calls, in order.

    Statements may assign what a call returns, and print that.

    Raises:
        NotCalls: It holds something else than calls of tools.
    """
    if len(code) > _LONGEST:
        raise NotCalls
    written = _TOKEN_OR_CONSTANT.sub(lambda token: _in_python(token[0]), code)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            module = ast.parse(written.strip())
        calls = [call for statement in module.body for call in _calls_of(statement, tools)]
        return tuple(_outcome(call, tools) for call in calls)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NotCalls from None


def _in_python(token: str) -> str:
    """A token as Python has it: constants, and line breaks in texts."""
    if token.lower() in _CONSTANTS:
        return _CONSTANTS[token.lower()]
    if token[0] in "\"'" and not token.startswith(('"""', "'''")):
        return token.replace("\r\n", "\\n").replace("\n", "\\n")
    return token


def _calls_of(node: ast.AST, tools: ToolNames) -> Iterator[ast.Call]:
    """The calls that a statement or an expression consists of."""
    match node:
        case ast.Expr(ast.Name() | ast.Call(func=ast.Name(id="print"), args=[ast.Name()])):
            pass  # what a call has returned
        case ast.Expr(value=value) | ast.Assign(value=value):
            yield from _calls_of(value, tools)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            for element in elements:
                yield from _calls_of(element, tools)
        case ast.Call(func=ast.Name(id="print"), args=[inner]):
            yield from _calls_of(inner, tools)
        case ast.Call(func=func) if tools.candidates(_called(func)):
            yield node
        case _:
            raise NotCalls


def _called(func: ast.expr) -> str:
    """The name that is called; ``get_lines.call(…)`` calls ``get_lines``, as Llama writes it."""
    name = ast.unparse(func) if isinstance(func, ast.Name | ast.Attribute) else ""
    return name.removesuffix(".call")


def _outcome(call: ast.Call, tools: ToolNames) -> ToolCall | str:
    name = _called(call.func)
    given: dict[str, Any] = {}
    try:
        positional = [_literal(value) for value in call.args]
        if len(positional) == 1 and isinstance(positional[0], dict):
            given.update(positional.pop())
        for keyword in call.keywords:
            value = _literal(keyword.value)
            given.update({keyword.arg: value} if keyword.arg else value)
    except (ValueError, TypeError):
        return _NOT_LITERAL.format(name=name)
    free = [key for key in tools.candidates(name)[0].properties if key not in given]
    named = [keyword.arg for keyword in call.keywords if keyword.arg]
    if len(positional) > len(free) or len({*named}) < len(named):
        return _NOT_LITERAL.format(name=name)
    return tools.call(name, dict(zip(free, positional, strict=False)) | given)


def _literal(value: ast.expr) -> Any:
    return json.loads(json.dumps(ast.literal_eval(value), allow_nan=False))

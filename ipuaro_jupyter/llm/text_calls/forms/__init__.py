"""The forms in which models write calls: one module each, found by listing this folder.

A form's module holds its `FORM`: the marks that begin it, the parser for what stands there, and
samples with the calls that have to come of them. Forms that share a mark are tried in their order.
To add a form, add its module; the contract tests run its samples.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

Parser = Callable[[ReplyText, Mark, ToolNames], ParsedForm | None]
"""Parses what stands at a mark; None when that is text.

It sees the text by the methods of `ReplyText`, which raise `CutOff` where it ends too early. Then
it is called again when more has come; at the end of the reply `CutOff.problem` decides.
"""
Sample = tuple[str, dict[str, Any]]
"""Name and arguments of a call."""
LINES: Sample = ("get_lines", {"path": "a.ts"})
STATUS: Sample = ("git_status", {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form in which models write calls.

    Attributes:
        order: Lower ones are tried first.
        marks: What it begins with; those with ``<`` in lower case, which stands for any case.
        closings: What it may end with: dropped where they stand alone, once one was read.
        parse: Parses it.
        is_unmarked: It might be data: its calls count only in a reply without marked ones.
        is_in_fences: It also counts in a code fence.
        samples: Replies that hold nothing but calls in this form -> these calls.
    """

    order: int
    marks: tuple[str, ...]
    closings: tuple[str, ...] = ()
    parse: Parser
    is_unmarked: bool = False
    is_in_fences: bool = True
    samples: Mapping[str, list[Sample]]


@cache
def forms_by_mark() -> Mapping[str, Sequence[Form]]:
    """Mark or closing -> the forms that begin with it, in the order in which they are tried."""
    marks = {mark for form in all_forms() for mark in (*form.marks, *form.closings)}
    return {mark: [form for form in all_forms() if mark in form.marks] for mark in marks}


@cache
def all_forms() -> tuple[Form, ...]:
    """The forms in the order in which they are tried."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return tuple(sorted((module.FORM for module in modules), key=lambda form: form.order))

"""The forms in which models write calls: one module each, found by listing this folder.

A form's module holds its `FORM`: the marks that begin it, the parser for what stands there, and
samples with the calls that have to come of them. Forms that share a mark are tried in their order.
To add a form, add its module; the contract tests run its samples.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
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


ENDS = (
    *("<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|end_of_turn|>"),
    *("<end_of_turn>", "<|end|>", "<|return|>", "<|user|>", "<|assistant|>", "<turn|>", "<eos>"),
    *("<\uff5cend\u2581of\u2581sentence\uff5c>", "<|end_of_turn_token|>", "<|im_start|>"),
)
"""What models end a reply with: dropped once a call was read."""


def _none(_name: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form in which models write calls.

    Attributes:
        order: Lower ones are tried first.
        marks: What it begins with; those with ``<`` in lower case, which stands for any case.
        line_marks: Marks that count only where a line begins.
        tool_marks: The further marks that a tool, or another name of one, makes.
        tool_line_marks: Those that count only where a line begins.
        closings: What it may end with: dropped where they stand alone, once one was read.
        parse: Parses it.
        is_unmarked: It might be data: its calls count only in a reply without marked ones.
        is_alone: It counts only where nothing but calls comes before it in the reply or the fence.
        needs_end: Prose may hold it: it counts only where no prose follows it.
        is_in_fences: It also counts in a code fence.
        samples: Replies that hold nothing but calls in this form -> these calls.
    """

    order: int
    marks: tuple[str, ...] = ()
    line_marks: tuple[str, ...] = ()
    tool_marks: Callable[[str], tuple[str, ...]] = _none
    tool_line_marks: Callable[[str], tuple[str, ...]] = _none
    closings: tuple[str, ...] = ()
    parse: Parser
    is_unmarked: bool = False
    is_alone: bool = False
    needs_end: bool = False
    is_in_fences: bool = True
    samples: Mapping[str, list[Sample]]


class MarkedForms:
    """The forms by what they begin with, for tools of these names.

    Attributes:
        marks: Mark or closing -> the forms that begin with it, in the order they are tried.
        line_marks: The same for marks that count only where a line begins.
    """

    def __init__(self, tools: Iterable[str]) -> None:
        forms, tools = all_forms(), sorted(tools)
        self.marks: dict[str, list[Form]] = {
            mark: [] for form in forms for mark in (*form.closings, *ENDS)
        }
        self.line_marks: dict[str, list[Form]] = {}
        for form in forms:
            for mark in (*form.marks, *(m for tool in tools for m in form.tool_marks(tool))):
                self.marks.setdefault(mark, []).append(form)
            in_lines = (m for tool in tools for m in form.tool_line_marks(tool))
            for mark in (*form.line_marks, *in_lines):
                self.line_marks.setdefault(mark, []).append(form)


@lru_cache(maxsize=20)
def marked_forms(tools: frozenset[str]) -> MarkedForms:
    """The forms by what they begin with, for tools of these names."""
    return MarkedForms(tools)


@cache
def all_forms() -> tuple[Form, ...]:
    """The forms in the order in which they are tried."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return tuple(sorted((module.FORM for module in modules), key=lambda form: form.order))

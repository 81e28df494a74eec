"""The forms in which models write calls, found by listing this folder.

A module holds `FORMS`: of each the marks that begin it, and the parser for what stands there. Of
forms with the same mark, which stand in one module, the first that takes a place counts.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import Mark, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

Parser = Callable[[ReplyText, Mark, ToolNames], ParsedForm | None]
"""Parses the calls that stand at a mark; None when that is text.

It reads by the methods of `ReplyText`. Where the text has not come that far, these end the parsing,
which begins anew when there is more: a parser sees finished calls alone.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form in which models write calls.

    Attributes:
        marks: What it begins with; those with ``<`` in lower case, which stands for any case.
            ``{tool}`` is the name of each tool, and each other name of one.
        line_marks: Marks that count only where a line begins.
        closings: What it may end with: dropped where they stand alone, once one was read.
        parse: Parses it.
        is_marked: The mark alone says that this is no data. Else calls count only where a reply has
            no marked ones.
        needs_end: It counts only where no prose follows, which would explain it.
    """

    marks: tuple[str, ...] = ()
    line_marks: tuple[str, ...] = ()
    closings: tuple[str, ...] = ()
    parse: Parser
    is_marked: bool = True
    needs_end: bool = False


def forms_by_mark(tools: Collection[str], *, in_line: bool) -> dict[str, list[Form]]:
    """Mark -> the forms that begin with it, in the order they are tried.

    Args:
        tools: The names of the tools.
        in_line: Only marks that count where a line begins; else only the others.
    """
    found: dict[str, list[Form]] = {}
    for form in all_forms():
        for mark in form.line_marks if in_line else form.marks:
            for tool in sorted(tools) if "{tool}" in mark else [""]:
                each = mark.replace("{tool}", tool)
                found.setdefault(each.lower() if each[0] == "<" else each, []).append(form)
    return found


@cache
def all_forms() -> tuple[Form, ...]:
    """All forms, those of one module in their order."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return tuple(form for module in modules for form in module.FORMS)

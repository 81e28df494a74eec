"""What a notebook's kernel adds to a question: its last error, and the values that it names."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.kernel import FailedCell
from ipuaro_jupyter.records.result_room import ResultRoom, cut
from ipuaro_jupyter.tools.inspect_value import InspectedValue
from ipuaro_jupyter.tools.last_error import error_report
from ipuaro_jupyter.tools.notebook_kernel import Kernel
from ipuaro_jupyter.tools.tool import Project

_ERROR = "The last error in the user's notebook:"
_NAMED_ERROR = "The error in the user's notebook that the question names:"
_VALUES = "Values in the user's notebook that the question names:"
_FURTHER = "notebook_cells() and inspect_value(name) tell more of the notebook."
_PATH = re.compile(r"(?<![\w.$@/])[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_CELL = re.compile(r"\bcell\s*(?:\[(\d{1,9})\]|(\d{1,9})\b)", re.IGNORECASE)
_QUOTED = re.compile(r"`([^`\n]+)`")
_MOST_NAMES = 6


class NotebookContext(NamedTuple):
    """A text for the model, and what the user is told that the model was given; both may be ""."""

    text: str
    note: str


NOTHING = NotebookContext("", "")


def notebook_context(
    project: Project,
    question: str,
    told: Sequence[str],
    *,
    tokens: tuple[float, float],
    hidden: Callable[[str], str],
) -> NotebookContext:
    """What the kernel adds to a question and was not told yet, if the user allows it.

    Args:
        project: The project, with the kernel.
        question: The user's message.
        told: What was told beside earlier questions.
        tokens: The maximum sizes of the error and of the values.
        hidden: Removes secrets from a text.

    Raises:
        StorageError: Redis has gone.
        Cancelled: The user pressed stop when asked.
    """
    if project.kernel is None:
        return NOTHING
    kernel = project.kernel.kernel
    failed = _asked_about(kernel, question)
    if failed is not None and _was_told(failed, told):
        failed = None
    names = list(_named(kernel, question))
    given = [f"the error of cell [{failed.number}]"] if failed is not None else []
    given += [f"the value of {name}" for name in names]
    if not given:
        return NOTHING
    try:
        project.kernel.allow(", ".join(given))
    except ToolError:  # the user has decided, and knows
        return NOTHING
    error_tokens, value_tokens = tokens
    parts = []
    if failed is not None:
        room = ResultRoom(error_tokens, count_tokens)
        title = _NAMED_ERROR if failed.number in _numbers(question) else _ERROR
        parts.append(f"{title}\n{error_report(project, failed).within(room)}")
    values = dict(_values(kernel, names, value_tokens))
    if values:
        parts.append("\n".join([_VALUES, *values.values()]))
    text = hidden("\n\n".join([*parts, _FURTHER]))
    if not parts or any(text in one for one in told):
        return NOTHING
    shown = [f"the error of cell [{failed.number}]"] if failed is not None else []
    shown += [f"the value of {name}" for name in values]
    return NotebookContext(text, f"The model was given {', '.join(shown)}.")


def _asked_about(kernel: Kernel, question: str) -> FailedCell | None:
    """The failed cell that the question names by its number; otherwise the latest one."""
    named = [kernel.failed(number) for number in _numbers(question)]
    return next((one for one in named if one is not None), None) or kernel.failed(None)


def _numbers(question: str) -> list[int]:
    """The numbers of the cells that a question names, such as ``cell [7]``."""
    return [int(bracketed or bare) for bracketed, bare in _CELL.findall(question)]


def _was_told(failed: FailedCell, told: Sequence[str]) -> bool:
    cell, error = f"Cell [{failed.number}] ended in an error", failed.errors[0].headline
    return any(cell in text and error in text for text in told)


def _named(kernel: Kernel, question: str) -> Iterator[str]:
    """Yield the paths in a question that begin with a name of the user, the first ones.

    A single letter is one only between backticks: it may be a word of the language.
    """
    known = set(kernel.names())
    quoted = " ".join(_QUOTED.findall(question))
    found = [path for path in _PATH.findall(question) if len(path.partition(".")[0]) > 1]
    paths = dict.fromkeys([*_PATH.findall(quoted), *found])
    mine = [path for path in paths if path.partition(".")[0] in known]
    yield from mine[:_MOST_NAMES]


def _values(kernel: Kernel, names: Sequence[str], tokens: float) -> Iterator[tuple[str, str]]:
    """Yield what fits of the values, by name; of a path without a value, that of its name."""
    left = tokens
    for name in names:
        text = _value(kernel, name)
        if text and left > 0:
            shown = cut(text, ResultRoom(left, count_tokens))
            left -= count_tokens(shown)
            if shown.startswith(text.partition(":")[0]):  # else no part of it fits
                yield name, shown


def _value(kernel: Kernel, path: str) -> str:
    for name in dict.fromkeys((path, path.partition(".")[0])):
        try:
            return InspectedValue(name=name, described=kernel.value(name)).text()
        except ToolError:  # the name has gone since, or nothing is stored there
            continue
    return ""

"""The text that a model gives to be written into a file."""

from ipuaro_jupyter.languages.syntax_errors import syntax_problems
from ipuaro_jupyter.records.change import Change


def added_problems(written: Change) -> list[str]:
    """The syntax errors that a change has added to its file, as its result tells them."""
    problems = syntax_problems(written.path, written.before, written.after)
    if not problems:
        return []
    return ["It was applied with new syntax errors; mend them:", *(f"- {p}" for p in problems)]

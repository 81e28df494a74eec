"""What speaks against the new text of a notebook's cell."""

from ipuaro_jupyter.languages.ipython_source import plain_python
from ipuaro_jupyter.languages.placeholders import placeholder_problems
from ipuaro_jupyter.languages.python_errors import is_newer_syntax, python_error
from ipuaro_jupyter.languages.registry import language_named


def cell_problems(language: str, before: str | None, after: str | None) -> tuple[str, ...]:
    """The problems of a change of a cell, one line each, as a proposal tells them.

    A cell of Python may hold IPython's magics and await at its top level. Syntax errors are told
    where the cell had none, and comments that stand for code.

    Args:
        language: The extension of the language of the text, such as "py"; others have no errors.
        before: The text as it is; None for a new cell.
        after: The text as it would be.
    """
    if language != "py" or after is None or before == after:
        return ()
    old = None if before is None else _plain(before)
    new = _plain(after)
    if "\0" in after or (old is not None and python_error(old, is_cell=True) is not None):
        return ()
    texts = (None if before is None else before.encode(), after.encode())
    problems = placeholder_problems("cell.py", *texts)
    error = python_error(new, is_cell=True)
    if error is None or error.is_unknown:
        return problems
    lines = after.split("\n")
    if is_newer_syntax(error, lines[error.line - 1] if error.line <= len(lines) else ""):
        return problems
    return (f"syntax error in line {error.line}: {error.reason}", *problems)


def _plain(text: str) -> bytes:
    """The Python of a cell, with its lines in their places."""
    foreign = language_named("notebook").cells.foreign
    return "\n".join(plain_python(text.replace("\r", " ").split("\n"), foreign)).encode()

"""Insert lines before or after a declaration."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from ipuaro_jupyter.index.declared_lines import DeclaredLines
from ipuaro_jupyter.languages.indentation import indentation
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools.replace_symbol import (
    NamedEdit,
    apply_named,
    declared,
    named_file,
    placed_content,
)
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.files.text_file import TextFile


@tool(
    asks_first=True,
    foreign=("insert_before_symbol", "insert_after_symbol", "insert_before", "insert_after"),
    names={"path": "file", "name": "symbol"},
)
def insert_near(
    project: Project, path: str, name: str, place: Literal["before", "after"], content: str
) -> TextOutput:
    """Insert code before or after a function, method, class, type or variable.

    The user is asked first.

    Args:
        path: Project-relative path.
        name: Name, Class.method, or outer.inner for a nested one.
        place: Before it and its comments, or after it.
        content: The new code.
    """
    file = named_file(project, path)
    found = declared(file, name)
    made = insertion(file, content, found, place)
    after = file.replaced(made.line, made.line - 1, made.text)
    title = f"Insert {place} {found.qualified} in line {made.first} of {file.path}"
    edit = NamedEdit("insert_near", title, after, found, made.note)
    return apply_named(project, file, edit)


class Insertion(NamedTuple):
    """New lines beside a declaration.

    Attributes:
        line: The line before which they stand, 1-based.
        text: The lines, with blank ones at the end that is beside the declaration.
        first: The line that the first of them becomes that is not blank.
        note: What was put right in the given text, a sentence or "".
    """

    line: int
    text: str
    first: int
    note: str


def insertion(
    file: TextFile, content: str, found: DeclaredLines, place: Literal["before", "after"]
) -> Insertion:
    """A given text beside a declaration, indented as that.

    Raises:
        ToolError: "validation" when it is empty.
    """
    given = placed_content(file, content, found)
    gap = "\n" * _gap(file, found, given.text)
    if place == "before":
        at = found.comments
        return Insertion(at, f"{given.text}\n{gap}", at, given.note)
    at = found.end + 1
    return Insertion(at, f"{gap}{given.text}\n", at + len(gap), given.note)


def _gap(file: TextFile, found: DeclaredLines, content: str) -> int:
    """The number of blank lines between the declaration and the new lines: as beside it."""
    above = _blank_lines(file.lines[: found.comments - 1][::-1], found)
    below = _blank_lines(file.lines[found.end :], found)
    known = [one for one in (above, below) if one is not None]
    if known and "\n" not in content and found.start == found.end:
        return min(known)
    language = language_for(file.path)
    is_python = language is not None and language.reader == "python"
    return max(known, default=0) or (2 if is_python and not found.indent else 1)


def _blank_lines(lines: Sequence[str], found: DeclaredLines) -> int | None:
    """How many blank lines there are up to the next declaration; None when there is none."""
    for count, line in enumerate(lines):
        if line.strip():
            return count if len(indentation(line)) >= len(found.indent) else None
    return None

"""Replace a declaration by its name."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.declared_lines import Declarations, DeclaredLines
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.indentation import first_indentation, fitted, indentation
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.languages.tables import Comments
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.counted import line_range
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.text_distance import closest
from ipuaro_jupyter.tools.content import Around, MeantText, unwrapped
from ipuaro_jupyter.tools.edit_lines import confirmation
from ipuaro_jupyter.tools.known_lines import unread
from ipuaro_jupyter.tools.source_lines import by_cells
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.files.text_file import TextFile

_LISTED = 40
_KEPT = "Kept, because the content has none: {}."
_DEFAULTS = re.compile(r"(?:async|function|class|abstract|interface)\b")
_DECLARES = re.compile(
    r"(?:async|function|class|abstract|const|let|var|interface|type|enum|namespace|module)\b"
)


@tool(
    asks_first=True,
    foreign=("replace_function", "replace_method", "replace_class", "replace_symbol_body"),
    names={"path": "file", "name": "symbol"},
)
def replace_symbol(project: Project, path: str, name: str, content: str) -> TextOutput:
    """Replace a whole function, method, class, type or variable. The user is asked first.

    The comment above it, its decorators and its export stay where the content has none.

    Args:
        path: Project-relative path.
        name: Name, Class.method, or outer.inner for a nested one.
        content: The whole new declaration.
    """
    file = named_file(project, path)
    found = declared(file, name)
    made = replacement(file, content, found)
    notes = (*made.notes, *_renamed(file, made.after, found))
    title = f"Replace {found.qualified} ({lines_of(found)}) of {file.path}"
    edit = NamedEdit("replace_symbol", title, made.after, found, " ".join(notes))
    return apply_named(project, file, edit)


def named_file(project: Project, path: str) -> TextFile:
    """The file of a declaration, as it is on disk.

    Raises:
        ToolError: It cannot be edited by names.
    """
    path = project.workspace.relative(path, kind="file")
    if path.endswith(".ipynb"):
        raise by_cells(path, not_by="by names")
    return project.workspace.read(path)


def declared(file: TextFile, name: str) -> DeclaredLines:
    """The one declaration that a name means.

    Raises:
        ToolError: "validation" when there is none, or several, or it has no lines of its own;
            "parse" when the file is in another language than Python, TypeScript or JavaScript.
    """
    try:
        known = Declarations(file.path, file.data)
    except ParsingTooSlow as error:
        raise _by_lines("parse", f"{file.path} cannot be parsed: {error}.") from None
    if known.problem:
        raise _by_lines("parse", known.problem)
    found = known.named(name)
    if not found:
        near = closest(name, known.names)
        listed = [*near, *(one for one in known.names if one not in near)]
        more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
        raise ToolError(
            "validation",
            f"{file.path} declares no {name!r}.",
            suggestion=f"It declares: {', '.join(listed[:_LISTED]) or 'nothing'}{more}",
        )
    if len(found) > 1:
        places = ", ".join(f"{one.qualified} ({lines_of(one)})" for one in found)
        raise ToolError(
            "validation",
            f"{name!r} may mean {len(found)} declarations of {file.path}: {places}.",
            suggestion="Give the whole name, or use edit_lines with the lines.",
        )
    if found[0].problem:
        told = f"{found[0].qualified} ({lines_of(found[0])} of {file.path}) {found[0].problem}."
        raise _by_lines("validation", told)
    return found[0]


def placed_content(file: TextFile, content: str, found: DeclaredLines) -> MeantText:
    """The given text without what was wrapped around it, indented as the declaration.

    Raises:
        ToolError: "validation" when it is empty.
    """
    around = Around.of(file.lines, found.start, found.end)
    given = unwrapped(file.path, file.data, content, around)
    text = given.text.replace("\r\n", "\n").rstrip()
    while text.startswith(("\n", " \n", "\t\n")):
        text = text.partition("\n")[2]
    if not text.strip():
        raise ToolError(
            "validation",
            "The content is empty.",
            suggestion=f"To delete {found.qualified}, delete {_whole(found)} with edit_lines.",
        )
    return MeantText(fitted(text, found.indent, language_for(file.path)), given.notes)


class NamedEdit(NamedTuple):
    """An edit at a declaration: the tool, the question, the file's new content, and a note."""

    tool: str
    title: str
    after: bytes
    found: DeclaredLines
    note: str


def apply_named(project: Project, file: TextFile, edit: NamedEdit) -> TextOutput:
    """Propose and make an edit; the result of the call."""
    lines = LineSpan(edit.found.comments, edit.found.end)
    unseen, reason = unread(project.workspace, file, lines)
    wanted = Change(path=file.path, before=file.data, after=edit.after, mode=file.mode)
    written = project.workspace.apply(
        wanted,
        tool=edit.tool,
        title=edit.title,
        read=file,
        reason=f"{edit.note} {reason}".strip(),
        unseen=unseen,
    )
    return confirmation(file, wanted, written, note=edit.note)


def lines_of(found: DeclaredLines) -> str:
    """The lines of a declaration with its decorators, in words."""
    return line_range(found.decorators, found.end)


def _whole(found: DeclaredLines) -> str:
    return line_range(found.comments, found.end)


def _by_lines(kind: Literal["parse", "validation"], message: str) -> ToolError:
    return ToolError(kind, message, suggestion="Use edit_lines.")


class _DeclarationParts(NamedTuple):
    """The lines of a declaration: what stands above it, and itself."""

    comments: Sequence[str]
    decorators: Sequence[str]
    rest: Sequence[str]


class Replacement(NamedTuple):
    """The new text of a declaration in its place.

    Attributes:
        lines: The lines that it replaces.
        text: The new lines.
        after: The new content of the file.
        notes: What was put right in the given text, a sentence each.
    """

    lines: LineSpan
    text: str
    after: bytes
    notes: tuple[str, ...]


def replacement(file: TextFile, content: str, found: DeclaredLines) -> Replacement:
    """A declaration replaced by a given text, without what was wrapped around that.

    It is indented as the declaration. Overloads stay where the text has none.

    Raises:
        ToolError: "validation" when it is empty.
    """
    given = placed_content(file, content, found)
    made = _in_place(file, given, found)
    last = found.implementation
    if last is None or any(one.implementation for one in _named(file, made.after, found)):
        return made
    made = _in_place(file, given, last)
    return made._replace(notes=(_KEPT.format("the other overloads"), *made.notes))


def _in_place(file: TextFile, given: MeantText, found: DeclaredLines) -> Replacement:
    lines = LineSpan(found.comments, found.end)
    made = _assembled(file, given.text, found)
    after = file.replaced(*lines, made.text)
    return Replacement(lines, made.text, after, (*given.notes, *made.notes))


def _assembled(file: TextFile, text: str, found: DeclaredLines) -> MeantText:
    """The new lines from the first comment on; what the text lacks is taken from the old ones."""
    own = _parts(text, language_for(file.path))
    old = file.lines
    kept: list[str] = []
    comments, decorators = own.comments, own.decorators
    if not comments and found.comments < found.decorators:
        comments = old[found.comments - 1 : found.decorators - 1]
        kept.append("the comment above")
    if not decorators and found.decorators < found.start:
        decorators = old[found.decorators - 1 : found.start - 1]
        kept.append("the decorators")
    above, rest = [*comments, *decorators], [*own.rest]
    if found.sign and not rest[-1].rstrip().endswith((found.sign, ";")):
        rest[-1] += found.sign
    head = rest[0].lstrip()
    declares = _DEFAULTS if "default" in found.export else _DECLARES
    if found.export and declares.match(head):
        kept.append(f'"{found.export.strip()}"')
        rest[0] = f"{indentation(rest[0])}{found.export}{head}"
    notes = (_KEPT.format(", ".join(kept)),) if kept else ()
    return MeantText("\n".join([*above, *rest]), notes)


def _parts(text: str, language: Language | None) -> _DeclarationParts:
    """The comments, the decorators and the rest of a declaration, each in whole lines."""
    signs = Comments() if language is None else language.comments
    begins = (*signs.line, *(opening for opening, _ in signs.block))
    lines = text.split("\n")
    base = first_indentation(text) or ""
    decorator: int | None = None
    in_comment = False
    for number, line in enumerate(lines):
        bare = line.strip()
        if in_comment or not bare or (decorator is not None and indentation(line) != base):
            in_comment = in_comment and "*/" not in bare
        elif bare.startswith(begins):
            in_comment = bare.startswith("/*") and "*/" not in bare
        elif bare.startswith(("@", "#[")):
            decorator = number if decorator is None else decorator
        elif decorator is None or bare[0] not in ")}]":
            first = number if decorator is None else decorator
            return _DeclarationParts(lines[:first], lines[first:number], lines[number:])
    if decorator is None:
        return _DeclarationParts((), (), lines)
    return _DeclarationParts(lines[:decorator], (), lines[decorator:])


def _renamed(file: TextFile, after: bytes, found: DeclaredLines) -> tuple[str, ...]:
    """A note when the declaration has another name afterwards."""
    if _named(file, after, found):
        return ()
    return (f"The new text no longer declares {found.qualified}.",)


def _named(file: TextFile, after: bytes, found: DeclaredLines) -> list[DeclaredLines]:
    """The declarations of the same name in the new content."""
    try:
        known = Declarations(file.path, after)
    except ParsingTooSlow:
        return [found]
    return [found] if known.problem else known.exactly(found.qualified)

"""Changes that need no text: a rename, and the removal of a declaration or a file."""

import re
from contextlib import suppress
from typing import NamedTuple

from ipuaro_jupyter.errors import TimeUp, ToolError
from ipuaro_jupyter.index.declared_lines import Declarations, DeclaredLines
from ipuaro_jupyter.index.retrieval.asked import looks_like_code
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.records.code import SymbolLocation
from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.workspace.files.text_file import TextFile

_POLITE = r"\W*(?:(?:please|bitte)\s+)?"
_KIND = r"(?:function|method|class|constant|variable|type|interface|hook|component|helper)"
_WHAT = (
    rf"(?:the\s+)?(?:(?:unused|old|dead|whole)\s+)*(?:(?P<kind>file|{_KIND})\s+)?"
    r"(?P<quote>[`\"']?)(?P<name>[\w$#./@-]*[\w$])(?P<call>\(\))?[`\"']?"
    rf"(?:\s+(?P<after>file|{_KIND}))?"
    r"(?:\s+(?:in|from|of)\s+[`\"']?(?P<path>[\w./@-]+\.\w+)[`\"']?)?"
)
_RENAMES = [
    re.compile(
        rf"{_POLITE}{verb}\s+{_WHAT}\s+(?:{to})\s+[`\"']?(?P<to>[^\W\d][\w$]*)[`\"']?{end}[\s.!]*",
        re.IGNORECASE,
    )
    for verb, to, end in (
        ("rename", "to|into", ""),
        ("benenne", "in|zu", r"(?:\s+um)?"),
        ("renomme[rz]?", "en", ""),
        (r"renombra\w*", "a|como|por", ""),
        (r"переименуй\w*", "в", ""),
    )
]
_NO_NAME = re.compile(
    rf"file|{_KIND}|something|anything|it|this|that|(?:snake|camel|pascal|kebab|upper|lower)_?case",
    re.IGNORECASE,
)
"""What stands for a name, or for the way to write one."""
_REMOVE = re.compile(
    rf"{_POLITE}(?:delete|remove|drop|get rid of|entferne|lösche|supprime[rz]?|elimina|удали)\s+"
    rf"{_WHAT}[\s.!]*",
    re.IGNORECASE,
)
_MOST_USES, _MOST_TOLD = 200, 6


class PlainEdit(NamedTuple):
    """A change that a tool makes by itself.

    Attributes:
        call: The call of the tool.
        place: What is changed, and where it is.
        done: What is said once it is made; "" where the tool's result says it.
        uses: The places that still use what is removed, a sentence; "" for none.
    """

    call: ToolCall
    place: str
    done: str = ""
    uses: str = ""


def plain_edit(project: Project, request: str) -> PlainEdit | None:
    """The change that a request plainly names, with one declaration or file; else None."""
    said = next(filter(None, (one.fullmatch(request) for one in _RENAMES)), None)
    if said is not None:
        found = None if _NO_NAME.fullmatch(said["to"]) else _declared(project, said)
        if found is None:
            return None
        arguments = {"symbol": found.qualified, "to": said["to"], "declared_in": found.path}
        call = ToolCall(id="written.1", name="rename_symbol", arguments=arguments)
        return PlainEdit(call, _told(found))
    if (said := _REMOVE.fullmatch(request)) is None:
        return None
    path, kind = said["name"].removeprefix("./"), _kind(said)
    if kind in {"", "file"} and path in project.index.paths():
        with suppress(ToolError):  # the tool says what is wrong with it
            project.workspace.note_shown(path, project.workspace.read(path).hash)
        call = ToolCall(id="written.1", name="delete_file", arguments={"path": path})
        return PlainEdit(call, path, f"Deleted {path}.")
    is_name = kind or _is_quoted(said) or looks_like_code(said["name"])
    found = _declared(project, said) if is_name else None
    return None if found is None else _removal(project, found)


def _kind(said: re.Match[str]) -> str:
    """What a request says that it names: "file", "function", …; "" for nothing."""
    return (said["kind"] or said["after"] or "").lower()


def _is_quoted(said: re.Match[str]) -> bool:
    return bool(said["quote"] or said["call"])


def _declared(project: Project, said: re.Match[str]) -> SymbolLocation | None:
    """The only declaration that a request names; None where there are others, or none."""
    is_none = _NO_NAME.fullmatch(said["name"]) and not _is_quoted(said)
    if _kind(said) == "file" or is_none:
        return None
    within = (said["path"] or "").removeprefix("./")
    found = {
        (one.path, one.line): one
        for one in project.index.definitions(said["name"])
        if not within or f"/{one.path}".endswith(f"/{within}")
    }
    return next(iter(found.values())) if len(found) == 1 else None


def _removal(project: Project, at: SymbolLocation) -> PlainEdit | None:
    """The removal of a declaration with the comment above it; None where its lines are not sure."""
    try:
        file = project.workspace.read(at.path)
        known = Declarations(at.path, file.data).exactly(at.qualified)
        uses = project.index.uses(at.qualified, limit=_MOST_USES, declared_in=at.path)
    except (ToolError, ParsingTooSlow, TimeUp):
        return None
    if len(known) != 1 or known[0].problem:
        return None
    [found] = known
    project.workspace.note_shown(file.path, file.hash)
    start, end = _lines(file, found)
    arguments = {"path": file.path, "start": start, "end": end, "content": ""}
    left = [
        f"{one.path}:{one.line}"
        for one in uses.first
        if one.path != file.path or not found.start <= one.line <= found.end
    ]
    shown = left[:_MOST_TOLD] + [f"{len(left) - _MOST_TOLD} more"] * (len(left) > _MOST_TOLD)
    told = f"`{at.qualified}` is still used in {counted(len(left), 'place')}: {named(shown)}."
    call = ToolCall(id="written.1", name="edit_lines", arguments=arguments)
    return PlainEdit(
        call, _told(at), f"Removed `{at.qualified}` from {file.path}.", told * bool(left)
    )


def _lines(file: TextFile, found: DeclaredLines) -> tuple[int, int]:
    """The first and last line to remove: with the blank lines behind it, else those before it."""
    lines, start, end = file.lines, found.comments, found.end
    while end < len(lines) and not lines[end].strip():
        end += 1
    while end == len(lines) and start > 1 and not lines[start - 2].strip():
        start -= 1
    return start, end


def _told(at: SymbolLocation) -> str:
    return f"`{at.qualified}` {at.path}:{at.line}"

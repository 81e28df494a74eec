"""The request for the new text of one declaration."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from posixpath import dirname, splitext

from ipuaro_jupyter.agent.changing.changed_places import ChangedPlace
from ipuaro_jupyter.agent.context.prompt_files import prompt_file
from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.records.code import SymbolLocation
from ipuaro_jupyter.tools.tool import Project

_CHOOSE = (
    "Which of these has to change for that? The ids of at most three, the surest first, as a JSON "
    "list; [] if none of them, or if something new has to be written.\n\n{listed}"
)
_BEHIND = (
    "Behind which of these does it go? Its id alone, as a JSON list; [] if it fits behind none."
    "\n\n{listed}"
)
_PATH = (
    "Which path does the new file get? A JSON object with it, relative to the project, and nothing "
    "else. There are, for example:\n{files}"
)
PATH_SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string", "maxLength": 100}},
    "required": ["path"],
}
_MOST_FILES = 30
_LIST = (
    "What has to change in each of these for that? A JSON list of objects with the id, and in one "
    "line what changes there; leave out what stays as it is."
)
_WORD = re.compile(r"(?<![\w$.])(?P<member>(?:self|this)\.)?(?P<name>[A-Za-z_$][\w$]*)")
_HEAD_ENDS = re.compile(r"(?:[:{;]|=>)\s*(?:#.*|//.*)?$")
_MOST_HEADS, _MOST_NAMES, _HEADS_TOKENS = 10, 60, 300
_MOST_HEAD_LINES, _MOST_TYPE_LINES, _MOST_VALUE_LINES = 6, 12, 3
_FENCES = {"py": "python", "pyi": "python", "ts": "typescript", "mts": "typescript"}


def change_messages(
    project: Project,
    place: ChangedPlace,
    request: str,
    *,
    text: str,
    beside: Sequence[str],
    hidden: Callable[[str, str], str],
) -> list[Message]:
    """The rules, and the declaration with what it uses.

    Args:
        project: The project.
        place: The declaration.
        request: What is asked for.
        text: The declaration's text without secrets.
        beside: What else a model has to know, such as what a mention has attached.
        hidden: Removes secrets from a text, given the path of its file.
    """
    path = place.file.path
    ending = path.rpartition(".")[2]
    rules = prompt_file("change.md", project=project.workspace.root.name)
    heads = "\n".join(_heads(project, place, hidden))
    parts = [
        *beside,
        *([f"It uses:\n{heads}"] if heads else []),
        f"{path}, `{place.found.qualified}`:\n```{_FENCES.get(ending, ending)}\n{text}\n```",
    ]
    context = "\n\n".join(parts)
    told = f"{context}\n\nRequest: {request}"
    return [
        Message(role="system", content=rules),
        Message(role="user", content=told),
    ]


def choice_messages(
    project: Project, listed: str, evidence: str, request: str, *, is_new: bool = False
) -> list[Message]:
    """The question which declarations have to change, or behind which one something new goes."""
    rules = prompt_file("change.md", project=project.workspace.root.name)
    choose = (_BEHIND if is_new else _CHOOSE).format(listed=listed)
    asked = "\n\n".join([*([evidence] if evidence else []), f"Request: {request}", choose])
    return [Message(role="system", content=rules), Message(role="user", content=asked)]


def path_messages(project: Project, request: str) -> list[Message]:
    """The question which path a new file gets, beside some of those that are there."""
    rules = prompt_file("new.md", project=project.workspace.root.name)
    paths = {(dirname(path), splitext(path)[1]): path for path in project.index.paths()}
    files = "\n".join(sorted(paths.values())[:_MOST_FILES])
    asked = f"Request: {request}\n\n{_PATH.format(files=files)}"
    return [Message(role="system", content=rules), Message(role="user", content=asked)]


def list_messages(project: Project, texts: Mapping[str, str], request: str) -> list[Message]:
    """The question what has to change in each of several declarations, by id, name and place."""
    rules = prompt_file("change.md", project=project.workspace.root.name)
    told = [f"{title}:\n```\n{text}\n```" for title, text in texts.items()]
    asked = "\n\n".join([*told, f"Request: {request}", _LIST])
    return [Message(role="system", content=rules), Message(role="user", content=asked)]


def _heads(
    project: Project, place: ChangedPlace, hidden: Callable[[str, str], str]
) -> Iterator[str]:
    """Yield the heads of what a declaration uses of its file and of those that this imports."""
    path, own = place.file.path, place.found.qualified
    owner = own.rpartition(".")[0]
    near = {one.path for one in project.index.imports.dependencies(path)} | {path}
    names = dict.fromkeys(
        f"{owner}.{found['name']}" if found["member"] and owner else found["name"]
        for found in _WORD.finditer(place.text)
    )
    left = float(_HEADS_TOKENS)
    told: set[str] = set()
    for name in islice(names, _MOST_NAMES):
        if name in (own, own.rpartition(".")[2]):
            continue
        near_ones = [one for one in project.index.definitions(name) if one.path in near]
        for one in near_ones[:1] if len(near_ones) == 1 else ():
            head = _head(project, one) if one.qualified not in told else ""
            head = hidden(head, one.path)
            left -= count_tokens(head)
            if left < 0 or len(told) == _MOST_HEADS:
                return
            if head:
                told.add(one.qualified)
                yield head


def _head(project: Project, one: SymbolLocation) -> str:
    """The first lines of a declaration: a function's up to its body, a short type whole."""
    try:
        lines = project.workspace.read(one.path).lines[one.line - 1 :]
    except ToolError:
        return ""
    if one.kind == "function":
        most = _MOST_HEAD_LINES
        ends = (at for at, line in enumerate(lines[:most], 1) if _HEAD_ENDS.search(line))
        count = next(ends, 1)
    elif one.kind in ("const", "variable", "property"):
        count = 1
    else:
        indent = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
        body = (
            at
            for at, line in enumerate(lines[1:_MOST_TYPE_LINES], 1)
            if line.strip() and len(line) - len(line.lstrip()) <= indent
        )
        end = next(body, 1)
        count = end + 1 if lines[end : end + 1] and lines[end].strip() in ("}", "};") else end
    return f"{one.path}:{one.line} " + "\n".join(lines[:count]).strip()

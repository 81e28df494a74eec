"""Where something new goes: behind a declaration, to the end of a file, or into a new file."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from ipuaro_jupyter.agent.changing.changed_places import ChangedPlaces
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.declared_lines import Declarations, DeclaredLines
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.registry import is_code, language_for
from ipuaro_jupyter.records.code import SymbolLocation
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.workspace.files.text_file import TextFile

_PATH = re.compile(r"(?<![\w./@-])[\w@./-]*\w\.\w{1,8}\b(?!\()")
_BESIDE = re.compile(
    r"\b(?:to|in|into|of|after|behind|below|beside|next to|before)\s+(?:the\s+)?"
    r"(?:class\s+|function\s+|method\s+)?[`\"']?(?P<name>[\w$]+(?:\.[\w$]+)*)"
)


class NewPlace(NamedTuple):
    """A place for new code.

    Attributes:
        path: Its file.
        file: The file as it is; None where it is new.
        after: The declaration that it follows; None for the end of the file.
        owner: The class that it becomes a member of; "" for none.
    """

    path: str
    file: TextFile | None = None
    after: DeclaredLines | None = None
    owner: str = ""

    @property
    def told(self) -> str:
        """The place."""
        if self.after is None:
            return self.path
        return f"{self.path}:{self.after.end + 1}"


class NewPlaces:
    """Finds the place of what a request wants to be new.

    Args:
        project: The project.
        request: What is asked for, as typed.
        places: What the request is about.
    """

    def __init__(self, project: Project, request: str, places: ChangedPlaces) -> None:
        self._project = project
        self._root = project.workspace.root
        self._request = request
        self._places = places

    def named(self) -> NewPlace | None:
        """The place that the request names; None where it names none, or several."""
        if (new := self.file(self._request)) is not None:
            return new
        known = self._known
        found = [
            one
            for name in dict.fromkeys([*self._places.exact, *self._said])
            for one in self._project.index.definitions(name)
            if not known or one.path in known
        ]
        if found and len({one.path for one in found}) == 1:
            return self._beside(found)
        if found or len(known) != 1 or not is_code(known[0]):
            return None
        return self._last_of(known[0], "")

    @property
    def is_file(self) -> bool:
        """Whether the request wants a file, and names none that is there."""
        return self._places.new == "file" and not self._known

    def file(self, text: str) -> NewPlace | None:
        """The one new file whose path is in a text; None where there is none."""
        paths = [one for one in _paths(text) if self._is_new(one)]
        return NewPlace(paths[0]) if len(paths) == 1 else None

    def _is_new(self, path: str) -> bool:
        """Whether a path means a file of the project that is not there, and no Class.method."""
        try:
            self._project.workspace.relative(path, must_exist=False)
        except ToolError:
            return False
        language = language_for(path)
        is_known = language is not None and language.grammar is not None
        is_path = "/" in path or self._places.new == "file" or path[:1].islower()
        return is_known and is_path and not (self._root / path).exists()

    @cached_property
    def _known(self) -> list[str]:
        """The files that the request names."""
        return [one for one in _paths(self._request) if (self._root / one).is_file()]

    @cached_property
    def _said(self) -> list[str]:
        """The names, other than plain words, that something is said to go to."""
        names = (found["name"] for found in _BESIDE.finditer(self._request))
        return [name for name in names if not (name.isalpha() and name.islower())]

    def behind(self, path: str, name: str) -> NewPlace | None:
        """The place behind a declaration of a file; in its class for a method."""
        owner = name.rpartition(".")[0] if self._places.new == "method" else ""
        if self._places.new == "method" and not owner:
            return self._last_of(path, name)
        return self._at(path, name if owner else name.partition(".")[0], owner)

    def _beside(self, found: Sequence[SymbolLocation]) -> NewPlace | None:
        """The place at declarations of one file: in a class that is named so, else behind one."""
        for one in found:
            is_into = one.qualified in self._said or one.name in self._said
            if one.kind == "class" and (self._places.new == "method" or is_into):
                return self._last_of(one.path, one.qualified)
        return self.behind(found[-1].path, found[-1].qualified)

    def _last_of(self, path: str, owner: str) -> NewPlace | None:
        """The place behind the last member of a class, or at the end of a file."""
        read = self._read(path)
        if read is None:
            return None
        file, known = read
        names = [one for one in known.names if one.rpartition(".")[0] == owner]
        lines = [line for one in names for line in known.exactly(one) if not line.problem]
        least = min((len(one.indent) for one in lines), default=0)
        lines = [one for one in lines if len(one.indent) == least]  # none in a block
        if owner and not lines:
            return None
        return NewPlace(path, file, max(lines, key=lambda one: one.end, default=None), owner)

    def _at(self, path: str, name: str, owner: str) -> NewPlace | None:
        read = self._read(path)
        same = read[1].exactly(name) if read is not None else []
        if read is None or not same or same[-1].problem:
            return None
        return NewPlace(path, read[0], same[-1], owner)

    def _read(self, path: str) -> tuple[TextFile, Declarations] | None:
        try:
            file = self._project.workspace.read(path)
            known = Declarations(path, file.data)
        except (ToolError, ParsingTooSlow):
            return None
        return None if known.problem or path.endswith(".ipynb") else (file, known)


def _paths(text: str) -> list[str]:
    """The paths in a text, each once."""
    return list(dict.fromkeys(found[0].removeprefix("./") for found in _PATH.finditer(text)))

"""The edits that a model has written into a reply, placed on the files of the project."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from posixpath import splitext
from typing import NamedTuple

from ipuaro_jupyter.agent.changing.added_imports import added_imports
from ipuaro_jupyter.agent.changing.changed_places import ChangedPlace
from ipuaro_jupyter.agent.changing.placed_lines import NewLines, placed_lines, trimmed
from ipuaro_jupyter.agent.changing.written_text import left_out, written_text
from ipuaro_jupyter.agent.written_edits import WrittenEdit
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.declared_lines import Declarations
from ipuaro_jupyter.languages.syntax_errors import syntax_problems
from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.records.counted import named
from ipuaro_jupyter.tools.replace_symbol import replacement
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.files.text_file import TextFile

_DECLARED = re.compile(
    r"\b(?:def|class|function|const|let|var|interface|type|enum)\s+(?P<name>[A-Za-z_$][\w$]*)"
)
_WORD = re.compile(r"[A-Za-z_$][\w$]{3,}")
_MOST_WORDS, _MOST_FILES = 3, 20
_LEAST_LINES, _MOST_LINES = 3, 80
"""Of a file without declarations that is written anew as a whole; most of them have to be kept."""


class PlacedEdits(NamedTuple):
    """What edits make of the files of the project.

    Attributes:
        lines: The new lines; none where the edits change nothing.
        files: The files with them, by path.
    """

    lines: tuple[NewLines, ...]
    files: dict[str, bytes]

    @property
    def call(self) -> ToolCall:
        """The call of a tool that proposes them."""
        changes = [
            {"path": one.path, "start": one.start, "end": one.end, "content": one.content}
            if one.start
            else {"path": one.path, "content": one.content}
            for one in self.lines
        ]
        return ToolCall(name="propose_changes", arguments={"changes": changes}, id="written")

    @property
    def told(self) -> str:
        """The places that are changed."""
        return named([one.told for one in self.lines])


def placed_edits(
    project: Project, edits: Iterable[WrittenEdit], place: ChangedPlace | None = None
) -> PlacedEdits:
    """The edits, placed by the index first, then by the lines that they quote.

    Args:
        project: The project.
        edits: As a reply holds them.
        place: The declaration that is asked about.

    Raises:
        ToolError: An edit has no place, or several; a file would no longer be parsed.
        ParsingTooSlow: A file cannot be parsed in time.
    """
    placing = _Placing(project, place)
    found = (one for edit in edits for one in placing.placed(edit))
    lines = tuple(dict.fromkeys(one for one in found if one.content or one.start <= one.end))
    by_path: defaultdict[str, list[NewLines]] = defaultdict(list)
    for one in lines:
        by_path[one.path].append(one)
    files: dict[str, bytes] = {}
    for path, parts in by_path.items():
        before = placing.file(path) if parts[0].start else None
        files[path] = parts[0].content.encode() if before is None else _with(before, parts)
        old = None if before is None else before.data
        if errors := syntax_problems(path, old, files[path]):
            raise ToolError("parse", f"With it, {path} has a {errors[0]}.")
    return PlacedEdits(lines, files)


def _with(file: TextFile, parts: Iterable[NewLines]) -> bytes:
    """A file with new lines, of which none overlap."""
    made = file
    ordered = sorted(parts, key=lambda part: (part.start, part.end))
    for one, other in pairwise(ordered):
        if one.end >= other.start:
            raise ToolError("validation", f"Two edits change {other.told}: make them one.")
    for one in reversed(ordered):
        made = TextFile(file.path, made.replaced(one.start, one.end, one.content), file.mode)
    return made.data


class _Placing:
    """Places edits one by one; knows the files that it has read."""

    def __init__(self, project: Project, place: ChangedPlace | None) -> None:
        self._project = project
        self._place = place
        self._files = {} if place is None else {place.file.path: place.file}

    def file(self, path: str) -> TextFile:
        """A file of the project."""
        if path not in self._files:
            self._files[path] = self._project.workspace.read(path)
        return self._files[path]

    def placed(self, edit: WrittenEdit) -> Iterator[NewLines]:
        """Yield the new lines of an edit."""
        path, is_there = edit.path, True
        if path:
            path = self._meant(path, is_new=not "".join(edit.old or ()).strip())
            is_there = (self._project.workspace.root / path).is_file()
        if not is_there:
            if not edit.new:
                raise ToolError("validation", f"There is no {path}.")
            yield NewLines(path, 0, 0, "".join(f"{line}\n" for line in edit.new))
        elif edit.old:
            yield from self._of_lines(edit, [path] if path else self._likely(edit))
        elif path and not edit.new:
            raise ToolError("validation", f"It deletes {path}: that is for delete_file.")
        else:
            has_head = bool(path) and self.file(path).lines[:1] == (edit.within,)
            yield from self._whole(path, (edit.within, *edit.new) if has_head else edit.new)

    def _meant(self, path: str, *, is_new: bool) -> str:
        """The file that a path means, whose first folders it may lack; of a new one the path."""
        workspace = self._project.workspace
        meant = workspace.meant(path, kind="file", changes=True, exact=True).path
        path = workspace.relative(meant, must_exist=False)
        if (workspace.root / path).exists():
            return workspace.relative(path, kind="file")
        ends = [one for one in self._project.index.paths() if one.endswith(f"/{path}")]
        if len(ends) > 1:
            told = f"There is no {path}, but {named(ends)}."
            raise ToolError("file", told, suggestion="Name the whole path.")
        if not ends and not is_new:
            raise ToolError("file", f"There is no {path}.")
        return ends[0] if ends else path

    def _of_lines(self, edit: WrittenEdit, paths: Sequence[str]) -> Iterator[NewLines]:
        """Yield the new lines in the one file that has the old ones."""
        found = []
        for path in paths:
            file = self.file(path)
            made = placed_lines(file, edit, self._near(file, edit))
            if made is not None:
                found.append(made)
                if self._place is not None and path == self._place.file.path:
                    break
        if not found:
            where = named(paths) or "the project"
            first = next((line.strip() for line in edit.old or () if line.strip()), "")
            told = f"The old lines of the edit, which begin with `{first}`, are not in {where}."
            raise ToolError("validation", told)
        if len(found) > 1:
            told = f"The old lines stand at several places: {named([one.told for one in found])}."
            raise ToolError("validation", told, suggestion="Name the file above the edit.")
        yield found[0]

    def _likely(self, edit: WrittenEdit) -> list[str]:
        """The files that an edit may be of: the one that is asked about, those of its names."""
        index = self._project.index
        paths = {one.path: None for name in _names(edit) for one in index.definitions(name)}
        if not paths:
            words = {word for line in edit.old or () for word in _WORD.findall(line)}
            longest = sorted(words, key=lambda word: (-len(word), word))[:_MOST_WORDS]
            having = [known for word in longest if (known := set(index.having(word)))]
            paths = dict.fromkeys(sorted(set.intersection(*having)) if having else ())
        own = [] if self._place is None else [self._place.file.path]
        likely = paths if len(paths) <= _MOST_FILES else ()  # else another one may have them, too
        return list(dict.fromkeys([*own, *likely]))

    def _near(self, file: TextFile, edit: WrittenEdit) -> list[LineSpan]:
        """The lines of the declarations that an edit names, else of the one that is asked about."""
        known = Declarations(file.path, file.data)
        found = [one for name in _names(edit) for one in known.named(name)]
        if not found and self._place is not None and file.path == self._place.file.path:
            found = [self._place.found]
        return [LineSpan(one.comments, one.end) for one in found]

    def _whole(self, path: str, new: Sequence[str]) -> Iterator[NewLines]:
        """Yield the new lines of a text that is a whole file, or some of its declarations."""
        asked = "" if self._place is None else self._place.file.path
        endings = [splitext(one)[1] for one in (path, asked) if one] or [".py", ".ts"]
        code = "\n".join(new).encode()
        for ending in endings:
            known = Declarations(f"reply{ending}", code)
            if path and self._is_file(path, known, new):
                yield trimmed(self.file(path), LineSpan(1, len(self.file(path).lines)), new)
                return
            names = [name for name in known.names if "." not in name]
            found = [(name, one) for name in names for one in [self._declaring(name, path)] if one]
            for name, where in found:
                yield from self._declared(name, self.file(where), known, "\n".join(new))
            if found:
                return
        if path:
            told = f"The text for {path} is neither the whole file nor one of its declarations."
            raise ToolError("validation", told)

    def _is_file(self, path: str, known: Declarations, new: Sequence[str]) -> bool:
        """Whether a text is a whole file: it has its first line, and all that it declares."""
        file = self.file(path)
        own = Declarations(path, file.data)
        if line := left_out(new, file):
            raise ToolError("validation", f"`{line}` stands for a part that was left out.")
        if not own.names:
            kept = [line for line in file.lines if line in new]
            is_most = 2 * len(kept) >= len(file.lines) or len(file.lines) <= _LEAST_LINES
            return is_most and len(file.lines) <= _MOST_LINES
        first = next((line.strip() for line in file.lines if line.strip()), "")
        begins = next((line.strip() for line in new if line.strip()), "")
        return first == begins and not _lacks(known, own, own.names)

    def _declaring(self, name: str, path: str) -> str:
        """The one file that declares a name; "" where none does."""
        own = path or ("" if self._place is None else self._place.file.path)
        if own and name in Declarations(own, self.file(own).data).names:
            return own
        if path:
            return ""
        found = [one for one in self._project.index.definitions(name) if one.qualified == name]
        places = sorted({one.path for one in found})
        if len(places) > 1:
            told = named([f"{one.path}:{one.line}" for one in found])
            hint = "Name the file above the code."
            raise ToolError("validation", f"`{name}` is declared at {told}.", suggestion=hint)
        return places[0] if places else ""

    def _declared(
        self, name: str, file: TextFile, known: Declarations, code: str
    ) -> Iterator[NewLines]:
        """Yield the new lines of a declaration, or of those in it where not all are there."""
        own = Declarations(file.path, file.data)
        members = [one for one in own.names if one.startswith(f"{name}.")]
        if _lacks(known, own, members):
            for member in members:
                if member in known.names and member.count(".") == name.count(".") + 1:
                    yield from self._declared(member, file, known, code)
            return
        found = own.exactly(name)
        if len(found) != 1 or found[0].problem:
            why = found[0].problem if found else "is not there"
            told = f"`{name}` of {file.path} {why or 'is declared several times'}."
            raise ToolError("validation", told)
        written = written_text(f"````\n{code}\n````", file, found[0], is_alone=False)
        if written.problem:
            raise ToolError("validation", written.problem)
        made = replacement(file, written.text, found[0])
        if made.after == file.data:
            return
        imports = added_imports(file, made, written.code, self._project.index)
        if imports.problem:
            raise ToolError("validation", imports.problem)
        if imports.line:
            yield NewLines(file.path, imports.line, imports.line - 1, imports.text)
        yield trimmed(file, made.lines, made.text.split("\n"))


def _lacks(known: Declarations, own: Declarations, names: Iterable[str]) -> bool:
    """Whether a text lacks declarations of a file, as of a setter beside its getter."""
    return any(len(known.exactly(name)) < len(own.exactly(name)) for name in names)


def _names(edit: WrittenEdit) -> list[str]:
    """The names that an edit declares, those of the line around it first."""
    text = "\n".join([edit.within, *(edit.old or ()), *edit.new])
    return list(dict.fromkeys(found["name"] for found in _DECLARED.finditer(text)))

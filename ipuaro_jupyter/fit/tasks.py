"""Tasks made by rule from the index of a project: the right first call to each is known."""

from collections.abc import Callable, Iterator
from functools import cached_property
from hashlib import sha256
from itertools import chain, islice, zip_longest
from pathlib import PurePosixPath

from ipuaro_jupyter.fit.task import FitTask, Step
from ipuaro_jupyter.languages.registry import is_code
from ipuaro_jupyter.records.code import Class, FileFacts, Function
from ipuaro_jupyter.tools.tool import Project

_SHORT = 4  # letters: shorter names stand for too much
_SHOWN_LINES = 5


def tasks_of(project: Project, *, count: int, seed: int = 0) -> tuple[FitTask, ...]:
    """Draw tasks about a project, of all kinds in turn; the same seed draws the same ones.

    Args:
        project: The project, indexed.
        count: Their number; fewer when the project is too small for it.
        seed: Chooses the names.
    """
    draw = _Draw(project, seed)
    rounds = zip_longest(*(kind(draw) for kind in _KINDS))
    distinct = {task.question: task for task in chain.from_iterable(rounds) if task is not None}
    return tuple(islice(distinct.values(), count)) if count else ()


class _Draw:
    """The names of a project in an order that the seed decides."""

    def __init__(self, project: Project, seed: int) -> None:
        self.index = project.index
        self._seed = seed

    def shuffled(self, names: "list[str]", *, by: str) -> list[str]:
        """The names in an order of their own for each kind of task."""
        return sorted(names, key=lambda name: self.number(f"{by} {name}"))

    def number(self, text: str) -> int:
        """A number that the seed and the text decide."""
        return int.from_bytes(sha256(f"{self._seed} {text}".encode()).digest()[:8])

    @cached_property
    def paths(self) -> list[str]:
        """The project's files."""
        return self.index.paths()

    def files(self, kind: str) -> Iterator[FileFacts]:
        """Yield the facts of the files with code."""
        for path in self.shuffled([path for path in self.paths if is_code(path)], by=kind):
            facts = self.index.facts(path)
            if facts is not None and facts.parse_error is None and facts.lines:
                yield facts

    def is_only(self, name: str) -> bool:
        """Whether the project declares the name exactly once."""
        return len(name) >= _SHORT and len(self.index.definitions(name)) == 1

    def function(self, facts: FileFacts) -> Function | None:
        """A function of the file that is the only one of its name; None when it has none."""
        found = {one.name: one for one in facts.functions if one.has_body and one.line_start}
        names = self.shuffled(list(found), by=facts.path)
        return next((found[name] for name in names if self.is_only(name)), None)


def _where_defined(draw: _Draw) -> Iterator[FitTask]:
    for facts in draw.files("where defined"):
        for name in _declared(draw, facts):
            yield FitTask(
                kind="where defined",
                question=f"Where is `{name}` defined?",
                steps=(
                    Step(tool="find_definition", symbol=name),
                    Step(tool="grep", text=name),
                    Step(tool="find_references", symbol=name),
                ),
            )


def _who_uses(draw: _Draw) -> Iterator[FitTask]:
    for facts in draw.files("who uses"):
        for name in _declared(draw, facts):
            users = {use.path for use in draw.index.references(name) if use.path != facts.path}
            if users:
                yield FitTask(
                    kind="who uses",
                    question=f"Which files use `{name}`?",
                    steps=(
                        Step(tool="find_references", symbol=name),
                        Step(tool="grep", text=name),
                    ),
                )


def _declared(draw: _Draw, facts: FileFacts) -> list[str]:
    """One of the names that a file exports and nothing else declares, at most."""
    kinds = (facts.classes, facts.interfaces, facts.enums, facts.types, facts.variables)
    names = [one.name for kind in (facts.functions, *kinds) for one in kind if one.is_exported]
    return [name for name in draw.shuffled(names, by=facts.path) if draw.is_only(name)][:1]


def _lines(draw: _Draw) -> Iterator[FitTask]:
    for facts in draw.files("lines"):
        if facts.lines > _SHOWN_LINES:
            start = 1 + draw.number(facts.path) % (facts.lines - _SHOWN_LINES + 1)
            end = start + _SHOWN_LINES - 1
            yield FitTask(
                kind="lines",
                question=f"Show lines {start} to {end} of {facts.path}.",
                steps=_reading(facts.path, (start, end)),
            )


def _reading(path: str, lines: tuple[int, int] | None = None) -> tuple[Step, Step]:
    return (
        Step(tool="get_lines", path=path, lines=lines),
        Step(tool="read_file", path=path),
    )


def _showing(tool: str, path: str, one: Function | Class) -> tuple[Step, ...]:
    """The steps that show a declaration."""
    return (
        Step(tool=tool, path=path, symbol=one.name),
        Step(tool="find_definition", symbol=one.name),
        *_reading(path, (one.line_start, one.line_end)),
    )


def _function(draw: _Draw) -> Iterator[FitTask]:
    for facts in draw.files("function"):
        one = draw.function(facts)
        if one is not None:
            yield FitTask(
                kind="function",
                question=f"Show me the code of the function `{one.name}` in {facts.path}.",
                steps=_showing("get_function", facts.path, one),
            )


def _class(draw: _Draw) -> Iterator[FitTask]:
    for facts in draw.files("class"):
        for one in facts.classes[:1]:
            yield FitTask(
                kind="class",
                question=f"Which methods has the class `{one.name}` in {facts.path}?",
                steps=_showing("get_class", facts.path, one),
            )


def _dependents(draw: _Draw) -> Iterator[FitTask]:
    for facts in draw.files("dependents"):
        found = [one.path for one in draw.index.imports.dependents(facts.path)]
        if found and not facts.path.rpartition("/")[2].startswith("index."):
            yield FitTask(
                kind="dependents",
                question=f"Which files import {facts.path}?",
                steps=(
                    Step(tool="get_dependents", path=facts.path),
                    Step(tool="grep", text=PurePosixPath(facts.path).stem),
                ),
            )


def _dependencies(draw: _Draw) -> Iterator[FitTask]:
    for facts in draw.files("dependencies"):
        found = [one.path for one in draw.index.imports.dependencies(facts.path) if one.exists]
        if found:
            yield FitTask(
                kind="dependencies",
                question=f"Which files of the project does {facts.path} import?",
                steps=(Step(tool="get_dependencies", path=facts.path), *_reading(facts.path)),
            )


def _folder(draw: _Draw) -> Iterator[FitTask]:
    folders = {path.rpartition("/")[0] for path in draw.paths} - {""}
    for folder in draw.shuffled(list(folders), by="folder"):
        yield FitTask(
            kind="folder",
            question=f"Which files are in the folder {folder}?",
            steps=(
                Step(tool="list_dir", path=folder),
                Step(tool="get_structure", path=folder),
                Step(tool="glob", text=f"{folder}/"),
                Step(tool="glob", path=folder),
            ),
        )


def _edit(draw: _Draw) -> Iterator[FitTask]:
    for facts in draw.files("edit"):
        one = draw.function(facts)
        if one is not None:
            yield FitTask(
                kind="edit",
                question=f"Write a comment above the function `{one.name}` in {facts.path} that "
                "says what it returns.",
                steps=(
                    Step(tool="get_function", path=facts.path, symbol=one.name),
                    Step(tool="find_definition", symbol=one.name),
                    Step(tool="edit_lines", path=facts.path),
                    Step(tool="update_file", path=facts.path),
                    *_reading(facts.path, (one.line_start, one.line_start)),
                ),
            )


def _create(draw: _Draw) -> Iterator[FitTask]:
    for facts in draw.files("create"):
        new = str(PurePosixPath(facts.path).with_name("notes.md"))
        if new not in draw.paths:
            yield FitTask(
                kind="create",
                question=f"Create the file {new} with one line: To be written.",
                steps=(Step(tool="create_file", path=new), Step(tool="write_file", path=new)),
            )


def _no_tool(draw: _Draw) -> Iterator[FitTask]:
    del draw
    for said in ("Thank you, that is all.", "Hello!"):
        yield FitTask(kind="no tool", question=said)


_KINDS: tuple[Callable[[_Draw], Iterator[FitTask]], ...] = (
    _where_defined,
    _lines,
    _who_uses,
    _edit,
    _dependents,
    _function,
    _no_tool,
    _dependencies,
    _folder,
    _class,
    _create,
)

"""What else has changed around a seeded fault, and what git knows of it."""

import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Self

from crash_faults import Function, Site, Source, nodes_in
from tree_sitter import Node

HARMLESS = 10
SETTINGS = {
    "no git": "the project is in no repository",
    "fault": "the fault is the only uncommitted change",
    "among": f"the fault is uncommitted, and so are {HARMLESS} harmless changes",
    "committed": "the fault is in the last commit, of yesterday, and nothing else is changed",
    "old": f"the fault is a year old, and {HARMLESS} harmless changes are uncommitted",
}
"""Which changes git can tell of."""
_DAY_S = 24 * 3600
_BOUND = {"assignment": "left", "variable_declarator": "name"}
_PLAIN = frozenset(
    {
        *("identifier", "shorthand_property_identifier", "type_identifier"),
        "shorthand_property_identifier_pattern",
    }
)
_OPEN = frozenset(
    {
        *("global_statement", "nonlocal_statement", "import_statement", "import_from_statement"),
        *("function_definition", "lambda", "class_definition", "arrow_function", "class"),
        *("function_expression", "function_declaration", "method_definition"),
    }
)


class Renamed(NamedTuple):
    """A local variable of a function, renamed: the bytes that are replaced, and by what."""

    function: Function
    places: tuple[tuple[int, int], ...]
    name: bytes


def renamings(source: Source) -> Iterator[Renamed]:
    """Yield functions with a local variable that can be renamed, without a function in them."""
    every = list(_nodes(next(nodes_in(source))))
    counts = Counter(node.text for node in every if node.type in _PLAIN)
    for function, body in source.functions():
        inside = list(_nodes(body))
        if any(node.type in _OPEN for node in inside):
            continue
        whole = Counter(node.text for node in _nodes(body.parent) if node.type in _PLAIN)
        around = whole if source.path.endswith(".py") else counts
        for node in inside:
            field = _BOUND.get(node.type)
            target = None if field is None else node.child_by_field_name(field)
            if target is None or target.type != "identifier":
                continue
            places = [one for one in inside if one.text == target.text and one.type in _PLAIN]
            # of Python, a name of the module or a parameter; of TypeScript, of anything around it
            if len(places) == around[target.text] and all(map(_is_plain, places)):
                spans = tuple((one.start_byte, one.end_byte) for one in places)
                yield Renamed(function, spans, target.text + b"_")
                break


def _is_plain(name: Node) -> bool:
    around = name.parent
    if name.type != "identifier":
        return False
    if around.type == "attribute":
        return around.child_by_field_name("attribute") != name
    return around.type != "keyword_argument" or around.child_by_field_name("name") != name


def _nodes(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.named_children


def harmless(
    files: Iterable[Source], ran: set[Function], culprit: Function, draw: random.Random
) -> dict[str, list[Renamed]]:
    """Changes of other functions that are run, too, by path."""
    known = [
        (source.path, one)
        for source in files
        for one in renamings(source)
        if one.function in ran and not _is_around(one.function, culprit)
    ]
    found: dict[str, list[Renamed]] = {}
    for path, one in draw.sample(known, min(HARMLESS, len(known))):
        found.setdefault(path, []).append(one)
    return found


def _is_around(one: Function, other: Function) -> bool:
    return one.path == other.path and one.first <= other.last and other.first <= one.last


def changed(source: Source, renamed: Iterable[Renamed], site: Site | None) -> bytes:
    """A file with variables renamed, and with a fault."""
    edits = [(start, end, one.name) for one in renamed for start, end in one.places]
    edits += [] if site is None else [(site.start, site.end, site.text)]
    content = source.content
    for start, end, text in sorted(edits, reverse=True):
        content = content[:start] + text + content[end:]
    return content


class Versions(NamedTuple):
    """The contents of the files in which something is changed: with what, of all that is."""

    pristine: dict[str, bytes]
    fault: dict[str, bytes]
    harmless: dict[str, bytes]
    all: dict[str, bytes]

    @classmethod
    def of(cls, files: Iterable[Source], others: Mapping[str, list[Renamed]], site: Site) -> Self:
        """The versions of files with a fault and other changes."""
        path = site.function.path
        mine = {one.path: one for one in files if one.path == path or one.path in others}
        faults = {at: site if at == path else None for at in mine}
        return cls(
            {at: one.content for at, one in mine.items()},
            {at: changed(one, (), faults[at]) for at, one in mine.items()},
            {at: changed(one, others.get(at, ()), None) for at, one in mine.items()},
            {at: changed(one, others.get(at, ()), faults[at]) for at, one in mine.items()},
        )


class History:
    """The git repository of a folder, which can be changed under it and taken away.

    Args:
        root: The folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._away = root.parent / f"{root.name}.git"
        self._git("init", "--quiet", "--initial-branch=main")
        self._commit(days=800)
        self._first = self._git("rev-parse", "HEAD").strip()
        self.hide()

    def hide(self) -> None:
        """Take the repository away."""
        (self._root / ".git").rename(self._away)

    def show(self, setting: str, known: Versions) -> None:
        """Let git tell of some changes; the files on the disk stay as they are, with all of them.

        Args:
            setting: One of `SETTINGS`, but for the first.
            known: The files that differ.
        """
        self._away.rename(self._root / ".git")
        self._git("update-ref", "HEAD", self._first)
        old = {"among": known.pristine, "old": known.fault}.get(setting, known.harmless)
        self.write(old)
        self._commit(days=400)
        self.write(known.all)
        if setting == "committed":
            self._commit(days=1)

    def write(self, contents: Mapping[str, bytes]) -> None:
        """Write files."""
        for path, content in contents.items():
            (self._root / path).write_bytes(content)

    def _commit(self, *, days: int) -> None:
        self._git("add", "--all", "--force")
        at = f"{int(time.time()) - days * _DAY_S} +0000"
        dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        self._git("commit", "--quiet", "--allow-empty", "--message=Change", **dates)

    def _git(self, *words: str, **variables: str) -> str:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false")
        return subprocess.run(
            ["git", *who, *words],
            cwd=self._root,
            env=os.environ | variables,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

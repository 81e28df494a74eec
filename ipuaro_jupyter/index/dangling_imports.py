"""Imports that mean a file of the project and lead to none, as after a folder was renamed."""

import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.index.installed.python_environment import PythonEnvironment
from ipuaro_jupyter.index.resolve.resolver import Resolution
from ipuaro_jupyter.index.storage.stored_index import DEFAULT, EVERYTHING, StoredIndex
from ipuaro_jupyter.languages.registry import is_open

_ALIASES = ("@/", "~/")  # no package can have such a name
_ENDING = re.compile(r"(?<=[^./])(?:\.d)?\.[cm]?[jt]sx?$|(?<=[^./])\.pyi?$")
_MOST_NAMES = 50  # that are looked for in what is stored, before it is decoded


class DanglingImport(NamedTuple):
    """An import that leads to no file of the project, and is not known to mean another one.

    Attributes:
        path: The importing file.
        line: Its line, 1-based.
        source: The module, as written.
        names: The imported names, as exported there.
        wanted: The path that it names; None where that is not known.
    """

    path: str
    line: int
    source: str
    names: tuple[str, ...]
    wanted: str | None

    @property
    def package(self) -> str:
        """The module of Python that has to be installed for it, without dots; "" for none."""
        is_absolute = self.wanted is None and is_open(self.path)
        return self.source.partition(".")[0] if is_absolute else ""

    @property
    def place(self) -> str | None:
        """The path at which to look for a file that the index leaves out; None: at none."""
        return f"{self.source.replace('.', '/')}.py" if self.package else self.wanted

    @property
    def ends(self) -> Iterator[str]:
        """The names that the file may have for which it looks, without an extension of code."""
        if self.wanted is None and self.source[:2] not in _ALIASES:
            yield self.source.rpartition(".")[2]
        else:
            yield _ENDING.sub("", (self.wanted or self.source).rpartition("/")[2])
        if is_open(self.path):  # each name may be a module
            yield from self.names


class DanglingImports:
    """Finds imports that lead to no file, by the name of the file for which they look.

    These are relative ones, those with the aliases "@/" and "~/", and in Python those of modules
    that are not installed.

    Args:
        root: The project's folder.
        stored: The index.
    """

    def __init__(self, root: Path, stored: StoredIndex) -> None:
        self._root = root
        self._stored = stored

    def looking_for(
        self, names: Collection[str], files: Collection[str], *, taking: str = ""
    ) -> list[DanglingImport]:
        """The imports that look for files of these names, by path and line.

        Args:
            names: Without the extensions of code.
            files: Those of the project.
            taking: Only those that may take this name from such a file; "": all.
        """
        wanted, taken = frozenset(names), frozenset({taking, EVERYTHING, DEFAULT, *names})
        installed = PythonEnvironment(self._root)
        return sorted(
            one
            for one in self._among(files, _naming(wanted))
            if not wanted.isdisjoint(one.ends)
            and not (taking and one.names and taken.isdisjoint(one.names))
            and not (one.package and installed.has(one.package))
        )

    def _among(
        self, files: Collection[str], having: re.Pattern[bytes] | None
    ) -> Iterator[DanglingImport]:
        """Yield those of the files whose stored imports have something."""
        for modules in self._stored.each_module(having=having):
            known = self._stored.links([*modules])
            for path, module in modules.items():
                is_python = is_open(path)
                for item, link in zip(module.imports, known.get(path, ()), strict=False):
                    if _is_dangling(item.source, link, files, is_python=is_python):
                        names = tuple(name for name, _ in item.names)
                        yield DanglingImport(path, item.line, item.source, names, link.target)


def _naming(names: Collection[str]) -> re.Pattern[bytes] | None:
    """What the MessagePack of imports has that end with one of the names; None: too many to say.

    Before the name is a part of the path, or the head of a string of 31 or 255 bytes at most.
    """
    if len(names) > _MOST_NAMES:
        return None
    listed = b"|".join(re.escape(name.encode()) for name in sorted(names))
    return re.compile(rb"(?:[/.\xa0-\xbf]|\xd9.)(?:%b)(?![\w$-])" % listed, re.DOTALL)


def _is_dangling(source: str, link: Resolution, files: Collection[str], *, is_python: bool) -> bool:
    """Whether an import leads to no file of the index, and may mean one of the project."""
    if link.target is not None:
        return not link.modules and link.target not in files
    if link.modules:
        return False
    if is_python:
        first = source.partition(".")[0]
        return bool(first) and first not in sys.stdlib_module_names
    return source.startswith(_ALIASES)

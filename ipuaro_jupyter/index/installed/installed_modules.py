"""The imports, exports and symbols of the files of installed packages, read when asked for."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from os import walk
from typing import Protocol

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parsed_file import ParsedFile
from ipuaro_jupyter.index.extract.symbols import SymbolRow, symbol_rows
from ipuaro_jupyter.index.installed.package_files import PackageFiles
from ipuaro_jupyter.index.resolve.resolution import Resolution
from ipuaro_jupyter.index.storage.stored_index import (
    Definitions,
    Links,
    Module,
    ModuleImport,
    decode,
)
from ipuaro_jupyter.workspace.files.text_file import sniff

_MOST_FILES = 600
_MOST_BYTES = 40_000_000
_MOST_SEARCHED = 4_000
_DECLARING = (".d.ts", ".d.mts", ".d.cts", ".pyi", ".py")


class Parser(Protocol):
    """Parses a text file that is not in the index."""

    def parsed(self, path: str, data: bytes) -> ParsedFile:
        """The facts of the file."""


Resolve = Callable[[str, str, Sequence[str]], Resolution]
"""Finds a module by its specifier, the importing file and the names imported from it."""


class InstalledModules:
    """Reads the files of packages, as far as a bound: see `was_cut`.

    Attributes:
        was_cut: Files were left out because too many were asked for.

    Args:
        files: The files.
        parser: Parses them.
        resolve: Finds the modules that they import.
    """

    def __init__(self, files: PackageFiles, parser: Parser, resolve: Resolve) -> None:
        self._files = files
        self._parser = parser
        self._resolve = resolve
        self._known: dict[str, tuple[ParsedFile, bytes] | None] = {}
        self._size_bytes = 0
        self.was_cut = False
        self.symbols = lru_cache(_MOST_FILES)(self._symbols)

    def linked_modules(self, paths: Sequence[str]) -> dict[str, tuple[Module, Links]]:
        """The imports and exports of files, with the targets of the imports."""
        found: dict[str, tuple[Module, Links]] = {}
        for path in paths:
            read = self._read(path)
            if read is not None:
                module: Module = decode(Module, read[0].module)
                found[path] = module, [self._link(path, item) for item in module.imports]
        return found

    def other_halves(self, path: str) -> list[str]:  # noqa: ARG002 - the protocol's
        """None: declarations stand for all of a package."""
        return []

    def dependents(self, paths: Sequence[str]) -> dict[str, list[str]]:  # noqa: ARG002 - see below
        """None: who imports a file of a package is not asked."""
        return {}

    def lines(self, path: str) -> Sequence[str]:
        """The lines of a file."""
        read = self._read(path)
        return [] if read is None else read[1].decode("utf-8", "replace").splitlines()

    def declaring(self, folder: str, name: str) -> Iterator[str]:
        """Yield the files below a folder with declarations, in which a name occurs."""
        word = re.compile(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])")
        for path in islice(self._below(folder), _MOST_SEARCHED):
            checkpoint()
            data = self._files.data(path)
            if data is not None and word.search(data):
                yield path

    def _below(self, folder: str) -> Iterator[str]:
        base = str(self._files.base)
        for place, inner, names in walk(f"{base}/{folder}"):
            inner[:] = sorted(one for one in inner if one not in {"node_modules", "__pycache__"})
            for name in sorted(names):
                if name.endswith(_DECLARING):
                    yield f"{place[len(base) + 1 :]}/{name}"

    def _symbols(self, path: str) -> list[SymbolRow]:
        """The symbols that a file declares."""
        read = self._read(path)
        if read is None:
            return []
        parsed, data = read
        definitions: Definitions = decode(Definitions, parsed.definitions)
        return symbol_rows(unpack_facts(parsed.facts), definitions, data)

    def _link(self, path: str, item: ModuleImport) -> Resolution:
        return self._resolve(item.source, path, [imported for imported, _ in item.names])

    def _read(self, path: str) -> tuple[ParsedFile, bytes] | None:
        if path not in self._known:
            checkpoint()
            if len(self._known) >= _MOST_FILES or self._size_bytes >= _MOST_BYTES:
                self.was_cut = True
                return None
            data = self._files.data(path)
            if data is None or sniff(data, path) is not None:
                self._known[path] = None
            else:
                self._size_bytes += len(data)
                self._known[path] = self._parser.parsed(path, data), data
        return self._known[path]

"""The existing file that a module path means, with an extension added or replaced.

The order is that of ``tryAddingExtensions`` in TypeScript's moduleNameResolver.ts.
"""

from collections.abc import Callable, Container, Mapping

from ipuaro_jupyter.index.resolve.project_paths import folder_of, is_installed, join
from ipuaro_jupyter.languages.registry import language_for

TYPESCRIPT, JAVASCRIPT, DECLARATION, JSON, CONFIG = 1, 2, 4, 8, 16
"""Kinds of files, as bits. CONFIG goes with JSON: ".json" is added to a bare name."""
TYPED = TYPESCRIPT | DECLARATION
ALL = TYPED | JAVASCRIPT | JSON

DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_DECLARED = ((".d.ts", (".js", ".jsx")), (".d.mts", (".mjs",)), (".d.cts", (".cjs",)))
_EXTENSIONS = (
    *(*DECLARATIONS, ".mjs", ".mts", ".cjs", ".cts", ".ts", ".js", ".tsx", ".jsx"),
    ".json",
)
_IMPLEMENTED = (".ts", ".tsx", ".mts", ".cts")
_LOOSE = (".mts", ".cts", ".d.mts", ".d.cts", ".mjs", ".cjs", ".json", ".vue", ".svelte")
_MOST_LINKS = 8
_NO_SUFFIX = ("",)


def _order(kinds: int, given: str) -> tuple[str, ...]:
    """The extensions to try in place of ``given``, or after a bare name ("")."""
    if given in (".mjs", ".mts", ".d.mts"):
        tried = [(TYPESCRIPT, ".mts"), (DECLARATION, ".d.mts"), (JAVASCRIPT, ".mjs")]
    elif given in (".cjs", ".cts", ".d.cts"):
        tried = [(TYPESCRIPT, ".cts"), (DECLARATION, ".d.cts"), (JAVASCRIPT, ".cjs")]
    elif given == ".json":
        tried = [(DECLARATION, ".d.json.ts"), (JSON, ".json")]
    else:
        typed, plain = [".ts", ".tsx"], [".js", ".jsx"]
        if given in (".tsx", ".jsx"):
            typed, plain = typed[::-1], plain[::-1]
        tried = [(TYPESCRIPT, extension) for extension in typed]
        tried.append((DECLARATION, ".d.ts"))
        tried += [(JAVASCRIPT, extension) for extension in plain]
        tried += [(CONFIG, ".json")]
    return tuple(extension for kind, extension in tried if kinds & kind)


_TRIED = [{given: _order(kinds, given) for given in ("", *_EXTENSIONS)} for kinds in range(32)]


class Candidates:
    """The files of a project, looked up by module path.

    Args:
        files: Holds their paths.
        symlinks: Links with their targets, as written; followed inside the project only.
        source_of: Returns the file that a declaration file is made from, or will be when the
            project is built; None for any other declaration file. By default there are none.
    """

    def __init__(
        self,
        files: Container[str],
        symlinks: Mapping[str, str],
        source_of: Callable[[str], str | None] | None = None,
    ) -> None:
        self._files = files
        self._source_of = source_of
        self._links = {
            link: target
            for link, written in symlinks.items()
            if (target := join(folder_of(link), written)) is not None
        }

    @property
    def installed(self) -> dict[str, str]:
        """The targets of the links in ``node_modules``."""
        return {link: to for link, to in self._links.items() if is_installed(link)}

    def with_sources(self, source_of: Callable[[str], str | None]) -> "Candidates":
        """Return the same files with another ``source_of``."""
        made = Candidates(self._files, {}, source_of)
        made._links = self._links
        return made

    def exists(self, path: str) -> bool:
        """Whether the file exists."""
        return self.real(path) is not None

    def real(self, path: str) -> str | None:
        """The file at ``path``, with links followed; None when there is none."""
        if self._source_of is not None and path.endswith(DECLARATIONS):
            source = self._source_of(path)
            if source is not None:
                return source
        if path in self._files:
            return path
        return self._followed(path) if self._links else None

    def file(
        self, place: str, kinds: int, suffixes: tuple[str, ...], *, is_complete: bool = False
    ) -> str | None:
        """The file that ``place`` means, with its extension replaced or one added.

        Args:
            place: A path.
            kinds: The kinds of files to look for.
            suffixes: ``moduleSuffixes``.
            is_complete: No extension is added: the rule for imports of ES modules in Node.
        """
        found = self.replaced(place, kinds, suffixes)
        if found is None and place and not is_complete:
            found = self._tried(place, _TRIED[kinds][""], suffixes)
        return found

    def replaced(self, place: str, kinds: int, suffixes: tuple[str, ...]) -> str | None:
        """The file that ``place`` means by its extension: ``.ts`` for ``.js`` and so on."""
        if "." not in place.rpartition("/")[2]:
            return None
        stem = _without_extension(place)
        given = place[len(stem) :]
        tried = _TRIED[kinds].get(given)
        if tried is None:  # a declaration of another kind of file: style.css has style.d.css.ts
            tried = (f".d{given}.ts",) if kinds & DECLARATION else ()
        return self._tried(stem, tried, suffixes)

    def said(self, place: str, kinds: int, suffixes: tuple[str, ...]) -> str | None:
        """The file that a field of a package.json names."""
        if (kinds & TYPESCRIPT and place.endswith(_IMPLEMENTED)) or (
            kinds & DECLARATION and place.endswith(DECLARATIONS)
        ):
            return self.exact(place, suffixes)
        if kinds & CONFIG and place.endswith(".json"):
            return self.exact(place, suffixes)
        return self.replaced(place, kinds, suffixes)

    def exact(self, place: str, suffixes: tuple[str, ...]) -> str | None:
        """The file at exactly this path, except for ``moduleSuffixes``."""
        if suffixes == _NO_SUFFIX:
            return self.real(place)
        extension = next((e for e in _EXTENSIONS if place.endswith(e)), "")
        stem = place[: len(place) - len(extension)]
        found = (self.real(f"{stem}{suffix}{extension}") for suffix in suffixes)
        return next((path for path in found if path is not None), None)

    def loose(self, place: str) -> str | None:
        """A file that bundlers find but TypeScript does not, such as ``util.mjs`` for "util"."""
        exact = self.real(place) if self.has_extension(place) else None
        for stem in (place, f"{place}/index" if place else "index"):
            exact = exact or (self._tried(stem, _LOOSE, _NO_SUFFIX) if stem else None)
        return exact

    @staticmethod
    def has_extension(path: str) -> bool:
        """Whether a path has the extension of a module."""
        return path.endswith(_EXTENSIONS)

    def _tried(
        self, stem: str, extensions: tuple[str, ...], suffixes: tuple[str, ...]
    ) -> str | None:
        for extension in extensions:
            path = self.exact(stem + extension, suffixes)
            if path is not None:
                return path
        return None

    def _followed(self, path: str) -> str | None:
        """The file that ``path`` leads to through links."""
        for _ in range(_MOST_LINKS):
            link = self._link_on(path)
            if link is None:
                return None
            path = (self._links[link] + path[len(link) :]).lstrip("/")
            if path in self._files:
                return path
        return None

    def _link_on(self, path: str) -> str | None:
        """Return the outermost link on the way to ``path``."""
        end = path.find("/")
        while end >= 0:
            if path[:end] in self._links:
                return path[:end]
            end = path.find("/", end + 1)
        return path if path in self._links else None


def _without_extension(place: str) -> str:
    for extension in _EXTENSIONS:
        if place.endswith(extension):
            return place[: -len(extension)]
    return place[: place.rindex(".")]


def declared_file(declarations: str, files: Container[str]) -> str | None:
    """The file beside a declaration file that it describes: JavaScript, a component, JSON."""
    return next((one for one in _described(declarations) if one in files), None)


def other_halves(path: str) -> list[str]:
    """The files of which one may be the same module as a file: its declarations, or its code."""
    language = language_for(path)
    is_component = language is not None and language.reader == "component"
    return [f"{path}.d.ts"] if is_component else _described(path)


def files_beside(path: str, files: Container[str]) -> list[str]:
    """The files that are one module with a file: its declarations, or what it describes."""
    described = declared_file(path, files)
    names = (path, path.rpartition(".")[0])
    declaring = [f"{name}{ending}" for name in names for ending in DECLARATIONS]
    found = [one for one in declaring if one in files and declared_file(one, files) == path]
    return [*found, *([] if described is None else [described])]


def _described(declarations: str) -> list[str]:
    for ending, scripts in _DECLARED:
        if declarations.endswith(ending):
            name = declarations.removesuffix(ending)
            return [name, *map(name.__add__, scripts)]
    return []

"""Which existing file a module path without, or with another, extension means.

The order is that of ``tryAddingExtensions`` in TypeScript's moduleNameResolver.ts.
"""

from collections.abc import Collection, Mapping
from typing import Literal

from ipuaro_jupyter.index.project_paths import folder_of, join

Kinds = Literal["typed", "untyped", "all"]
"""TypeScript and its declarations, JavaScript and JSON, or both."""
ALL: Kinds = "all"

_EXTENSIONS = (
    *(".d.ts", ".d.mts", ".d.cts", ".mjs", ".mts", ".cjs", ".cts", ".ts", ".js", ".tsx", ".jsx"),
    ".json",
)
_TYPED = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts", ".d.json.ts")
_PLAIN = (".ts", ".tsx", ".d.ts", ".js", ".jsx")
_JSX = (".tsx", ".ts", ".d.ts", ".jsx", ".js")
_MODULE = (".mts", ".d.mts", ".mjs")
_COMMONJS = (".cts", ".d.cts", ".cjs")
_ORDER = {
    **dict.fromkeys(("", ".ts", ".d.ts", ".js"), _PLAIN),
    **dict.fromkeys((".tsx", ".jsx"), _JSX),
    **dict.fromkeys((".mjs", ".mts", ".d.mts"), _MODULE),
    **dict.fromkeys((".cjs", ".cts", ".d.cts"), _COMMONJS),
    ".json": (".d.json.ts", ".json"),
}
_LOOSE = (".mts", ".cts", ".d.mts", ".d.cts", ".mjs", ".cjs", ".json", ".vue", ".svelte")
_MOST_LINKS = 8


def _of_kind(kinds: Kinds, extensions: tuple[str, ...]) -> tuple[str, ...]:
    wanted = {"all": (True, False), "typed": (True,), "untyped": (False,)}[kinds]
    return tuple(e for e in extensions if (e in _TYPED) in wanted)


_TRIED: dict[Kinds, dict[str, tuple[str, ...]]] = {
    kinds: {given: _of_kind(kinds, order) for given, order in _ORDER.items()}
    for kinds in ("typed", "untyped", "all")
}


class Candidates:
    """The files of a project, asked for by module paths.

    Args:
        files: Their paths.
        symlinks: Links with their targets, as written; followed inside the project only.
    """

    def __init__(self, files: Collection[str], symlinks: Mapping[str, str]) -> None:
        self._files = files
        self._links = {
            link: target
            for link, written in symlinks.items()
            if (target := join(folder_of(link), written)) is not None
        }

    def exists(self, path: str) -> bool:
        """Return whether there is such a file."""
        return self.real(path) is not None

    def real(self, path: str) -> str | None:
        """Return the file at ``path``, after links; None when there is none."""
        if path in self._files:
            return path
        return self._followed(path) if self._links else None

    def file(self, place: str, kinds: Kinds, suffixes: tuple[str, ...]) -> str | None:
        """Return the file that ``place`` means, with another extension or with one added."""
        found = self.replaced(place, kinds, suffixes)
        return found or self._tried(place, _TRIED[kinds][""], suffixes)

    def replaced(self, place: str, kinds: Kinds, suffixes: tuple[str, ...]) -> str | None:
        """Return the file that ``place`` means by its extension: ``.ts`` for ``.js`` and so on."""
        if "." not in place.rpartition("/")[2]:
            return None
        stem = _without_extension(place)
        given = place[len(stem) :]
        tried = _TRIED[kinds].get(given)
        if tried is None:  # a declaration of anything else: style.css has style.d.css.ts
            tried = (f".d{given}.ts",) if kinds != "untyped" else ()
        return self._tried(stem, tried, suffixes)

    def module(self, place: str) -> str | None:
        """Return the file at exactly this path, when it is a module."""
        return self.real(place) if self.has_extension(place) else None

    def loose(self, place: str) -> str | None:
        """Return a file that bundlers find but TypeScript does not, ``util.mjs`` for "util"."""
        exact = self.module(place)
        return (
            exact
            or self._tried(place, _LOOSE, ("",))
            or self._tried(f"{place}/index" if place else "index", _LOOSE, ("",))
        )

    @staticmethod
    def has_extension(path: str) -> bool:
        """Return whether a path ends as a module does."""
        return path.endswith(_EXTENSIONS)

    @staticmethod
    def is_typed(path: str) -> bool:
        """Return whether a path ends as TypeScript or a declaration does."""
        return path.endswith(_TYPED)

    def _tried(
        self, stem: str, extensions: tuple[str, ...], suffixes: tuple[str, ...]
    ) -> str | None:
        for extension in extensions:
            for suffix in suffixes:
                path = self.real(f"{stem}{suffix}{extension}")
                if path is not None:
                    return path
        return None

    def _followed(self, path: str) -> str | None:
        """Return the file that ``path`` leads to through links."""
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

"""What becomes of the names that a file exports no longer by name."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.reference_cache import LookupState
from ipuaro_jupyter.index.extract.ecmascript.scopes import is_understood
from ipuaro_jupyter.index.resolve.project_paths import folder_of, join
from ipuaro_jupyter.index.storage.stored_index import DEFAULT, EVERYTHING
from ipuaro_jupyter.languages.registry import is_code, is_open
from ipuaro_jupyter.records.counted import named
from ipuaro_jupyter.records.impact import LostExport, Touch

_ALL = "__all__"
_DYNAMIC = "__getattr__"
_ENDINGS = (".py", ".pyi", "/__init__.py", "/__init__.pyi")
_PERHAPS: dict[Touch, Touch] = {
    "no longer exported": "perhaps no longer exported",
    "no longer in __all__": "perhaps no longer in __all__",
}


class Fate(NamedTuple):
    """What becomes of a name: None where nothing changes, and why it is not known."""

    how: Touch | None
    unknown: str = ""


class PassedOn:
    """Finds the names that files pass on as a part of other modules.

    Args:
        asked: A state of the index, with the change or without it.
        given: The names that changed files give by name after the change, by path.
    """

    def __init__(self, asked: LookupState, given: Mapping[str, frozenset[str]]) -> None:
        self._asked = asked
        self._given = given

    def fate(self, lost: LostExport) -> Fate:
        """Whether a name is still there through a module that its file passes on as a whole."""
        if lost.name == EVERYTHING or lost.how == "exported from elsewhere":
            return Fate(lost.how)
        unknown: list[str] = []
        through = None
        if lost.name != DEFAULT and not (is_open(lost.path) and lost.name.startswith("_")):
            through = self._through(lost.path, lost.stars, lost.name, {lost.path}, unknown)
        if through is not None:
            is_same = lost.by_star or self._is_same(lost, through)
            return Fate(None if is_same else "exported from elsewhere")
        why = self._open_end(lost) or (f"it passes on all of {named(unknown)}" if unknown else "")
        if not why:
            return Fate(lost.how)
        told = f"whether {lost.path} still exports {lost.name} is not known: {why}"
        return Fate(_PERHAPS.get(lost.how, lost.how), told)

    def open_stars(self, path: str) -> list[str]:
        """The modules that a file passes on as a whole and that are not indexed."""
        unknown: list[str] = []
        self._through(path, self._stars(path), "", {path}, unknown)
        return unknown

    def names(self, path: str, seen: set[str] | None = None) -> set[str]:
        """The names that a file gives to those who take all of it."""
        seen = {path} if seen is None else seen
        checkpoint()
        own = self._asked.aliases.of_file(path)
        found = set(own.exports)
        file = self._asked.files.file(path)
        if is_open(path) and not file.declares(_ALL):
            found |= {name for name in file.definitions if "." not in name}
            found |= {local for item in own.module.imports for _, local in item.names}
            found = {name for name in found if not name.startswith("_") and "." not in name}
        for star in self._stars(path):
            target = self.target(path, star)
            if target is not None and target not in seen:
                seen.add(target)
                found |= self.names(target, seen)
        return found - {EVERYTHING, DEFAULT}

    def target(self, path: str, source: str) -> str | None:
        """The file that a module is, even where the index has no import of it in that file."""
        found = self._asked.aliases.target(path, source)
        known = self._asked.known
        if found in known or not source.startswith("."):
            return found if found in known else None
        if is_open(path):
            dots = len(source) - len(source.lstrip("."))
            up = "/".join([".", *[".."] * (dots - 1), *filter(None, source[dots:].split("."))])
            beside = join(folder_of(path), up)
            tries = [] if beside is None else [f"{beside}{end}".lstrip("/") for end in _ENDINGS]
            return next((one for one in tries if one in known), None)
        beside = join(folder_of(path), source)
        stems = {_stem(beside or ""), f"{beside}/index".lstrip("/")}
        return next((one for one in sorted(known) if _stem(one) in stems), None)

    def _through(
        self,
        path: str,
        stars: Iterator[str] | tuple[str, ...],
        name: str,
        seen: set[str],
        unknown: list[str],
    ) -> str | None:
        """The file that gives a name to one that passes on all of some modules."""
        for star in stars:
            checkpoint()
            target = self.target(path, star)
            if target is None:
                unknown.append(repr(star))
                continue
            if target in seen:
                continue
            seen.add(target)
            if self._gives(target, name):
                return target
            if self._may_hide(target):
                unknown.append(repr(star))
            if is_open(target) and self._is_listing(target):
                continue
            found = self._through(target, tuple(self._stars(target)), name, seen, unknown)
            if found is not None:
                return found
        return None

    def _may_hide(self, path: str) -> bool:
        """Whether a file may export more than is read of it."""
        entry = self._asked.known[path]
        if entry.reason or entry.unread or not is_code(path):
            return True
        is_plain = is_understood(path) is not None
        file, exports = self._asked.files.file(path), self._asked.aliases.of_file(path).exports
        return is_plain and exports.keys() <= {DEFAULT} and bool(file.places("exports"))

    def _is_listing(self, path: str) -> bool:
        """Whether a Python module says what all of it is, without another module's list."""
        exports = self._asked.aliases.of_file(path).exports
        return self._asked.files.file(path).declares(_ALL) and EVERYTHING not in exports

    def _gives(self, path: str, name: str) -> bool:
        """Whether a file gives a name of its own, or one that it imports by name."""
        file = self._asked.files.file(path)
        aliases = self._asked.aliases
        if is_open(path) and file.declares(_ALL):
            return aliases.exports(path, name)
        if path in self._given:
            return name in self._given[path]
        is_bound = is_open(path) and (file.declares(name) or aliases.binds(path, name))
        return aliases.exports(path, name) or is_bound

    def _stars(self, path: str) -> Iterator[str]:
        """Yield the modules that a file passes on as a whole, as written."""
        own = self._asked.aliases.of_file(path)
        yield from (one.source or "" for one in own.exports.get(EVERYTHING, ()))
        for item in own.module.imports if is_open(path) else ():
            if (EVERYTHING, EVERYTHING) in map(tuple, item.names):
                yield item.source

    def _is_same(self, lost: LostExport, through: str) -> bool:
        """Whether a file that passes a name on gives what the name stood for before."""
        old = self.target(lost.path, lost.source) if lost.source else None
        if old is None:
            return False
        aliases = self._asked.aliases
        before = aliases.exported(old, (lost.local,)) if lost.local else set()
        return bool(before) and before == aliases.exported(through, (lost.name,))

    def _open_end(self, lost: LostExport) -> str:
        """Why a Python module may still have a name; "" where it has not."""
        if not is_open(lost.path) or lost.by_star:
            return ""
        if self._asked.files.file(lost.path).declares(_DYNAMIC):
            return f"it has {_DYNAMIC}"
        folder, _, file = lost.path.rpartition("/")
        inner = f"{folder}/{lost.name}".lstrip("/")
        is_package = file.startswith("__init__.")
        if is_package and any(f"{inner}{end}" in self._asked.known for end in _ENDINGS):
            return "it is also a module of the package, which is there once it has been imported"
        return ""


def _stem(path: str) -> str:
    """A path without the endings of its name."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.partition('.')[0]}"

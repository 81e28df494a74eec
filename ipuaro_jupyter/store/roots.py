"""Several folders opened as one project: the only place that knows where its paths lead.

Such a project has a folder of ours that holds one link for each of its roots, under the root's
name. The paths of the project begin with such a name, so ``root / path`` names the file for the
system, too. Its place is made from the names and the real folders: what a link says counts only
while it does, so nobody can lead one elsewhere. A plain project is its own only root.
"""
# strings and os.path, which neither normalise nor interpret what they are given
# ruff: noqa: PTH111, PTH115

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from ipuaro_jupyter.errors import ProjectError, StorageError, ToolError
from ipuaro_jupyter.store.user_folders import home, private_folder

_NAMED = re.compile(r"([\w.-]+)=(.+)", re.DOTALL)
_NO_NAMES = re.compile(r"\.|.*[/\0\\].*|node_modules|git~1|__pycache__|\.\..*", re.DOTALL)
_HASH_LENGTH = 16
_LONGEST = 60
_MOST = 20


class RootPath(NamedTuple):
    """A path of the project as one of a root.

    Attributes:
        root: The real folder.
        inner: The path in it.
        prefix: What the project's paths of this root begin with; "" in a plain project.
    """

    root: Path
    inner: str
    prefix: str

    @property
    def path(self) -> str:
        """The path in the project, without a final slash."""
        return f"{self.prefix}{self.inner}".removesuffix("/")

    @property
    def where(self) -> Path:
        """Its place on the disk."""
        return self.root / self.inner


def named_roots(root: Path) -> Mapping[str, Path]:
    """The real folders of a project of several roots by their names, sorted; else empty."""
    return _named(str(root))


def roots_of(root: Path) -> Mapping[str, Path]:
    """The real folders of any project by what its paths begin with: "" for a plain one's."""
    named = named_roots(root)
    return {f"{name}/": place for name, place in named.items()} if named else {"": root}


def root_path(root: Path, path: str) -> RootPath:
    """Where a path of the project lies.

    Args:
        root: The project's folder.
        path: Of the project; "" for the first root.

    Raises:
        ToolError: "file" when it begins with the name of no root.
    """
    named = named_roots(root)
    if not named:
        return RootPath(root, path, "")
    name, _, inner = (path or next(iter(named))).partition("/")
    if name not in named:
        raise no_root(root, path)
    return RootPath(named[name], inner, f"{name}/")


def no_root(root: Path, path: str) -> ToolError:
    """The error for a path of a project of several roots that begins with the name of none."""
    names = list(named_roots(root))
    return ToolError(
        "file",
        f"{path!r} is in none of the project's roots: {', '.join(names)}.",
        suggestion=f"Begin the path with the name of a root, such as {names[0]}/…",
    )


def by_root(root: Path, paths: Iterable[str]) -> dict[str, list[str]]:
    """Paths of a project, each in its root, by what those of the root begin with."""
    found: dict[str, list[str]] = {}
    for path in paths:
        place = root_path(root, path)
        found.setdefault(place.prefix, []).append(place.inner)
    return found


def inner_path(root: Path, place: str) -> str | None:
    """The path in the project of an absolute one, "" for its folder; None outside."""
    if (inner := _below(place, str(root))) is not None:
        return inner
    for name, folder in named_roots(root).items():
        if (inner := _below(place, str(folder))) is not None:
            return f"{name}/{inner}" if inner else name
    return None


def _below(place: str, folder: str) -> str | None:
    if place == folder:
        return ""
    above = f"{folder.rstrip('/')}/"
    return place[len(above) :] if place.startswith(above) else None


def root_words(root: Path) -> tuple[str, ...]:
    """The roots of a project of several, as one names them to open it again; else ()."""
    return tuple(
        str(place) if place.name == name else f"{name}={place}"
        for name, place in named_roots(root).items()
    )


def told_roots(root: Path) -> str:
    """The folder of a project, or those of its roots, for a person."""
    return " + ".join(map(str, named_roots(root).values())) or str(root)


def forget_roots(root: Path) -> None:
    """Remove what stands for several roots; the roots stay."""
    for name in named_roots(root):
        (root / name).unlink(missing_ok=True)
    if named_roots(root):
        with suppress(OSError):
            root.rmdir()
            root.parent.rmdir()
        _named.cache_clear()


def are_beside(root: Path) -> bool:
    """Whether all roots lie in one folder under their own names, so that ``..`` leads across."""
    named = named_roots(root)
    above = {place.parent for place in named.values()}
    return len(above) <= 1 and all(place.name == name for name, place in named.items())


def joined_roots(folders: Sequence[tuple[str, Path]]) -> Path:
    """The folder that stands for several roots as one project; the same whatever their order.

    Args:
        folders: Real folders with their names; "" is that of the folder.

    Raises:
        ProjectError: Two have the same name, one is in another, or a name cannot be one.
    """
    named: dict[str, Path] = {}
    for given, place in folders:
        name = given or place.name
        _check_name(name, place)
        if (other := named.setdefault(name, place)) is not place:
            raise _twice(place) if other == place else _same_name(name, other, place)
    _check_apart(named)
    return _made({name: named[name] for name in sorted(named)})


def split_name(folder: str) -> tuple[str, str]:
    """The name and the folder in ``name=folder``; "" for no name."""
    found = _NAMED.fullmatch(folder)
    if found is None or os.path.lexists(os.path.expanduser(folder)):
        return "", folder
    return found[1], found[2]


def _check_name(name: str, place: Path) -> None:
    if _NO_NAMES.fullmatch(name.casefold()) or name.startswith(".") or not name.isprintable():
        raise ProjectError(
            f"{name!r} cannot be the name of a root; name it, as in app={str(place)!r}."
        )


def _check_apart(named: Mapping[str, Path]) -> None:
    if len(named) > _MOST:
        raise ProjectError(f"{len(named)} roots are too many; open at most {_MOST} together.")
    spelt: dict[str, str] = {}
    for name, place in named.items():
        other = spelt.setdefault(unicodedata.normalize("NFC", name).casefold(), name)
        if other != name:
            raise _same_name(name, named[other], place)
        around = [each for each in named.values() if _below(str(place), str(each)) is not None]
        if around.count(place) > 1:
            raise _twice(place)
        if len(around) > 1:
            outer = next(each for each in around if each != place)
            raise ProjectError(
                f"{place} is inside of {outer}, another root; leave it out: it belongs to {outer}."
            )


def _twice(place: Path) -> ProjectError:
    return ProjectError(f"{place} was given twice; give each root once.")


def _same_name(name: str, first: Path, second: Path) -> ProjectError:
    return ProjectError(
        f"Two roots would have the name {name!r}: {first} and {second}. Give one of them another, "
        f"as in {name}-2={second}."
    )


def _made(named: Mapping[str, Path]) -> Path:
    """The folder with the links; made, or put right."""
    base = home() / "roots"
    try:
        private_folder(base)
        folder = Path(os.path.realpath(base)) / _digest(named) / _title(named)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, place in named.items():
            if not _leads_to(folder / name, place):
                made = folder.parent / uuid4().hex
                made.symlink_to(place)
                made.replace(folder / name)
        for link in folder.iterdir():
            if link.name not in named and link.is_symlink():
                link.unlink()
    except (OSError, StorageError) as error:
        raise ProjectError(f"Several roots need links in {base}: {error}.") from error
    _named.cache_clear()
    return folder


def _leads_to(link: Path, place: Path) -> bool:
    with suppress(OSError):
        return os.readlink(link) == str(place)
    return False


@lru_cache(maxsize=256)
def _named(root: str) -> Mapping[str, Path]:
    above, _, title = root.rpartition("/")
    base, _, digest = above.rpartition("/")
    if not base.endswith("/roots") or len(digest) != _HASH_LENGTH:
        return {}
    if base != os.path.realpath(home() / "roots"):
        return {}
    found: dict[str, Path] = {}
    with suppress(OSError), os.scandir(root) as entries:
        links = [entry for entry in entries if entry.is_symlink()]
        found = {entry.name: Path(os.readlink(entry.path)) for entry in links}
    named = {name: found[name] for name in sorted(found)}
    is_ours = _digest(named) == digest and _title(named) == title
    return named if is_ours else {}


def _digest(named: Mapping[str, Path]) -> str:
    told = "".join(f"{name}\0{place}\0" for name, place in sorted(named.items()))
    return hashlib.sha256(os.fsencode(told)).hexdigest()[:_HASH_LENGTH]


def _title(named: Mapping[str, Path]) -> str:
    whole = "+".join(named)
    return whole if len(os.fsencode(whole)) <= _LONGEST else f"{len(named)}-roots"

"""What a command may write, read and reach in a sandbox, whichever program makes it."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

GitWrites = Literal["nothing", "commits", "all"]
"""What a command may write of git directories; "commits" leaves out what starts programs."""

SandboxMode = Literal["off", "auto", "required"]
_STRICTEST_LAST: tuple[SandboxMode, ...] = ("off", "auto", "required")

Layer = Literal["pinned", "hidden", "replaced", "writable", "protected"]


@dataclass(frozen=True, slots=True)
class Confinement:
    """All paths are absolute, exist and are free of symlinks. A place in another one overrides it.

    Attributes:
        cwd: The folder to run in.
        writable: The folders that can be written.
        protected: What cannot be written although it lies in one of them.
        hidden: The folders and files that cannot be read; folders look empty, files too.
        replaced: Files, and the ones that are read in their place.
        temporary: The folder for temporary files, which the next command sees too.
        network: Whether there is a network.
        pinned: The writable folders that cannot be renamed, because what is protected lies in them.
        fixed: Missing files that cannot be made and symlinks that cannot be replaced, where a
            sandbox can hold paths. It is no layer.
    """

    cwd: Path
    writable: tuple[Path, ...]
    protected: tuple[Path, ...]
    hidden: tuple[Path, ...]
    replaced: Mapping[Path, Path]
    temporary: Path
    network: bool
    pinned: tuple[Path, ...] = ()
    fixed: tuple[Path, ...] = ()

    def layers(self) -> list[tuple[Path, Layer]]:
        """What holds of which place, outer places first: the last that a path lies in counts."""
        return sorted(self._places().items(), key=lambda layer: len(layer[0].parts))

    def protecting(self, places: Iterable[Path]) -> "Confinement":
        """The same with those of these places protected that could be written otherwise.

        The folders on the way to them are pinned: where one could be renamed, another of its name
        could take its place.
        """
        known = self._places()
        added = tuple(place for place in places if _layer(place, known) == "writable")
        whole = replace(self, protected=(*self.protected, *added))
        known = whole._places()  # noqa: SLF001 - of the same class
        pinned = {
            folder: None
            for place in whole.protected
            for folder in place.parents
            if folder not in known and _layer(folder, known) == "writable"
        }
        return replace(whole, pinned=tuple(pinned))

    def _places(self) -> dict[Path, Layer]:
        found: dict[Path, Layer] = dict.fromkeys(self.pinned, "pinned")
        found |= dict.fromkeys(self.hidden, "hidden")
        found |= dict.fromkeys(self.replaced, "replaced")
        found |= dict.fromkeys(self.writable, "writable")
        found |= dict.fromkeys(self.protected, "protected")
        return found


def _layer(place: Path, known: Mapping[Path, Layer]) -> Layer | None:
    """What holds of a place."""
    return next((known[each] for each in (place, *place.parents) if each in known), None)


def stricter(one: SandboxMode, other: SandboxMode) -> SandboxMode:
    """The stricter of two modes."""
    return max(one, other, key=_STRICTEST_LAST.index)


def lies_in(place: Path, folders: Iterable[Path]) -> bool:
    """Whether a place is one of these folders, or lies in one."""
    return any(map(place.is_relative_to, folders))


def real_places(named: Iterable[str]) -> list[Path]:
    """The existing ones of these absolute paths, without symlinks; each once."""
    real = [os.path.realpath(each) for each in named if os.path.isabs(each)]  # noqa: PTH117 - a word
    return [Path(each) for each in dict.fromkeys(real) if os.path.exists(each)]  # noqa: PTH110 - a word

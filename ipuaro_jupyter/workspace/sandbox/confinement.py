"""What a command may write, read and reach in a sandbox, whichever program makes it."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

GitWrites = Literal["nothing", "commits", "all"]
"""What a command may write of git directories; "commits" leaves out what starts programs."""

SandboxMode = Literal["off", "auto", "required"]
_STRICTEST_LAST: tuple[SandboxMode, ...] = ("off", "auto", "required")

Layer = Literal["hidden", "replaced", "writable", "protected"]


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
    """

    cwd: Path
    writable: tuple[Path, ...]
    protected: tuple[Path, ...]
    hidden: tuple[Path, ...]
    replaced: Mapping[Path, Path]
    temporary: Path
    network: bool

    def layers(self) -> list[tuple[Path, Layer]]:
        """What holds of which place, outer places first: the last that a path lies in counts."""
        found: dict[Path, Layer] = dict.fromkeys(self.hidden, "hidden")
        found |= dict.fromkeys(self.replaced, "replaced")
        found |= dict.fromkeys(self.writable, "writable")
        found |= dict.fromkeys(self.protected, "protected")
        return sorted(found.items(), key=lambda layer: len(layer[0].parts))


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

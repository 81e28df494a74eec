"""Where programs are found: never in a folder that is named from wherever we happen to be.

An entry of PATH that is empty or relative names a folder of the project once a program starts
there, and a project that was just cloned may bring a ``git`` of its own.
"""

import os
import shutil
from collections.abc import Mapping


def absolute_path(variables: Mapping[str, str]) -> str:
    """The PATH in ``variables`` without empty and relative entries; else the system's."""
    return os.pathsep.join(_entries(variables)) or os.defpath


def found_program(name: str) -> str | None:
    """The path of a program that is installed; None when there is none."""
    return shutil.which(name, path=os.pathsep.join(_entries(os.environ)))


def _entries(variables: Mapping[str, str]) -> list[str]:
    entries = variables.get("PATH", os.defpath).split(os.pathsep)
    return [entry for entry in entries if os.path.isabs(entry)]  # noqa: PTH117

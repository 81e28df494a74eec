"""Settings and commands that no longer exist: told with what to do instead, and ignored.

A key of SETTINGS is written as in a settings file; ``*`` stands for any name.
"""

import os
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ipuaro_jupyter.errors import ProjectError

_OF_SEVERAL = "open the folder that holds them all; git works in each repository in it"
_NAMED = re.compile(r"[\w.-]+=(.+)", re.DOTALL)

SETTINGS = {
    "roots": _OF_SEVERAL,
    "mcpServers.*.root": 'say in "cwd" which folder of the project the server runs in',
    "project.sharedFactsMb": "facts are no longer shared between projects; delete it",
    "project.sharedIndexes": "each project is indexed by itself; delete it",
    "project.answersAhead": "no answers are made ahead any more; delete it",
}
TOOLS = {
    "find_unused_exports": "knip, vulture or the compiler find unused exports",
}
COMMANDS = {
    **TOOLS,
    "unused": TOOLS["find_unused_exports"],
}


def without_removed(values: Mapping[str, Any], source: str) -> tuple[dict[str, Any], list[str]]:
    """Settings as they were read, without what no longer exists, and a remark on each of these.

    Args:
        values: Nested, each key in either of its spellings.
        source: The file, or what else they are from, for the remarks.
    """
    left, remarks = dict(values), []
    for key, instead in SETTINGS.items():
        left, found = _without(left, key.split("."))
        remarks += [_told(f"In {source}: {each!r}", instead) for each in found]
    group = left.get("tools")
    enabled = group.get("enabled") if isinstance(group, Mapping) else None
    if isinstance(group, Mapping) and isinstance(enabled, list | tuple):
        gone = [(each, tool) for each in enabled if (tool := _removed_tool(each))]
        left["tools"] = {**group, "enabled": [each for each in enabled if not _removed_tool(each)]}
        remarks += [
            _told(f"In {source}: {each!r} in 'tools.enabled'", TOOLS[tool]) for each, tool in gone
        ]
    return left, remarks


def only_first(folders: Sequence[str | Path]) -> tuple[str | Path, str]:
    """The first of folders that could once be opened as one project, and a remark on the others.

    Args:
        folders: At least one; each may be given as ``name=folder``.

    Raises:
        ProjectError: There is none.
    """
    if not folders:
        raise ProjectError("No folder is given. Name the project's, such as '.'.")
    first, *others = folders
    named, told = _NAMED.fullmatch(str(first)), ""
    is_there = os.path.lexists(first)
    if named and not is_there and (others or Path(named[1]).expanduser().is_dir()):
        first = named[1]
        told = _told(f"The name in {named[0]!r}", f"give the folder alone, {first}")
    if others:
        ignored = ", ".join(map(str, others))
        told = f"Only {first} is opened, not {ignored}: several folders no longer open as one"
        told = f"{told} project; {_OF_SEVERAL}."
    return first, told


def removed_command(name: str, written: str) -> str:
    """What to do instead of a command, told to a person; "" when there was none of this name.

    Args:
        name: Of the command.
        written: How a person writes it here, such as "/name".
    """
    return _told(written, COMMANDS[name]) if name in COMMANDS else ""


def _removed_tool(named: object) -> str:
    """The removed tool that a name or pattern stands for; "" where it stands for another."""
    pattern = named.lower() if isinstance(named, str) else ""
    found = next((tool for tool in TOOLS if fnmatchcase(tool, pattern)), "")
    if found:
        from ipuaro_jupyter.tools import load_tools  # noqa: PLC0415 - heavy, and rarely needed

        return "" if any(fnmatchcase(tool.name, pattern) for tool in load_tools()) else found
    return found


def _field(name: str) -> str:
    """The other spelling of a key."""
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def _told(what: str, instead: str) -> str:
    return f"{what} no longer exists and is ignored: {instead}."


def _without(values: Mapping[str, Any], path: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Values without the key at a path, and where it was; groups that it leaves empty go too."""
    (name, *inner), left = path, dict(values)
    found: list[str] = []
    for key in [key for key in values if name in {"*", key} or key == _field(name)]:
        value = left.pop(key)
        if inner:
            rest, there = _without(value, inner) if isinstance(value, Mapping) else (value, [])
            found += [f"{key}.{each}" for each in there]
            if rest or not there:
                left[key] = rest
        else:
            found.append(key)
    return left, found

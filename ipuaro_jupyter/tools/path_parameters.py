"""Arguments of tools that are paths, as models mean them."""

from collections.abc import Collection, Mapping
from typing import Any

from ipuaro_jupyter.workspace.files import folders
from ipuaro_jupyter.workspace.workspace import Workspace

_KINDS: Mapping[str, folders.Kind] = {"file": "file", "folder": "folder", "place": "any"}


def located(
    given: Mapping[str, Any],
    names: Mapping[str, str],
    workspace: Workspace,
    *,
    changes: bool,
    gone: Collection[str] = (),
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Arguments with the paths that are meant by those given, and remarks on them.

    Args:
        given: The arguments.
        names: What parameters name: a file, a folder, or a place, which is either.
        workspace: The project.
        changes: Whether the tool changes something.
        gone: Parameters whose files need not exist, so that no others are looked for.

    Raises:
        ToolError: "file", when a path could mean several files, or another one is to be changed.
    """
    found, remarks = dict(given), []
    for name, kind in names.items():
        path = given.get(name)
        if kind not in _KINDS or not isinstance(path, str) or not path.strip():
            continue
        place, separator, inside = path.partition("::")  # a test in a file
        if not place:
            place, separator, inside = path, "", ""
        meant = workspace.meant(place, kind=_KINDS[kind], changes=changes, exact=name in gone)
        found[name] = f"{meant.path}{separator}{inside}"
        remarks += [meant.remark] if meant.remark else []
    return found, tuple(remarks)

"""The scripts of package.json that apply in a folder."""

import json
from pathlib import Path

from ipuaro_jupyter.workspace.processes.environment import upwards

_OTHER_PACKAGES = ("package.json5", "package.yaml")


def script_text(root: Path, cwd: Path, name: str) -> str | None:
    """The text of a script of the package.json that applies in ``cwd``.

    None also where pnpm would take another kind of file instead of one further above.
    """
    folder = package_folder(root, cwd)
    if folder is None:
        return None
    try:
        package = json.loads((folder / "package.json").read_bytes())
    except (OSError, ValueError):
        return None
    scripts = package.get("scripts") if isinstance(package, dict) else None
    text = scripts.get(name) if isinstance(scripts, dict) else None
    return text if isinstance(text, str) else None


def package_folder(root: Path, cwd: Path) -> Path | None:
    """The folder of the package that applies in ``cwd``: its scripts run there.

    None also where that is a package that only pnpm reads.
    """
    for folder in upwards(cwd, root):
        if (folder / "package.json").exists():
            return folder
        if any((folder / name).exists() for name in _OTHER_PACKAGES):
            return None
    return None

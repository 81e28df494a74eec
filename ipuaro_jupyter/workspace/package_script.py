"""The scripts of package.json that apply in a folder."""

import json
from pathlib import Path

from ipuaro_jupyter.workspace.processes.environment import upwards

_OTHER_PACKAGES = ("package.json5", "package.yaml")


def script_text(root: Path, cwd: Path, name: str) -> str | None:
    """The text of a script of the package.json that applies in ``cwd``.

    None also where pnpm would take another kind of file instead of one further above.
    """
    for folder in upwards(cwd, root):
        try:
            package = json.loads((folder / "package.json").read_bytes())
        except FileNotFoundError:
            if any((folder / name).exists() for name in _OTHER_PACKAGES):
                return None
            continue
        except (OSError, ValueError):
            return None
        scripts = package.get("scripts") if isinstance(package, dict) else None
        text = scripts.get(name) if isinstance(scripts, dict) else None
        return text if isinstance(text, str) else None
    return None

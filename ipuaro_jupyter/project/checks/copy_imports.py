"""Python programs in a copy of a project: what they import comes from the copy, or is reported."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.project.checks.python_start import sitecustomize
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.scratch.scratch import CacheFolder


class SeenImports(NamedTuple):
    """What the Python programs of a run have imported.

    Attributes:
        has_started: Whether any of them was led to the copy.
        loaded: The changed files that were loaded from the copy.
        project: The files of modules that were loaded from the project itself.
        elsewhere: For a changed file the one that was loaded for its module.
    """

    has_started: bool
    loaded: frozenset[str]
    project: tuple[str, ...]
    elsewhere: dict[str, str]

    @property
    def problem(self) -> str:
        """Why the results may not be those of the copy, "" when they are."""
        if not self.has_started:
            return "Python did not say whether it has run the code of the copy"
        if self.project:
            return f"not the copy's, but the project's own {self.project[0]} was run"
        for path, file in self.elsewhere.items():
            if path not in self.loaded:
                return f"not {path}, but {file} was run, where the package is installed"
        return ""


class CopyImports:
    """Leads the imports of Python programs to a copy of a project.

    Args:
        project: The folder of the project.
        copy: The folder of the copy.

    Attributes:
        folder: It has to be the first of PYTHONPATH.
    """

    def __init__(self, project: Path, copy: Path) -> None:
        self._project, self._copy = str(project), str(copy)
        self._kept = CacheFolder()
        self.folder = self._kept.path
        shutil.copyfile(sitecustomize.__file__, self.folder / "sitecustomize.py")

    def begin(self, changes: Sequence[Change]) -> None:
        """Forget what was imported, and lead to the copy with these changes from now on."""
        (self.folder / "notes").unlink(missing_ok=True)
        told = {
            "project": self._project,
            "copy": self._copy,
            "gone": [change.path for change in changes if change.after is None],
            "changed": [change.path for change in changes if change.path.endswith((".py", ".pyi"))],
        }
        (self.folder / "copy.json").write_text(json.dumps(told))

    def listed(self, files: Sequence[str]) -> Path:
        """A file with these names, one a line, for a program that reads its arguments from one."""
        listed = self.folder / "files"
        listed.write_text("".join(f"{file}\n" for file in files if "\n" not in file))
        return listed

    def seen(self) -> SeenImports:
        """What has been imported since it began."""
        notes: list[list[str]] = []
        if (self.folder / "notes").exists():
            lines = (self.folder / "notes").read_text(errors="replace").splitlines()
            notes = [json.loads(line) for line in lines if line.endswith("]")]
        return SeenImports(
            has_started=["started"] in notes,
            loaded=frozenset(note[1] for note in notes if note[0] == "loaded"),
            project=tuple(note[2] for note in notes if note[0] == "project"),
            elsewhere={note[1]: note[2] for note in notes if note[0] == "elsewhere"},
        )

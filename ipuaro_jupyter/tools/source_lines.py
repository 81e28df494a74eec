"""Source lines as several tools show them."""

from collections.abc import Sequence

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.outputs import Code
from ipuaro_jupyter.workspace.text_file import TextFile
from ipuaro_jupyter.workspace.workspace import Workspace


def numbered(lines: Sequence[str], start: int) -> str:
    """Return ``lines`` as ``cat -n`` prints them, the first with the number ``start``."""
    return "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(lines, start))


def as_code(path: str, name: str, *, code: str, start: int) -> Code:
    """Return numbered source, as `numbered` made it, as a shape that is drawn with its numbers."""
    lines = tuple(line.partition("\t")[2] for line in code.split("\n"))
    language = path.rpartition(".")[2]
    return Code(title=f"{path} · {name}", lines=lines, start=start, language=language)


class SourceLines:
    """Lines around places in the project's files; each file is read once.

    What is returned counts as shown to the model.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._files: dict[str, TextFile | None] = {}

    def around(
        self, path: str, line: int, *, before: int = 1, after: int = 1
    ) -> tuple[int, tuple[str, ...]]:
        """Return the number of the first line, and the lines around a 1-based line.

        A file that cannot be read any more gives no lines.
        """
        file = self._file(path)
        first = max(1, line - before)
        return first, () if file is None else file.lines[first - 1 : line + after]

    def _file(self, path: str) -> TextFile | None:
        if path not in self._files:
            try:
                file = self._workspace.read(path)
            except ToolError:
                self._files[path] = None
            else:
                self._files[path] = file
                self._workspace.note_shown(path, file.hash)
        return self._files[path]

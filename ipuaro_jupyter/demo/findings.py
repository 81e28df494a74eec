"""The facts of a run of the notebook, as the kernel, the disk and git report them."""

from typing import Any

from nbformat import NotebookNode

from ipuaro_jupyter.demo import demo_repository
from ipuaro_jupyter.demo.folder import APP, DemoFolder
from ipuaro_jupyter.records.chat import Answer
from ipuaro_jupyter.records.record import Record

PROBE = (
    "__import__('ipuaro_jupyter.demo.findings', fromlist=['kernel_record'])"
    ".kernel_record(get_ipython())"
)


class Edit(Record):
    """A file on disk before and after a cell, as git's short hashes."""

    path: str
    before: str
    after: str


class DiskWatch:
    """Checks the application on disk after the cells that change it.

    ``edits`` are the changes after the cell tagged "edit"; ``left`` are the changed files after the
    cell tagged "undo", None while that has not run.
    """

    def __init__(self, folder: DemoFolder) -> None:
        self._app = folder.app
        self.edits: tuple[Edit, ...] = ()
        self.left: tuple[str, ...] | None = None

    def after_cell(self, cell: NotebookNode) -> None:
        """Check the disk when ``cell`` is one of the two."""
        tags = cell.metadata.get("tags", ())
        if "edit" in tags:
            changed = demo_repository.changed_files(self._app)
            self.edits = tuple(
                Edit(
                    path=path,
                    before=demo_repository.committed_blob(self._app, path),
                    after=demo_repository.blob(self._app, path),
                )
                for path in changed
            )
        if "undo" in tags:
            self.left = demo_repository.changed_files(self._app)


class Findings(Record):
    """The figures of a run. ``asked`` counts the notebook's messages, ``answered`` the answers."""

    files: int
    model: str
    store: str
    asked: int
    answered: int
    calls: int
    failed_calls: int
    edits: tuple[Edit, ...]
    left: tuple[str, ...] | None

    def lines(self) -> list[str]:
        """Five sentences for the user."""
        asked = "the recorded model" if self.model.startswith("recorded:") else self.model
        edited = ", ".join(f"{e.path} ({e.before} -> {e.after})" for e in self.edits)
        return [
            f"Indexed {self.files} files of {APP} in {self.store}.",
            f"Answered {self.answered} of {self.asked} questions, by the index and {asked}.",
            f"Ran its tool calls: {self.calls - self.failed_calls} of {self.calls} succeeded.",
            f"Applied on disk: {edited or 'no edit'}.",
            f"Undone: {self._undone()}.",
        ]

    def _undone(self) -> str:
        if self.left:
            return f"not all, {', '.join(self.left)} still differs from the commit"
        if not self.edits:
            return "there was nothing to undo"
        return "every file is as it was committed"

    def problems(self) -> list[str]:
        """The deviations from a run with the recorded model, a sentence each."""
        wrong = []
        if self.answered != self.asked:
            wrong.append(f"only {self.answered} of {self.asked} questions were answered")
        if self.failed_calls:
            wrong.append(f"{self.failed_calls} tool calls failed")
        if not self.files:
            wrong.append("no file was indexed")
        if not self.edits:
            wrong.append("the edit was not applied on disk")
        if self.left is None or self.left:
            wrong.append("the edit was not undone on disk")
        return wrong


def kernel_record(shell: Any) -> dict[str, Any]:
    """The kernel's own record of the run, as plain data; called in the kernel.

    The answers are the values of its cells, ``Out``.
    """
    answers = [value for value in shell.user_ns["Out"].values() if isinstance(value, Answer)]
    called = [called for answer in answers for called in answer.tool_calls]
    status = shell.magics_manager.registry["IpuaroMagics"].project.assistant.status()
    return {
        "files": status.files,
        "model": status.model,
        "store": status.store,
        "answered": sum(answer.ended == "done" for answer in answers),
        "calls": len(called),
        "failed_calls": sum(not one.result.success for one in called),
    }

"""The notebooks that are open in the front end: asked about and changed over comms.

The extension registers the target at the kernel of each notebook (static/notebooks.js). A request
opens a comm; what the front end says on it is the answer. Of several pages that one answers which
has sent the cell that asks, and it is named in all that is asked then.
"""

import contextvars
import os
import threading
from functools import partial
from pathlib import Path
from typing import Any

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.notebook.confirm import FrontEnd
from ipuaro_jupyter.tools.open_notebooks import (
    CellChange,
    ChangedCells,
    OpenCell,
    OpenNotebook,
    OpenNotebooks,
)

TARGET = "ipuaro.notebooks"
ANSWER_S = 5.0
CHANGE_S = 20.0
_SESSION = "JPY_SESSION_NAME"
_NOT_SAID = (
    "Nothing was changed: the front end did not say whether {path} is open in it, and a file that "
    "is written under an open notebook is lost with its next save."
)
_CELL_OF_ITS_OWN = (
    "Reload the page and try again. The front end can only answer while a cell runs that begins "
    "with %%ask or is one line of %tool."
)


class FrontEndNotebooks:
    """The notebooks that are open beside the one of this kernel.

    Args:
        front_end: The front end of this kernel.
    """

    def __init__(self, front_end: FrontEnd) -> None:
        self._front_end = front_end

    def access(self) -> OpenNotebooks:
        """The way to them for tools."""
        return OpenNotebooks(self.find)

    def find(self, file: Path) -> OpenNotebook | None:
        """The notebook of a file as it is open; None when it is not, or nobody looks on.

        Raises:
            ToolError: The front end does not say.
        """
        if not self._front_end.can_decide():
            return None
        asking = {"client": self._front_end.client(), "cell": self._front_end.place().cell}
        answer = self._ask({"do": "list", **asking}, ANSWER_S)
        listed = answer.get("open") if answer else None
        if answer is None or not isinstance(listed, list):
            raise _not_said(file)
        root = _root(answer)
        for one in listed:
            if root is None:
                if file.as_posix().endswith(f"/{one['path']}"):
                    raise _not_said(file)
            elif os.path.realpath(root / str(one["path"])) == os.path.realpath(file):
                place = {"page": answer.get("page"), "path": str(one["path"])}
                return self._opened(file, one, place)
        return None

    def _opened(self, file: Path, told: dict[str, Any], place: dict[str, Any]) -> OpenNotebook:
        read = self._ask({"do": "read", **place}, ANSWER_S)
        if read is None or "cells" not in read:
            raise _not_said(file, str((read or {}).get("error", "")))
        cells = _cells(read)
        own = bool(told.get("own"))
        return OpenNotebook(
            cells=cells,
            is_shared=bool(told.get("shared")),
            asking=self._front_end.place().cell if own else "",
            change=partial(self._change, file, place, cells),
        )

    def _change(
        self,
        file: Path,
        place: dict[str, Any],
        cells: tuple[OpenCell, ...],
        change: CellChange,
        source: str,
    ) -> ChangedCells:
        wanted = {
            "do": change.action,
            **place,
            "number": change.number,
            "above": change.above,
            "kind": change.kind,
            "source": source,
            "cells": [[cell.id, cell.source] for cell in cells],
        }
        answer = self._ask(wanted, CHANGE_S)
        if answer is None:
            raise ToolError(
                "timeout",
                f"The front end did not answer: {file.name} may have been changed, or not.",
                suggestion="Ask the user to look at it and to save it, then read it again.",
            )
        if "cells" not in answer:
            raise ToolError(
                "conflict",
                f"{file.name} was not changed: {answer.get('error', 'the front end refused')}.",
                suggestion="Read the notebook again, then decide what to change.",
            )
        problem = str(answer.get("problem", ""))
        return ChangedCells(_cells(answer), bool(answer.get("saved")), problem)

    def _ask(self, data: dict[str, Any], timeout_s: float) -> dict[str, Any] | None:
        """What the front end answers; None when it does not."""
        loop = self._front_end.loop
        if loop is None:
            return None
        request = _FrontEndRequest(data)
        loop.call_soon_threadsafe(request.begin, context=contextvars.copy_context())
        try:
            return request.answer(timeout_s)
        finally:
            loop.call_soon_threadsafe(request.end)


class _FrontEndRequest:
    """A request to the front end, on a comm of its own."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self._answered = threading.Event()
        self._answer: dict[str, Any] | None = None
        self._comm: Any = None

    def begin(self) -> None:
        """Send it; in the kernel's thread."""
        import comm  # noqa: PLC0415 - only in a kernel

        self._comm = comm.create_comm(target_name=TARGET, data=self._data)
        self._comm.on_msg(self._take)
        self._comm.on_close(lambda _: self._answered.set())  # a front end without the extension

    def answer(self, timeout_s: float) -> dict[str, Any] | None:
        """Wait for the answer, in another thread; None when there is none."""
        self._answered.wait(timeout_s)
        return self._answer

    def end(self) -> None:
        """Close the comm; in the kernel's thread."""
        if self._comm is not None:
            self._comm.close()

    def _take(self, message: dict[str, Any]) -> None:
        data = message["content"]["data"]
        if self._answer is None and isinstance(data, dict):
            self._answer = data
        self._answered.set()


def _root(answer: dict[str, Any]) -> Path | None:
    """The folder that the front end's paths are relative to; None when that cannot be told.

    The server tells the kernel where its own notebook lies, unless it was renamed since.
    """
    own, session = str(answer.get("own", "")), os.environ.get(_SESSION, "")
    if own and session.endswith(f"/{own}"):
        return Path(session.removesuffix(own))
    told = str(answer.get("root", ""))
    return Path(told).expanduser() if told else None


def _cells(answer: dict[str, Any]) -> tuple[OpenCell, ...]:
    return tuple(
        OpenCell(str(one["id"]), str(one["kind"]), str(one["source"]), bool(one["outputs"]))
        for one in answer["cells"]
    )


def _not_said(file: Path, why: str = "") -> ToolError:
    told = _NOT_SAID.format(path=file.name)
    return ToolError("validation", f"{told} {why}".rstrip(), suggestion=_CELL_OF_ITS_OWN)

"""The cells that a kernel has run: their errors, and their outputs as text."""

import logging
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from ipuaro_jupyter.notebook.awaiting import is_ours
from ipuaro_jupyter.notebook.kernel.brief import Hidden
from ipuaro_jupyter.notebook.kernel.raised import raised
from ipuaro_jupyter.records.kernel import FailedCell, RanCell
from ipuaro_jupyter.records.terminal_codes import CODE

_MOST_CELLS, _SOURCE, _OUTPUT, _READ = 30, 4000, 4000, 50_000
_AWAITS = re.compile(r"\bawait\b|\basync\s+(?:for|with)\b")
_NUMBER = re.compile(r"\d+")
_log = logging.getLogger(__name__)


class RunCells:
    """Follows the cells of one kernel, except for ours.

    Args:
        shell: IPython's shell, which keeps the sources and the outputs.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._failed: FailedCell | None = None
        self._cell_id: str | None = None
        self._numbers: list[int] = []
        self.hidden: Hidden = str
        """Removes secrets from a text."""

    def begin(self) -> None:
        """Take what has run before as far as IPython has kept it."""
        exceptions = getattr(self._shell.history_manager, "exceptions", None)
        error = getattr(sys, "last_value", None)
        if exceptions and error is not None:
            number = max(exceptions)
            self._note_error(number, self._source(number), error)

    def note(self, result: Any) -> None:
        """Note a cell that has run; IPython calls it with its result after each."""
        try:
            self._note(result)
        except Exception:  # noqa: BLE001 - it must never disturb the user's cell
            _log.exception("A cell could not be noted")

    def failed(self) -> FailedCell | None:
        """The latest cell that failed and was not repeated without an error since."""
        if self._failed is None:
            return None
        later = sum(number > self._failed.number for number in self._numbers)
        source = _clean(self.hidden(self._failed.source[:_READ]))
        return self._failed.model_copy(update={"later": later, "source": source})

    def ran(self) -> tuple[RanCell, ...]:
        """The latest cells in the order in which they ran, with their outputs."""
        return tuple(self._ran())

    def _note(self, result: Any) -> None:
        info = result.info
        if info is None or not info.store_history or result.execution_count is None:
            return
        source = info.raw_cell
        if is_ours(source):
            return
        number = result.execution_count
        self._numbers.append(number)
        error = result.error_before_exec
        error = result.error_in_exec if error is None else error
        if error is not None:
            self._note_error(number, source, error)
            self._cell_id = info.cell_id
        elif self._failed is not None and (
            source == self._failed.source
            or (info.cell_id is not None and info.cell_id == self._cell_id)
        ):
            self._failed = None

    def _note_error(self, number: int, source: str, error: BaseException) -> None:
        told = self._exception(number).get("evalue")
        errors = raised(
            error,
            cell_of=self._cell_of,
            hidden=self.hidden,
            told=told if type(told) is str else "",
        )
        self._failed = FailedCell(number=number, source=source, errors=errors)

    def _cell_of(self, file: str) -> int | None:
        """The number of the cell with the code of this file name."""
        told = self._shell.compile.format_code_name(file)
        found = _NUMBER.search(told[1]) if told and told[0] == "Cell" else None
        return int(found.group()) if found else None

    def _ran(self) -> Iterator[RanCell]:
        sources = list(enumerate(self._shell.history_manager.input_hist_raw))[1:]
        told = [(number, source) for number, source in sources if not is_ours(source)]
        for number, source in told[-_MOST_CELLS:]:
            failure = self._exception(number)
            names = [failure.get("ename"), failure.get("evalue")]
            error = ": ".join(one for one in names if type(one) is str and one)
            yield RanCell(
                number=number,
                source=_ends(_clean(self.hidden(source[:_READ])), _SOURCE),
                output=_ends(_clean(self.hidden(self._output(number))), _OUTPUT),
                is_whole=self._keeps_outputs(source),
                error=_ends(_clean(self.hidden(error)), _SOURCE),
            )

    def _source(self, number: int) -> str:
        sources = self._shell.history_manager.input_hist_raw
        return sources[number] if number < len(sources) else ""

    def _exception(self, number: int) -> Mapping[str, Any]:
        """What IPython 9 keeps of the error of a cell."""
        known = getattr(self._shell.history_manager, "exceptions", None) or {}
        found = known.get(number)
        return found if type(found) is dict else {}

    def _keeps_outputs(self, source: str) -> bool:
        """Whether IPython keeps the outputs of a cell: IPython 9 does, unless the cell awaits."""
        return hasattr(self._shell.history_manager, "outputs") and not _AWAITS.search(source)

    def _output(self, number: int) -> str:
        """The outputs of a cell as text, as far as IPython 9 keeps them."""
        known = getattr(self._shell.history_manager, "outputs", None) or {}
        parts = [_text(one) for one in list(known.get(number, ()))]
        return CODE.sub("", "\n".join(part for part in parts if part))


def _text(output: Any) -> str:
    """The text of one output; of a picture or a widget only its kind."""
    bundle = output.bundle
    if "stream" in bundle:
        pieces, size = [], 0
        for piece in bundle["stream"]:
            if type(piece) is str and size < _READ:
                pieces.append(piece)
                size += len(piece)
        return "".join(pieces)[:_READ].rstrip("\n")
    for kind in ("text/plain", "text/markdown"):
        if type(bundle.get(kind)) is str:
            pictures = [name for name in bundle if name.startswith("image/")]
            return "\n".join([bundle[kind][:_READ], *(f"[{name}]" for name in pictures)])
    return "\n".join(f"[{name}]" for name in bundle)


def _ends(text: str, most: int) -> str:
    """The text, or the beginning and the end of a long one."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()

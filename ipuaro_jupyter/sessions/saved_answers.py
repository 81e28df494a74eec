"""The answers in a saved notebook, exported or live."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from ipuaro_jupyter.cell_text import message_text
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.receipt import Receipt, SavedReceipt
from ipuaro_jupyter.sessions.ipynb import METADATA_KEY, is_asked, opened_notebook
from ipuaro_jupyter.sessions.ipynb_cells import messages_of
from ipuaro_jupyter.sessions.recording import answer_of

_MAGIC = "%%ask"


class SavedAnswer(NamedTuple):
    """An answer; ``cell`` counts all cells from 1, ``receipt`` is empty where none was kept."""

    cell: int
    question: str
    text: str
    receipt: Receipt


def saved_answers(path: Path) -> Iterator[SavedAnswer]:
    """Yield the answers of a notebook, in its order.

    Raises:
        SettingsError: The file cannot be read, is not a notebook, or a cell has been altered.
    """
    for number, cell in enumerate(opened_notebook(path).cells, 1):
        if not is_asked(cell):
            continue
        typed = cell.source.removeprefix(_MAGIC).strip().removeprefix(";").strip()
        question = message_text(typed)
        try:
            found = list(_answers(cell, question))
        except ValueError as error:
            what = "its answer cannot be read" if isinstance(error, ValidationError) else error
            raise SettingsError(f"{str(path)!r}, cell {number}: {what}") from None
        yield from (SavedAnswer(number, question, text, receipt) for text, receipt in found)


def _answers(cell: Any, question: str) -> Iterator[tuple[str, Receipt]]:
    """Yield the texts of the answers of a cell, with their receipts.

    Raises:
        ValueError: The cell has been altered.
    """
    if METADATA_KEY in cell.metadata:
        answer = answer_of(list(messages_of(cell.metadata[METADATA_KEY], question=question)))
        if answer.text:
            yield answer.text, answer.receipt
        return
    for output in cell.get("outputs", ()):
        kept = output.get("metadata", {}).get(METADATA_KEY)
        if isinstance(kept, dict):
            saved = SavedReceipt.model_validate(kept)
            yield saved.answer, saved.receipt

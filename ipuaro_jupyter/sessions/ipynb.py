"""Write a session as an ordinary notebook, and read one back.

A cell ``%%ask`` holds the user's message as its source and the drawn answer as its output. All else
is in the metadata under "ipuaro": the notebook's identifies the session, a cell's is described in
`cell_metadata`.
"""

import json
import os
import re
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from pydantic import ValidationError

from ipuaro_jupyter.cell_text import message_source, message_text, word_source
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.records.undoing import UndoAction
from ipuaro_jupyter.sessions.ipynb_cells import cell_metadata, messages_of
from ipuaro_jupyter.sessions.recording import RecordedSession, answer_of
from ipuaro_jupyter.views.drawing import mimebundle
from ipuaro_jupyter.views.markup import visible
from ipuaro_jupyter.whole_file import write_whole

METADATA_KEY = "ipuaro"
VERSION = 1
_ASK = re.compile(r"%%ask[ \t]*;?[ \t]*(?:\n|\Z)")
_OURS = re.compile(r"title|setup|turn-\d+|undone-\d+-\d+")
_UNDONE = "undone"
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def write_notebook(recorded: RecordedSession, path: Path, *, force: bool = False) -> Path:
    """Write a session as a notebook; return the path. `read_notebook` gives the session back.

    The write is atomic: an older file stays until the new one is whole.

    Args:
        recorded: The session.
        path: Ends in ``.ipynb``.
        force: Overwrite even a file that is not an export of this session, or that was added to.

    Raises:
        SettingsError: The path does not end in ``.ipynb``, the file there must not be overwritten,
            or it cannot be written.
    """
    if path.suffix != ".ipynb":
        raise SettingsError(f"{str(path)!r} does not end in .ipynb; a session is a notebook.")
    if not force:
        _check_replaceable(path, recorded.session)
    cells = [_title(recorded), _setup(recorded, path)]
    for place, turn in enumerate(recorded.turns(), 1):
        cells.append(_cell(turn, place))
        after = [one for one in recorded.actions if one.turns == place]
        cells += [_undone(one, f"{place}-{number}") for number, one in enumerate(after, 1)]
    about = recorded.model_dump(by_alias=True, exclude={"messages", "actions"})
    metadata = {"kernelspec": _KERNEL, METADATA_KEY: {"version": VERSION, **about}}
    notebook = new_notebook(cells=cells, metadata=metadata)
    try:
        write_whole(path, [nbformat.writes(notebook, version=4), "\n"])
    except OSError as error:
        raise SettingsError(f"{str(path)!r} cannot be written: {error.strerror}.") from error
    return path


def read_notebook(path: Path) -> RecordedSession:
    """The session in a notebook. Cells that are not part of it are left out.

    Raises:
        SettingsError: The file cannot be read, is not a notebook, or holds no recording; names the
            faulty cell and what is wrong with it.
    """
    notebook = opened_notebook(path)
    about = notebook.metadata.get(METADATA_KEY)
    asked = [cell for cell in notebook.cells if is_asked(cell)]
    if not isinstance(about, dict):
        what = "was asked in a live notebook" if asked else "holds no session"
        raise SettingsError(
            f"{str(path)!r} {what}: only %ipuaro export, or ipuaro export, writes a notebook with "
            "the model's replies."
        )
    if about.get("version") != VERSION:
        raise SettingsError(
            f"{str(path)!r} was written in format {about.get('version')!r}; this is for {VERSION}."
        )
    messages: list[Message] = []
    actions: list[UndoAction] = []
    for number, cell in enumerate(notebook.cells, 1):
        if is_asked(cell) or (cell.cell_type == "code" and METADATA_KEY in cell.metadata):
            try:
                if _UNDONE in cell.metadata.get(METADATA_KEY, {}):
                    actions.append(_action(cell, messages))
                else:
                    messages += list(_messages(cell))
            except ValueError as error:
                raise SettingsError(f"{str(path)!r}, cell {number}: {_said(error)}") from None
    # "roots" are the folders of a project of several, as there were once
    values = {name: value for name, value in about.items() if name not in {"version", "roots"}}
    try:
        told = {"messages": messages, "actions": actions}
        return RecordedSession.model_validate({**values, **told})
    except ValidationError as error:
        raise SettingsError(f"{str(path)!r}: metadata.ipuaro: {_said(error)}") from None


def is_export(path: Path) -> bool:
    """Whether a file is a notebook written by `write_notebook`, for any session."""
    try:
        about = json.loads(path.read_bytes())["metadata"][METADATA_KEY]
        return isinstance(about["session"], str) and "version" in about
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        return False


def _check_replaceable(path: Path, session: str) -> None:
    """Raise unless the file is absent or an unchanged export of the same session."""
    try:
        found = json.loads(path.read_bytes())
        written_by = found["metadata"][METADATA_KEY]["session"]
        names = [str(cell.get("id")) for cell in found["cells"]]
    except FileNotFoundError:
        return
    except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        what = "exists, and is no exported session"
    else:
        if written_by == session and all(map(_OURS.fullmatch, names)):
            return
        what = "has cells that were added after the export"
        if written_by != session:
            what = "exists, and is not the export of this session"
    raise SettingsError(f"{str(path)!r} {what}. Take another name, or overwrite it with --force.")


def _title(recorded: RecordedSession) -> Any:
    day = time.strftime("%Y-%m-%d", time.gmtime(recorded.created_at))
    count = len(recorded.messages)
    text = (
        f"# {_plain(recorded.title or 'A conversation about code')}\n\n"
        f"A conversation about *{_plain(recorded.project)}*, {day}: "
        f"{count} message{'' if count == 1 else 's'}, tools' results included. "
        "`%ipuaro replay FILE` gives the same replies again, runs the tools for real, and tells "
        "what differs. To ask anew, run the next cell first."
    )
    return new_markdown_cell(text, id="title")


def _plain(text: str) -> str:
    """The text escaped so that Markdown shows it literally."""
    return _MARKUP.sub(r"\\\1", " ".join(visible(text).split()))


def _setup(recorded: RecordedSession, path: Path) -> Any:
    folder = Path(os.path.relpath(recorded.root or ".", path.absolute().parent)).as_posix()
    folder = f"./{folder}" if folder.startswith(("-", "~")) else folder  # no option, no home
    source = f"%load_ext ipuaro_jupyter\n%ipuaro start {word_source(folder)} --new"
    return new_code_cell(source, id="setup")


def _cell(turn: Sequence[Message], place: int) -> Any:
    answer = answer_of(turn)
    output = new_output("display_data", data=mimebundle(answer), metadata={})
    return new_code_cell(
        f"%%ask\n{message_source(turn[0].content)}",
        id=f"turn-{place}",
        outputs=[output],
        metadata={METADATA_KEY: cell_metadata(turn)},
    )


def _undone(action: UndoAction, place: str) -> Any:
    """The cell of an undo or redo after a turn."""
    typed = {"undo": "undo", "turn": "undo --turn", "skip": "undo --skip", "redo": "redo"}
    kept = action.model_dump(by_alias=True, exclude={"turns"})
    return new_code_cell(
        f"%ipuaro {typed[action.act]}",
        id=f"undone-{place}",
        outputs=[new_output("display_data", data={"text/plain": visible(action.told)})],
        metadata={METADATA_KEY: {_UNDONE: kept}},
    )


def _action(cell: Any, before: Sequence[Message]) -> UndoAction:
    """The undo or redo in a cell, after the messages in the cells before it.

    Raises:
        ValueError: The cell has been altered.
    """
    turns = sum(message.role == "user" for message in before)
    return UndoAction.model_validate({**cell.metadata[METADATA_KEY][_UNDONE], "turns": turns})


def opened_notebook(path: Path) -> Any:
    """The notebook in a file.

    Raises:
        SettingsError: The file cannot be read, or is not a notebook.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise SettingsError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise SettingsError(f"{str(path)!r} is no notebook: it is not UTF-8 text.") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old notebooks have cells without ids
            notebook = nbformat.reads(text, as_version=4)
            nbformat.validate(notebook)
    except Exception as error:  # noqa: BLE001 - nbformat raises what it meets in broken files
        first = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise SettingsError(f"{str(path)!r} is no notebook: {first}") from None
    return notebook


def is_asked(cell: Any) -> bool:
    """Whether a cell is a question."""
    return cell.cell_type == "code" and _ASK.match(cell.source) is not None


def _messages(cell: Any) -> Iterator[Message]:
    """Yield the messages of one turn.

    Raises:
        ValueError: The cell has been altered.
    """
    source = _ASK.match(cell.source)
    if source is None:
        raise ValueError("it has a recording, but is no %%ask cell any more")
    if METADATA_KEY not in cell.metadata:
        raise ValueError("it was asked in a live notebook, so the model's replies are not in it")
    question = message_text(cell.source[source.end() :])
    return messages_of(cell.metadata[METADATA_KEY], question=question)


def _said(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    detail = error.errors()[0]
    place = ".".join(str(part) for part in detail["loc"])
    return f"{place}: {detail['msg']}" if place else detail["msg"].removeprefix("Value error, ")

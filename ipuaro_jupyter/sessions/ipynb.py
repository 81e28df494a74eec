"""A session written as an ordinary notebook."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.views import markdown
from ipuaro_jupyter.views.drawing import bundle
from ipuaro_jupyter.views.markup import element, escape
from ipuaro_jupyter.whole_file import write_whole

METADATA_KEY = "ipuaro"


def write_notebook(messages: Sequence[Message], path: Path, *, title: str = "") -> Path:
    """Write one ``%%ask`` cell per question, with its answer as output; return the path.

    A cell's metadata hold under "ipuaro" the model's ``replies`` as it sent them, and the ``calls``
    with their recorded results. The write is atomic: an older file stays until the new one is
    whole.

    Raises:
        SettingsError: The path does not end in ``.ipynb``, or cannot be written.
    """
    if path.suffix != ".ipynb":
        raise SettingsError(f"{str(path)!r} does not end in .ipynb; a session is a notebook.")
    cells = [new_markdown_cell(f"# {title or 'A conversation about code'}", id="title")]
    cells += [_cell(turn, place) for place, turn in enumerate(_turns(messages), 1)]
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    try:
        write_whole(path, [nbformat.writes(notebook, version=4)])
    except OSError as error:
        raise SettingsError(f"{str(path)!r} cannot be written: {error.strerror}.") from error
    return path


def _turns(messages: Sequence[Message]) -> Iterator[list[Message]]:
    turn: list[Message] = []
    for message in messages:
        if message.role == "user" and turn:
            yield turn
            turn = []
        turn.append(message)
    if turn:
        yield turn


def _cell(turn: list[Message], place: int) -> Any:
    question, rest = turn[0], turn[1:]
    calls = {call.id: call for message in rest for call in message.calls}
    recorded: list[dict[str, Any]] = [
        {
            "tool": message.tool,
            "arguments": calls[message.call_id].arguments,
            "result": message.result,
        }
        for message in rest
        if message.role == "tool" and message.call_id in calls
    ]
    answer = next((m.content for m in reversed(rest) if m.role == "assistant"), "")
    steps = [f"{step['tool']}({_brief(step['arguments'])})" for step in recorded]
    listed = "".join(element("li", element("code", escape(step))) for step in steps)
    html = (element("ul", listed) if steps else "") + markdown.html(answer)
    data = bundle("\n".join([*steps, answer]), html, *markdown.STYLES)
    output = new_output("display_data", data=data, metadata={})
    return new_code_cell(
        f"%%ask\n{question.content}",
        id=f"turn-{place}",
        outputs=[output],
        metadata={
            METADATA_KEY: {
                "replies": [m.raw or m.content for m in rest if m.role == "assistant"],
                "calls": recorded,
            }
        },
    )


def _brief(arguments: dict[str, Any]) -> str:
    shown = ", ".join(f"{name}={str(value)[:60]!r}" for name, value in arguments.items())
    return shown.replace("\n", " ")

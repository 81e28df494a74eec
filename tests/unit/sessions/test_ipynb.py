"""A session as a notebook: it reads well anywhere, and gives the session back."""

import json
import re
from contextlib import suppress
from pathlib import Path

import nbformat
import pytest
from conversations import NASTY, histories, texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.chat import Message, ToolCall, Usage
from ipuaro_jupyter.sessions.ipynb import read_notebook, write_notebook
from ipuaro_jupyter.sessions.recording import RecordedSession, record
from ipuaro_jupyter.sessions.stored_session import SessionInfo

EVIL = "<script>alert(1)</script><img src=https://evil.example/x> ![i](https://evil.example/y)"
CALL = ToolCall(id="2.1", name="edit_lines", arguments={"path": "a.ts", "content": EVIL})
MESSAGES = (
    Message(role="user", content="Raise it", at=100.0),
    Message(
        role="assistant",
        content="I will.",
        raw='I will.\n<tool_call name="edit_lines">…</tool_call>',
        calls=(CALL,),
        usage=Usage(prompt_tokens=10, completion_tokens=4),
        at=101.0,
    ),
    Message(
        role="tool",
        content="Edited a.ts",
        call_id="2.1",
        tool="edit_lines",
        result={"success": True, "output": "Edited a.ts"},
        decisions=(Decision(action="apply", text="mine\n"),),
        at=103.5,
    ),
    Message(role="assistant", content="Done.", raw="Done.", at=104.0),
    Message(role="user", content="%%ask\n%ls", at=110.0),
    Message(role="assistant", content="[interrupted]", interrupted=True, at=111.0),
)
RECORDED = RecordedSession(
    session="20260101-abcd", title="Raise it", project="app", root="/src/app", messages=MESSAGES
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "talk.ipynb"


def cells(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return {cell.id: cell for cell in notebook.cells}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(histories(), texts(), texts())
def test_what_is_read_is_what_was_written(path, messages, title, project):
    recorded = RecordedSession(
        session="s", title=title, project=project, root=project, messages=tuple(messages)
    )
    write_notebook(recorded, path)
    assert read_notebook(path) == recorded
    nbformat.validate(nbformat.read(path, as_version=4))


@pytest.mark.parametrize("text", NASTY)
def test_nasty_questions_and_answers_come_back(path, text):
    messages = (
        Message(role="user", content=text),
        Message(role="assistant", content=text, raw=text),
    )
    recorded = RECORDED.model_copy(update={"messages": messages})
    write_notebook(recorded, path)
    assert read_notebook(path) == recorded
    assert cells(path)["turn-1"].source == f"%%ask\n{text}"


def test_a_session_without_messages_comes_back(path):
    write_notebook(RECORDED.model_copy(update={"messages": ()}), path)
    assert read_notebook(path).messages == ()


def test_halves_of_surrogate_pairs_become_question_marks(path):
    messages = [
        Message(role="user", content="a\ud800"),
        Message(
            role="assistant",
            content="",
            calls=(ToolCall(id="1", name="x", arguments={"a\udc00": ["\ud801"]}),),
        ),
        Message(role="tool", content="\ud802", call_id="1", tool="x", result={"success": True}),
        Message(role="assistant", content="b"),
    ]
    recorded = record(SessionInfo(id="s", title="\ud800"), messages, Path("app"))
    assert recorded.messages[0].content == "a?"
    assert recorded.messages[1].calls[0].arguments == {"a?": ["?"]}
    write_notebook(recorded, path)
    assert read_notebook(path) == recorded


def test_the_metadata_hold_replies_calls_results_and_decisions(path):
    write_notebook(RECORDED, path)
    held = cells(path)["turn-1"].metadata["ipuaro"]
    assert held["replies"] == [MESSAGES[1].raw, "Done."]
    assert held["calls"] == [
        {
            "id": "2.1",
            "tool": "edit_lines",
            "arguments": CALL.arguments,
            "result": {"success": True, "output": "Edited a.ts"},
            "decisions": [{"action": "apply", "text": "mine\n"}],
        }
    ]
    assert held["usage"]["promptTokens"] == 10
    assert held["ended"] == "done"
    assert cells(path)["turn-2"].metadata["ipuaro"]["ended"] == "interrupted"


def test_nothing_is_held_twice(path):
    write_notebook(RECORDED, path)
    held = json.dumps(cells(path)["turn-1"].metadata["ipuaro"])
    assert held.count("Edited a.ts") == held.count("Done.") == 1


def test_it_reads_as_the_conversation(path):
    write_notebook(RECORDED, path)
    asked = cells(path)["turn-1"]
    assert asked.source == "%%ask\nRaise it"
    (output,) = asked.outputs
    assert output.output_type == "display_data"
    assert set(output.data) == {"text/plain", "text/html"}
    for shown in output.data.values():
        for said in ("I will.", "edit_lines", "2.5 s", "Edited a.ts", "Done.", "Done"):
            assert said in shown or (said == "Edited a.ts" and shown == output.data["text/plain"])
    assert "Stopped" in cells(path)["turn-2"].outputs[0].data["text/plain"]


def test_nothing_runs_and_nothing_is_loaded(path):
    evil = RECORDED.model_copy(update={"title": EVIL, "project": EVIL})
    write_notebook(evil, path)
    title, *asked = cells(path).values()
    assert "](" not in re.sub(r"\\\W", "", title.source)
    assert "<" not in re.sub(r"\\\W", "", title.source)
    for cell in asked:
        for output in cell.get("outputs", []):
            assert "<script" not in output.data["text/html"]
            assert "<img" not in output.data["text/html"]


def test_the_setup_opens_the_project_from_where_the_notebook_is(path):
    recorded = RECORDED.model_copy(update={"root": str(path.parent / "my app")})
    write_notebook(recorded, path)
    assert cells(path)["setup"].source.splitlines()[1] == "%ipuaro start 'my app' --new"


def test_writing_twice_gives_the_same_bytes(path, tmp_path):
    write_notebook(RECORDED, path)
    write_notebook(RECORDED, tmp_path / "again.ipynb")
    assert path.read_bytes() == (tmp_path / "again.ipynb").read_bytes()


def test_an_export_of_the_same_session_is_replaced(path):
    write_notebook(RECORDED.model_copy(update={"messages": MESSAGES[:4]}), path)
    write_notebook(RECORDED, path)
    assert read_notebook(path) == RECORDED


def noted(path):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_markdown_cell("my note"))
    nbformat.write(notebook, path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: path.write_text("precious"), "is no exported session"),
        (lambda path: path.write_text("[]"), "is no exported session"),
        (lambda path: path.write_text('{"metadata": {}}'), "is no exported session"),
        (
            lambda path: path.write_text('{"metadata": {"ipuaro": "x"}, "cells": [3]}'),
            "is no exported session",
        ),
        (
            lambda path: path.write_text(
                '{"metadata": {"ipuaro": {"session": "20260101-abcd"}}, "cells": [3]}'
            ),
            "is no exported session",
        ),
        (
            lambda path: write_notebook(
                RECORDED.model_copy(update={"session": "other"}), path, force=True
            ),
            "not the export of this session",
        ),
        (noted, "cells that were added"),
    ],
)
def test_what_is_not_ours_is_kept_unless_it_is_forced(path, change, message):
    write_notebook(RECORDED, path)
    change(path)
    before = path.read_bytes()
    with pytest.raises(SettingsError, match=message) as error:
        write_notebook(RECORDED, path)
    assert "--force" in str(error.value)
    assert path.read_bytes() == before
    write_notebook(RECORDED, path, force=True)
    assert read_notebook(path) == RECORDED


def test_cells_that_the_user_added_are_left_out(path):
    write_notebook(RECORDED, path)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(2, nbformat.v4.new_code_cell("1 + 1"))
    notebook.cells.append(nbformat.v4.new_markdown_cell("%%ask\nno"))
    nbformat.write(notebook, path)
    assert read_notebook(path) == RECORDED


def edited(change):
    def edit(path):
        notebook = nbformat.read(path, as_version=4)
        change(notebook)
        path.write_text(json.dumps(notebook))

    return edit


def held(notebook):
    return notebook.cells[2].metadata["ipuaro"]


def test_the_folders_of_an_older_recording_are_left_out(path):
    write_notebook(RECORDED, path)
    edited(lambda nb: nb.metadata["ipuaro"].update(roots=["/a/api", "/a/web"]))(path)
    assert read_notebook(path) == RECORDED


BROKEN = {
    "is no notebook: Notebook": lambda path: path.write_text("no"),
    "is no notebook: it is not UTF-8": lambda path: path.write_bytes(b"\xff"),
    "cannot be read": lambda path: path.unlink(),
    "is no notebook: Additional": edited(lambda nb: nb.cells[0].update(evil=1)),
    "holds no session": edited(lambda nb: (nb.metadata.pop("ipuaro"), nb.cells.clear())),
    "was asked in a live notebook: only": edited(lambda nb: nb.metadata.pop("ipuaro")),
    "format 2; this is for 1": edited(lambda nb: nb.metadata["ipuaro"].update(version=2)),
    "metadata.ipuaro: session: ": edited(lambda nb: nb.metadata["ipuaro"].pop("session")),
    "cell 3: it was asked in a live": edited(lambda nb: nb.cells[2].metadata.clear()),
    "cell 3: it has a recording, but": edited(lambda nb: nb.cells[2].update(source="1 + 1")),
    "cell 3: replies: Field": edited(lambda nb: held(nb).pop("replies")),
    "cell 3: calls.0.arguments": edited(lambda nb: held(nb)["calls"][0].update(arguments=3)),
    "cell 3: metadata.ipuaro.replies has too few": edited(lambda nb: held(nb)["replies"].pop()),
    "cell 3: metadata.ipuaro.calls has too few": edited(lambda nb: held(nb)["calls"].clear()),
    "cell 3: metadata.ipuaro has more": edited(lambda nb: held(nb)["replies"].append("x")),
    "cell 3: metadata.ipuaro.messages: 'x'": edited(
        lambda nb: held(nb)["messages"][0].update(calls="x")
    ),
    "metadata.ipuaro: a call without": edited(
        lambda nb: (held(nb)["messages"].pop(), held(nb)["replies"].pop())
    ),
}


@pytest.mark.parametrize("message", BROKEN)
def test_a_notebook_that_is_broken_or_foreign_says_what_is_wrong(path, message):
    write_notebook(RECORDED, path)
    BROKEN[message](path)
    with pytest.raises(SettingsError, match=r"talk\.ipynb") as error:
        read_notebook(path)
    assert message in str(error.value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_is_in_the_file_reading_is_a_session_or_a_sentence(path, data):
    write_notebook(RECORDED, path, force=True)
    text = path.read_text()
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 30)))
    path.write_text(text[:begin] + data.draw(texts()) + text[end:])
    with suppress(SettingsError):
        assert isinstance(read_notebook(path), RecordedSession)


def test_a_path_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(SettingsError, match=r"does not end in \.ipynb"):
        write_notebook(RECORDED, tmp_path / "a.txt")
    with pytest.raises(SettingsError, match="cannot be written"):
        write_notebook(RECORDED, tmp_path / "none" / "a.ipynb")


def test_the_title_counts_messages_as_the_session_does(tmp_path):
    notebook = nbformat.read(write_notebook(RECORDED, tmp_path / "a.ipynb"), as_version=4)
    assert f": {len(RECORDED.messages)} messages, tools' results" in notebook.cells[0].source

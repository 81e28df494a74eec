"""The public API, as a program uses it."""

import json
import os

import nbformat
import pytest

import ipuaro_jupyter
from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ProjectError, SettingsError, StorageError

FILES = {"src/a.ts": "export const a = 1\n", "src/b.ts": "import { a } from './a'\n"}


def test_call_gives_data_text_and_a_rich_form(open_assistant, make_project):
    result = open_assistant(make_project(FILES), []).call("get_lines", {"path": "src/a.ts"})
    assert json.loads(json.dumps(result.to_dict())) == {
        "success": True,
        "output": "     1\texport const a = 1",
    }
    assert result.text() == "     1\texport const a = 1"
    bundle = result._repr_mimebundle_()
    assert "export" in bundle["text/html"]
    assert "export const a = 1" in bundle["text/plain"]


def test_an_error_is_a_result_with_the_documented_keys(open_assistant, make_project):
    result = open_assistant(make_project(FILES), []).call("get_everything", {})
    error = result.to_dict()["error"]
    assert set(error) == {"type", "message", "suggestion", "recoverable"}
    assert result.to_dict()["success"] is False
    assert "get_" in error["suggestion"]


def test_ask_gives_text_calls_edits_and_usage(open_assistant, make_project):
    reply = '<tool_call name="get_lines"><path>src/a.ts</path></tool_call>'
    answer = open_assistant(make_project(FILES), [reply, "It is 1."]).ask("What is a?")
    assert answer.text == "It is 1."
    assert answer.tool_calls[0].call.arguments == {"path": "src/a.ts"}
    assert answer.edits == ()
    assert answer.usage.completion_tokens > 0


@pytest.mark.parametrize(("root", "named"), [("missing", "does not exist"), ("f.txt", "is a file")])
def test_a_bad_root_is_a_clear_sentence(tmp_path, root, named):
    (tmp_path / "f.txt").write_text("x")
    with pytest.raises(ProjectError, match=named):
        ipuaro_jupyter.start(tmp_path / root)


def test_an_empty_folder_works(open_assistant, make_project):
    assistant = open_assistant(make_project({}), [])
    assert assistant.status().files == 0
    assert assistant.call("get_complexity", {}).output.summary.total_files == 0


def test_files_that_cannot_be_read_are_reported_and_the_rest_is_indexed(
    open_assistant, make_project
):
    root = make_project({**FILES, "src/latin.ts": "const x = 'ä'\n".encode("latin-1")})
    assistant = open_assistant(root, [])
    assert assistant.status().files == 2
    assert "UTF-8" in assistant.index_report().skipped["src/latin.ts"]
    assert "Not indexed: src/latin.ts (" in str(assistant.status())
    assert "UTF-8" in assistant.call("get_lines", {"path": "src/latin.ts"}).error.message


def test_a_start_removes_what_a_killed_kernel_has_left(open_assistant, make_project):
    root = make_project({**FILES, "src/.ipuaro-0123.tmp": "export const half"})
    os.utime(root / "src/.ipuaro-0123.tmp", (1, 1))
    assert open_assistant(root, []).status().files == 2
    assert sorted(each.name for each in (root / "src").iterdir()) == ["a.ts", "b.ts"]


@pytest.mark.usefixtures("permissions_count")
def test_an_unreadable_file_is_reported(open_assistant, make_project):
    root = make_project(FILES)
    (root / "src/a.ts").chmod(0)
    assistant = open_assistant(root, [])
    assert "permission" in assistant.index_report().skipped["src/a.ts"].lower()


def test_a_start_that_is_stopped_leaves_the_session_free(open_assistant, make_project):
    root = make_project(FILES)
    first = open_assistant(root, ["Yes."])
    first.ask("Is this kept?")
    session = first.session.id
    first.close()
    token = CancelToken()
    (root / "src/c.ts").write_text("export const c = 1\n")
    with pytest.raises(Cancelled):
        open_assistant(root, [], progress=lambda _: token.cancel(), cancel=token)
    assert open_assistant(root, []).session.id == session


def test_reindex_parses_everything_and_reports_what_there_is(open_assistant, make_project):
    assistant = open_assistant(make_project({**FILES, "latin.ts": b"// \xe9"}), [])
    report = assistant.reindex()
    assert (report.files, report.parsed) == (2, 2)
    assert report.skipped.keys() == {"latin.ts"}
    assert assistant.index_report() == report.model_copy(
        update={"seconds": assistant.index_report().seconds}
    )
    assert "Not indexed: latin.ts" in report._repr_mimebundle_()["text/plain"]


@pytest.mark.parametrize("watchdog", [{}, {"enabled": False}, {"forcePolling": True}])
def test_changes_are_seen_whether_they_are_watched_or_not(open_assistant, make_project, watchdog):
    root = make_project(FILES)
    assistant = open_assistant(root, [], settings={"watchdog": watchdog})
    (root / "src/c.ts").write_text("export const fresh = 1\n")
    found = assistant.call("find_definition", {"symbol": "fresh"})
    assert "src/c.ts:1" in found.text()


def test_broken_settings_stop_the_start(make_project):
    with pytest.raises(SettingsError, match=r"\.ipuaro\.json"):
        ipuaro_jupyter.start(make_project({".ipuaro.json": "{"}))


def test_two_projects_of_one_name_do_not_collide(open_assistant, make_project, tmp_path):
    one = open_assistant(make_project(FILES, name="app"), [])
    other_root = tmp_path / "other" / "app"
    other_root.mkdir(parents=True)
    (other_root / "z.ts").write_text("export const z = 1\n")
    other = open_assistant(other_root, [])
    assert one.status().files == 2
    assert other.status().files == 1


def test_load_and_sessions(open_assistant, make_project):
    root = make_project(FILES)
    assistant = open_assistant(root, ["one", "two"])
    assistant.ask("first")
    first = assistant.session.id
    assistant.close()
    assistant = open_assistant(root, ["three"], new=True)
    assistant.ask("second")
    assert [s.title for s in assistant.sessions()] == ["second", "first"]
    assert assistant.load(first[:-1]).title == "first"
    with pytest.raises(SettingsError, match="no session"):
        assistant.load("nope")


def test_export_writes_a_notebook_of_the_conversation(open_assistant, make_project, tmp_path):
    reply = 'Look:\n<tool_call name="get_lines"><path>src/a.ts</path></tool_call>'
    assistant = open_assistant(make_project(FILES), [reply, "It is 1."])
    assistant.ask("What is a?")
    path = assistant.export(tmp_path / "talk.ipynb")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cell = next(cell for cell in notebook.cells if cell.id == "turn-1")
    assert cell.source == "%%ask\nWhat is a?"
    assert "It is 1." in cell.outputs[0]["data"]["text/plain"]
    assert "It is 1." in cell.outputs[0]["data"]["text/html"]
    assert cell.metadata["ipuaro"]["replies"] == [reply, "It is 1."]
    assert cell.metadata["ipuaro"]["calls"][0]["result"]["success"] is True
    with pytest.raises(SettingsError, match="ipynb"):
        assistant.export(tmp_path / "talk.txt")


def test_parse_reply_knows_the_tools():
    parsed = ipuaro_jupyter.parse_reply('<tool_call name="get_todos"></tool_call> done')
    assert [c.name for c in parsed.calls] == ["get_todos"]
    assert parsed.text.strip() == "done"


def test_the_model_may_be_given_as_an_object(make_project):
    with ipuaro_jupyter.start(make_project(FILES), model=ScriptedModel(["hi"])) as assistant:
        assert assistant.ask("hello").text == "hi"
    assistant.close()


def test_an_export_loads_nothing_from_the_network(open_assistant, make_project, tmp_path):
    reply = "![x](https://evil.example/?q=1) <img src='https://evil.example/'> <script>1</script>"
    assistant = open_assistant(make_project(FILES), [reply])
    assistant.ask("What is a?")
    data = nbformat.read(assistant.export(tmp_path / "t.ipynb"), as_version=4).cells[2].outputs[0]
    assert set(data["data"]) == {"text/plain", "text/html"}
    assert "<img" not in data["data"]["text/html"]
    assert "<script" not in data["data"]["text/html"]


def test_undo_of_a_call_after_a_restart(open_assistant, make_project):
    root = make_project(FILES)
    edit = {"path": "src/a.ts", "start": 1, "end": 1, "content": "export const a = 2"}
    first = open_assistant(root, [], auto_apply=True)
    assert first.call("edit_lines", edit).success
    first.close()
    second = open_assistant(root, [])
    assert second.undo().success
    assert (root / "src/a.ts").read_text() == FILES["src/a.ts"]
    assert second.session.edits_undone == 1


def test_only_true_and_decisions_apply(open_assistant, make_project):
    root = make_project(FILES)
    assistant = open_assistant(root, [], confirm=lambda _: "no")
    result = assistant.call("delete_file", {"path": "src/a.ts"})
    assert "'no'" in result.error.message
    assert (root / "src/a.ts").exists()


@pytest.mark.parametrize("arguments", ["x", [1], 3])
def test_arguments_that_are_no_object_are_a_result(open_assistant, make_project, arguments):
    result = open_assistant(make_project(FILES), []).call("get_lines", arguments)
    assert result.error.type == "validation"


def test_a_call_within_a_turn_does_not_steal_its_edits(open_assistant, make_project):
    edit = (
        '<tool_call name="edit_lines"><path>src/a.ts</path><start>1</start><end>1</end>'
        "<content>export const a = 3</content></tool_call>"
    )
    assistant = open_assistant(make_project(FILES), [edit, "Done."], auto_apply=True)
    assistant.call("get_lines", {"path": "src/a.ts"}, by_user=False)
    last = None
    for event in assistant.stream("Change it"):
        assistant.call("get_lines", {"path": "src/b.ts"})
        last = event
    assert [change.path for change in last.answer.edits] == ["src/a.ts"]
    assert assistant.session.edits_applied == 1


def test_status_tells_how_full_the_window_is(open_assistant, make_project):
    assistant = open_assistant(make_project(FILES), ["hi"])
    assistant.ask("hello")
    assert assistant.status().context_percent > 0


def test_close_works_when_the_store_has_gone(make_project, start_redis):
    url, server = start_redis
    root = make_project(FILES)
    assistant = ipuaro_jupyter.start(root, model="none", settings={"redis": {"url": url}})
    server.kill()
    server.wait(10)
    assistant.close()
    assistant.close()
    error = assistant.call("get_structure", {}).error
    assert "closed" in error.message
    assert not error.recoverable


def test_a_lost_store_is_a_storage_error_of_ask(make_project, start_redis):
    url, server = start_redis
    model = ScriptedModel(["hi"])
    assistant = ipuaro_jupyter.start(
        make_project(FILES), model=model, settings={"redis": {"url": url}}
    )
    server.kill()
    server.wait(10)
    with pytest.raises(StorageError, match="does not answer"):
        assistant.ask("hello")
    assistant.close()


def test_status_tells_what_each_project_takes(open_assistant, make_project):
    root = make_project(FILES)
    assistant = open_assistant(root, [])
    assert assistant.status().stored == ()
    status = assistant.status(stored=True)
    newest, size = status.stored[0]
    assert newest == str(root)
    assert size > 1000
    assert f"Kept: {sum(size for _, size in status.stored) / 1e6:.1f} MB: {root} " in str(status)

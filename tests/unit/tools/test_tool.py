"""A call in a model's own words is the call of the tool that it means."""

import pytest

FILES = {"src/a.ts": "export const a = 1\nexport const b = 2\n"}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_lines", {"file_path": "src/a.ts", "startLine": "2"}),
        ("read_file", {"path": "src/a.ts", "start_line": 2}),
        ("cat", {"arguments": {"filename": "src/a.ts", "from": 2, "end": None}}),
        ("get_lines", '{"filepath": "src/a.ts", "line": 2.0}'),
        ("get_lines", [{"path": {"type": "string", "value": "src/a.ts"}, "start": "2"}]),
    ],
)
def test_the_usual_ways_to_write_a_call_are_understood(run, tool, arguments):
    assert run(FILES)(tool, arguments).text() == "     2\texport const b = 2"


def test_the_tool_of_that_name_comes_first_when_both_understand_a_call(run):
    call = run(FILES)
    assert call("read_file", {"file": "src/a.ts"}).tool == "read_file"
    assert call("read_file", {"path": "src/a.ts"}).tool == "get_lines"
    assert call("read_file", {"file": "src/a.ts", "start": 1}).tool == "get_lines"


def test_two_names_for_one_parameter_have_to_agree(run):
    error = run(FILES)("get_lines", {"path": "src/a.ts", "file": "src/b.ts"}).error
    assert error.type == "validation"
    assert "'path' and 'file' mean the same parameter" in error.message
    assert "get_lines(path" in error.suggestion


def test_what_nothing_explains_is_an_error_with_the_closest_name(run):
    call = run(FILES)
    assert "(meant: path?)" in call("get_lines", {"pth": "src/a.ts"}).error.message
    assert "'fresh' (it has none)" in call("last_error", {"fresh": True}).error.message
    assert call("get_lines", [1, 2]).error.type == "validation"


def test_a_doubtful_name_is_never_guessed_for_an_edit(run):
    call = run(FILES, auto_apply=True)
    edit = {"path": "src/a.ts", "offset": 1, "end": 1, "content": "x"}
    assert call("edit_lines", edit).error.type == "validation"
    assert call("update_file", {"path": "src/a.ts", "content": "x"}).error.type == "validation"


def test_the_session_and_the_redaction_see_the_call_as_it_was_meant(make_project, open_assistant):
    root = make_project({".env": "NAME=harbour\nDB_PASSWORD=tr4wler-gale-0419\n"})
    reply = '<tool_call name="get_lines"><file>.env</file></tool_call>'
    assistant = open_assistant(root, [reply, "Done."])
    (called,) = assistant.ask("What is set?").tool_calls
    assert called.call.arguments == {"path": ".env"}
    sent = assistant.model.requests[-1].messages[-1].content
    assert "[redacted:" in sent
    assert "tr4wler" not in sent


@pytest.mark.parametrize(
    "path", ["/app/src/a.ts", "~/x/src/a.ts", "a/src/a.ts", "project/src/a.ts"]
)
def test_a_path_from_elsewhere_that_names_a_file_of_the_project_means_it(run, path):
    call = run(FILES, auto_apply=True)
    assert call("get_lines", {"path": path, "end": 1}).text() == "     1\texport const a = 1"
    assert call("grep", {"pattern": "b = 2", "path": path}).output.shape().rows
    assert call("get_complexity", {"path": path}).output.files[0].path == "src/a.ts"
    edit = {"path": path, "start": 1, "end": 1, "content": "export const c = 3"}
    assert call("edit_lines", edit).success
    assert "c = 3" in call("read_file", {"filepath": path}).text()


def test_a_bare_name_is_read_with_a_remark_and_suggested_for_an_edit(run):
    call = run(FILES, auto_apply=True)
    result = call("get_lines", {"path": "a.ts", "end": 1})
    assert result.text().split("\n")[0] == "[There is no a.ts: this is src/a.ts.]"
    assert result.to_dict() == {"success": True, "output": "     1\texport const a = 1"}
    for tool, more in (
        ("edit_lines", {"start": 1, "end": 1, "content": "x"}),
        ("update_file", {"target": "a", "patch": "x"}),
        ("delete_file", {}),
    ):
        error = call(tool, {"path": "a.ts", **more}).error
        assert (error.type, error.suggestion) == ("file", "Did you mean src/a.ts?"), tool
    assert "a = 1" in call("get_lines", {"path": "src/a.ts"}).text()


def test_a_new_file_is_where_it_was_asked_for(run):
    call = run(FILES, auto_apply=True)
    assert not call("create_file", {"path": "/app/src/new.ts", "content": ""}).success
    assert call("create_file", {"path": "a.ts", "content": "x\n"}).success
    assert call("get_lines", {"path": "a.ts"}).to_dict()["output"] == "     1\tx"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("find_references", {"symbol": "a"}),
        ("get_structure", {}),
        ("get_todos", {}),
        ("grep", {"pattern": "const"}),
    ],
)
def test_a_folder_that_is_gone_is_told_instead_of_an_empty_answer(
    make_project, open_assistant, tool, arguments
):
    root = make_project(FILES)
    call = open_assistant(root, []).call
    moved = root.rename(root.with_name("elsewhere"))
    error = call(tool, arguments).error
    assert error.type == "file"
    assert f"The project's folder is gone: {root}." in error.message
    assert "%ipuaro start" in error.suggestion
    moved.rename(root)
    assert call(tool, arguments).success

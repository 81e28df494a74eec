"""The result of an edit with problems draws them; the user's thinking costs a call no time."""

import time

import pytest

from ipuaro_jupyter.views import tool_result

BROKEN = "export const a = (\n"
CALLS = [
    ("edit_lines", {"path": "a.ts", "start": 1, "end": 1, "content": BROKEN}),
    ("create_file", {"path": "b.ts", "content": BROKEN}),
    (
        "propose_changes",
        {"changes": [{"path": "a.ts", "start": 1, "end": 1, "content": BROKEN}]},
    ),
]


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.ts").write_text("export const a = 1;\n")
    return root


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_problems_that_were_agreed_to_are_drawn_with_the_result(
    open_assistant, project, tool, arguments
):
    assistant = open_assistant(project, [], auto_apply=True)
    assistant.confirm = lambda _: True
    result = assistant.call(tool, arguments)
    assert result.success, result.text()
    assert "! " in tool_result.text(result)
    for drawn in (tool_result.text(result), tool_result.html(result)):
        assert "syntax error in line 1" in drawn


def test_an_edit_without_problems_draws_none(open_assistant, project):
    assistant = open_assistant(project, [], auto_apply=True)
    result = assistant.call("create_file", {"path": "b.ts", "content": "export {};\n"})
    assert "Problems" not in tool_result.html(result)


def test_the_users_own_edit_with_a_syntax_error_is_asked_about(open_assistant, project):
    assistant = open_assistant(project, [], auto_apply=True)
    asked = []
    assistant.confirm = lambda proposal: bool(asked.append(proposal))
    result = assistant.call(*CALLS[0])
    assert result.error.rejected
    assert asked[0].problems
    assert (project / "a.ts").read_text() == "export const a = 1;\n"


def test_an_edit_that_takes_away_a_used_import_is_asked_about(open_assistant, project):
    (project / "b.ts").write_text('import { a } from "./a";\nexport const b = a;\n')
    assistant = open_assistant(project, [], auto_apply=True)
    asked = []
    assistant.confirm = lambda proposal: asked.append(proposal) or True
    edit = {"path": "b.ts", "start": 1, "end": 1, "content": "// nothing"}
    result = assistant.call("edit_lines", edit)
    assert asked[0].problems == ('line 2 uses "a", which is no longer imported',)
    assert "It was applied with problems; mend them:\n- line 2 uses" in result.text()


def test_the_time_of_a_call_leaves_out_that_in_which_the_user_thinks(open_assistant, project):
    assistant = open_assistant(project, [])
    assistant.confirm = lambda _: time.sleep(0.5) or True
    started_s = time.monotonic()
    result = assistant.call("create_file", {"path": "b.ts", "content": "export {};\n"})
    whole_ms = 1000 * (time.monotonic() - started_s)
    assert result.success
    assert result.duration_ms < whole_ms - 400

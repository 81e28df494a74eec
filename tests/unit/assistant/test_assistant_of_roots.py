"""An assistant for several folders: its tools, guides, questions and mentions know of all."""

import json

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.context.guides import project_guides
from ipuaro_jupyter.assistant.slash_commands import RESERVED
from ipuaro_jupyter.assistant.templates.question_templates import question_templates
from ipuaro_jupyter.store.roots import named_roots
from ipuaro_jupyter.workspace.files.paths import project_of

API = {
    "AGENTS.md": "Use tabs in the API.\n",
    "src/login.ts": "export function login() {}\n",
    "package.json": json.dumps({"name": "@x/api", "main": "dist/login.js"}),
    ".claude/commands/review.md": "Review $1.\n",
    "node_modules/left/package.json": json.dumps({"name": "left", "types": "index.d.ts"}),
    "node_modules/left/index.d.ts": "export declare function pad(): string;\n",
}
WEB = {
    "AGENTS.md": "Use blanks in the web.\n",
    "src/page.ts": 'import { login } from "@x/api";\nlogin();\n',
    "src/pad.ts": 'import { pad } from "left";\npad();\n',
    "src/test_page.py": "def test_it():\n    pass\n",
    "pytest.ini": "[pytest]\n",
    ".claude/commands/review.md": "Review the page $1.\n",
    ".claude/commands/ship.md": "Ship $1.\n",
}


@pytest.fixture
def folders(make_project):
    return make_project(API, name="api"), make_project(WEB, name="web")


@pytest.fixture
def assistant(open_assistant, folders):
    return open_assistant(folders, ScriptedModel(["Fine."] * 3), confirm=lambda _: True)


def test_the_status_names_the_roots(assistant, folders):
    status = assistant.status()
    assert (status.project, status.root) == ("api+web", f"{folders[0]} + {folders[1]}")


def test_references_lead_from_one_root_to_the_other(assistant):
    found = assistant.call("find_references", {"symbol": "login"}).to_dict()["output"]
    assert {one["path"] for one in found["references"]} == {"api/src/login.ts", "web/src/page.ts"}


def test_a_rename_changes_both_roots_and_is_undone_as_one(assistant, folders):
    renamed = assistant.call("rename_symbol", {"symbol": "login", "to": "enter"})
    assert renamed.success, renamed.text()
    assert "enter" in (folders[0] / "src/login.ts").read_text()
    assert "enter" in (folders[1] / "src/page.ts").read_text()
    assert assistant.undo().success
    assert (folders[0] / "src/login.ts").read_text() == API["src/login.ts"]
    assert (folders[1] / "src/page.ts").read_text() == WEB["src/page.ts"]


def test_absolute_patterns_are_found_in_their_root(assistant, folders):
    found = assistant.call("glob", {"pattern": f"{folders[1]}/src/*.ts"})
    assert "page.ts" in found.text()
    assert not assistant.call("glob", {"pattern": "/elsewhere/*.ts"}).success


def test_the_only_tests_there_are_run_in_their_root(assistant, folders):
    ran = assistant.call("run_tests", {"filter": "it"})
    assert ran.success, ran.text()
    assert (ran.output.runner, ran.output.passed) == ("pytest", True)
    assert ran.output.command.endswith("(in web)")
    (folders[0] / "pytest.ini").write_text("[pytest]\n")
    (folders[0] / "test_x.py").write_text("def test_it():\n    pass\n")
    both = assistant.call("run_tests", {})
    assert "Several roots have tests: api, web" in both.text()
    assert assistant.call("run_tests", {"path": "api/test_x.py"}).success


def test_no_root_has_tests(open_assistant, make_project):
    folders = make_project({}, name="docs"), make_project({}, name="notes")
    ran = open_assistant(folders, []).call("run_tests", {})
    assert "No test runner was found for docs" in ran.text()


def test_guides_of_all_roots_are_read(assistant):
    guides = project_guides(assistant.project().workspace, 1000)
    assert [one.path for one in guides] == ["api/AGENTS.md", "web/AGENTS.md"]


def test_questions_of_each_root_are_trusted_by_themselves(assistant):
    found = question_templates(assistant.root, RESERVED)
    assert found["review"].place == "api/.claude/commands/review.md"
    assert found["ship"].place == "web/.claude/commands/ship.md"
    assert assistant.ask("/ship it").question == "Ship it."


def test_a_mention_names_a_file_of_a_root(assistant):
    answer = assistant.ask("Explain @web/src/page.ts and @left/pad")
    assert "web/src/page.ts" in str(answer.attached)
    assert "left" not in answer.notice


def test_what_is_installed_in_a_root_is_found_there(assistant, folders):
    (folders[1] / "src/pad.ts").unlink()
    (folders[0] / "src/pad.ts").write_text(WEB["src/pad.ts"])
    found = assistant.call("find_definition", {"symbol": "pad"})
    assert "api/node_modules/left/index.d.ts:1" in found.text()


def test_a_session_is_resumed_whatever_the_order(open_assistant, folders):
    with open_assistant(folders, ScriptedModel(["Fine."])) as first:
        first.ask("Hello")
        session = first.session.id
    with open_assistant([folders[1], folders[0]], ScriptedModel([])) as again:
        assert again.session.id == session
        assert named_roots(again.root)
        assert again.root == project_of(folders)

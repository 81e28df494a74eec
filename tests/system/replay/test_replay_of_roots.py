"""A session of several roots is replayed in copies of all of them."""

import json
import sys

import pytest
from opened_mcp import SERVERS
from talks import call, git, outcomes

from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.replay import replay
from ipuaro_jupyter.settings.opened_folder import opened_folder
from ipuaro_jupyter.store.user_folders import home

API = {
    "package.json": json.dumps({"name": "@shop/api", "main": "dist/fee.js"}),
    "src/fee.ts": "export function fee(kg: number) {\n  return kg * 2;\n}\n",
}
WEB = {
    "package.json": json.dumps({"name": "@shop/web"}),
    "src/page.ts": 'import { fee } from "@shop/api";\nexport const ten = fee(10);\n',
}
REPLIES = (
    call("find_references", symbol="fee"),
    call("get_lines", path="api/src/fee.ts"),
    call("edit_lines", path="api/src/fee.ts", start=2, end=2, content="  return kg * 3;"),
    call("get_lines", path="web/src/page.ts"),
    call("edit_lines", path="web/src/page.ts", start=2, end=2, content="export const x = fee(1);"),
    call("git_commit", message="Raise it", files='["api/src/fee.ts"]'),
    call("git_status"),
    call("create_file", path="web/src/new.ts", content="export const y = 1;\n"),
    call("run_command", command="cd web && ls src"),
    "Done.",
)


def _state(root):
    files = {p.relative_to(root): p.read_bytes() for p in root.rglob("*.*") if p.is_file()}
    return files, git(root, "--no-optional-locks", "status", "--porcelain"), git(root, "log")


def _repository(root):
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Dock Hand")
    git(root, "config", "user.email", "dock@example.test")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")


def _standing_for_roots():
    return set((home() / "roots").glob("*/*"))


@pytest.fixture(params=["two repositories", "one repository", "apart"])
def folders(make_project, request, tmp_path):
    """Two roots: with a repository each, in one of both, or not beside each other."""
    if request.param == "two repositories":
        found = make_project(API, "api"), make_project(WEB, "web")
        for root in found:
            _repository(root)
        return found
    if request.param == "one repository":
        both = {f"api/{p}": t for p, t in API.items()} | {f"web/{p}": t for p, t in WEB.items()}
        top = make_project(both, "mono")
        _repository(top)
        return top / "api", top / "web"
    (tmp_path / "elsewhere").mkdir()
    found = make_project(API, "api"), make_project(WEB, "elsewhere/web")
    for root in found:
        _repository(root)
    return found


def test_all_is_made_again_in_copies_and_no_root_is_touched(folders, open_assistant, tmp_path):
    with open_assistant(folders, list(REPLIES), confirm=lambda _: True) as assistant:
        answer = assistant.ask("Raise the fee")
        talk = assistant.export(tmp_path / "talk.ipynb")
    assert [called.result.text() for called in answer.tool_calls if called.result.error] == []
    before, links = [_state(root) for root in folders], _standing_for_roots()
    report = replay(talk, folders)
    assert {outcome for _, outcome in outcomes(report)} == {"same"}
    assert len(report.calls) == len(REPLIES) - 1
    assert report.endings == ()
    assert report.restored == (
        "HEAD, without 1 commit of the session",
        "api/src/fee.ts",
        "web/src/new.ts",
        "web/src/page.ts",
    )
    assert [_state(root) for root in folders] == before
    assert _standing_for_roots() == links, "what stood for the copies has gone"


def test_what_has_changed_since_in_a_root_is_a_difference(folders, open_assistant, tmp_path):
    with open_assistant(folders, [REPLIES[0], "Three."]) as assistant:
        assistant.ask("Who uses it?")
        talk = assistant.export(tmp_path / "talk.ipynb")
    (folders[1] / "src/page.ts").write_text("export const ten = 10;\n")
    (found,) = outcomes(replay(talk, folders))
    assert found == ("find_references", "differs")


def test_the_servers_of_a_root_run_in_its_copy(make_project, open_assistant, tmp_path):
    shop = {"command": sys.executable, "args": [str(SERVERS / "workshop.py"), "notes.txt"]}
    settings = json.dumps({"mcpServers": {"shop": shop}})
    api, web = make_project(API, "api"), make_project(WEB | {".ipuaro.json": settings}, "web")
    opened_folder(web, {}, confirm=lambda _: Decision(action="apply"))
    replies = [call("mcp__web-shop__greet", name="Ada"), "Greeted."]
    with open_assistant([api, web], replies, confirm=lambda _: True) as assistant:
        assistant.ask("Greet Ada")
        talk = assistant.export(tmp_path / "talk.ipynb")
    (web / "notes.txt").unlink()
    assert outcomes(replay(talk, [api, web])) == [("mcp__web-shop__greet", "same")]
    assert not (web / "notes.txt").exists()

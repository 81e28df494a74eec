"""Several folders as one project, in a real kernel."""

import json

import pytest

API = {
    "package.json": json.dumps({"name": "@shop/api", "main": "dist/index.js"}),
    "src/index.ts": "export function login(name: string) {\n  return name;\n}\n",
}
WEB = {
    "package.json": json.dumps({"name": "@shop/web"}),
    "src/page.ts": 'import { login } from "@shop/api";\nexport const user = login("ada");\n',
}
APPLY = {"action": "apply", "text": None}
USED = "web/src/page.ts"


@pytest.fixture
def folders(make_project):
    return make_project(API, name="api"), make_project(WEB, name="web")


@pytest.fixture
def opened(kernel, folders):
    """A kernel with both folders open."""
    kernel.serve(" ".join(map(str, folders)), kernel.recording)
    kernel.begin()
    return kernel


def test_references_lead_from_one_root_to_the_other(opened, folders):
    status = opened.run("%ipuaro").text
    assert f"Project: api+web ({folders[0]} + {folders[1]})" in status
    ran = opened.run("%tool find_references login")
    assert "References to login: 3" in ran.text
    assert all(place in ran.text for place in ("api/src/index.ts:1", f"{USED}:1", f"{USED}:2"))


def test_an_edit_is_asked_about_written_where_it_lies_and_undone(opened, folders):
    line = {"path": USED, "start": 2, "end": 2, "content": "export const user = 1;"}
    ran = opened.run(f"%tool edit_lines {json.dumps(line)}", decide=APPLY)
    assert USED in ran.text
    page = folders[1] / "src/page.ts"
    assert page.read_text().endswith("export const user = 1;\n")
    assert "References to login: 2" in opened.run("%tool find_references login").text
    opened.run("%ipuaro undo")
    assert page.read_text() == WEB["src/page.ts"]


def test_paths_of_all_roots_are_completed(opened):
    opened.client.complete("%ipuaro todos w", 15)
    reply = opened.client.get_shell_msg(timeout=30)
    assert "web/" in reply["content"]["matches"]


def test_the_order_does_not_matter_and_the_session_is_resumed(opened, folders):
    opened.run("%ipuaro stop")
    line = f"%ipuaro start {folders[1]} {folders[0]} --model recorded:{opened.recording}"
    assert opened.run(line).reply["status"] == "ok"
    assert opened.run(line).reply["status"] == "ok"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("{api} {api}/src", "is inside of"),
        ("{api} {api}", "was given twice"),
        ("{api} x={api}/nowhere", "does not exist"),
    ],
)
def test_roots_that_do_not_go_together_are_one_sentence(kernel, folders, given, told):
    kernel.run("%load_ext ipuaro_jupyter")
    ran = kernel.run("%ipuaro start " + given.format(api=folders[0]))
    assert ran.types == ["error"]
    assert told in ran.text


def test_an_export_opens_the_same_roots(opened, tmp_path):
    assert opened.run("%%ask\nExplain").reply["status"] == "ok"
    file = tmp_path / "talk.ipynb"
    opened.run(f"%ipuaro export {file}")
    cells = json.loads(file.read_text())["cells"]
    assert any("%ipuaro start api web --new" in "".join(cell["source"]) for cell in cells)
    for options in ("", " --in-place"):
        ran = opened.run(f"%ipuaro replay {file}{options}")
        assert "no difference" in ran.text.lower()

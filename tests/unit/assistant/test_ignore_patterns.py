"""``project.ignorePatterns``: what an index leaves out although git tracks it."""

import subprocess

import pytest

FILES = {
    "src/fee.ts": "export const fee = 2 // TODO: lower it\n",
    "dist/fee.js": "export const fee = 2 // TODO: lower it\n",
    "src/fee.gen.ts": "export const fee = 2 // TODO: lower it\n",
}


@pytest.fixture
def root(make_project):
    root = make_project(FILES)
    for command in (["init", "-q"], ["add", "-f", "."]):
        subprocess.run(["git", *command], cwd=root, check=True, capture_output=True)
    return root


def ignoring(*patterns):
    return {"project": {"ignorePatterns": list(patterns)}}


def defined(assistant):
    found = assistant.call("find_definition", {"symbol": "fee"}).to_dict()["output"]
    return {definition["path"] for definition in found["definitions"]}


def test_what_is_named_leaves_the_index_and_comes_back(open_assistant, root):
    for patterns, left in (
        ((), set(FILES)),
        (("dist/", "*.gen.ts"), {"src/fee.ts"}),
        (("/src/*", "!fee.gen.ts"), {"dist/fee.js", "src/fee.gen.ts"}),
        ((), set(FILES)),
    ):
        with open_assistant(root, [], settings=ignoring(*patterns)) as assistant:
            assert defined(assistant) == left
            assert assistant.index_report().files == len(left)
            todos = assistant.call("get_todos").to_dict()["output"]["todos"]
            assert {todo["path"] for todo in todos} == left
            found = assistant.call("grep", {"pattern": "lower"}).text()
            assert {path for path in FILES if path in found} == left


def test_what_is_left_out_can_be_read_when_it_is_named(open_assistant, root):
    assistant = open_assistant(root, [], settings=ignoring("dist/"))
    assert "fee = 2" in assistant.call("get_lines", {"path": "dist/fee.js"}).text()
    assert "- fee.js" in assistant.call("glob", {"pattern": "*.js", "directory": "dist"}).text()


def test_a_change_to_what_is_left_out_does_not_bring_it_in(open_assistant, root):
    assistant = open_assistant(root, [], settings=ignoring("dist/"), auto_apply=True)
    edit = {"path": "dist/fee.js", "start": 1, "end": 1, "content": "export const fee = 3"}
    assert assistant.call("edit_lines", edit).success
    (root / "dist/new.js").write_text("export const fee = 4\n")
    assert defined(assistant) == {"src/fee.ts", "src/fee.gen.ts"}

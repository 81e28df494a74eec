"""What git tracks and has not checked out is told wherever an answer cannot see it."""

import subprocess

import pytest

FILES = {
    "src/a.ts": "export function gear() {\n  return 1;\n}\n",
    "app/b.ts": "import { gear } from '../src/a';\ngear();\n",
    "app/deep/c.ts": "export const c = 1;\n",
    "src/lib/d.ts": "export const d = 1;\n",
}
_NAME = ("-c", "user.name=n", "-c", "user.email=n@example.org")


@pytest.fixture
def sparse(make_project):
    """A repository of which only some files are checked out."""
    root = make_project(FILES)
    for command in (
        ("init", "-q"),
        ("add", "-A"),
        (*_NAME, "commit", "-qm", "one"),
        ("sparse-checkout", "set", "--no-cone", "/src/*", "!/src/lib/"),
    ):
        subprocess.run(["git", *command], cwd=root, check=True, capture_output=True)
    return root


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("find_references", {"symbol": "gear"}),
        ("get_callers", {"symbol": "gear"}),
        ("get_dependents", {"path": "src/a.ts"}),
        ("get_impact", {"symbol": "gear"}),
        ("find_definition", {"symbol": "nowhere"}),
    ],
)
def test_answers_tell_of_it(sparse, open_assistant, tool, arguments):
    text = open_assistant(sparse, []).call(tool, arguments).text()
    assert "2 paths not checked out (git sparse-checkout)" in text


def test_searches_name_what_is_not_there(sparse, open_assistant):
    text = open_assistant(sparse, []).call("grep", {"pattern": "c = 1"}).text()
    assert "app (not checked out), src/lib (not checked out)" in text


def test_once_it_is_there_nothing_is_told(sparse, open_assistant):
    call = open_assistant(sparse, []).call
    assert "checked out" in call("get_dependents", {"path": "src/a.ts"}).text()
    subprocess.run(["git", "sparse-checkout", "disable"], cwd=sparse, check=True)
    text = call("get_dependents", {"path": "src/a.ts"}).text()
    assert "app/b.ts" in text
    assert "checked out" not in text

"""What cannot be read is told: no search answers as if nothing were there."""

import pytest

FILES = {
    "open/a.ts": "export const crate = 1\n",
    "shut.ts": "export const hidden = 1\n",
    "closed/b.ts": "export const hidden = 1\n",
}
CLOSED = "not looked at: 1 folder that cannot be read: closed"


@pytest.fixture
def call(make_project, open_assistant, permissions_count):  # noqa: ARG001 - it has to be first
    """Call a tool in FILES, where one file and one folder cannot be read."""
    root = make_project(FILES)
    assistant = open_assistant(root, [])
    (root / "shut.ts").chmod(0)
    (root / "closed").chmod(0)
    yield lambda tool, **arguments: assistant.call(tool, arguments).text()
    (root / "closed").chmod(0o755)


@pytest.mark.parametrize("strategy", ["python", "ripgrep", "hybrid"])
@pytest.mark.parametrize("pattern", ["hidden", "crate"])
def test_grep_names_what_it_could_not_search(call, pattern, strategy):
    text = call("grep", pattern=pattern, search_type=strategy)
    assert f"| not searched because they cannot be read: shut.ts; {CLOSED}\n" in f"{text}\n"


@pytest.mark.parametrize("pattern", ["**/*.ts", "**/*.none"])
def test_glob_names_the_folders_that_it_could_not_look_into(call, pattern):
    assert CLOSED in call("glob", pattern=pattern)


def test_a_tree_names_the_folders_that_it_could_not_look_into(call):
    assert call("get_structure").endswith(f"; {CLOSED}")
    assert "not looked at" not in call("get_structure", path="open")

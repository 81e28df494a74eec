"""What is suggested for a path that does not exist is of the kind that the tool takes."""

import pytest

FILES = {"src/auth.ts": "export const a = 1;\n", "src/author/one.ts": ""}
OF_FILES = {
    "get_lines": {},
    "get_function": {"name": "a"},
    "get_class": {"name": "a"},
    "get_dependencies": {},
    "get_dependents": {},
    "edit_lines": {"start": 1, "end": 1, "content": ""},
    "delete_file": {},
    "read_file": {},
    "update_file": {"target": "a", "patch": "b"},
}
OF_FOLDERS = {
    "get_structure": {},
    "list_dir": {},
    "glob": {"pattern": "*"},
    "grep": {"pattern": "a"},
    "bash": {"command": "ls"},
}


def suggestion(call, tool, path, arguments):
    name = {"read_file": "filepath", "update_file": "filepath", "bash": "cwd"}.get(tool, "path")
    if tool in ("list_dir", "glob", "grep"):
        name = "directory"
    error = call(tool, {name: path, **arguments}).error
    assert error.type == "file"
    return error.suggestion


@pytest.mark.parametrize("path", ["src/autho", "scr/auth.ts"])
@pytest.mark.parametrize("tool", OF_FILES)
def test_a_file_is_suggested_where_a_file_is_read(shared, tool, path):
    told = suggestion(shared, tool, path, OF_FILES[tool])
    assert told.startswith("Did you mean src/auth.ts?")


@pytest.mark.parametrize("tool", OF_FILES)
def test_a_folder_is_not_suggested_where_a_file_is_read(shared, tool):
    told = suggestion(shared, tool, "scr/none.ts", OF_FILES[tool])
    assert told.startswith("get_structure shows what there is in the project.")


@pytest.mark.parametrize("path", ["src/autho", "scr/author"])
@pytest.mark.parametrize("tool", OF_FOLDERS)
def test_a_folder_is_suggested_where_a_folder_is_read(shared, tool, path):
    assert suggestion(shared, tool, path, OF_FOLDERS[tool]) == "Did you mean src/author?"


def test_both_are_suggested_where_both_are_read(shared):
    told = suggestion(shared, "get_todos", "src/autho", {})
    assert told == "Did you mean src/author, src/auth.ts?"

"""What lists or searches files says how many it leaves out for their names."""

import os
import subprocess

import pytest

BAD = (b"caf\xe9.ts", b"src/na\xefve.py", b"src/\xff/deep.ts", b".h\xe9.ts")
TOLD = "not looked at: {}"


@pytest.fixture(params=["git", "plain"])
def call(make_project, open_assistant, request):
    """The `call` of a project with such files, with and without git."""
    root = make_project({"src/a.ts": "export const a = 1\n", "b.py": "a = 1\n"})
    for name in BAD:
        place = os.path.join(os.fsencode(root), name)  # noqa: PTH118 - bytes
        os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120 - bytes
        with open(place, "wb") as file:  # noqa: PTH123 - bytes
            file.write(b"a = 1\n")
    if request.param == "git":
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return open_assistant(root, []).call


@pytest.mark.parametrize(
    ("tool", "arguments", "files"),
    [
        ("grep", {"pattern": "a = 1"}, 4),
        ("grep", {"pattern": "nothing like it"}, 4),
        ("grep", {"pattern": "a = 1", "path": "src"}, 2),
        ("grep", {"pattern": "a = 1", "include_files": "*.ts", "path": "src"}, 1),
        ("grep", {"pattern": "a = 1", "exclude_files": "src"}, 2),
        ("glob", {"pattern": "**/*.ts"}, 2),
        ("glob", {"pattern": "**/*.py"}, 1),
        ("glob", {"pattern": "**/*.py", "path": "src"}, 1),
        ("glob", {"pattern": "*", "include_hidden": True}, 2),
        ("get_structure", {}, 4),
        ("get_structure", {"path": "src"}, 2),
    ],
)
def test_files_whose_names_are_not_utf8_are_counted(call, tool, arguments, files):
    result = call(tool, arguments)
    told = (
        f"not looked at: {files} files whose names are not UTF-8"
        if files > 1
        else "not looked at: 1 file whose name is not UTF-8"
    )
    assert told in result.text()
    shown = result.output.shape()
    assert told in (getattr(shown, "note", "") or shown.text)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("grep", {"pattern": "a", "include_files": "*.md"}),
        ("grep", {"pattern": "a", "path": "b.py"}),
        ("glob", {"pattern": "*.md"}),
        ("glob", {"pattern": "**/*.ts", "exclude_dirs": ["src"], "path": "src"}),
    ],
)
def test_those_that_are_not_asked_for_are_not(call, tool, arguments):
    assert "UTF-8" not in call(tool, arguments).text()


def test_a_folder_is_listed_with_them(call):
    assert "caf\\xe9.ts" in call("list_dir", {}).text()

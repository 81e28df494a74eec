"""What a command is judged by: where it is, and what a package's scripts say."""

from pathlib import Path

import pytest

from ipuaro_jupyter.workspace.permission import _is_inside, _script


@pytest.mark.parametrize(
    ("path", "inside"),
    [("a.ts", True), ("sub/none.ts", True), ("../x", False), ("a\0b", False), ("/etc", False)],
)
def test_path_that_cannot_be_is_not_inside(tmp_path, path, inside):
    assert _is_inside(tmp_path / path, tmp_path.resolve()) is inside


@pytest.mark.parametrize(
    ("package", "text"),
    [
        ('{"scripts": {"test": "jest"}}', "jest"),
        ('{"scripts": {"test": 1}}', None),
        ('{"scripts": []}', None),
        ("[]", None),
        ("{", None),
    ],
)
def test_script_is_that_of_the_nearest_package(make_project, package, text):
    root = make_project({"package.json": package, "src/deep/a.ts": ""})
    assert _script(root, root / "src/deep", "test") == text


def test_without_a_package_there_is_no_script(tmp_path: Path):
    assert _script(tmp_path, tmp_path, "test") is None

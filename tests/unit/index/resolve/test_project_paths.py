"""Paths inside the project, the globs that name them, and the files that have these."""

import pytest

from ipuaro_jupyter.index.resolve.jsonc import read_object, strings
from ipuaro_jupyter.index.resolve.project_paths import folders_up, is_inside, join, matches_any


@pytest.mark.parametrize(
    ("folder", "path", "expected"),
    [
        ("src", "./a", "src/a"),
        ("src", "../a", "a"),
        ("src", "..", ""),
        ("", ".", ""),
        ("src", "../../a", None),
        ("", "..", None),
        ("src", "/a", None),
        ("a/b", "../c/./d/..", "a/c"),
    ],
)
def test_join_never_leaves_the_project(folder, path, expected):
    assert join(folder, path) == expected


def test_folders_go_up_to_the_root():
    assert list(folders_up("a/b")) == ["a/b", "a", ""]


def test_inside_is_a_folder_boundary():
    assert is_inside("src/api/a.ts", "src/api")
    assert is_inside("src/api", "src/api")
    assert is_inside("a.ts", "")
    assert not is_inside("src/api-old/a.ts", "src/api")


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("packages/*", "packages/a", True),
        ("packages/*", "packages/a/b", False),
        ("packages/**", "packages/a/b", True),
        ("**/*", "a/b/c.ts", True),
        ("**/*.ts", "c.ts", True),
        ("src/**/x/*.ts", "src/x/a.ts", True),
        ("src/**/x/*.ts", "src/a/b/x/a.ts", True),
        ("**/*", "a/.hidden/c.ts", False),
        ("**/*", ".hidden", False),
        ("a?.ts", "ab.ts", True),
        ("{a,b}/*", "b/x", True),
        ("a.ts", "abts", False),
        ("./src/*", "src/a", True),
    ],
)
def test_globs_are_those_of_configuration_files(pattern, path, expected):
    assert matches_any(path, [pattern]) is expected


def test_glob_for_a_folder_may_stand_for_all_below():
    assert matches_any("src/old/a.ts", ["src/old"], below=True)
    assert not matches_any("src/older.ts", ["src/old"], below=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1, /* b */ "c": "//d", } // e', {"a": 1, "c": "//d"}),
        ('\ufeff{"a": [1, // x\n 2,\n ],}', {"a": [1, 2]}),
        ('{"a": "\\"/*", "b": ",}"}', {"a": '"/*', "b": ",}"}),
        ("/* open", {}),
        ("[1]", {}),
        ("{", {}),
        (None, {}),
    ],
)
def test_json_of_configuration_files_is_read_leniently(text, expected):
    assert read_object(text) == expected


def test_only_strings_are_taken_from_a_list():
    assert strings(["a", 1, None, "b"]) == ["a", "b"]
    assert strings("a") == []

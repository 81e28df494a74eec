"""Paths inside the project, the globs that name them, and the files that have these."""

from dataclasses import dataclass, replace

import pytest
from glob_table import GLOBS, PATHS

from ipuaro_jupyter.index.resolve.jsonc import read_object, strings
from ipuaro_jupyter.index.resolve.packages import member_folders
from ipuaro_jupyter.index.resolve.project_paths import folders_up, is_inside, join, matches_any
from ipuaro_jupyter.index.resolve.tsconfig import TsConfig


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
        ("app/[slug]/**", "app/[slug]/a.ts", True),
        ("app/[slug]/**", "app/s/a.ts", False),
        ("app/[id].*", "app/[id].ts", True),
        ("packages/[a]*", "packages/[a]b", True),
        ("{a,[b]}/*", "[b]/c", True),
    ],
)
def test_globs_are_those_of_configuration_files(pattern, path, expected):
    assert matches_any(path, [pattern]) is expected


@pytest.mark.parametrize(("pattern", "found", "hidden"), GLOBS)
def test_exclusions_match_hidden_names_and_other_globs_only_by_their_dot(pattern, found, hidden):
    assert {path for path in PATHS if matches_any(path, [pattern])} == found
    assert {path for path in PATHS if matches_any(path, [pattern], below=True)} == found | hidden


@pytest.mark.parametrize(("pattern", "found", "hidden"), GLOBS)
def test_configuration_includes_what_the_globs_find_without_what_others_match(
    pattern, found, hidden
):
    including = TsConfig(path="tsconfig.json", include=(pattern,))
    assert {path for path in PATHS if including.includes(path)} == found
    excluding = TsConfig(path="tsconfig.json", include=("**/*", "**/.*", "**/.*/*"))
    left = replace(excluding, exclude=(pattern,))
    assert {path for path in PATHS if excluding.includes(path)} == set(PATHS)
    assert {path for path in PATHS if left.includes(path)} == set(PATHS) - found - hidden


@dataclass
class Package:
    """A package with the globs of its workspaces."""

    folder: str
    workspaces: tuple[str, ...] = ()


@pytest.mark.parametrize(("pattern", "found", "hidden"), GLOBS)
def test_workspaces_are_the_folders_that_the_globs_find(pattern, found, hidden):
    members = [Package(path) for path in PATHS]

    def folders(*globs):
        packages = [Package("", globs), *members]
        return {folder for _, folder in member_folders(packages, (), lambda _: None)}

    assert folders(pattern) == found
    assert not hidden & folders(pattern)
    assert folders("**", f"!{pattern}") == folders("**") - found


def test_workspaces_below_a_folder_include_the_folder():
    packages = [Package("", ("a/**",)), Package("a"), Package("a/b"), Package("b")]
    found = member_folders(packages, (), lambda _: None)
    assert [folder for _, folder in found] == ["a", "a/b"]


@pytest.mark.parametrize("pattern", ["{a,b}" * 40, "x" * 2000, "a/{..,b}"])
def test_what_is_no_glob_matches_nothing(pattern):
    assert not matches_any("a/b", [pattern])
    assert matches_any("a/b", [pattern, "a/*"])


def test_the_root_as_an_exclusion_is_everything():
    assert matches_any("a/b", [""], below=True)
    assert not matches_any("a/b", [""])


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

"""Tools match glob patterns alike, hidden files only where they are asked for."""

import re

import pytest
from glob_table import GLOBS, PATHS, SETS

FILES = dict.fromkeys(PATHS, "// here\n")


def listed(result):
    """The paths in an answer of `glob`."""
    found, folder = set(), ""
    for line in result.text().split("\n"):
        if heading := re.fullmatch(r"📁 (.*)/", line):
            folder = "" if heading[1] == "." else f"{heading[1]}/"
        elif line.startswith("  - "):
            found.add(folder + line.removeprefix("  - "))
    return found


@pytest.mark.parametrize(("pattern", "found", "hidden"), [*GLOBS, *SETS])
def test_glob_finds_hidden_files_by_their_dot_or_when_asked(shared, pattern, found, hidden):
    assert listed(shared("glob", {"pattern": pattern})) == found
    every = shared("glob", {"pattern": pattern, "include_hidden": True})
    assert listed(every) - {".keep"} == found | hidden


@pytest.mark.parametrize(("pattern", "found", "hidden"), [*GLOBS, *SETS])
def test_grep_filters_hidden_files_like_others(shared, pattern, found, hidden):
    def searched(**options):
        text = shared("grep", {"pattern": "here", **options}).text()
        return set(re.findall(r"📁 (.*):1", text))

    assert searched(include_files=pattern) == found | hidden
    assert searched(exclude_files=pattern) == set(PATHS) - found - hidden


def test_glob_leaves_out_hidden_folders_by_a_pattern(shared):
    arguments = {"pattern": "**/c.ts", "include_hidden": True, "exclude_dirs": ["a/.*", "a/*/*"]}
    assert listed(shared("glob", arguments)) == {"c.ts", "a/c.ts", "a/b/c.ts", ".hidden/c.ts"}

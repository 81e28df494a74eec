"""Lists of glob patterns, as the search tools take them."""

import pytest

from ipuaro_jupyter.project.search.glob_patterns import GlobPatterns


@pytest.mark.parametrize(
    ("patterns", "matching", "others"),
    [
        ("*.ts", ["a.ts", "src/x/a.ts"], ["a.js"]),
        ("*.{js,ts}, *.py", ["a.js", "x/a.ts", "a.py"], ["a.md"]),
        ("src/*.ts", ["src/a.ts"], ["src/x/a.ts", "a.ts"]),
        ("./a.ts,/b.ts", ["a.ts", "b.ts", "x/a.ts"], []),
        ("tests/", ["tests/a", "x/tests/b/a"], ["tests", "test/a"]),
        ("[a,b].ts", ["a.ts", ",.ts"], ["c.ts"]),
        ("a},b", ["a}", "b"], ["a"]),
        ("{b,c},a}", ["a}", "b", "c"], ["a"]),
    ],
)
def test_a_list_of_patterns_matches_names_at_every_depth(patterns, matching, others):
    found = GlobPatterns(patterns)
    assert [path for path in matching if not found.match(path)] == []
    assert [path for path in others if found.match(path)] == []


@pytest.mark.parametrize(
    ("patterns", "within", "others"),
    [
        ("node_modules/*", ["node_modules/a", "node_modules/a/b/c"], ["a/b", "node_modules"]),
        ("tests", ["tests/a", "x/tests/y/z"], ["test/a"]),
        ("src/**/gen", ["src/gen/a", "src/x/gen/y/a"], ["gen/a"]),
        ("*.min.js", ["a.min.js", "x/a.min.js"], ["a.js"]),
    ],
)
def test_what_is_in_a_matching_folder_is_within(patterns, within, others):
    found = GlobPatterns(patterns)
    assert [path for path in within if not found.match_within(path)] == []
    assert [path for path in others if found.match_within(path)] == []


def test_no_patterns_are_false():
    assert not GlobPatterns(" , ,")
    assert GlobPatterns("*")

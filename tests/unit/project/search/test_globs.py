"""Glob patterns as shells and editors read them, and never slowly."""

import fnmatch
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.search.globs import Glob, GlobPatterns, expanded


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("*.ts", ["a.ts", ".ts"], ["src/a.ts", "a.tsx", "a.js"]),
        ("**/*.ts", ["a.ts", "src/a.ts", "src/x/y/a.ts"], ["a.js", "a.ts/b"]),
        ("src/*.ts", ["src/a.ts"], ["a.ts", "src/x/a.ts", "lib/src/a.ts"]),
        ("src/**/test_*.ts", ["src/test_a.ts", "src/x/y/test_.ts"], ["src/a.ts", "test_a.ts"]),
        ("src/**", ["src/a.ts", "src/x/y"], ["src", "source/a.ts"]),
        ("src/", ["src/a.ts", "src/x/y"], ["src"]),
        ("**", ["a", "a/b"], []),
        ("**/src/**/*.ts", ["src/a.ts", "x/src/y/z/a.ts"], ["x/a.ts"]),
        ("a/**/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/x", "b"]),
        ("**/a/**/b/*", ["a/b/c", "x/a/a/b/b/c"], ["b/a/c", "a/b"]),
        ("?.ts", ["a.ts", "é.ts"], ["ab.ts", ".ts"]),
        ("[a-c]?.ts", ["bx.ts"], ["dx.ts"]),
        ("[!a-c].ts", ["d.ts"], ["a.ts", "d/.ts"]),
        ("[^a].ts", ["d.ts"], ["a.ts"]),
        ("[]a].ts", ["].ts", "a.ts"], ["b.ts"]),
        ("[z-a].ts", ["[z-a].ts"], ["m.ts"]),
        ("a[b", ["a[b"], ["ab"]),
        ("app/[slug]/page.tsx", ["app/[slug]/page.tsx", "app/s/page.tsx"], ["app/x/page.tsx"]),
        ("*.{js,ts}", ["a.js", "a.ts"], ["a.{js,ts}", "a.tsx"]),
        ("{src,lib}/**/*.{c,h}{,.in}", ["src/a.c", "lib/x/a.h.in"], ["a.c", "src/a.in"]),
        ("a.{b,{c,d}e}", ["a.b", "a.ce", "a.de"], ["a.c", "a.e"]),
        ("*.{ts}", ["a.ts"], ["a.{ts}"]),
        ("a{b", ["a{b"], ["ab"]),
        (r"\*.\{a,b\}", ["*.{a,b}"], ["x.a", "x.{a,b}"]),
        ("a*b*c", ["abc", "a.b.c", "abcbc"], ["acb", "abcd"]),
        ("*a", ["a", "ba", "aa"], ["ab"]),
        ("./src/./a.ts", ["src/a.ts"], ["a.ts"]),
        ("ä*.ts", ["äß.ts"], ["a.ts"]),
        ("a\nb", ["a\nb"], ["a b"]),
        ("*", ["a\nb", ".hidden"], ["a/b"]),
    ],
)
def test_a_pattern_matches_whole_paths(pattern, matching, others):
    glob = Glob(pattern)
    assert [path for path in matching if not glob.matches(path)] == []
    assert [path for path in others if glob.matches(path)] == []


@pytest.mark.parametrize("pattern", ["", " ", "../*.ts", "a/../b", "x" * 1001, "{a,b}" * 40])
def test_what_is_no_pattern_is_an_error_that_shows_it(pattern):
    with pytest.raises(ToolError) as raised:
        Glob(pattern)
    assert raised.value.type == "validation"
    assert pattern[:20] in raised.value.message


@pytest.mark.parametrize("pattern", ["{,}" * 300, "{" * 500 + "}" * 500, "{{a,b},{c,d}}" * 60])
def test_braces_come_to_an_end(pattern):
    with pytest.raises(ToolError):
        expanded(pattern)


def test_braces_are_expanded_in_order_and_once():
    assert expanded("{b,a,b}{1,2}") == ["b1", "b2", "a1", "a2"]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 60 + "b", "a" * 250),
        ("**/" * 60 + "b", "a/" * 300 + "c"),
        ("**/*a*a*a*a*a*/" * 20 + "b", ("a" * 60 + "/") * 40 + "c"),
        ("**/a/" * 30 + "b", "a/" * 500 + "c"),
    ],
)
def test_a_nasty_pattern_is_decided_soon(pattern, path):
    began = time.monotonic()
    assert not Glob(pattern).matches(path)
    assert time.monotonic() - began < 10


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


@settings(max_examples=300, deadline=None)
@given(st.text("ab*?.", min_size=1, max_size=8), st.text("ab.", min_size=1, max_size=8))
def test_names_match_as_fnmatch_has_it(pattern, name):
    plain = pattern if set(pattern) != {"*"} else "*"
    if plain in (".", ".."):
        return
    assert Glob(plain).matches(name) == fnmatch.fnmatchcase(name, plain)

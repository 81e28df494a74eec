"""Glob patterns as shells and editors read them, and never slowly."""

import fnmatch
import time

import pytest
from glob_table import GLOBS, PATHS, SETS
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.globs import Glob, expanded


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


@pytest.mark.parametrize(("pattern", "found", "hidden"), [*GLOBS, *SETS])
def test_wildcards_match_hidden_names_when_asked(pattern, found, hidden):
    assert {path for path in PATHS if Glob(pattern, hidden=False).matches(path)} == found
    assert {path for path in PATHS if Glob(pattern).matches(path)} == found | hidden
    assert {path for path in PATHS if Glob(pattern).matches_within(path)} == found | hidden


def test_what_is_in_a_folder_that_matches_is_within_it_hidden_or_not():
    glob = Glob("*/b", hidden=False)
    assert glob.matches_within("a/b/.c/d.ts")
    assert glob.matches_within("a/b")
    assert not glob.matches_within(".a/b/c.ts")
    assert not glob.matches_within("a")


def plainly_matches(parts, names, *, hidden):
    """Whether names match the parts of a pattern, by trying every way."""
    if not parts or not names:
        return not parts and not names
    shown = hidden or not names[0].startswith(".")
    if parts[0] == "**":
        further = shown and plainly_matches(parts, names[1:], hidden=hidden)
        return further or plainly_matches(parts[1:], names, hidden=hidden)
    fits = fnmatch.fnmatchcase(names[0], parts[0]) and (shown or parts[0].startswith("."))
    return fits and plainly_matches(parts[1:], names[1:], hidden=hidden)


PARTS = st.sampled_from(["**", "*", "a", ".a", ".*", "a*", "?a", "b"])
NAMES = st.sampled_from(["a", ".a", "b", ".b", "ab"])


@given(st.lists(PARTS, min_size=1, max_size=6), st.lists(NAMES, min_size=1, max_size=6))
def test_paths_match_as_trying_every_way_has_it(parts, names):
    last = ["*"] if parts[-1] == "**" else []
    for hidden in (False, True):
        glob = Glob("/".join(parts), hidden=hidden)
        ways = [
            plainly_matches([*parts, *last], names[:end], hidden=hidden)
            for end in range(1, len(names) + 1)
        ]
        assert glob.matches("/".join(names)) == ways[-1]
        assert glob.matches_within("/".join(names)) == any(ways)


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


@given(st.text("ab*?.", min_size=1, max_size=8), st.text("ab.", min_size=1, max_size=8))
def test_names_match_as_fnmatch_has_it(pattern, name):
    plain = pattern if set(pattern) != {"*"} else "*"
    if plain in (".", ".."):
        return
    assert Glob(plain).matches(name) == fnmatch.fnmatchcase(name, plain)

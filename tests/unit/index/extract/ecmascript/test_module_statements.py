"""Imports and exports read from their text, and which are left to the syntax tree."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ipuaro_jupyter.index.extract.ecmascript.module_statements import (
    is_declaration,
    read_export_text,
    read_import_text,
)
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file


@pytest.mark.parametrize(
    ("text", "source", "is_type", "names"),
    [
        ("import './a';", "./a", False, []),
        ('import { A, B as C } from "./a"', "./a", False, [("A", "A"), ("B", "C")]),
        ("import {\n  A,\n  type B,\n} from './a';", "./a", False, [("A", "A"), ("B", "B")]),
        ("import type { A } from 'a';", "a", True, [("A", "A")]),
        ("import type A from 'a'", "a", True, [("default", "A")]),
        ("import type from 'a'", "a", False, [("default", "type")]),
        ("import type, { A } from 'a'", "a", False, [("default", "type"), ("A", "A")]),
        ("import { type } from 'a'", "a", False, [("type", "type")]),
        ("import { type A as B } from 'a'", "a", False, [("A", "B")]),
        ("import { default as A } from 'a'", "a", False, [("default", "A")]),
        ("import * as $a from 'a'", "a", False, [("*", "$a")]),
        ("import A, * as all from 'a'", "a", False, [("default", "A"), ("*", "all")]),
        ("import A, {B} from 'a'", "a", False, [("default", "A"), ("B", "B")]),
        ("import {} from 'a'", "a", False, []),
    ],
)
def test_import_is_read_from_its_text(text, source, is_type, names):
    assert read_import_text(text.encode()) == (source, is_type, names)


@pytest.mark.parametrize(
    "text",
    [
        "import { A /* why */ } from 'a'",
        "import A = require('a')",
        "import A from 'a' with { type: 'json' }",
        "import { 'a-b' as c } from 'a'",
        "import { type as as B } from 'a'",
        "import defer * as a from 'a'",
        "import { Ä } from 'a'",
        "import 'a\\u0062'",
    ],
)
def test_import_that_is_not_simple_is_left_to_the_tree(text):
    assert read_import_text(text.encode()) is None


@pytest.mark.parametrize(
    ("text", "names", "lines", "source"),
    [
        ("export * from './a';", [("*", "*")], [0], "./a"),
        ("export * as a from './a'", [("*", "a")], [0], "./a"),
        ("export { A, B as C };", [("A", "A"), ("B", "C")], [0, 0], None),
        ("export {\n  A,\n\n  B as\n C,\n}", [("A", "A"), ("B", "C")], [1, 3], None),
        ("export\n{ A } from 'a'", [("A", "A")], [1], "a"),
        ("export type { A } from 'a'", [("A", "A")], [0], "a"),
        ("export { default } from 'a'", [("default", "default")], [0], "a"),
        ("export {}", [], [], None),
    ],
)
def test_export_is_read_from_its_text(text, names, lines, source):
    assert read_export_text(text.encode()) == (names, lines, source)


@pytest.mark.parametrize("text", ["export { A, // why\n B }", "export default A", "export = A"])
def test_export_that_is_not_simple_is_left_to_the_tree(text):
    assert read_export_text(text.encode()) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export const a = 1", True),
        ("export type A<B> = B", True),
        ("export declare abstract class A {}", True),
        ("export async function a() {}", True),
        ("export default class {}", False),
        ("export type { A }", False),
        ("export constant", False),
    ],
)
def test_export_of_a_declaration_is_told_when_it_is_certain(text, expected):
    assert is_declaration(text.encode(), 0) is expected


_WORDS = st.sampled_from(["a", "B2", "$c", "type", "as", "default", "from"])
_BLANKS = st.sampled_from([" ", "\n", "  ", "\r\n"])


@given(
    st.lists(st.tuples(_WORDS, st.none() | _WORDS), max_size=4),
    _BLANKS,
    st.booleans(),
    st.booleans(),
)
def test_text_says_what_the_tree_says(pairs, blank, is_type, is_export):
    """The same statement, once as it is and once with a comment, which leaves it to the tree."""
    listed = f",{blank}".join(a if b is None else f"{a} as {b}" for a, b in pairs)
    word = "export" if is_export else "import"
    head = f"{word} type" if is_type else word
    simple = _facts(f"{head} {{{blank}{listed}{blank}}} from './a';\n")
    assume(simple["parse_error"] is None)
    commented = _facts(f"{head} {{{blank}{listed}{blank}}} /**/ from './a';\n")
    assert simple["imports"] == commented["imports"]
    assert simple["exports"] == commented["exports"]


def _facts(source):
    return unpack_facts(parse_file("a.ts", source.encode())[0].facts)

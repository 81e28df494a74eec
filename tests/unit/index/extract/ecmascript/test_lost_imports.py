"""Imports that a syntax error hides are read from the text."""

import pytest

from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file

FLOW = """\
/* @flow
import no from './comment'
*/
import type { A, B as C } from './a';
import typeof Foo from './foo';
import React, { type D, typeof E, e } from 'react';
import typeof * as All from './all';
const text = `
import no from './template'
`;
export type Props = {| +a: number, -b?: ?string, ... |};
declare export function foo(x: number): string;
import { last } from './last';
"""


def facts_of(path, text):
    return unpack_facts(parse_file(path, text.encode())[0].facts)


def test_the_imports_of_flow_are_read():
    facts = facts_of("a.js", FLOW)
    assert facts["parse_error"] == "Syntax error at line 4."
    found = [
        (item["source"], item["line"], item["kind"], [tuple(n.values()) for n in item["names"]])
        for item in facts["imports"]
    ]
    assert found == [
        ("./a", 4, "type", [("A", "A"), ("B", "C")]),
        ("./foo", 5, "type", [("default", "Foo")]),
        ("react", 6, "import", [("default", "React"), ("D", "D"), ("E", "E"), ("e", "e")]),
        ("./all", 7, "type", [("*", "All")]),
        ("./last", 13, "import", [("last", "last")]),
    ]


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("import { a, from './x'", [("a", "a")]),
        ("import { a as b, type } from './x'", [("a", "b"), ("type", "type")]),
        ("import { a,, b } from './x'", [("a", "a"), ("b", "b")]),
    ],
)
def test_broken_imports_are_read(statement, names):
    facts = facts_of("a.ts", f"{statement}\nimport {{ c }} from './c'\nf(\n")
    assert [item["source"] for item in facts["imports"]] == ["./x", "./c"]
    assert [tuple(one.values()) for one in facts["imports"][0]["names"]] == names


def test_broken_re_exports_are_read():
    facts = facts_of("a.ts", "export { a,, b as c } from './x'\nf(\n")
    exports = [(one["name"], one["local"], one["source"]) for one in facts["exports"]]
    assert exports == [("a", "a", "./x"), ("c", "b", "./x")]
    assert [item["kind"] for item in facts["imports"]] == ["re-export"]


def test_the_text_of_an_element_is_no_import():
    text = "const a = <p>\nimport things from 'y'\n</p>\nimport { c } from './c'\nlet x = (;\n"
    assert [item["source"] for item in facts_of("a.jsx", text)["imports"]] == ["./c"]


@pytest.mark.parametrize("path", ["a.ts", "a.js"])
def test_only_what_the_tree_has_not_counts_against_the_limit(path):
    """A broken file with very many imports loses none of them behind the first."""
    whole = [f"import {{ a{n} }} from './a{n}'\nimport b{n} from './b{n}'\n" for n in range(300)]
    more = ["import * as all from './all'\n", "export { x as y } from './x'\n"]
    facts = facts_of(path, "".join([*whole, *more, "import { p,, q } from './last'\nf(\n"]))
    assert facts["parse_error"]
    last = facts["imports"][-1]
    assert (last["source"], last["line"]) == ("./last", 603)
    assert [tuple(one.values()) for one in last["names"]] == [("p", "p"), ("q", "q")]
    assert len(facts["imports"]) == 603

"""Imports and exports in every form."""

import pytest


def _imports(facts):
    return [
        (i.kind, i.source, [(name.imported, name.local) for name in i.names]) for i in facts.imports
    ]


def _exports(facts):
    return [(e.name, e.local, e.source) for e in facts.exports]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import a from 'x'", ("import", "x", [("default", "a")])),
        ("import * as a from 'x'", ("import", "x", [("*", "a")])),
        (
            "import a, { b, c as d, default as e } from 'x'",
            ("import", "x", [("default", "a"), ("b", "b"), ("c", "d"), ("default", "e")]),
        ),
        ("import { type A, b } from 'x'", ("import", "x", [("A", "A"), ("b", "b")])),
        ("import type { A as B } from 'x'", ("type", "x", [("A", "B")])),
        ("import type * as A from 'x'", ("type", "x", [("*", "A")])),
        ("import 'x'", ("side-effect", "x", [])),
        ("import a from 'a.json' with { type: 'json' }", ("import", "a.json", [("default", "a")])),
        ("import a = require('x')", ("import-equals", "x", [("*", "a")])),
        ("export { a, b as c } from 'x'", ("re-export", "x", [("a", "a"), ("b", "c")])),
        ("export * from 'x'", ("re-export", "x", [("*", "*")])),
        ("export * as a from 'x'", ("re-export", "x", [("*", "a")])),
        ("export type { A } from 'x'", ("re-export", "x", [("A", "A")])),
        ("export type * from 'x'", ("re-export", "x", [("*", "*")])),
        ("export { default } from 'x'", ("re-export", "x", [("default", "default")])),
        ("const f = () => import('x')", ("dynamic", "x", [])),
        ("const f = async () => { const a = await import('x') }", ("dynamic", "x", [("*", "a")])),
        ("import(`x`).then((m) => m.a)", ("dynamic", "x", [])),
        ("import(/* webpackChunkName: 'a' */ 'x')", ("dynamic", "x", [])),
        ("import /* a */ ( // b\n /* c */ /** d **/ 'x')", ("dynamic", "x", [])),
        ("const a = require(/* a */ 'x')", ("require", "x", [("*", "a")])),
        ("load<typeof import('x')>()", ("type-query", "x", [])),
        ("a.load<B, typeof import('x')>('y')", ("type-query", "x", [])),
        ("const a = { ...(await load<typeof import('x')>()) }", ("type-query", "x", [])),
        ("const a = require('x')", ("require", "x", [("*", "a")])),
        (
            "const { a, b: c = 1, ...d } = require('x')",
            ("require", "x", [("a", "a"), ("b", "c"), ("*", "d")]),
        ),
        ("const a = require('x').b", ("require", "x", [("b", "a")])),
        ("var a = _interop(require('x'))", ("require", "x", [])),
        ("if (a) require ( 'x' )", ("require", "x", [])),
        ("type A = import('x').B", ("type-query", "x", [])),
        ("let a: typeof import('x')", ("type-query", "x", [])),
        ("let a: Promise<import('x').B>", ("type-query", "x", [])),
        ("let a: import('x').B<string>[] = []", ("type-query", "x", [])),
    ],
)  # fmt: skip
def test_imports(read_facts, source, expected):
    facts = read_facts(source)
    assert _imports(facts) == [expected]
    assert facts.parse_error is None


@pytest.mark.parametrize(
    "source",
    [
        "const a = require(name)",
        "import(`./${name}`)",
        "const s = \"require('x')\"",
        "// require('x')",
        "obj.require('x')",
        "myrequire('x')",
    ],
)
def test_what_is_no_import(read_facts, source):
    assert _imports(read_facts(source)) == []


def test_imports_are_in_the_order_of_the_source_with_their_lines(read_facts):
    found = read_facts(
        "import a from 'a'\nimport {\n  b,\n} from 'b'\nexport * from 'c'\nconst d = require('d')\n"
    )
    assert [(i.source, i.line) for i in found.imports] == [("a", 1), ("b", 2), ("c", 5), ("d", 6)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("export const a = 1, b = 2", [("a", "a", None), ("b", "b", None)]),
        ("export const { a, b: [c] } = d", [("a", "a", None), ("c", "c", None)]),
        ("export function f() {}", [("f", "f", None)]),
        ("export class A {}", [("A", "A", None)]),
        ("export interface A {}", [("A", "A", None)]),
        ("export type A = 1", [("A", "A", None)]),
        ("export enum A {}", [("A", "A", None)]),
        ("export default function f() {}", [("default", "f", None)]),
        ("export default interface A {}", [("default", "A", None)]),
        ("export default abstract class A {}", [("default", "A", None)]),
        ("export default class {}", [("default", None, None)]),
        ("export default () => 1", [("default", None, None)]),
        ("export default a", [("default", "a", None)]),
        ("export default { a: 1 }", [("default", None, None)]),
        ("export = a", [("default", "a", None)]),
        ("export { a, b as c, d as default }",
         [("a", "a", None), ("c", "b", None), ("default", "d", None)]),
        ("export type { A }", [("A", "A", None)]),
        ("export { a as b } from 'x'", [("b", "a", "x")]),
        ("export * from 'x'\nexport * from 'y'", [("*", "*", "x"), ("*", "*", "y")]),
        ("export * as a from 'x'", [("a", "*", "x")]),
        ("export import A = B.C", [("A", "A", None)]),
        ("module.exports = a", [("default", "a", None)]),
        ("module.exports = { a, b: c, d() {}, e: 1 }",
         [("a", "a", None), ("b", "c", None), ("d", "d", None), ("e", "e", None)]),
        ("module.exports = { a: require('x'), ...require('y') }",
         [("a", "*", "x"), ("*", "*", "y")]),
        ("module.exports = require('x')", [("*", "*", "x")]),
        ("exports.a = b; module.exports.c = d", [("a", "b", None), ("c", "d", None)]),
        ("exports.a = require('x')", [("a", "*", "x")]),
        ("exports = module.exports = create", [("default", "create", None)]),
        ("exports.a = exports.b = 1", [("a", "a", None), ("b", "b", None)]),
    ],
)  # fmt: skip
def test_exports(read_facts, source, expected):
    assert _exports(read_facts(source)) == expected


@pytest.mark.parametrize(
    "source",
    [
        "namespace N { export const a = 1 }",
        "declare module 'x' { export default a }",
        "notexports.a = 1",
    ],
)
def test_what_the_file_does_not_export(read_facts, source):
    assert _exports(read_facts(source)) == []


def test_what_is_set_on_exports_is_a_variable(read_facts):
    (found,) = read_facts("exports.LIMIT = 10", "a.js").variables
    assert (found.name, found.kind, found.is_exported) == ("LIMIT", "variable", True)


def test_an_export_marks_what_it_names(read_facts):
    found = read_facts("const a = 1\nlet b = 2\ninterface C {}\nexport { a, C }\n")
    assert [(v.name, v.is_exported) for v in found.variables] == [("a", True), ("b", False)]
    assert found.interfaces[0].is_exported

"""Classes, interfaces, enums, type aliases, namespaces and variables."""

import pytest


def test_an_abstract_class_holds_everything_it_declares(read_facts):
    (found,) = read_facts(
        "export abstract class Carrier extends ns.Base<T> implements Trackable<T, U>, Priced {\n"
        "  static readonly LIMIT = 10\n"
        "  protected readonly code: string\n"
        "  name = ''\n"
        "  constructor(code: string, private readonly store: Store, public kind?: Kind) {}\n"
        "  abstract quote(kg: number): number\n"
        "  static async load(id: string, deep = false): Promise<Carrier> { return null }\n"
        "  get size(): number { return 1 }\n"
        "  set size(value) {}\n"
        "}\n"
    ).classes
    assert (found.line_start, found.line_end) == (1, 10)
    assert found.extends == "ns.Base<T>"
    assert found.implements == ("Trackable<T, U>", "Priced")
    assert found.is_abstract
    assert found.is_exported
    assert [(m.name, m.kind) for m in found.methods] == [
        ("constructor", "constructor"),
        ("quote", "method"),
        ("load", "method"),
        ("size", "getter"),
        ("size", "setter"),
    ]
    quote, load = found.methods[1:3]
    assert quote.is_abstract
    assert not quote.has_body
    assert load.is_static
    assert load.is_async
    assert load.qualified == "Carrier.load"
    fields = {f.name: (f.type, f.is_static, f.is_readonly) for f in found.properties}
    assert fields == {
        "LIMIT": (None, True, True),
        "code": ("string", False, True),
        "name": (None, False, False),
        "store": ("Store", False, True),
        "kind": ("Kind", False, False),
    }


def test_a_javascript_class_has_private_names(read_facts):
    (found,) = read_facts(
        "class Truck extends mixin(Vehicle, { spin() {} }) {\n"
        "  #plate = 'x'\n  static #count\n  #check() {}\n"
        "  handle = (km) => { const go = () => km }\n}\n",
        "a.js",
    ).classes
    assert found.extends == "mixin(Vehicle, { spin() {} })"
    assert [p.name for p in found.properties] == ["#plate", "#count", "handle"]
    assert [m.name for m in found.methods] == ["#check"]
    handle = found.properties[2].function
    assert handle is not None
    assert (handle.qualified, handle.kind, [p.name for p in handle.params]) == (
        "Truck.handle",
        "arrow",
        ["km"],
    )


@pytest.mark.parametrize(
    ("source", "name", "is_exported"),
    [
        ("const A = class {}", "A", False),
        ("export const A = class Named {}", "A", True),
        ("export default class {}", "default", True),
        ("export default class A {}", "A", True),
        ("class A {}\nexport { A as B }", "A", True),
        ("class A {}\nexport = A", "A", True),
        ("class A {}\nmodule.exports = A", "A", True),
        ("module.exports = class A {}", "A", True),
        ("exports.A = class {}", "A", True),
        ("declare class A {}", "A", False),
        ("export declare abstract class A {}", "A", True),
        ("function f() { return class A {} }", "f.A", False),
        ("namespace N { export class A {} }", "N.A", True),
    ],
)
def test_classes_have_the_names_they_are_bound_to(read_facts, source, name, is_exported):
    (found,) = read_facts(source).classes
    assert (found.qualified, found.is_exported) == (name, is_exported)


def test_members_of_an_anonymous_class_belong_to_what_is_around(read_facts):
    found = read_facts("const Mixin = (Base) => class extends Base { spin() {} }")
    assert not found.classes
    assert [f.qualified for f in found.functions] == ["Mixin", "Mixin.spin"]


def test_decorators_belong_to_what_they_decorate(read_facts):
    (found,) = read_facts(
        "@Injectable({ factory() {} })\n"
        "export class A {\n"
        "  @Input()\n  name: string\n"
        "  @Get(':id', { cache() {} })\n  @Auth()\n  load(@Param('id') id: string) {}\n"
        "  plain() {}\n"
        "}\n"
    ).classes
    assert (found.line_start, found.line_end) == (1, 9)
    (name,) = found.properties
    load, plain = found.methods
    assert (name.line_start, name.line_end) == (3, 4)
    assert (load.name, load.line_start, load.line_end) == ("load", 5, 7)
    assert [p.name for p in load.params] == ["id"]
    assert (plain.name, plain.line_start) == ("plain", 8)


def test_overloads_in_a_class_are_methods(read_facts):
    (found,) = read_facts(
        "class A {\n  at(a: string): void\n  at(a: number): void\n  at(a: any) {}\n}"
    ).classes
    assert [(m.line_start, m.has_body) for m in found.methods] == [
        (2, False),
        (3, False),
        (4, True),
    ]


def test_names_that_look_like_modifiers_are_fields(read_facts):
    (found,) = read_facts(
        "class A { async = 1; get = 2; static = 3; declare x: string; accessor y = 1 }"
    ).classes
    assert [p.name for p in found.properties] == ["async", "get", "static", "x", "y"]


def test_computed_and_quoted_names(read_facts):
    (found,) = read_facts("class A { [Symbol.iterator]() {} 'a b'() {} 1() {} }").classes
    assert [m.name for m in found.methods] == ["[Symbol.iterator]", "a b", "1"]


def test_an_interface_has_fields_and_methods(read_facts):
    (found,) = read_facts(
        "export interface Row<T> extends ns.Base<T>, Named {\n"
        "  readonly id: string\n"
        "  pick?(deep: { at(): void }): T\n"
        "  handler: (x: number) => void\n"
        "  [key: string]: unknown\n"
        "  (call: string): void\n"
        "  get size(): number\n"
        "}\n"
    ).interfaces
    assert found.extends == ("ns.Base<T>", "Named")
    assert [(f.name, f.type, f.is_readonly) for f in found.fields] == [
        ("id", "string", True),
        ("handler", "(x: number) => void", False),
    ]
    assert [(m.name, m.kind) for m in found.methods] == [("pick", "method"), ("size", "getter")]
    assert found.methods[0].return_type == "T"
    assert found.is_exported


@pytest.mark.parametrize(
    "source", ["enum E { A = 1, 'b-c', D }", "const enum E { A = 1, 'b-c', D }"]
)
def test_an_enum_has_its_members(read_facts, source):
    (plain,) = read_facts(source).enums
    (exported,) = read_facts(f"export declare {source}").enums
    assert plain.members == exported.members == ("A", "b-c", "D")
    assert (plain.is_exported, exported.is_exported) == (False, True)


def test_a_type_alias_has_what_stands_right_of_the_equals_sign(read_facts):
    one, two = read_facts(
        "export type A<T> = { a: T }\n  | null\ntype B = import('./b').B<string>[]\n"
    ).types
    assert (one.text, one.line_end, one.is_exported) == ("{ a: T }\n  | null", 2, True)
    assert (two.text, two.is_exported) == ("import('./b').B<string>[]", False)


def test_a_type_alias_has_the_members_of_its_object_types(read_facts):
    found, plain = read_facts(
        "type A = Base & {\n  readonly a: number; get b(): string; 'c-d'?: () => { inner: 1 }\n"
        "  e(x: { y: 1 }): void } | ({ f: 1 } & List<{ g: 1 }>)\ntype B = string\n"
    ).types
    assert [(f.name, f.line_start, f.type, f.is_readonly) for f in found.fields] == [
        ("a", 2, "number", True),
        ("c-d", 2, "() => { inner: 1 }", False),
        ("f", 3, "1", False),
    ]
    assert [(m.qualified, m.kind, m.line_start) for m in found.methods] == [
        ("A.b", "getter", 2),
        ("A.e", "method", 3),
    ]
    assert plain.fields == plain.methods == ()


def test_a_union_of_thousands_is_read(read_facts):
    many = "\n | ".join(f"{{ a{n}: 1 }}" for n in range(3000))
    (found,) = read_facts(f"type A = {many}\n").types
    assert [field.name for field in found.fields] == [f"a{n}" for n in range(3000)]


def test_namespaces_and_what_they_hold(read_facts):
    found = read_facts(
        "export namespace A.B {\n  export const x = 1\n  interface I {}\n}\n"
        "declare module 'vue' { export function h(): void }\n"
        "declare global { interface Window { a: 1 } }\n"
    )
    assert [(n.name, n.qualified, n.is_exported) for n in found.namespaces] == [
        ("B", "A.B", True),
        ("vue", "vue", False),
    ]
    assert [v.qualified for v in found.variables] == ["A.B.x"]
    assert [i.qualified for i in found.interfaces] == ["A.B.I", "Window"]
    assert [f.qualified for f in found.functions] == ["vue.h"]
    assert [(e.name, e.local) for e in found.exports] == [("A", "A.B")]


def test_variables_at_the_top(read_facts):
    found = read_facts(
        "const a = 1, b = () => 2\n"
        "let c, d = 3\n"
        "export const { e, f: { g = 1, ...h }, [i]: j } = k, [l, , m] = n\n"
        "var o = class {}\n"
        "function p() { const inner = 1 }\n"
        "if (a) { const block = 1 }\n"
        "for (const loop of e) {}\n"
    )
    assert {v.name: (v.kind, v.is_exported) for v in found.variables} == {
        "a": ("const", False),
        "c": ("variable", False),
        "d": ("variable", False),
        **dict.fromkeys(["e", "g", "h", "j", "l", "m"], ("const", True)),
    }


def test_names_bound_by_require_are_imports(read_facts):
    found = read_facts("const { a, b: c } = require('./x'), d = require('./y').e\nconst f = 1")
    assert [v.name for v in found.variables] == ["f"]

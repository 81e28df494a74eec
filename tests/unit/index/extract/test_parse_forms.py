"""Forms that grammars and readers are easily wrong about."""

import pytest

from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.index.extract.postings import counts


def _identifiers(source, path="a.ts"):
    return dict(counts(parse_file(path, source.encode())[0].postings))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("let a: undefined | bigint = undefined", {"a": 1, "undefined": 1}),
        ("new.target; import.meta.env", {"target": 1, "meta": 1, "env": 1}),
        ("declare global { var a: string }", {"global": 1, "a": 1}),
        ("z.bigint(); type A = B<bigint>", {"z": 1, "bigint": 1, "A": 1, "B": 1}),
        ("export default function (): void", {}),
        ("const a = tag<{ b: C; d: string }>`e ${f} g`",
         {"a": 1, "tag": 1, "b": 1, "C": 1, "d": 1, "f": 1}),
    ],
)  # fmt: skip
def test_identifiers(source, names):
    assert _identifiers(source) == names


def test_the_default_of_a_module_is_a_name():
    source = "import { default as a } from 'x'\nexport { default } from 'x'"
    assert _identifiers(source, "a.js") == {"default": 2, "a": 1}
    assert _identifiers(source, "a.ts") == {"default": 2, "a": 1}


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("-1 | 0 | 1", "-1 | 0 | 1"),
        ("/* no */ A", "A"),
        ("// no\n  A /* yes */ | B", "A /* yes */ | B"),
        ("?A", "?A"),
    ],
)
def test_types_are_the_text_of_the_source(functions_of, type_, text):
    found = functions_of(f"function f(a: {type_}): {type_} {{}}")["f"]
    assert found.params[0].type == text
    assert found.return_type == text


def test_a_default_function_without_a_name_or_a_body(read_facts):
    found = read_facts("export default function <T>(a: T): {\n  b: T\n};\n", "a.d.ts")
    (function,) = found.functions
    assert (function.name, function.line_start, function.line_end) == ("default", 1, 3)
    assert (function.return_type, function.has_body) == ("{ b: T }", False)
    assert [(e.name, e.local) for e in found.exports] == [("default", None)]
    assert found.parse_error is None


def test_an_abstract_default_class_without_a_name(read_facts):
    (found,) = read_facts("export default abstract class {\n  b() {}\n}").classes
    assert (found.name, found.is_abstract, found.is_exported) == ("default", True, True)
    assert [m.qualified for m in found.methods] == ["default.b"]


def test_an_exported_import_by_require(read_facts):
    found = read_facts("export import a = require('x')\nimport b = require('y')")
    assert [(i.source, i.kind, i.names[0].local) for i in found.imports] == [
        ("x", "import-equals", "a"),
        ("y", "import-equals", "b"),
    ]
    assert [(e.name, e.local) for e in found.exports] == [("a", "a")]


def test_names_in_brackets_and_quotes(read_facts):
    found = read_facts("enum E { ['A'], [`B`] = 1, 'c-d' }\nclass F { ['g']() {}; [h]() {} }")
    assert found.enums[0].members == ("A", "B", "c-d")
    assert [m.name for m in found.classes[0].methods] == ["g", "[h]"]


def test_namespaces_with_dollars_and_dots(read_facts):
    found = read_facts("namespace $a.b$ {}\ndeclare module 'a.b' {}")
    assert [(n.name, n.qualified) for n in found.namespaces] == [
        ("b$", "$a.b$"),
        ("a.b", "a.b"),
    ]


def test_what_decorators_hold_belongs_to_what_is_around(functions_of):
    found = functions_of("class A {\n  @B({ c() {} }) d = 1\n  @E({ f() {} }) g() {}\n}")
    assert set(found) == {"A.c", "A.f"}
    assert set(functions_of("@B({ c() {} }) class A {}")) == {"c"}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("a.b = { c() {} }", "a.b.c"),
        ("A.prototype = { c() {} }", "A.c"),
        ("const a = $b(() => 1)", "a"),
        ("const a = Effect.fn(function* () {})", "a"),
        ("const a = { b: Effect.fn(function* () {}) }", "a.b"),
    ],
)
def test_values_are_named(functions_of, source, name):
    assert list(functions_of(source, "a.js")) == [name]


def test_a_property_in_a_declaration_has_its_own_lines(functions_of):
    found = functions_of("const a = new B({\n  c: () => 1\n})")
    assert (found["c"].line_start, found["c"].line_end) == (2, 2)


def test_a_comment_before_a_base_is_not_part_of_it(read_facts):
    (found,) = read_facts("class A extends /* @__PURE__ */ mixin(B) {}", "a.js").classes
    assert found.extends == "mixin(B)"


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("let a: new () => import('x').B", "type-query"),
        ("const a = await b<\n  typeof import('x')\n>('x')", "type-query"),
        ("void import('x')", "dynamic"),
        ("import.defer('x')", "dynamic"),
        ("import defer * as a from 'x'", "import"),
    ],
)
def test_kinds_of_imports(read_facts, source, kind):
    found = read_facts(source).imports[0]
    assert (found.source, found.kind) == ("x", kind)


def test_strings_in_rewritten_types_are_no_imports(read_facts):
    assert not read_facts("const a = sql<{ b: 'c'; d: 1 }>`e`").imports

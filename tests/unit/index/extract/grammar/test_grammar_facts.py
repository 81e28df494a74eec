"""Facts of languages that only their query describes."""

import msgspec
import pytest

from ipuaro_jupyter.index.extract import postings
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.index.extract.symbols import symbols_of
from ipuaro_jupyter.records.code import FileFacts


def facts_of(path, text):
    answer, *_ = parse_file(path, text.encode())
    return FileFacts.model_validate(unpack_facts(answer.facts))


def symbols(path, text):
    answer, *_ = parse_file(path, text.encode())
    return {
        (qualified, kind) for _, qualified, kind, _, _ in symbols_of(unpack_facts(answer.facts))
    }


def complexity(path, text):
    facts = facts_of(path, text)
    methods = [method for holder in facts.classes for method in holder.methods]
    return {one.qualified: one.cyclomatic for one in (*facts.functions, *methods)}


GO = [
    ("type A struct { B; *c.D; x, Y int; _ int }", {"A", "A.B", "A.D", "A.x", "A.Y"}),
    ("type (\n A[K any] struct{}\n B interface { error; Get() }\n)", {"A", "B", "B.Get"}),
    ("func (s A) get() {}\nfunc (s *B[K, V]) Get() {}", {"A.get", "B.Get"}),
    ("const (\n a = iota\n b\n _\n)\nvar _, c = f()", {"a", "b", "c"}),
    ("func f() { const a = 1; var b int; type C struct{ d int } }", {"f", "f.C", "f.C.d"}),
    ("var f = func() { var a int; _ = a }", {"f"}),
    ("type A = struct{ b int }\ntype C func(int) error", {"A", "C"}),
]


@pytest.mark.parametrize(("text", "expected"), GO)
def test_go_declares(text, expected):
    assert {name for name, _ in symbols("a.go", f"package a\n{text}\n")} == expected


def test_methods_of_a_type_in_another_file_are_functions_with_its_name():
    facts = facts_of("a.go", "package a\ntype A struct{}\nfunc (a A) B() {}\nfunc (c C) D() {}\n")
    assert [method.qualified for method in facts.classes[0].methods] == ["A.B"]
    assert [(one.qualified, one.kind) for one in facts.functions] == [("C.D", "method")]


def test_what_go_exports_begins_with_a_capital_letter():
    facts = facts_of("a.go", "package a\nvar a, B int\nfunc Ärger() {}\nfunc c() {}\ntype D int\n")
    assert [export.name for export in facts.exports] == ["B", "Ärger", "D"]
    assert {one.name: one.is_exported for one in facts.variables} == {"a": False, "B": True}


def test_a_closure_counts_for_the_function_around_it():
    text = "package a\nfunc f() { if a && b { go func() { for {} }() } }\nfunc g() {}\n"
    assert complexity("a.go", text) == {"f": 4, "g": 1}


def test_cases_count_and_the_default_does_not():
    text = (
        "package a\nfunc f() { switch x { case 1, 2: default: }; select { case <-c: default: } }\n"
    )
    assert complexity("a.go", text) == {"f": 3}


def test_names_in_comments_and_strings_are_no_occurrences():
    answer, *_ = parse_file("a.go", b'package a\n// Run\nfunc Run() { b.Run("Run", `Run`) }\n')
    assert len(postings.offsets(answer.postings, "Run")) == 2
    assert msgspec.msgpack.decode(answer.definitions) == {"Run": [22]}


def test_a_broken_declaration_does_not_hide_the_others():
    facts = facts_of("a.go", "package a\nfunc f() { if }\nfunc g() {}\ntype T struct { a int }\n")
    assert "g" in {one.name for one in facts.functions}
    assert facts.parse_error == "Syntax error at line 2."


def test_what_a_missing_grammar_needs_is_told(tmp_path, monkeypatch):
    folder = tmp_path / "quay"
    folder.mkdir()
    toml = 'name = "quay"\nextensions = [".quay"]\nreader = "grammar"\nmodules = "none"\n'
    comments = '[comments]\nline = ["#"]\n'
    (folder / "language.toml").write_text(
        f'{toml}grammar = "tree_sitter_quay:language"\n{comments}'
    )
    monkeypatch.setenv("IPUARO_LANGUAGES", str(tmp_path))
    facts = facts_of("a.quay", "load() # TODO: crane\n")
    assert facts.parse_error == (
        "Not analysed: the grammar of quay is not installed: pip install tree-sitter-quay."
    )
    assert [todo.text for todo in facts.todos] == ["crane"]
    (folder / "language.toml").write_text(
        f'{toml}extra = "languages"\ngrammar = "tree_sitter_quay:language"\n{comments}'
    )
    monkeypatch.setenv("IPUARO_LANGUAGES", f"{tmp_path}/")
    told = facts_of("a.quay", "").parse_error
    assert told is not None
    assert told.endswith("pip install 'ipuaro_jupyter[languages]'.")


RUST = [
    ("struct A { pub b: u8, c: u8 }\nstruct D(u8);", {"A", "A.b", "A.c", "D"}),
    ("enum A { B, C { d: u8 } }\nimpl A { fn e() {} }", {"A", "A.B", "A.C", "A.e"}),
    ("impl<T> A for &mut x::B<T> { const C: u8 = 1; type D = T; }", {"B.C", "B.D"}),
    ("impl A for &&B { fn c() {} }\nimpl A for [u8] { fn c() {} }", {"B.c", "[u8].c"}),
    ("trait A { fn b(); fn c() {} const D: u8; type E; }", {"A", "A.b", "A.c", "A.D", "A.E"}),
    ("mod a { fn b() { struct C { d: u8 } } static E: u8 = 1; }", None),
    ("macro_rules! a { () => {} }\nconst _: u8 = 1;", {"a"}),
]


@pytest.mark.parametrize(("text", "expected"), RUST)
def test_rust_declares(text, expected):
    expected = expected or {"a", "a.b", "a.b.C", "a.b.C.d", "a.E"}
    assert {name for name, _ in symbols("a.rs", text)} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "use a::{b::{self, C as D}, *};",
            [("a::b", "*", "b"), ("a::b", "C", "D"), ("a", "*", "*")],
        ),
        ("use a;", [("a", "*", "a")]),
        ("pub use crate::a::B;", [("crate::a", "B", "B")]),
        ("mod a;", [("self::a", "*", "a")]),
        ('#[path = "x/a.rs"]\nmod a;', [("x/a.rs", "*", "a")]),
        ("mod t { use super::A; mod b; }", [("self", "A", "A"), ("self::t::b", "*", "b")]),
        ("mod t { use super::super::A; }", [("super", "A", "A")]),
        ("mod t { mod u { use super::A; } }", [("self::t", "A", "A")]),
        ("cfg_if! { if #[cfg(x)] { pub mod a; } }", [("self::a", "*", "a")]),
        ("extern crate a;", [("a", "*", "a")]),
    ],
)
def test_rust_imports(text, expected):
    imports = facts_of("a.rs", text).imports
    found = [(i.source, name.imported, name.local) for i in imports for name in i.names]
    assert sorted(found) == sorted(expected)


def test_paths_in_code_are_imports_unless_an_import_explains_them():
    text = "use x::b;\nfn f() { crate::a::g(); b::h(); y::z::i(); Vec::new(); y::z::j(); }\n"
    found = [(i.source, i.line) for i in facts_of("a.rs", text).imports]
    assert found == [("x", 1), ("crate::a", 2), ("y::z", 2)]
    text = "m! { use crate::a::{b}; super :: c(); }"
    assert [i.source for i in facts_of("a.rs", text).imports] == ["crate::a", "super::c"]


def test_the_attributes_of_a_declaration_belong_to_it():
    text = "#![allow(x)]\n\n// note\n#[a]\n// more\n#[b]\nfn f() {}\n#[c] struct S;\nfn g() {}\n"
    facts = facts_of("a.rs", text)
    assert [(one.line_start, one.line_end) for one in facts.functions] == [(4, 7), (9, 9)]
    assert facts.classes[0].line_start == 8


def test_what_rust_decides():
    text = """fn f() {
        if a && b {} else if let Some(x) = y {}
        match z { 1 | 2 => {}, _ if q => {}, _ => {} }
        while w? {} for i in v {} let Some(u) = t else { return }; loop { break }
        let c = || d || e;
    }"""
    assert complexity("a.rs", text) == {"f": 12}


JAVA = [
    ("class A<T> extends B { int c, d; A() {} void e() {} }", {"A", "A.A", "A.c", "A.d", "A.e"}),
    ("interface A { int B = 1; void c(); default void d() {} }", {"A", "A.B", "A.c", "A.d"}),
    ("enum A { B { void c() {} }, D; int e; void f() {} }", None),
    ("record A(int b) { A { } static int c; void d() {} }", {"A", "A.b", "A.A", "A.c", "A.d"}),
    ("@interface A { int b() default 1; }", {"A", "A.b"}),
    ("class A { class B { class C { int d; } } }", {"A", "A.B", "A.B.C", "A.B.C.d"}),
    ("class A { void b() { class C { int d; } int e; } }", {"A", "A.b", "A.b.C", "A.b.C.d"}),
    ("class A { B c = new B() { int d; void e() {} }; }", {"A", "A.c", "A.e"}),
]


@pytest.mark.parametrize(("text", "expected"), JAVA)
def test_java_declares(text, expected):
    expected = expected or {"A", "A.B", "A.D", "A.e", "A.f", "A.c"}
    assert {name for name, _ in symbols("A.java", text)} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a.b.C;", [("a.b", ["C"])]),
        ("import a.b.*; class A { C c; }", [("a.b", ["*", "C"])]),
        ("import static a.B.c; import static a.D.*;", [("a.B", ["c"]), ("a.D", ["*"])]),
        (
            "package p; import a.C; class A { C c; D d = E.f(); String.g g; }",
            [("p", ["D", "E", "String"]), ("a", ["C"])],
        ),
    ],
)
def test_java_imports(text, expected):
    imports = facts_of("A.java", text).imports
    assert [(i.source, [name.imported for name in i.names]) for i in imports] == expected


def test_what_java_says_of_a_declaration():
    (found,) = facts_of(
        "A.java",
        "public abstract class A extends B<C> implements D, E {\n"
        "  @Override public static void f(final int a, String... b) {}\n  abstract void g();\n"
        "  private static final int K = 1;\n}",
    ).classes
    assert (found.is_exported, found.is_abstract) == (True, True)
    assert (found.extends, found.implements) == ("B<C>", ("D", "E"))
    f, g = found.methods
    assert (f.is_static, [(p.name, p.is_rest) for p in f.params]) == (
        True,
        [("a", False), ("b", True)],
    )
    assert (g.is_abstract, g.has_body) == (True, False)
    assert (found.properties[0].is_static, found.properties[0].is_readonly) == (True, True)


def test_what_java_decides():
    text = """class A { int f() {
        if (a && b) {} else if (c) {}
        for (;;) {} for (int x : y) {} while (z) {} do {} while (q);
        switch (a) { case 1: case 2: break; default: }
        int v = switch (a) { case 1, 2 -> 3; default -> 4; };
        try {} catch (E e) {} finally {}
        Runnable r = () -> { int w = a ? b : c; };
    } }"""
    assert complexity("A.java", text) == {"A.f": 13}

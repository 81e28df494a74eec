"""Facts of languages that only their query describes."""

import msgspec
import pytest

from ipuaro_jupyter.index.extract import postings
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.index.extract.symbols import symbols_of
from ipuaro_jupyter.records.code import FileFacts


def facts_of(path, text):
    answer, _ = parse_file(path, text.encode())
    return FileFacts.model_validate(unpack_facts(answer.facts))


def symbols(path, text):
    answer, _ = parse_file(path, text.encode())
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
    answer, _ = parse_file("a.go", b'package a\n// Run\nfunc Run() { b.Run("Run", `Run`) }\n')
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

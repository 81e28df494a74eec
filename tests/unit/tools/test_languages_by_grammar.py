"""The tools on languages whose names are known by their spelling alone."""

import pytest
from annotated import project_files

FILES = project_files("languages_by_grammar")


RUST = project_files("languages_by_grammar sources")["main.rs"]


def told(call, tool, **arguments):
    return call(tool, arguments).to_dict()["output"]


@pytest.mark.parametrize("symbol", ["Parcel.Weigh", "Parcel::Weigh"])
def test_a_member_is_found_by_its_type(shared, symbol):
    found = told(shared, "find_definition", symbol=symbol, declared_in="store/store.go")
    assert [(d["path"], d["line"]) for d in found["definitions"]] == [("store/store.go", 9)]


def test_uses_of_a_name_are_found_and_told_as_matches_by_name(shared):
    found = told(shared, "find_references", symbol="Parcel.Weigh", declared_in="store/store.go")
    assert [(use["path"], use["line"]) for use in found["references"]] == [("store/store.go", 9)]
    assert [(use["path"], use["line"]) for use in found["unresolved"]] == [("main.go", 7)]
    result = shared("find_references", {"symbol": "Parcel.Weigh", "declared_in": "store/store.go"})
    assert "found by their spelling alone" in result.text()


def test_a_bare_name_is_matched_in_all_files(shared):
    uses = told(shared, "find_references", symbol="open")["references"]
    assert [(use["path"], use["line"], use["resolved"]) for use in uses] == [
        ("store/close.go", 3, False),
        ("store/store.go", 13, True),
    ]


def test_a_member_of_another_language_is_not_meant(shared):
    found = told(shared, "find_references", symbol="Parcel.Weigh", declared_in="web/a.ts")
    assert found["totalUnresolved"] == 0


def test_functions_and_types_are_read_by_name(shared):
    text = shared("get_function", {"path": "store/store.go", "name": "Weigh"}).text()
    assert text.startswith("store/store.go:9-11 Weigh(by) int [exported]")
    text = shared("get_class", {"path": "store/store.go", "name": "Parcel"}).text()
    assert "Methods: Weigh(by)\nProperties: Code" in text


def test_the_files_of_an_imported_package_are_dependencies(shared):
    found = told(shared, "get_dependencies", path="main.go")["dependencies"]
    assert [file["path"] for file in found] == ["store/close.go", "store/store.go"]
    assert {file["fileType"] for file in found} == {"source"}
    found = told(shared, "get_dependents", path="store/store.go")
    assert [file["path"] for file in found["dependents"]] == ["main.go"]
    assert found["beside"] == ["store/close.go"]
    text = shared("get_dependents", {"path": "store/store.go"}).text()
    assert "[not counted: 1 file of its package mentions a name that it declares" in text


def test_a_declaration_is_replaced_with_its_comment_kept(run):
    call = run(FILES, auto_apply=True)
    content = "func (p *Parcel) Weigh(by int) int {\n\treturn by + 1\n}"
    arguments = {"path": "store/store.go", "name": "Parcel.Weigh", "content": content}
    assert call("replace_symbol", arguments).success
    text = call("get_lines", {"path": "store/store.go"}).text()
    assert "// Weigh weighs." in text
    assert "return by + 1" in text


def test_a_new_syntax_error_is_told(run):
    call = run(FILES, auto_apply=True)
    content = "func open() { if }"
    result = call("replace_symbol", {"path": "store/store.go", "name": "open", "content": content})
    assert "line 13" in result.text()


def test_a_rename_is_refused(shared):
    result = shared("rename_symbol", {"symbol": "open", "to": "unlock"})
    assert not result.success
    assert "by their spelling alone" in result.text()


def test_the_command_of_the_tests_is_named(shared):
    result = shared("run_tests", {})
    assert "run_command with go test ./..." in result.text()


@pytest.mark.parametrize(
    ("name", "content", "first"),
    [
        ("Parcel.weigh", "fn weigh(&self) -> u32 {\n    2\n}", 12),
        ("Parcel", "pub struct Parcel {\n    code: u8,\n}", 3),
        ("Parcel.code", "pub code: u8,", 6),
    ],
)
def test_doc_comments_and_attributes_of_rust_are_kept(run, name, content, first):
    call = run({"src/lib.rs": RUST}, auto_apply=True)
    arguments = {"path": "src/lib.rs", "name": name, "content": content}
    assert call("replace_symbol", arguments).success
    text = call("get_lines", {"path": "src/lib.rs"}).text()
    old = RUST.split("\n")
    assert f"{old[first - 1]}\n" in text
    assert f"{old[first]}\n" in text
    assert content.split("\n")[0] in text


def test_modules_of_rust_depend_on_one_another(run):
    files = {
        "Cargo.toml": '[package]\nname = "docks"\n',
        "src/lib.rs": "mod store;\nmod parcel;\n",
        "src/parcel.rs": RUST,
        "src/store.rs": "pub fn open() -> u32 { 1 }\n",
    }
    call = run(files)
    found = told(call, "get_dependents", path="src/store.rs")["dependents"]
    assert [file["path"] for file in found] == ["src/lib.rs", "src/parcel.rs"]
    assert "use run_command with cargo test" in call("run_tests", {}).text()


def test_types_of_a_java_package_need_no_import(run):
    files = {
        "pom.xml": "<project/>",
        "src/main/java/docks/Harbour.java": "package docks;\n\nimport crane.Hook;\n\n"
        "class Harbour {\n    /** Lifts. */\n    @Deprecated\n    Parcel lift(Hook hook) {\n"
        "        return null;\n    }\n}\n",
        "src/main/java/docks/Parcel.java": "package docks;\nclass Parcel {}\n",
        "src/main/java/docks/Alone.java": "package docks;\nclass Alone { String s; }\n",
        "src/main/java/crane/Hook.java": "package crane;\npublic class Hook {}\n",
    }
    call = run(files, auto_apply=True)
    harbour = "src/main/java/docks/Harbour.java"
    found = told(call, "get_dependencies", path=harbour)["dependencies"]
    assert [file["path"].rpartition("/")[2] for file in found] == ["Hook.java", "Parcel.java"]
    found = told(call, "get_dependents", path="src/main/java/docks/Parcel.java")["dependents"]
    assert [file["path"] for file in found] == [harbour]
    assert told(call, "get_dependents", path="src/main/java/docks/Alone.java")["dependents"] == []
    content = "    @Deprecated\n    Parcel lift(Hook hook) {\n        return new Parcel();\n    }"
    arguments = {"path": harbour, "name": "Harbour.lift", "content": content}
    assert call("replace_symbol", arguments).success
    text = call("get_lines", {"path": harbour}).text()
    assert "/** Lifts. */" in text
    assert "return new Parcel();" in text
    assert text.count("@Deprecated") == 1
    assert "use run_command with mvn test" in call("run_tests", {}).text()


def test_what_cannot_be_followed_is_said(shared):
    result = shared("find_implementations", {"symbol": "Parcel", "declared_in": "store/store.go"})
    assert "types of its language are not compared" in result.text()
    diff = "--- a/store/store.go\n+++ b/store/store.go\n@@ -13,1 +13,1 @@\n"
    diff += "-func open() {}\n+func open() { return }\n"
    assert "known by name only and not followed" in shared("get_impact", {"diff": diff}).text()


CALLING = project_files("languages_by_grammar, calling")


@pytest.mark.parametrize(
    ("symbol", "callers"),
    [
        ("work", [(8, "T.Run"), (12, "one"), (12, "two"), (13, "")]),
        ("assist", [(5, "inner.S.go"), (13, "main")]),
        ("C.base", [(4, "C.C"), (6, "C"), (7, "C"), (10, "C.In.m"), (13, "C.In.m")]),
    ],
)
def test_callers_are_told_by_the_function_around_a_place(run, symbol, callers):
    call = run(CALLING)
    found = told(call, "get_callers", symbol=symbol)["byName"]
    assert [(site["line"], site["caller"]) for site in found] == callers

"""What the index answers, up to date with the disk."""

import json

import pytest


def test_definitions_by_bare_and_qualified_name(make_index):
    index, _ = make_index(
        {
            "a.ts": "export class Yard {\n  park() {}\n  static size = 1\n}\n"
            "export enum Size {\n  S,\n  M,\n}\n"
            "namespace N { export interface I { f(): void } }\n",
            "b.ts": "export function park(a: 1): 1\nexport function park(a: any) {}\n"
            "class Lot { park = () => 1 }\n",
        }
    )

    def found(name):
        return [(s.path, s.line, s.qualified, s.kind) for s in index.definitions(name)]

    assert found("park") == [
        ("a.ts", 2, "Yard.park", "function"),
        ("b.ts", 1, "park", "function"),
        ("b.ts", 2, "park", "function"),
        ("b.ts", 3, "Lot.park", "function"),
    ]
    assert found("Yard.park") == [("a.ts", 2, "Yard.park", "function")]
    assert found("Yard.park()") == found("Yard.park")
    assert found("size") == [("a.ts", 3, "Yard.size", "property")]
    assert found("Size.M") == [("a.ts", 7, "Size.M", "property")]
    assert found("I.f") == found("N.I.f") == [("a.ts", 9, "N.I.f", "function")]
    assert found("none") == []


def test_decorated_definition_is_where_its_name_is(make_index):
    index, _ = make_index({"a.ts": "@Component({\n  name: 'x',\n})\nexport class Card {}\n"})
    assert [s.line for s in index.definitions("Card")] == [4]


def test_definition_behind_another_exported_name(make_index):
    index, _ = make_index(
        {"yard.ts": "export class Yard {}\n", "index.ts": "export { Yard as Lot } from './yard'\n"}
    )
    assert [(s.path, s.name) for s in index.definitions("Lot")] == [("yard.ts", "Yard")]


def test_similar_names_are_ranked(make_index):
    index, _ = make_index(
        {
            "u.ts": "export function getUserById() {}\nexport function getUserByEmail() {}\n"
            "export const zzz = 1\nclass UserStore { fetchAll() {} }\n"
        }
    )
    assert index.similar("getuserbyid")[0].name == "getUserById"
    assert [s.name for s in index.similar("getUserByid")] == ["getUserById", "getUserByEmail"]
    assert [(s.qualified, s.line) for s in index.similar("fetchAl")] == [("UserStore.fetchAll", 4)]
    assert index.similar("UserStor.fetchAll")[0].qualified == "UserStore.fetchAll"
    assert index.similar("qqqqqq") == []
    assert index.similar("") == []
    assert len(index.similar("user", limit=1)) == 1


def test_dependencies_are_nodes_with_their_roles(make_index):
    users = {f"src/u{i}.ts": "import './core'\n" for i in range(6)}
    index, _ = make_index(
        {
            **users,
            "src/core.ts": "export const c = 1\n",
            "src/app.ts": "import './core'\nimport './u0'\nimport './gone'\nimport './a.css'\n"
            "import './core'\nimport 'react'\n",
            "src/a.css": "",
        }
    )
    found = {d.path: d for d in index.imports.dependencies("src/app.ts")}
    assert list(found) == ["src/a.css", "src/core.ts", "src/gone", "src/u0.ts"]
    assert found["src/core.ts"].is_hub
    assert found["src/core.ts"].dependents == 7
    assert not found["src/u0.ts"].is_hub
    assert not found["src/gone"].exists
    assert not found["src/gone"].is_entry_point
    assert found["src/a.css"].exists
    assert found["src/a.css"].file_type == "unknown"
    assert found["src/u0.ts"].complexity_score == pytest.approx(10.4)
    assert index.imports.node("src/app.ts").is_entry_point
    assert [d.path for d in index.imports.dependents("src/core.ts")] == ["src/app.ts", *users]


def test_import_of_an_ignored_file_exists(make_index):
    files = {
        ".gitignore": "made/\n",
        "made/client.ts": "",
        "made/logo.svg": "",
        "app.ts": "import './made/client'\nimport './made/logo.svg'\nimport './made/none'\n",
    }
    index, _ = make_index(files)
    found = [(node.path, node.exists) for node in index.imports.dependencies("app.ts")]
    assert found == [("made/client.ts", True), ("made/logo.svg", True), ("made/none", False)]


def test_entry_of_the_package_is_an_entry_point(make_index, money):
    index, _ = make_index({**money, "src/use.ts": "import './pay'\n"})
    assert index.imports.node("src/pay.ts").is_entry_point
    assert not index.imports.node("src/tax.ts").is_entry_point


def test_graph_is_that_of_the_whole_project(make_index):
    index, _ = make_index({"a.ts": "import './b'\n", "b.ts": "import './a'\nimport './gone'\n"})
    assert index.imports.graph().cycles() == [("a.ts", "b.ts")]


def test_metrics_are_of_parsed_files_below_a_folder(make_index, money):
    index, _ = make_index({**money, "src-old/a.ts": "1\n"})
    assert set(index.metrics("src")) == {"src/gone.ts", "src/pay.ts", "src/tax.ts"}
    assert set(index.metrics()) == {*index.metrics("src"), "src-old/a.ts"}
    assert index.metrics("src/tax.ts")["src/tax.ts"].cyclomatic_complexity == 2
    assert index.metrics("none") == {}


def test_todos_are_found_in_every_language_with_comments(make_index, money):
    index, _ = make_index({**money, "ci.yml": "# FIXME(me): slow\na: 1\n", "README.md": "TODO\n"})
    found = {
        path: [(t.line, t.type, t.text) for t in todos] for path, todos in index.todos().items()
    }
    assert set(found) == {"ci.yml", "src/pay.ts"}
    assert found["src/pay.ts"] == [(2, "TODO", "round")]
    assert set(index.todos("src")) == {"src/pay.ts"}


def test_dump_has_the_documented_form(make_index, money):
    source = (
        "import { vat } from './tax'\nimport 'react'\nexport interface I { a: 1 }\ntype T = 1\n"
        "enum E { A }\nexport abstract class Bill<T> extends Base<T> implements I {\n"
        "  sum = 0\n  async pay(to: string, ...rest) { if (to) vat(1) }\n}\n"
        "export default async function run({ a }, b = 1) {}\n"
    )
    index, _ = make_index({**money, "src/bill.ts": source})
    lines = [json.loads(json.dumps(item)) for item in index.dump()]
    assert [line["path"] for line in lines] == sorted({*money, "src/bill.ts"})
    bill = next(line for line in lines if line["path"] == "src/bill.ts")
    assert bill.pop("hash") == index.facts("src/bill.ts").hash
    assert bill == {
        "path": "src/bill.ts",
        "language": "typescript",
        "size": len(source),
        "imports": [
            {"from": "./tax", "line": 1, "kind": "import", "resolved": "src/tax.ts"},
            {"from": "react", "line": 2, "kind": "side-effect", "resolved": None},
        ],
        "exports": ["I", "Bill", "default"],
        "functions": [
            {
                "name": "run",
                "lineStart": 10,
                "lineEnd": 10,
                "params": ["{ a }", "b"],
                "isAsync": True,
                "isExported": True,
            }
        ],
        "classes": [
            {
                "name": "Bill",
                "lineStart": 6,
                "lineEnd": 9,
                "extends": "Base<T>",
                "implements": ["I"],
                "isExported": True,
                "isAbstract": True,
                "methods": ["pay"],
                "properties": ["sum"],
            }
        ],
        "interfaces": [{"name": "I", "lineStart": 3, "lineEnd": 3}],
        "types": [{"name": "T", "lineStart": 4, "lineEnd": 4}],
        "enums": [{"name": "E", "lineStart": 5, "lineEnd": 5}],
        "complexity": {"loc": 10, "nestingDepth": 1, "cyclomaticComplexity": 2, "score": 39.0},
        "dependencies": ["src/tax.ts"],
        "dependents": [],
        "parseError": None,
    }
    tax = next(line for line in lines if line["path"] == "src/tax.ts")
    assert tax["dependents"] == ["src/bill.ts", "src/gone.ts", "src/pay.ts"]
    gone = next(line for line in lines if line["path"] == "src/gone.ts")
    assert gone["dependencies"] == ["src/tax.ts"]


def test_file_with_a_syntax_error_keeps_its_facts(make_index):
    index, _ = make_index({"a.ts": "export function whole() {}\nfunction (\n"})
    assert index.definitions("whole")
    assert next(index.dump())["parseError"] == "Syntax error at line 2."

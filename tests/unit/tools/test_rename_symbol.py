"""A symbol renamed in all files, in one question."""

import tomllib
from pathlib import Path

import pytest

from ipuaro_jupyter.records.change import ChosenFile, Decision

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

FILES = {
    "src/tax.ts": "// vat(net)\nexport function vat(net: number) {\n  return net\n}\n",
    "src/bill.ts": "import { vat } from './tax'\r\nconst s = 'vat'\r\nexport const o = { vat }\r\n",
    "src/other.ts": "let x: any\nx.vat\n",
    "README.md": "Call `vat`.\n",
}
NEW = {
    "src/tax.ts": "// vat(net)\nexport function tax(net: number) {\n  return net\n}\n",
    "src/bill.ts": "import { tax } from './tax'\r\nconst s = 'vat'\r\n"
    "export const o = { vat: tax }\r\n",
}


@pytest.fixture
def opened(make_project, open_assistant):
    """Return a function that opens a project: its root, the assistant, the questions asked."""

    def open_project(files, decide=lambda _: True):
        asked = []
        root = make_project(files)
        assistant = open_assistant(
            root, [], confirm=lambda proposal: asked.append(proposal) or decide(proposal)
        )
        return root, assistant, asked

    return open_project


def read(root, files):
    return {path: (root / path).read_bytes().decode() for path in files}


def test_one_question_renames_everywhere_and_one_undo_takes_it_back(opened):
    root, assistant, asked = opened(FILES)
    result = assistant.call("rename_symbol", {"symbol": "vat", "to": "tax"})
    assert result.success, result.text()
    assert read(root, FILES) == {**FILES, **NEW}
    (question,) = asked
    assert question.kind == "changes"
    assert question.title == "Rename vat to tax: 3 places in 2 files"
    assert [(f.path, f.is_chosen, bool(f.group)) for f in question.changed] == [
        ("src/bill.ts", True, False),
        ("src/tax.ts", True, False),
        ("src/other.ts", False, True),
    ]
    output = result.to_dict()["output"]
    assert [(f["path"], f["lines"]) for f in output["files"]] == [
        ("src/bill.ts", [1, 3]),
        ("src/tax.ts", [2]),
    ]
    assert "src/tax.ts:1" in result.text()
    assert "README.md:1" in question.reason
    assert "src/bill.ts:2" in question.reason
    assistant.undo()
    assert read(root, FILES) == FILES


def test_what_is_known_by_name_only_is_renamed_when_it_is_chosen(opened):
    def all_of_them(proposal):
        chosen = tuple(ChosenFile(number=n) for n in range(1, len(proposal.changed) + 1))
        return Decision(action="apply", chosen=chosen)

    root, assistant, _ = opened(FILES, all_of_them)
    assert assistant.call("rename_symbol", {"symbol": "vat", "to": "tax"}).success
    assert (root / "src/other.ts").read_text() == "let x: any\nx.tax\n"


BOTH = {
    "src/tax.ts": "export const vat = 1\n",
    "src/bill.ts": "import { vat } from './tax'\nlet x: any\nx.vat = vat + x.vat\nx.vat\n",
}


@pytest.mark.parametrize(
    ("chosen", "bill", "lines"),
    CASES["places_by_name_only_can_be_chosen_in_lines_with_certain_ones"],
)
def test_places_by_name_only_can_be_chosen_in_lines_with_certain_ones(opened, chosen, bill, lines):
    def decide(_):
        return Decision(action="apply", chosen=tuple(ChosenFile(number=n) for n in chosen))

    root, assistant, asked = opened(BOTH, decide)
    result = assistant.call("rename_symbol", {"symbol": "vat", "to": "tax"})
    assert result.success, result.text()
    (question,) = asked
    named = question.changed[2]
    assert (named.path, named.is_chosen) == ("src/bill.ts", False)
    assert named.note == "lines 3, 4; with the certain places of line 3"
    assert named.new_text.splitlines()[2:] == ["x.tax = tax + x.tax", "x.tax"]
    assert (root / "src/bill.ts").read_text().splitlines() == [bill[0], "let x: any", *bill[1:]]
    renamed = {file["path"]: file["lines"] for file in result.to_dict()["output"]["files"]}
    assert renamed["src/bill.ts"] == lines
    assistant.undo()
    assert read(root, BOTH) == BOTH


def test_files_by_name_only_beyond_the_listed_ones_are_named(opened):
    uses = "import { vat } from './tax'\nlet x: any\nx.vat\n"
    files = {"src/tax.ts": FILES["src/tax.ts"]} | {f"src/u{n:03}.ts": uses for n in range(102)}
    _, assistant, asked = opened(files)
    assert assistant.call("rename_symbol", {"symbol": "vat", "to": "tax"}).success
    assert sum(bool(file.group) for file in asked[0].changed) == 100
    told = "Not listed: 2 more files that have the name: src/u100.ts, src/u101.ts."
    assert told in asked[0].reason


def test_a_file_that_the_user_leaves_out_is_told(opened):
    decide = lambda _: Decision(action="apply", chosen=(ChosenFile(number=2),))  # noqa: E731
    root, assistant, _ = opened(FILES, decide)
    result = assistant.call("rename_symbol", {"symbol": "vat", "to": "tax"})
    assert read(root, FILES) == {**FILES, "src/tax.ts": NEW["src/tax.ts"]}
    assert "Left out by the user, so the code is inconsistent: src/bill.ts." in result.text()


def test_a_built_folder_is_named(opened):
    bundle = {"dist/app.0123456789abcdef.js": "function vat(n){return n}\n"}
    _, assistant, asked = opened({**FILES, **bundle})
    result = assistant.call("rename_symbol", {"symbol": "vat", "to": "tax"})
    assert "Not renamed in built files: dist." in asked[0].reason
    assert "Not renamed in built files: dist." in result.text()


def test_a_rejected_rename_changes_nothing(opened):
    root, assistant, _ = opened(FILES, lambda _: False)
    assert not assistant.call("rename_symbol", {"symbol": "vat", "to": "tax"}).success
    assert read(root, FILES) == FILES


def test_clashes_and_public_names_are_told_before_the_decision(opened):
    files = {
        "package.json": '{"name": "p", "exports": {".": "./src/index.ts"}}',
        "src/index.ts": "export { vat } from './tax'\n",
        "src/tax.ts": "export const vat = 1\nconst tax = 2\n",
    }
    _, assistant, asked = opened(files)
    result = assistant.call("rename_symbol", {"symbol": "vat", "to": "tax"})
    assert any("src/tax.ts:2" in problem for problem in asked[0].problems)
    assert "src/index.ts" in asked[0].reason
    assert "public" in result.text()


def test_one_of_several_declarations_has_to_be_chosen(opened):
    files = {"a.ts": "export const vat = 1\n", "b.ts": "export const vat = 2\n"}
    root, assistant, asked = opened(files)
    error = assistant.call("rename_symbol", {"symbol": "vat", "to": "tax"}).error
    assert (error.type, asked) == ("validation", [])
    assert "a.ts:1" in error.message
    assert "b.ts:1" in error.message
    assert "declared_in" in error.suggestion
    chosen = {"symbol": "vat", "to": "tax", "declared_in": "b.ts"}
    assert assistant.call("rename_symbol", chosen).success
    assert read(root, files) == {"a.ts": files["a.ts"], "b.ts": "export const tax = 2\n"}


def test_two_members_of_one_file_are_told_apart_by_the_qualified_name(opened):
    _, assistant, _ = opened({"a.ts": "class A { x() {} }\nclass B { x() {} }\n"})
    error = assistant.call("rename_symbol", {"symbol": "x", "to": "y"}).error
    assert "qualified name" in error.suggestion
    assert assistant.call("rename_symbol", {"symbol": "B.x", "to": "y"}).success


def test_a_bare_name_is_the_one_at_the_top_of_the_file(opened):
    root, assistant, _ = opened({"a.ts": "class A { x() {} }\nconst x = 1\n"})
    assert assistant.call("rename_symbol", {"symbol": "x", "to": "y"}).success
    assert (root / "a.ts").read_text() == "class A { x() {} }\nconst y = 1\n"


def test_a_key_in_quotes_keeps_them(opened):
    root, assistant, _ = opened({"a.ts": "interface A { 'x': number }\nlet a: A\na.x\n"})
    assert assistant.call("rename_symbol", {"symbol": "A.x", "to": "y"}).success
    assert (root / "a.ts").read_text() == "interface A { 'y': number }\nlet a: A\na.y\n"


@pytest.mark.parametrize(("given", "message"), CASES["what_cannot_be_is_refused_with_the_reason"])
def test_what_cannot_be_is_refused_with_the_reason(opened, given, message):
    _, assistant, asked = opened({**FILES, "src/c.ts": "class Tax { constructor() {} }\n"})
    error = assistant.call("rename_symbol", given).error
    assert (error.type, error.message, asked) == ("validation", message, [])
    assert error.suggestion


def test_a_misspelt_symbol_gets_suggestions(opened):
    _, assistant, _ = opened(FILES)
    error = assistant.call("rename_symbol", {"symbol": "vatt", "to": "tax"}).error
    assert "vat (src/tax.ts:2)" in error.suggestion


def test_another_name_of_an_export_is_not_renamed(opened):
    files = {"a.ts": "const vat = 1\nexport { vat as rate }\n"}
    _, assistant, _ = opened(files)
    error = assistant.call("rename_symbol", {"symbol": "rate", "to": "tax"}).error
    assert "vat (const, a.ts:1)" in error.message


def test_reserved_words_are_those_of_the_language(opened):
    files = {
        "a.py": "def vat(): pass\nclass A:\n    def go(self): pass\n",
        "b.ts": "class B { go() {} }\n",
    }
    root, assistant, _ = opened(files)
    assert assistant.call("rename_symbol", {"symbol": "vat", "to": "lambda"}).error
    assert assistant.call("rename_symbol", {"symbol": "vat", "to": "function"}).success
    assert assistant.call("rename_symbol", {"symbol": "B.go", "to": "delete"}).success
    assert (root / "b.ts").read_text() == "class B { delete() {} }\n"


def test_the_model_is_told_what_to_call_instead_of_a_foreign_name(opened):
    _, assistant, _ = opened(FILES)
    assert "rename_symbol(symbol, to" in assistant.call("rename", {}).error.suggestion


def test_a_rename_is_right_whatever_was_seen_and_shows_nothing(opened):
    """An edit by lines is refused afterwards where the model has seen another version."""
    root, assistant, _ = opened(FILES)
    assistant.call("get_lines", {"path": "src/tax.ts"}, by_user=False)
    (root / "src/tax.ts").write_text("\n" + FILES["src/tax.ts"])
    assert assistant.call("rename_symbol", {"symbol": "vat", "to": "tax"}).success
    assert (root / "src/tax.ts").read_text() == "\n" + NEW["src/tax.ts"]
    edit = {"path": "src/tax.ts", "start": 1, "end": 1, "content": "// x"}
    assert assistant.call("edit_lines", edit).error.type == "conflict"
    (root / "src/bill.ts").write_text("import { tax } from './tax'\n")
    assert assistant.call("rename_symbol", {"symbol": "tax", "to": "vat"}).success


def test_places_by_name_only_that_are_left_are_in_the_result(opened):
    _, assistant, _ = opened({"a.py": "def area(): ...\n", "b.py": "def f(x):\n    x.area()\n"})
    told = assistant.call("rename_symbol", {"symbol": "area", "to": "size"}).text()
    assert "Not renamed, for they may be another area: b.py:2." in told


@pytest.mark.parametrize("declared_in", ["", "tide.py", "tide.pyi"])
def test_a_stub_is_renamed_with_its_module(make_project, open_assistant, declared_in):
    files = {
        "tide.py": "class Gauge:\n    def level(self):\n        return self.level\n",
        "tide.pyi": "class Gauge:\n    def level(self) -> float: ...\n",
        "use.py": "from tide import Gauge\n\nGauge().level()\n",
    }
    root = make_project(files)
    call = open_assistant(root, [], auto_apply=True).call
    made = call(
        "rename_symbol", {"symbol": "Gauge.level", "to": "height", "declared_in": declared_in}
    )
    assert [file.path for file in made.output.files] == [*files]
    for path, text in files.items():
        assert (root / path).read_text() == text.replace("level", "height")


@pytest.mark.parametrize(("module", "stub"), [("js", "d.ts"), ("mjs", "d.mts")])
def test_a_declaration_file_is_renamed_with_its_module(make_project, open_assistant, module, stub):
    files = {
        f"tide.{stub}": "export function level(at: Date): number;\n",
        f"tide.{module}": "export function level(at) {\n  return 1;\n}\n",
        "use.ts": f"import {{ level }} from './tide.{module}';\nlevel(new Date());\n",
    }
    root = make_project(files)
    call = open_assistant(root, [], auto_apply=True).call
    call("rename_symbol", {"symbol": "level", "to": "height"})
    for path, text in files.items():
        assert (root / path).read_text() == text.replace("level", "height")


def test_files_that_only_share_a_name_are_no_twins(make_project, open_assistant):
    files = {"a/tide.py": "def level(): ...\n", "tide.pyi": "def level() -> int: ...\n"}
    root = make_project(files)
    call = open_assistant(root, [], auto_apply=True).call
    assert "declared 2 times" in call("rename_symbol", {"symbol": "level", "to": "x"}).text()
    call("rename_symbol", {"symbol": "level", "to": "height", "declared_in": "a/tide.py"})
    assert (root / "tide.pyi").read_text() == files["tide.pyi"]

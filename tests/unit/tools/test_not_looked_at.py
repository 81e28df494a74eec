"""An answer names the files that it cannot see into."""

import shutil

import pytest
from folder_states import write_deep

FILES = {
    "src/a.ts": "export function ship() {}\nexport class Crate {}\n",
    "src/b.ts": "import { ship } from './a'\nship()\n",
    "app/Main.kt": "fun main() { ship() }\n",
    "app/Other.kt": "fun other() = shipping\n",
    "tools/go.rb": "puts 1\n",
    "README.md": "ship it\n",
    "data.json": '{"ship": 1}',
    "style.css": ".ship {}\n",
}
DIFF = (
    "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n-export function ship() { 1 }\n"
    "+export function ship() {}\n export class Crate {}\n"
)
MISSING = "not looked at: 2 .kt files, 1 .rb file"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("find_references", {"symbol": "ship"}),
        ("find_definition", {"symbol": "ship"}),
        ("find_definition", {"symbol": "nothing_like_it"}),
        ("get_dependents", {"path": "src/a.ts"}),
        ("get_dependencies", {"path": "src/b.ts"}),
        ("get_callers", {"symbol": "ship"}),
        ("get_callees", {"symbol": "ship"}),
        ("find_implementations", {"symbol": "Crate"}),
        ("get_impact", {"diff": DIFF}),
        ("get_todos", {}),
        ("get_complexity", {}),
    ],
)
def test_what_is_not_parsed_is_told_in_the_text_the_fields_and_the_view(shared, tool, arguments):
    result = shared(tool, arguments)
    assert MISSING in result.text()
    assert MISSING in result.output.shape().note
    assert result.to_dict()["output"]["notLookedAt"] == [
        {"extension": ".kt", "files": 2},
        {"extension": ".rb", "files": 1},
    ]


def test_files_that_contain_the_name_as_a_word_are_listed(shared):
    found = shared("find_references", {"symbol": "ship"})
    assert found.text().endswith(f"[{MISSING} (1 contains the name: app/Main.kt)]")
    assert found.output.unread_with_name == ("app/Main.kt",)
    found = shared("find_definition", {"symbol": "Crate.sail"})
    assert f"[{MISSING} (none contains the name)]" in found.text()


@pytest.mark.parametrize("tool", ["get_callers", "get_callees", "find_implementations"])
def test_relations_list_the_files_with_the_name(shared, tool):
    told = f"[{MISSING} (1 contains the name: app/Main.kt)]"
    assert told in shared(tool, {"symbol": "ship"}).text()
    failed = shared(tool, {"symbol": "main"})
    assert f"No declaration of main is known here. {told}" in failed.text()


def test_only_what_is_inside_the_asked_folder_counts(shared):
    assert shared("find_references", {"symbol": "ship", "path": "src"}).output.not_looked_at == ()
    inside = shared("find_references", {"symbol": "ship", "path": "tools"})
    assert "[not looked at: 1 .rb file (none contains the name)]" in inside.text()


def test_folders_that_cannot_be_read_are_told(make_project, open_assistant):
    root = make_project({"src/a.ts": FILES["src/a.ts"], "lib/b.ts": "export const b = 1\n"})
    write_deep(root / "src", "x" * 250, 17, "c.ts", b"export function sail() {}\n")
    call = open_assistant(root, []).call
    told = "[not looked at: 1 folder that cannot be read]"
    for path in ("", "src"):
        found = call("find_references", {"symbol": "sail", "path": path}).text()
        assert "No code that was looked at has the name sail." in found
        assert told in found
    assert told in call("get_todos").text()
    inside = call("find_references", {"symbol": "b", "path": "lib"})
    assert inside.output.not_looked_at == ()
    shutil.rmtree(root / "src")
    assert "No code here has the name sail." in call("find_references", {"symbol": "sail"}).text()


def test_a_project_that_is_read_as_a_whole_says_nothing(run):
    files = {path: text for path, text in FILES.items() if path.endswith((".ts", ".md", ".css"))}
    assert "not looked at" not in run(files)("find_references", {"symbol": "ship"}).text()


def test_refused_files_count_too(run):
    minified = "var ship=1;" * 4000
    files = {"a.ts": FILES["src/a.ts"], "vendor.js": minified, "odd.py": b"ship = '\xff'\n"}
    call = run(files)
    found = call("find_references", {"symbol": "ship"})
    listed = "(2 contain the name: odd.py, vendor.js)"
    assert f"[not looked at: 1 .js file, 1 .py file {listed}]" in found.text()
    failed = call("get_function", {"path": "vendor.js", "name": "ship"})
    assert "vendor.js was not looked at: the file is minified" in failed.text()
    failed = call("get_class", {"path": "vendor.js", "name": "ship"})
    assert "vendor.js was not looked at: the file is minified" in failed.text()
    own = call("get_dependencies", {"path": "vendor.js"})
    assert "Not analysed: the file is minified" in own.text()
    assert "Not analysed: the file is minified" in own.output.shape().note


def test_a_function_that_is_not_found_in_a_broken_file_may_be_missing(run):
    failed = run({"a.ts": "function (\nfunction b() {}\n"})(
        "get_function", {"path": "a.ts", "name": "c"}
    )
    assert "Some of it may be missing: syntax error at line 1." in failed.text()


def test_a_rename_says_it(run):
    call = run(FILES, auto_apply=True)
    result = call("rename_symbol", {"symbol": "ship", "to": "send"})
    told = "Not looked at: 2 .kt files, 1 .rb file (1 contains the name: app/Main.kt)."
    assert told in result.text()
    failed = call("rename_symbol", {"symbol": "sail", "to": "send"})
    assert f"[{MISSING} (none contains the name)]" in failed.text()


def test_more_kinds_than_fit_are_counted(run):
    kinds = ("kt", "rb", "swift", "php", "lua", "dart", "ex", "hs")
    files = {f"{n}.{kind}": "" for kind in kinds for n in range(1 + (kind == "kt"))}
    found = run({"a.ts": "let a = 1\n", **files})("find_references", {"symbol": "a"}).text()
    assert "not looked at: 2 .kt files, 1 .dart file" in found
    assert "1 .php file, 2 files of other kinds (none contains the name)" in found


def test_too_many_to_search_are_only_counted(run):
    files = {f"{n}.kt": "" for n in range(1001)}
    found = run({"a.ts": "let a = 1\n", **files})("find_references", {"symbol": "a"})
    assert found.text().endswith("[not looked at: 1,001 .kt files]")
    assert "unreadWithName" not in found.to_dict()["output"]


def test_it_is_not_said_of_files_that_were_not_read_that_they_lack_a_name(run):
    call = run({"a.ts": "let a = 1\n", "b.kt": "sail()", "c.js": "haul()\n".encode("utf-16")})
    told = call("find_references", {"symbol": "sail"}).text()
    assert "No code that was looked at has the name sail." in told
    assert "No code here has the name tack." in call("find_references", {"symbol": "tack"}).text()
    assert "(1 contains the name: c.js)" in call("find_references", {"symbol": "haul"}).text()


def test_code_with_a_nul_is_searched_and_shown(run):
    nul = 'import { x } from "./x"\nexport function go() { return "\0" + x }\n'
    call = run({"a.ts": nul, "x.ts": "export const x = 1\n"})
    found = call("find_references", {"symbol": "x"})
    assert found.output.total_references == 3
    assert found.output.not_looked_at == ()
    assert "go" in call("get_function", {"path": "a.ts", "name": "go"}).text()
    assert "a.ts" in call("grep", {"pattern": "function go"}).text()


BROKEN = {
    "a.ts": "export function ship() {}\nexport function sail() {}\n",
    "b.ts": "import { ship } from './a'\nexport function f( {\nship()\n",
    "c.ts": "import { sail } from './a'\nsail()\n",
    "d.ipynb": '{"cells": [{"cell_type": "code", "source": ["ship( 1"]}], "metadata": {}}',
}
PARTS = "not looked at: parts of 1 .ipynb file with syntax errors, parts of 1 .ts file with syntax "


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("find_references", {"symbol": "ship"}),
        ("get_dependents", {"path": "a.ts"}),
        ("get_dependencies", {"path": "c.ts"}),
    ],
)
def test_files_with_syntax_errors_are_told_as_looked_at_in_part(run, tool, arguments):
    result = run(BROKEN)(tool, arguments)
    kinds = result.to_dict()["output"]["notLookedAt"]
    if tool != "get_dependents":  # the notebook cannot import it
        assert PARTS in result.text()
        assert {"extension": ".ts", "files": 1, "inPart": True} in kinds
    assert "parts of 1 .ts file with syntax errors" in result.text()


def test_files_with_syntax_errors_that_do_not_have_the_name_are_not_told(run):
    assert run(BROKEN)("find_references", {"symbol": "sail"}).output.unread_remark == ""


def test_a_name_whose_import_has_an_error_is_a_use(run):
    files = {
        "a.js": BROKEN["a.ts"],
        "b.js": "// @flow\nimport { type T, ship } from './a'\nship()\n",
    }
    found = run(files)("find_references", {"symbol": "ship", "declared_in": "a.js"}).output
    assert ("b.js", 3) in [(use.path, use.line) for use in found.references if use.resolved]

"""Answers about who uses a file say which imports that may mean it lead to no file."""

import json

import pytest
from annotated import project_files

FILES = project_files("broken_imports")
TOLD = '"../src/x" in app/a.ts:3'
DIFF = (
    "--- a/lib/x.ts\n+++ b/lib/x.ts\n@@ -1,2 +1,2 @@\n-export function sail() { 1 }\n"
    "+export function sail() {}\n export function rest() {}\n"
)


@pytest.fixture
def moved(make_project, open_assistant):
    """The `call` of a project that is open while one of its folders is renamed."""
    root = make_project(FILES)
    call = open_assistant(root, []).call
    assert call("get_dependents", {"path": "src/x.ts"}).output.total_dependents == 2
    (root / "src").rename(root / "lib")
    return call


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_dependents", {"path": "lib/x.ts"}),
        ("find_references", {"symbol": "sail"}),
        ("get_callers", {"symbol": "sail"}),
        ("get_impact", {"diff": DIFF}),
    ],
)
def test_imports_of_a_renamed_folder_are_told(moved, tool, arguments):
    result = moved(tool, arguments)
    assert TOLD in result.text()
    assert "lead to no file" in result.text()
    assert TOLD in result.output.shape().note
    place = {"path": "app/a.ts", "line": 3, "source": "../src/x"}
    assert place in result.to_dict()["output"]["brokenImports"]["first"]


def test_those_are_told_whose_last_part_is_the_name_of_the_file(moved):
    told = [*('"../src/x" in app/a.ts:3', '"../src/x.js" in app/b.ts:1', '"@/src/x" in app/c.ts:1')]
    text = moved("get_dependents", {"path": "lib/x.ts"}).text()
    assert f"[3 imports that may mean it lead to no file: {', '.join(told)}]" in text
    text = moved("get_dependents", {"path": "lib/tool.py"}).text()
    told = '"src.tool" in app/d.py:1, "..src.tool" in app/e.py:2, "src" in app/e.py:1'
    assert f"[3 imports that may mean it lead to no file: {told}]" in text


def test_of_references_those_count_that_take_the_name(moved):
    found = moved("find_references", {"symbol": "rest"}).output.broken_imports
    assert [(one.path, one.source) for one in found.first] == [("app/b.ts", "../src/x.js")]


def test_imports_that_lead_to_a_file_are_not_told(run):
    others = {
        "app/c.ts": "import { z } from './x.js'\nimport logo from './x.png'\n",
        "app/x.js": "export const z = 1\n",
        "app/x.png": b"\x89PNG\0",
        "app/g.py": "import pydantic.main\nfrom os.path import x\nfrom made.main import z\n",
        "app/main.py": "",
        "made/main.py": "",
        ".gitignore": "app/x.js\nmade\n",
    }
    call = run(FILES | others)
    for path in ("src/x.ts", "src/tool.py", "src/index.ts", "app/main.py"):
        assert "brokenImports" not in call("get_dependents", {"path": path}).to_dict()["output"]


def test_no_language_means_a_file_of_another_one(run):
    files = {
        "lib/x.ts": "export const x = 1\n",
        "lib/x.py": "x = 1\n",
        "app/a.ts": "import { x } from './gone/x'\n",
        "app/b.py": "from gone.x import x\n",
    }
    call = run(files)
    for path, importer in (("lib/x.ts", "app/a.ts"), ("lib/x.py", "app/b.py")):
        found = call("get_dependents", {"path": path}).output.broken_imports
        assert [one.path for one in found.first] == [importer]
    found = call("find_references", {"symbol": "x"}).output.broken_imports
    assert [one.path for one in found.first] == ["app/a.ts", "app/b.py"]


def test_a_mended_import_is_no_longer_told(make_project, open_assistant):
    root = make_project({"a.ts": "import './src/x'\n", "lib/x.ts": "export const x = 1\n"})
    call = open_assistant(root, []).call
    ask = ("get_dependents", {"path": "lib/x.ts"})
    told = '[1 import that may mean it leads to no file: "./src/x" in a.ts:1]'
    assert told in call(*ask).text()
    (root / "a.ts").write_text("\nimport './src/x'\n")
    assert told.replace("a.ts:1", "a.ts:2") in call(*ask).text()
    (root / "a.ts").write_text("import './lib/x'\n")
    assert "no file" not in call(*ask).text()


def test_many_are_counted(run):
    files = {f"{n:02}.ts": "import { x } from './gone/x'\n" for n in range(30)}
    found = run({"lib/x.ts": "export const x = 1\n"} | files)(
        "get_dependents", {"path": "lib/x.ts"}
    )
    assert found.output.broken_imports.total == 30
    assert len(found.output.broken_imports.first) == 20
    assert '"./gone/x" in 02.ts:1 and 27 more]' in found.text()


def test_an_import_in_a_notebook_is_told_with_its_cell(run):
    sources = (["1"], ["\n", "from src.x import f"])
    cells = [{"cell_type": "code", "source": source} for source in sources]
    notebook = json.dumps({"cells": cells, "metadata": {}})
    files = {"n.ipynb": notebook, "lib/x.py": "def f(): ...\n"}
    text = run(files)("get_dependents", {"path": "lib/x.py"}).text()
    assert '"src.x" in n.ipynb cell 2:2' in text


def test_what_is_written_in_an_import_stays_in_its_line(run):
    long = "../" + "gone/" * 1000 + "x"
    files = {
        "a/a.ts": "import { x } from './\x1b[2J/x'\n",
        "a/b.ts": f"import {{ x }} from '{long}'\n",
        "lib/x.ts": "export const x = 1\n",
    }
    result = run(files)("get_dependents", {"path": "lib/x.ts"})
    assert result.output.broken_imports.total == 2
    assert len(result.text()) < 400
    assert "\x1b" not in result.text()
    assert '"./\\u001b[2J/x" in a/a.ts:1, "../gone' in result.text()
    assert 'gone/x" in a/b.ts:1]' in result.text()


def test_imports_are_not_looked_for_where_another_file_has_a_use(run):
    """It would take longer than the answer; what cannot be resolved is told anyway."""
    files = {
        "lib/x.ts": "export function sail() {}\n",
        "lib/y.ts": "import { sail } from './x'\nsail()\n",
        "app/a.ts": "import { sail } from '../src/x'\nsail()\n",
    }
    call = run(files)
    found = call("find_references", {"symbol": "sail"}).output
    assert found.broken_imports is None
    assert ("app/a.ts", False) in {(use.path, use.resolved) for use in found.references}
    assert call("get_callers", {"symbol": "sail"}).output.broken_imports is None
    assert call("get_dependents", {"path": "lib/x.ts"}).output.broken_imports.total == 1


def test_a_specifier_that_means_no_package_may_have_an_alias(run):
    sources = {
        "a": "#ui/knob",
        "b": "$lib/knob",
        "c": "ui/knob",
        "d": "@shop/knob",
        "e": "kit/knob",
        "f": "node:knob",
        "g": "@team/knob",
        "h": "made/knob",
        "i": "path/knob",
    }
    files = {f"app/{name}.js": f"import '{one}'\n" for name, one in sources.items()}
    files |= {
        "lib/ui/knob.js": "export const x = 1\n",
        "package.json": '{"name": "@shop/app", "peerDependencies": {"@types/kit": "1"}}',
        "lib/package.json": '{"devDependencies": {"@team/knob": "2"}}',
        "node_modules/made/knob.js": "",
        ".gitignore": "node_modules\n",
    }
    found = run(files)("get_dependents", {"path": "lib/ui/knob.js"}).output.broken_imports
    told = {one.path: one.source for one in found.first}
    assert [*told] == ["app/a.js", "app/c.js", "app/b.js", "app/d.js"]  # the likeliest first


def test_without_package_json_a_folder_of_the_project_may_be_meant(run):
    files = {
        "app/a.js": "import 'ui/knob'\n",
        "app/b.js": "import 'kit/knob'\n",
        "lib/ui/knob.js": "export const x = 1\n",
    }
    found = run(files)("get_dependents", {"path": "lib/ui/knob.js"}).output.broken_imports
    assert [one.source for one in found.first] == ["ui/knob"]

"""Exports that nothing uses, with entry points, tests and conventions told apart."""

import json

import pytest

from ipuaro_jupyter.cancellation import watched
from ipuaro_jupyter.index.binding.references import ReferenceFinder
from ipuaro_jupyter.index.relations.export_demand import ExportDemand

FILES = {
    "package.json": json.dumps(
        {"name": "app", "main": "src/index.ts", "exports": {".": "./src/index.ts"}}
    ),
    "src/index.ts": "export * from './public'\nexport { used as renamed } from './inner'\n"
    "import * as ns from './names'\nns.reached()\n"
    "import * as whole from './whole'\nconsole.log(whole)\n"
    "const lazy = import('./lazy')\nlazy.then((m) => m.later())\n"
    "import { barred } from './barrel'\nbarred()\n",
    "src/public.ts": "export const api = 1\nexport type Api = string\n",
    "src/inner.ts": "export function used() { return local() }\n"
    "export function local() { return 1 }\nexport function dead() {}\n"
    "export function tested() {}\nexport default class Nobody {}\n",
    "src/names.ts": "export function reached() {}\nexport function missed() {}\n",
    "src/whole.ts": "export const any = 1\n",
    "src/lazy.ts": "export function later() {}\nexport function never() {}\nexport default 1\n",
    "src/barrel.ts": "export { barred, unbarred } from './deep'\n",
    "src/deep.ts": "export function barred() {}\nexport function unbarred() {}\n",
    "src/inner.test.ts": "import { tested } from './inner'\ntested()\n",
    "vite.config.ts": "export default {}\nexport const extra = 1\n",
    "site/package.json": json.dumps({"name": "site", "dependencies": {"next": "15"}}),
    "site/app/about/page.tsx": "export default function Page() { return null }\n"
    "export const metadata = {}\n",
    "site/lib/help.ts": "export const helper = 1\nexport interface Props { a: 1 }\n",
    "tool/pyproject.toml": '[project]\nname = "tool"\nscripts = { tool = "tool.cli:start" }\n',
    "tool/tool/__init__.py": "from .api import shown\n\n__all__ = ['shown']\n",
    "tool/tool/api.py": "def shown(): ...\n\n\ndef hidden(): ...\n\n\ndef _private(): ...\n",
    "tool/tool/cli.py": "from . import _work\nfrom .registry import register\n\n\n"
    "def start():\n    _work.run()\n\n\n@register\ndef added(): ...\n",
    "tool/tool/_work.py": "LIMIT = 1\n\n\ndef run():\n    return LIMIT\n\n\ndef stale(): ...\n",
    "tool/tool/registry.py": "def register(f): return f\n",
    "tool/tool/_parts.py": "__all__ = ['Part', 'Typed']\n\n\nclass Part: ...\n\n\n"
    "class Typed: ...\n",
    "tool/tool/_passing.py": "from ._parts import *\n\n__all__ = ['Part']\n\n\n"
    "def _use(typed: 'Typed'): ...\n",
    "tool/tests/test_api.py": "from tool._work import run\n",
}


@pytest.fixture
def found(shared):
    """Return a function from arguments to the output for FILES."""

    def ask(**more):
        result = shared("find_unused_exports", more)
        assert result.success, result
        return result.output

    return ask


def told(output):
    return [(one.path.rpartition("/")[2], one.name, one.state) for one in output.exports]


def test_each_unused_export_says_who_uses_it(found):
    assert told(found(path="src")) == [
        ("deep.ts", "unbarred", "unused"),
        ("inner.ts", "dead", "unused"),
        ("inner.ts", "default", "unused"),
        ("lazy.ts", "never", "unused"),
        ("names.ts", "missed", "unused"),
        ("inner.ts", "local", "own file"),
        ("barrel.ts", "unbarred", "re-export"),
        ("inner.ts", "tested", "tests"),
    ]


def test_public_exports_and_conventions_are_counted(found):
    output = found()
    assert "src/index.ts" in output.entries
    assert output.public == 5
    assert ("page.tsx", "metadata", "unused") not in told(output)
    assert output.conventional >= 2
    assert {one.name for one in found(path="site").exports} == {"helper", "Props"}
    assert not found(path="vite.config.ts").exports


def test_python_names(found):
    output = found(path="tool")
    assert [(one.name, one.state, one.is_importable) for one in output.exports] == [
        ("Part", "unused", False),  # in lists of exports alone
        ("stale", "unused", False),
        ("hidden", "unused", True),
        ("LIMIT", "own file", False),
    ]
    assert "others may import it" in output.text()


def test_the_text_groups_by_state_and_says_what_is_not_seen(found):
    text = found(path="src").text()
    assert "\nUsed nowhere (5):\nsrc/deep.ts:2 unbarred (function)\n" in text
    assert "Used by tests only (1):" in text
    assert "names made at run time" in text
    assert found(path="src").shape().rows[0] == (
        "src/deep.ts:2",
        "unbarred",
        "function",
        "nowhere",
    )


def test_the_limit_counts_the_rest(found):
    output = found(path="src", limit=3)
    assert (len(output.exports), output.total) == (3, 8)
    assert "5 more" in output.text()


def test_without_an_entry_point_first_files_are_taken_and_named(run):
    files = {
        "package.json": '{"name": "a", "main": "dist/index.js"}',
        "src/index.ts": "export const a = 1\n",
        "src/other.ts": "export const b = 1\n",
    }
    output = run(files)("find_unused_exports", {}).output
    assert told(output) == [("other.ts", "b", "unused")]


def test_properties_of_components_and_types_in_their_tags_are_used(run):
    call = run(
        {
            "src/Box.svelte": "<script context='module'>\nexport const lost = 1\n</script>\n"
            "<script>\nexport let name\nexport let size = 1\n</script>\n<b>{size}</b>\n",
            "src/List.vue": "<script lang='ts'>\nexport interface Item { id: number }\n"
            "export interface Other {}\n</script>\n"
            '<script setup lang="ts" generic="T extends Item">\n'
            "defineProps<{ items: T[] }>()\n</script>\n",
            "src/main.ts": "import Box from './Box.svelte'\nimport List from './List.vue'\n"
            "Box(List)\n",
        }
    )
    output = call("find_unused_exports").output
    assert sorted(told(output)) == [
        ("Box.svelte", "lost", "unused"),
        ("List.vue", "Item", "own file"),
        ("List.vue", "Other", "unused"),
    ]
    assert output.conventional == 2
    (use,) = call("find_references", {"symbol": "Item"}).output.references[1:]
    assert (use.line, use.column, use.resolved) == (5, 44, True)


def test_a_file_with_declarations_beside_it_is_used_and_has_dependents(run):
    call = run(
        {
            "src/A.svelte": "<script>export let x</script>\n",
            "src/A.svelte.d.ts": "export default class A {}\n",
            "src/b.js": "export function go() {}\nexport function lost() {}\n",
            "src/b.d.ts": "export declare function go(): void\n",
            "src/main.ts": "import A from './A.svelte'\nimport { go } from './b'\ngo(A)\n",
            "m.py": "def work(): ...\n",
            "m.pyi": "def work() -> None: ...\n",
            "main.py": "import m\nm.work()\n",
        }
    )
    assert told(call("find_unused_exports").output) == [("b.js", "lost", "unused")]
    for path in ("src/A.svelte", "src/A.svelte.d.ts", "src/b.js", "src/b.d.ts"):
        found = call("get_dependents", {"path": path}).output.dependents
        assert [one.path for one in found] == ["src/main.ts"]
    uses = call("find_references", {"symbol": "A", "declared_in": "src/A.svelte"}).output
    assert [(one.path, one.line) for one in uses.references] == [
        ("src/A.svelte", 1),
        ("src/main.ts", 1),
        ("src/main.ts", 3),
    ]


def test_the_script_that_a_component_names_is_used(run):
    files = {
        "package.json": '{"name": "a", "main": "src/main.ts"}',
        "src/main.ts": "import Box from './box.vue'\nconsole.log(Box)\n",
        "src/box.vue": '<template><p/></template>\n<script src="./box.ts"></script>\n',
        "src/box.ts": "export default { name: 'box' }\nexport const other = 1\n",
    }
    output = run(files)("find_unused_exports", {}).output
    assert told(output) == [("box.ts", "other", "unused")]


def test_files_whose_names_are_not_followed_are_counted(run):
    files = {
        "main.go": "package main\nfunc Hello() {}\nfunc main() { Hello() }\n",
        "a.kt": "fun a() {}\n",
    }
    output = run(files)("find_unused_exports", {}).output
    assert output.total == 0
    assert "[their exports are not looked at: 1 .go file]" in output.text()
    assert "[not looked at: 1 .kt file]" in output.text()


def test_an_export_whose_name_is_in_a_file_that_is_not_read_is_not_called_unused(run):
    files = {
        "package.json": '{"name": "a", "main": "src/index.ts"}',
        "src/index.ts": "export const a = 1\n",
        "src/lib.ts": "export const used = 1\nexport const gone = 2\n",
        "src/page.ts": "export default 1\n",
        "src/lone.ts": "export default 1\n",
        "src/App.kt": "import { used } from './lib'; import p from './page'",
        "src/vendor.js": "import{used}from'./lib';" + "var x=1;" * 6000,
    }
    result = run(files)("find_unused_exports", {})
    states = {(one.path, one.name): one.state for one in result.output.exports}
    assert states == {
        ("src/lib.ts", "used"): "unread",
        ("src/lib.ts", "gone"): "unused",
        ("src/page.ts", "default"): "unread",
        ("src/lone.ts", "default"): "unused",
    }
    assert result.output.counts == {"unread": 2, "unused": 2}
    assert "Perhaps used: files that were not looked at contain the name (2):" in result.text()
    assert "named in src/App.kt, src/vendor.js" in result.text()
    assert "perhaps in" in str(result.output.shape().rows)


def test_exports_that_time_ran_out_for_are_not_called_unused(run, monkeypatch):
    files = {"a.ts": "export const one = 1\n", "index.ts": "export const b = 1\n"}
    call, of = run(files), ReferenceFinder.of
    monkeypatch.setattr(ReferenceFinder, "of", lambda *a, **b: of(*a, **b).without({"c.ts"}))
    output = call("find_unused_exports", {}).output
    assert output.exports == ()
    assert output.out_of_time == 2
    assert (
        "the time was up: not all exports of 2 files were looked at, in a.ts, index.ts; "
        "ask for less with path, such as a.ts" in output.notes
    )


LATE = {
    "app/a.ts": "export const one = 1\nexport const two = 2\n",
    "app/lib/b.ts": "export const three = 3\n",
    "app/lib/c.ts": "export const four = 4\n",
    "app/py/d.py": "def five(): ...\n",
    "app/e.ts": "import { x } from './gone/c'\n",
}
PLACES = ", in app/lib (2), app/a.ts, app/e.ts, app/py (1); ask for less with path, such as app/lib"
IMPORTS = (
    "the time was up before it was known what is imported: "
    f"the exports of 5 files were not looked at{PLACES}"
)


@pytest.mark.parametrize(
    ("slow", "found", "told"),
    [
        (
            (ReferenceFinder, "of"),
            [("a.ts", "one", "unused")],
            f"the time was up: not all exports of 5 files were looked at{PLACES}",
        ),
        ((ExportDemand, "follow"), [], IMPORTS),
    ],
)
def test_what_was_found_in_time_is_told_with_what_was_not_looked_at(
    run, monkeypatch, slow, found, told
):
    """The time runs out in the second call of what finds uses, and in what follows imports."""
    call, slowed, calls = run(LATE), getattr(*slow), []

    def run_late(*a, **b):
        calls.append(a)
        if slow[1] == "follow" or len(calls) > 1:
            watched().expire()
        return slowed(*a, **b)

    monkeypatch.setattr(*slow, run_late)
    result = call("find_unused_exports", {})
    output = result.output
    assert [(one.path.rpartition("/")[2], one.name, one.state) for one in output.exports] == found
    assert (output.looked_at, output.out_of_time) == (len(found), 5)
    assert told in output.notes
    assert f"[{told}]" in result.text()
    assert told in output.shape().note


def test_where_nothing_is_to_be_looked_at_no_time_runs_out(run, monkeypatch):
    follow = ExportDemand.follow

    def follow_late(*a, **b):
        watched().expire()
        return follow(*a, **b)

    monkeypatch.setattr(ExportDemand, "follow", follow_late)
    output = run({"a.test.ts": "export const one = 1\n"})("find_unused_exports", {}).output
    assert (output.looked_at, output.out_of_time) == (0, 0)


def test_of_one_file_the_exports_of_the_declarations_beside_it_are_passed_on(run):
    files = {
        "package.json": '{"main": "main.js"}',
        "main.js": "export function one() {}\n",
        "main.d.ts": "export declare function one(): void\n",
    }
    call = run(files)
    for arguments in ({}, {"path": "main.js"}):
        assert call("find_unused_exports", arguments).output.exports == ()


def test_a_folder_is_told_as_in_the_whole_project(found):
    whole = found().exports
    for folder in ("src", "src/inner.ts", "site", "tool/tool"):
        inside = [one for one in whole if f"{one.path}/".startswith(f"{folder}/")]
        assert list(found(path=folder).exports) == inside


def test_the_files_that_imports_has_for_several_platforms_are_taken(run):
    said = {
        "main": "./index.ts",
        "imports": {
            "#os": {"browser": "./browser.ts", "default": ["./node.ts", None]},
            "#one": "./one.ts",
            "#odd": {"node": 5, "default": "../../outside.ts"},
        },
    }
    files = {
        "package.json": json.dumps(said),
        "index.ts": "import { name } from '#os'\nimport { one } from '#one'\nname(one)\n",
        "browser.ts": "export function name() {}\n",
        "node.ts": "export function name() {}\n",
        "one.ts": "export const one = 1\nexport const other = 1\n",
    }
    output = run(files)("find_unused_exports", {}).output
    assert told(output) == [("one.ts", "other", "unused")]


def test_an_exports_field_that_is_no_table_of_paths_is_no_error(run):
    files = {"package.json": '{"exports": {".": 5}}', "index.ts": "export const a = 1\n"}
    assert run(files)("find_unused_exports", {}).success

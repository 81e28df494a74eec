"""find_definition of names that come from installed packages."""

import pytest

HELPER = "node_modules/streams/node_modules/helper"
APP = {
    ".gitignore": "node_modules\n.venv\n",
    "package.json": '{"name": "app"}',
    "src/a.tsx": """\
import React, { useState as remembered } from "react"
import { map } from "streams/operators"
import * as all from "streams"
import { shapes, only } from "streams"
import plain from "plain"
import { readFile } from "node:fs"
import { gone } from "missing"
import { local } from "./b"
React.useEffect; remembered; all.Stream; plain.run()
""",
    "src/b.ts": "export const local = 1\nfunction map2() {}\n",
    "node_modules/@types/react/package.json": '{"name": "@types/react", "version": "18.0.1"}',
    "node_modules/@types/react/index.d.ts": """\
export = React
declare namespace React {
    function useState<S>(initial: S): [S, (next: S) => void]
    function useEffect(effect: () => void): void
}
""",
    "node_modules/react/package.json": '{"name": "react", "main": "index.js"}',
    "node_modules/react/index.js": "module.exports = {}\n",
    "node_modules/streams/package.json": """\
{"name": "streams", "version": "7.1.0", "exports": {
  ".": {"import": {"types": "./types/index.d.ts"}, "require": {"types": "./cjs.d.cts"}},
  "./operators": {"types": "./types/operators/index.d.ts"}}}
""",
    "node_modules/streams/cjs.d.cts": "export declare class Stream { old: true }\n",
    "node_modules/streams/types/index.d.ts": """\
export * from "./stream.js"
export * as shapes from "./shapes.js"
import { only } from "helper"
export { only }
""",
    "node_modules/streams/types/stream.d.ts": "\n\nexport declare class Stream { next(): void }\n",
    "node_modules/streams/types/shapes.d.ts": "export declare const round: number\n",
    "node_modules/streams/types/operators/index.d.ts": 'export { map } from "./map"\n',
    "node_modules/streams/types/operators/map.d.ts": "export declare function map(): void\n",
    f"{HELPER}/package.json": '{"name": "helper", "types": "h.d.ts"}',
    f"{HELPER}/h.d.ts": "export declare const only: 1\n",
    "node_modules/plain/package.json": '{"name": "plain", "version": "1.0.0", "types": "p.d.ts"}',
    "node_modules/plain/p.d.ts": (
        "interface Api { run(): void }\ndeclare const api: Api\nexport default api\n"
    ),
    "node_modules/@types/node/package.json": '{"name": "@types/node", "version": "24.0.0"}',
    "node_modules/@types/node/fs.d.ts": (
        'declare module "node:fs" {\n    function readFile(path: string): void\n}\n'
    ),
    "tool.py": """\
import drawing as d
from drawing import Brush, colours
from drawing.shapes import Circle as Round
d.Brush, Brush.paint, Round
""",
    ".venv/pyvenv.cfg": "home = /usr/bin\n",
}
SITE = ".venv/lib/python3.11/site-packages"
APP |= {
    f"{SITE}/drawing/__init__.py": "from .brushes import *\nfrom . import colours\n",
    f"{SITE}/drawing/brushes.py": "class Brush:\n    def paint(self):\n        pass\n",
    f"{SITE}/drawing/colours.py": "RED = 1\n",
    f"{SITE}/drawing/shapes.py": "class Circle:\n    pass\n",
    f"{SITE}/drawing-stubs/shapes.pyi": "\nclass Circle: ...\n",
    f"{SITE}/drawing-1.4.dist-info/METADATA": "Name: drawing\n",
}
STREAMS = "node_modules/streams/types"


@pytest.mark.parametrize(
    ("symbol", "place", "package"),
    [
        ("remembered", "node_modules/@types/react/index.d.ts:3", "@types/react 18.0.1"),
        ("React.useEffect", "node_modules/@types/react/index.d.ts:4", "@types/react 18.0.1"),
        ("useEffect", "node_modules/@types/react/index.d.ts:4", "@types/react 18.0.1"),
        ("map", f"{STREAMS}/operators/map.d.ts:1", "streams 7.1.0"),
        ("all.Stream", f"{STREAMS}/stream.d.ts:3", "streams 7.1.0"),
        ("Stream.next", f"{STREAMS}/stream.d.ts:3", "streams 7.1.0"),
        ("shapes", f"{STREAMS}/shapes.d.ts:1", "streams 7.1.0"),
        ("only", f"{HELPER}/h.d.ts:1", "helper"),
        ("readFile", "node_modules/@types/node/fs.d.ts:2", "@types/node 24.0.0"),
        ("Brush", f"{SITE}/drawing/brushes.py:1", "drawing 1.4"),
        ("d.Brush", f"{SITE}/drawing/brushes.py:1", "drawing 1.4"),
        ("Brush.paint", f"{SITE}/drawing/brushes.py:2", "drawing 1.4"),
        ("colours", f"{SITE}/drawing/colours.py:1", "drawing 1.4"),
        ("Round", f"{SITE}/drawing-stubs/shapes.pyi:2", "drawing-stubs"),
    ],
)
def test_a_name_is_found_where_its_package_declares_it(run, symbol, place, package):
    result = run(APP)("find_definition", {"symbol": symbol})
    found = result.output.definitions
    assert [(f"{d.path}:{d.line}", d.package, d.by_name) for d in found] == [(place, package, None)]
    assert "Not declared in the project; in installed packages, 1 definition:" in result.text()
    last = found[0].name.rpartition(".")[2]
    assert found[0].type == "namespace" or last in "\n".join(found[0].context)


def test_a_member_that_no_import_leads_to_is_given_by_its_name_alone(run):
    result = run(APP)("find_definition", {"symbol": "plain.run"})
    assert [(d.name, d.by_name) for d in result.output.definitions] == [("Api.run", True)]
    assert "the import does not lead to it for certain" in result.text()


def test_the_project_comes_first(run):
    assert run(APP)("find_definition", {"symbol": "local"}).output.definitions[0].package is None


def test_a_name_that_one_file_gives_does_not_hide_the_package_of_another(run):
    given = "import { local as map } from './b'\nexport { local as gone } from './b'\nmap\n"
    ask = run({**APP, "src/c.ts": given})
    result = ask("find_definition", {"symbol": "map"})
    own, there = result.output.definitions
    assert (own.path, own.name, own.package) == ("src/b.ts", "local", None)
    assert (there.path, there.package) == (f"{STREAMS}/operators/map.d.ts", "streams 7.1.0")
    head = (
        "\nmap is local. Found 1 definition, and 1 in installed packages, from which files import"
    )
    assert head in result.text()
    missing = ask("find_definition", {"symbol": "gone"})
    assert missing.output.imported_from == ("missing",)
    assert "gone is local. Found 1 definition:" in missing.text()
    assert "Files also import it from missing, which is not installed" in missing.text()
    alone = ask("find_definition", {"symbol": "map", "declared_in": "src/c.ts"})
    assert [one.name for one in alone.output.definitions] == ["local"]


def test_a_package_that_is_not_installed_is_named(run):
    result = run(APP)("find_definition", {"symbol": "gone"})
    assert result.output.definitions == ()
    assert result.output.imported_from == ("missing",)
    assert "It is imported from missing, which is not installed" in result.text()


def test_links_are_followed_inside_the_project_only(open_assistant, make_project, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "package.json").write_text('{"name": "away", "types": "i.d.ts"}')
    (elsewhere / "i.d.ts").write_text("export declare const secret: 1\n")
    root = make_project(
        {
            "a.ts": 'import { secret } from "away"\nimport { stored } from "pnpm"\n',
            ".gitignore": "node_modules\n",
            "node_modules/.pnpm/pnpm@1/package.json": '{"name": "pnpm", "types": "i.d.ts"}',
            "node_modules/.pnpm/pnpm@1/i.d.ts": "export declare const stored: 1\n",
        }
    )
    (root / "node_modules/away").symlink_to(elsewhere)
    (root / "node_modules/pnpm").symlink_to(".pnpm/pnpm@1")
    call = open_assistant(root, []).call
    assert call("find_definition", {"symbol": "secret"}).output.definitions == ()
    (found,) = call("find_definition", {"symbol": "stored"}).output.definitions
    assert found.path == "node_modules/.pnpm/pnpm@1/i.d.ts"


def test_packages_that_export_one_another_end(run):
    files = {
        "a.ts": 'import { never } from "one"\n',
        ".gitignore": "node_modules\n",
    }
    for name, other in (("one", "two"), ("two", "one")):
        files[f"node_modules/{name}/package.json"] = f'{{"name": "{name}", "types": "i.d.ts"}}'
        files[f"node_modules/{name}/i.d.ts"] = f'export * from "{other}"\nexport = never\n'
    assert run(files)("find_definition", {"symbol": "never"}).output.imported_from == ("one",)


def test_without_an_environment_the_packages_of_this_interpreter_count(run):
    result = run({"a.py": "from pydantic import BaseModel\n"})(
        "find_definition", {"symbol": "BaseModel"}
    )
    (found,) = result.output.definitions
    assert found.path.startswith("/")
    assert found.path.endswith("/pydantic/main.py")
    assert result.output.shape().places == ()

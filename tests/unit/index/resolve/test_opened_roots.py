"""Imports across the roots of a project."""

import json

import pytest

from ipuaro_jupyter.index.resolve.opened_roots import OpenedRoots
from ipuaro_jupyter.index.resolve.resolver import Resolver

API = json.dumps({"name": "@x/api", "main": "dist/index.js", "types": "dist/index.d.ts"})
FILES = {
    "api/package.json": API,
    "api/src/index.ts": "",
    "api/src/deep.ts": "",
    "api/packages/inner/package.json": json.dumps({"name": "inner", "main": "index.js"}),
    "api/packages/inner/index.js": "",
    "web/package.json": json.dumps({"name": "@x/web"}),
    "web/src/page.ts": "",
    "web/tsconfig.json": json.dumps({"compilerOptions": {"paths": {"deep": ["../api/src/deep"]}}}),
    "core/pyproject.toml": '[tool.setuptools.packages.find]\nwhere = ["src"]\n',
    "core/src/core/__init__.py": "",
    "core/src/core/store.py": "",
    "tool/main.py": "",
    "lib/Cargo.toml": '[package]\nname = "lib"\n',
    "lib/src/lib.rs": "",
    "bin/Cargo.toml": '[package]\nname = "bin"\n[dependencies]\nlib = { path = "../lib" }\n',
    "bin/src/main.rs": "",
}
NAMES = ("api", "bin", "core", "lib", "tool", "web")


def resolver(*, are_beside=True, files=FILES):
    roots = OpenedRoots(NAMES, are_beside=are_beside)
    return Resolver(files, files.get, roots=roots)


@pytest.mark.parametrize("are_beside", [True, False])
@pytest.mark.parametrize(
    ("source", "importer", "found"),
    [
        ("@x/api", "web/src/page.ts", "api/src/index.ts"),
        ("@x/api/src/deep", "web/src/page.ts", "api/src/deep.ts"),
        ("@x/web", "web/src/page.ts", None),
        ("core.store", "tool/main.py", "core/src/core/store.py"),
        ("./deep", "api/src/index.ts", "api/src/deep.ts"),
    ],
)
def test_the_packages_of_one_root_are_found_from_another(are_beside, source, importer, found):
    assert resolver(are_beside=are_beside).resolve(source, importer).target == found


def test_a_workspace_in_a_root_is_one_for_all():
    said = json.dumps({"name": "@x/api", "workspaces": ["packages/*"]})
    files = {**FILES, "api/package.json": said}
    found = resolver(files=files).resolve("inner", "web/src/page.ts")
    assert found.target == "api/packages/inner/index.js"
    assert resolver().resolve("inner", "web/src/page.ts").target is None


@pytest.mark.parametrize(
    ("source", "importer", "found"),
    [
        ("../../api/src/index", "web/src/page.ts", "api/src/index.ts"),
        ("deep", "web/src/page.ts", "api/src/deep.ts"),
        ("lib", "bin/src/main.rs", "lib/src/lib.rs"),
    ],
)
def test_paths_lead_from_root_to_root_only_where_they_do_on_the_disk(source, importer, found):
    assert resolver().resolve(source, importer).target == found
    apart = resolver(are_beside=False)
    assert apart.resolve(source, importer).target is None
    assert apart.with_files(FILES).resolve(source, importer).target is None


def test_a_plain_project_has_no_roots():
    assert Resolver(FILES, FILES.get).resolve("@x/api", "web/src/page.ts").target is None

"""Packages that are linked into ``node_modules`` though no package.json names them."""

import pytest

FILES = {
    "package.json": '{"name": "root"}',
    "packages/lib/package.json": '{"name": "@my/lib", "main": "./src/index.ts"}',
    "packages/lib/src/index.ts": "export function f() {}\n",
    "packages/lib/src/deep.ts": "export const d = 1\n",
    "tsconfig.json": '{"compilerOptions": {"module": "esnext", "moduleResolution": "bundler"}}',
    "packages/strict/package.json": '{"exports": {".": "./o.ts", "./x": "./x.ts"}}',
    "packages/strict/o.ts": "",
    "packages/strict/x.ts": "",
    "packages/typed/package.json": '{"name": "typed", "types": "./t.d.ts", "main": "./t.js"}',
    "packages/typed/t.d.ts": "",
    "packages/typed/t.js": "",
    "packages/bare/index.ts": "",
    "packages/bare/n.ts": "",
    "app/package.json": "{}",
}
LINKS = {
    "node_modules/@my/lib": "../../packages/lib",
    "node_modules/renamed": "../packages/lib",
    "node_modules/strict": "../packages/strict",
    "node_modules/typed": "../packages/typed",
    "node_modules/bare": "../packages/bare",
    "app/node_modules/near": "../../packages/lib",
}


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("@my/lib", "packages/lib/src/index.ts"),
        ("@my/lib/src/deep", "packages/lib/src/deep.ts"),
        ("renamed", "packages/lib/src/index.ts"),
        ("strict", "packages/strict/o.ts"),
        ("strict/x", "packages/strict/x.ts"),
        ("strict/o", None),
        ("typed", "packages/typed/t.d.ts"),
        ("bare", "packages/bare/index.ts"),
        ("bare/n", "packages/bare/n.ts"),
        ("near", None),
        ("@my/other", None),
    ],
)
def test_a_name_means_the_folder_that_is_linked(resolve, source, path):
    assert resolve(FILES, source, "src/a.ts", symlinks=LINKS).path == path


def test_a_link_counts_for_the_folder_with_it_and_those_below(resolve):
    found = resolve(FILES, "near", "app/src/a.ts", symlinks=LINKS)
    assert found.path == "packages/lib/src/index.ts"


def test_what_is_linked_counts_before_what_package_json_says(resolve):
    files = {
        **FILES,
        "package.json": '{"dependencies": {"strict": "file:packages/typed"}}',
        "src/a.ts": "",
    }
    assert resolve(files, "strict", "src/a.ts").path == "packages/typed/t.d.ts"
    assert resolve(files, "strict", "src/a.ts", symlinks=LINKS).path == "packages/strict/o.ts"


def test_links_that_come_and_go_are_followed(make_index):
    use = {"src/use.ts": "import { f } from '@my/lib'\nf()\n"}
    index, root = make_index({**FILES, **use, ".gitignore": "node_modules\n"})

    def found():
        index.refresh()
        uses = index.uses("f", limit=None, declared_in="packages/lib/src/index.ts").first
        return [one.line for one in uses if one.path == "src/use.ts"]

    assert found() == []
    link = root / "node_modules/@my/lib"
    link.parent.mkdir(parents=True)
    link.symlink_to("../../packages/lib")
    assert found() == [1, 2]
    importers = index.imports.dependents("packages/lib/src/index.ts")
    assert [one.path for one in importers] == ["src/use.ts"]
    assert index.summary().symlinks == {}
    assert index.refresh().parsed == 0
    link.unlink()
    assert found() == []

"""Imports are resolved as TypeScript does it; expectations are those of ts.resolveModuleName."""

import pytest

from ipuaro_jupyter.index.resolve.resolver import Resolution


@pytest.mark.parametrize(
    ("files", "source", "expected"),
    [
        (["src/a.ts"], "./a", "src/a.ts"),
        (["src/a.tsx"], "./a", "src/a.tsx"),
        (["src/a.d.ts"], "./a", "src/a.d.ts"),
        (["src/a.js"], "./a", "src/a.js"),
        (["src/a.jsx"], "./a", "src/a.jsx"),
        (["src/a.mjs"], "./a", None),
        (["src/a.cts"], "./a", None),
        (["src/a.json"], "./a.json", "src/a.json"),
        (["src/a.ts", "src/a.tsx", "src/a.d.ts", "src/a.js"], "./a", "src/a.ts"),
        (["src/a.d.ts", "src/a.js"], "./a", "src/a.d.ts"),
        (["src/a.ts"], "./a.js", "src/a.ts"),
        (["src/a.tsx"], "./a.js", "src/a.tsx"),
        (["src/a.d.ts"], "./a.js", "src/a.d.ts"),
        (["src/a.ts", "src/a.tsx"], "./a.jsx", "src/a.tsx"),
        (["src/a.mts"], "./a.mjs", "src/a.mts"),
        (["src/a.cts"], "./a.cjs", "src/a.cts"),
        (["src/a.ts"], "./a.mjs", None),
        (["src/a.js", "src/a.ts"], "./a.js", "src/a.ts"),
        (["src/a.b.ts"], "./a.b", "src/a.b.ts"),
        (["src/a.js.ts"], "./a.js", "src/a.js.ts"),
        (["src/a/index.ts"], "./a", "src/a/index.ts"),
        (["src/a.ts", "src/a/index.ts"], "./a", "src/a.ts"),
        (["src/a.ts", "src/a/index.ts"], "./a/", "src/a/index.ts"),
        (["src/index.ts"], ".", "src/index.ts"),
        (["src/index.ts"], "./", "src/index.ts"),
        (["index.ts", "src.ts"], "..", "index.ts"),
        (["lib/a.ts"], "../lib/a", "lib/a.ts"),
        (["src/style.d.css.ts"], "./style.css", "src/style.d.css.ts"),
        (["src/data.d.json.ts", "src/data.json"], "./data.json", "src/data.d.json.ts"),
        (["src/a.ts"], "node:fs", None),
        (["src/fs.ts"], "fs", None),
        (["src/react.ts"], "react", None),
    ],
)
def test_relative_specifier_finds_the_file_typescript_finds(resolve, files, source, expected):
    assert resolve(files, source).path == expected


def test_declarations_in_a_folder_come_before_javascript_in_node10(resolve):
    files = ["src/a.js", "src/a/index.ts"]
    bundler = {"compilerOptions": {"moduleResolution": "bundler"}}
    assert resolve(files, "./a").path == "src/a/index.ts"
    assert resolve({**dict.fromkeys(files, ""), "tsconfig.json": bundler}, "./a").path == "src/a.js"


def test_dangling_relative_import_names_the_path_it_meant(resolve):
    assert resolve([], "./gone") == Resolution(None, "src/gone")
    assert resolve([], "../lib/gone.js") == Resolution(None, "lib/gone.js")


def test_what_a_declaration_file_describes_is_a_target_beside_it(resolve):
    javascript = resolve(["src/a.d.ts", "src/a.js"], "./a")
    assert javascript.path == "src/a.d.ts"
    assert javascript.targets == {"src/a.d.ts", "src/a.js"}
    module = resolve(["src/a.d.mts", "src/a.mjs"], "./a.mjs")
    assert module.targets == {"src/a.d.mts", "src/a.mjs"}
    for name in ("A.svelte", "A.vue"):
        component = resolve([f"src/{name}", f"src/{name}.d.ts"], f"./{name}")
        assert component[:2] == (f"src/{name}.d.ts", f"src/{name}")
        assert component.targets == {f"src/{name}.d.ts", f"src/{name}"}
    assert resolve(["src/a.d.ts"], "./a") == Resolution("src/a.d.ts", "src/a.d.ts")


def test_import_never_leaves_the_project(resolve):
    assert resolve(["a.ts"], "../../a") == Resolution(None, None)
    assert resolve(["etc/passwd"], "/etc/passwd") == Resolution(None, None)


def test_style_sheet_is_a_target_but_no_module(resolve):
    assert resolve(["src/a.css"], "./a.css") == Resolution(None, "src/a.css")
    assert resolve(["src/a.svg"], "./a.svg?raw") == Resolution(None, "src/a.svg")


def test_symlink_inside_the_project_is_followed_to_its_target(resolve):
    files = ["shared/src/a.ts"]
    links = {"src/shared": "../shared/src", "src/evil": "../../outside", "src/loop": "loop"}
    assert resolve(files, "./shared/a", symlinks=links).path == "shared/src/a.ts"
    assert resolve(files, "./evil/a", symlinks=links).path is None
    assert resolve(files, "./loop/a", symlinks=links).path is None


@pytest.mark.parametrize("mode", ["classic", "node10", "node16", "bundler"])
def test_path_from_the_root_of_the_disk_leads_nowhere(resolve, mode):
    config = {"compilerOptions": {"moduleResolution": mode, "baseUrl": "."}}
    files = {"tsconfig.json": config, "src/a.ts": "", "etc/hosts.ts": ""}
    for source in ("/etc/hosts", "/src/a", "//src/a"):
        assert resolve(files, source) == Resolution(None, None)

"""Packages of the project, found by name, as TypeScript and Node find them."""

import json

import pytest

from ipuaro_jupyter.index.resolve.resolver import Resolution, Resolver

WORKSPACE = {
    "package.json": {"workspaces": ["packages/*", "!packages/old"]},
    "packages/a/package.json": {"name": "@x/a", "main": "./src/main.js"},
    "packages/a/src/main.ts": "",
    "packages/a/lib/util.ts": "",
    "packages/old/package.json": {"name": "@x/old", "main": "./index.js"},
    "packages/old/index.js": "",
    "fixtures/a/package.json": {"name": "react", "main": "./index.js"},
    "fixtures/a/index.js": "",
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("@x/a", "packages/a/src/main.ts"),
        ("@x/a/lib/util", "packages/a/lib/util.ts"),
        ("@x/a/none", None),
        ("@x/old", None),
        ("react", None),
    ],
)
def test_package_of_the_workspace_is_found_by_name(resolve, source, expected):
    assert resolve(WORKSPACE, source).path == expected


@pytest.mark.parametrize(
    "declaration",
    [
        {"pnpm-workspace.yaml": "packages:\n  # all\n  - 'packages/**'\ncatalog:\n  - none\n"},
        {"pnpm-workspace.yaml": 'packages: ["packages/*"]\n'},
        {"lerna.json": {"packages": ["packages/*"]}},
        {"package.json": {"workspaces": {"packages": ["packages/*"]}}},
        {"src/package.json": {"dependencies": {"@x/a": "workspace:^"}}},
        {"src/package.json": {"devDependencies": {"@x/a": "file:../packages/a"}}},
    ],
)
def test_every_way_to_declare_a_workspace_is_understood(resolve, declaration):
    files = {p: t for p, t in WORKSPACE.items() if p != "package.json"} | declaration
    assert resolve(files, "@x/a").path == "packages/a/src/main.ts"


@pytest.mark.parametrize(
    ("exports", "source", "expected"),
    [
        ("./src/main.js", "@x/a", "packages/a/src/main.ts"),
        ({".": "./src/main.js"}, "@x/a", "packages/a/src/main.ts"),
        ({"types": "./src/main.ts", "default": "./none.js"}, "@x/a", "packages/a/src/main.ts"),
        ({"import": {"types": "./src/main.ts"}}, "@x/a", "packages/a/src/main.ts"),
        ({".": ["./none.js", "./src/main.js"]}, "@x/a", "packages/a/src/main.ts"),
        ({"./*": "./lib/*.js"}, "@x/a/util", "packages/a/lib/util.ts"),
        ({"./*.js": "./lib/*.ts"}, "@x/a/util.js", "packages/a/lib/util.ts"),
        ({"./u": "./lib/util.ts", "./*": "./none/*"}, "@x/a/u", "packages/a/lib/util.ts"),
        ({"./a/*": "./none/*", "./*": "./lib/*.ts"}, "@x/a/util", "packages/a/lib/util.ts"),
        ({"./lib/": "./lib/"}, "@x/a/lib/util.ts", "packages/a/lib/util.ts"),
        ({"./*": "./lib/*.ts", "./util": None}, "@x/a/util", None),
    ],
)
def test_exports_of_a_package_are_followed(resolve, exports, source, expected):
    files = {
        **WORKSPACE,
        "packages/a/package.json": {"name": "@x/a", "exports": exports},
        "tsconfig.json": {"compilerOptions": {"module": "esnext", "moduleResolution": "bundler"}},
    }
    assert resolve(files, source).path == expected


def test_conditions_depend_on_the_kind_of_import(resolve):
    files = {
        "package.json": {
            "name": "self",
            "exports": {"import": "./esm.ts", "require": "./cjs.ts"},
        },
        "tsconfig.json": {"compilerOptions": {"module": "nodenext"}},
        "esm.ts": "",
        "cjs.ts": "",
    }
    assert resolve(files, "self").path == "cjs.ts"
    assert resolve(files, "self", "src/app.mts").path == "esm.ts"
    assert resolve(files, "self", "src/app.mts", kind="require").path == "cjs.ts"
    assert resolve(files, "self", kind="dynamic").path == "esm.ts"


def test_package_that_was_not_built_leads_to_its_sources(resolve):
    files = {
        **WORKSPACE,
        "packages/a/package.json": {
            "name": "@x/a",
            "types": "./dist/main.d.ts",
            "exports": {".": "./dist/main.js", "./*": {"import": "./dist/esm/*.mjs"}},
        },
        "packages/a/src/util.mts": "",
    }
    assert resolve(files, "@x/a") == Resolution(None, "packages/a/src/main.ts")
    assert resolve(files, "@x/a/util") == Resolution(None, "packages/a/src/util.mts")


def test_other_entries_do_not_stand_for_a_package_that_was_not_built(resolve):
    package = {"name": "self", "exports": {".": "./dist/self.js", "./extra": "./extra.js"}}
    files = {"package.json": package, "extra.js": "", "src/app.ts": ""}
    assert resolve(files, "self") == Resolution(None, None)
    assert resolve({**files, "src/self.ts": ""}, "self") == Resolution(None, "src/self.ts")


def test_out_dir_says_what_a_built_file_is_built_from(resolve):
    files = {
        **WORKSPACE,
        "packages/a/package.json": {"name": "@x/a", "main": "./made/main.js"},
        "packages/a/tsconfig.json": {"compilerOptions": {"outDir": "made", "rootDir": "ts"}},
        "packages/a/ts/main.ts": "",
    }
    del files["packages/a/src/main.ts"]
    assert resolve(files, "@x/a") == Resolution(None, "packages/a/ts/main.ts")


@pytest.mark.parametrize("mode", ["node", "node16", "bundler"])
def test_imports_of_the_own_package_are_followed(resolve, mode):
    files = {
        "package.json": {
            "workspaces": ["packages/*"],
            "imports": {
                "#a": "./src/a.js",
                "#in/*": {"types": "./src/*.ts"},
                "#x": "@x/a",
                "#built": "./dist/a.js",
                "#out": "../out.js",
            },
        },
        "packages/a/package.json": {"name": "@x/a", "main": "./main.ts"},
        "packages/a/main.ts": "",
        "tsconfig.json": {"compilerOptions": {"moduleResolution": mode}},
        "src/a.ts": "",
    }
    for source, expected in (
        ("#a", "src/a.ts"),
        ("#in/a", "src/a.ts"),
        ("#x", "packages/a/main.ts"),
    ):
        known = None if mode == "node" else expected  # Node did not know "imports" then
        assert resolve(files, source) == Resolution(known, expected)
    assert resolve(files, "#built") == Resolution(None, "src/a.ts")
    assert resolve(files, "#out") == Resolution(None, None)
    assert resolve(files, "#none") == Resolution(None, None)


def test_entries_are_what_packages_offer():
    package = {
        "main": "./dist/index.js",
        "bin": {"run": "bin/run.mjs"},
        "exports": {".": {"import": "./dist/index.js"}, "./x": "./x.js", "./*": "./src/*.js"},
    }
    files = {
        "package.json": json.dumps(package),
        **dict.fromkeys(["src/index.ts", "bin/run.mjs", "x.ts", "y.ts"], ""),
    }
    assert Resolver(files, files.get).entries == {"src/index.ts", "bin/run.mjs", "x.ts"}


def test_empty_exports_offer_nothing(resolve):
    for exports in ([], {}):
        package = {"name": "@x/a", "main": "./src/main.ts", "exports": exports}
        config = {"compilerOptions": {"module": "nodenext"}}
        files = {**WORKSPACE, "packages/a/package.json": package, "tsconfig.json": config}
        assert resolve(files, "@x/a").path is None


def test_imports_that_lead_to_themselves_lead_nowhere(resolve):
    imports = {"#a": ["#b", "#c"], "#b": ["#a", "#c"], "#c": ["#b", "#a"]}
    files = {
        "package.json": {"imports": imports},
        "tsconfig.json": {"compilerOptions": {"module": "nodenext"}},
    }
    assert resolve(files, "#a") == Resolution(None, None)


def test_declaration_that_is_kept_with_its_source_leads_to_the_source(resolve):
    files = {
        **WORKSPACE,
        "packages/a/package.json": {"name": "@x/a", "types": "./dist/main.d.ts"},
        "packages/a/tsconfig.json": {"compilerOptions": {"outDir": "dist", "rootDir": "src"}},
        "packages/a/dist/main.d.ts": "",
    }
    found = resolve(files, "@x/a")
    assert found == Resolution("packages/a/dist/main.d.ts", "packages/a/src/main.ts")


def test_entry_in_a_folder_with_a_package_json_of_its_own(resolve):
    files = {
        **WORKSPACE,
        "packages/a/testing/package.json": {"types": "./all"},
        "packages/a/testing/all.d.ts": "",
        "packages/a/testing/one.ts": "",
    }
    assert resolve(files, "@x/a/testing").path == "packages/a/testing/all.d.ts"
    assert resolve(files, "@x/a/testing/one").path == "packages/a/testing/one.ts"


def test_es_module_names_the_file_of_a_package_without_exports(resolve):
    package = {"name": "@x/a", "type": "module"}
    files = {
        **WORKSPACE,
        "packages/a/package.json": package,
        "packages/a/index.ts": "",
        "tsconfig.json": {"compilerOptions": {"module": "nodenext"}},
    }
    assert resolve(files, "@x/a", "src/app.mts").path == "packages/a/index.ts"
    assert resolve(files, "@x/a/lib/util", "src/app.mts").path is None
    assert resolve(files, "@x/a/lib/util.js", "src/app.mts").path == "packages/a/lib/util.ts"
    assert resolve(files, "./none", "src/app.mts").path is None


def test_own_output_is_taken_for_its_source_where_no_root_is_said(resolve):
    package = {"name": "self", "exports": {"./*": "./dist/*.js"}}
    options = {"module": "nodenext", "outDir": "dist", "declarationDir": "types"}
    files = {
        "app/package.json": package,
        "app/tsconfig.json": {"compilerOptions": options},
        "app/src/x.ts": "",
        "app/y.mts": "",
    }
    assert resolve(files, "self/src/x", "app/src/b.ts").path == "app/src/x.ts"
    assert resolve(files, "self/x", "app/src/b.ts").path is None

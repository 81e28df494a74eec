"""Imports are resolved as TypeScript does it; expectations are those of ts.resolveModuleName."""

import json

import pytest

from ipuaro_jupyter.index.resolve import Resolution, Resolver


@pytest.fixture
def resolve():
    """Return a function from files, specifier and importer to the resolution."""

    def resolve_it(files, source, importer="src/app.ts", *, kind="import", symlinks=None):
        given = files if isinstance(files, dict) else dict.fromkeys(files, "")
        texts = {
            path: text if isinstance(text, str) else json.dumps(text)
            for path, text in given.items()
        }
        return Resolver(texts, texts.get, symlinks=symlinks).resolve(source, importer, kind=kind)

    return resolve_it


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


@pytest.mark.parametrize(
    ("options", "source", "expected"),
    [
        ({"paths": {"@/*": ["./src/*"]}}, "@/a", "src/a.ts"),
        ({"paths": {"@/*": ["./none/*", "./src/*"]}}, "@/a", "src/a.ts"),
        ({"paths": {"@/*": ["./none/*"], "@/d/*": ["./src/*"]}}, "@/d/a", "src/a.ts"),
        ({"paths": {"~": ["./src/index.ts"]}}, "~", "src/index.ts"),
        ({"paths": {"~": ["./src/index.ts"]}}, "~x", None),
        ({"paths": {"@*/lib": ["./src/*"]}}, "@a/lib", "src/a.ts"),
        ({"baseUrl": "src"}, "a", "src/a.ts"),
        ({"baseUrl": "src", "paths": {"x": ["./a"]}}, "x", "src/a.ts"),
        ({"baseUrl": "src", "paths": {"a": ["none"]}}, "a", None),
        ({"baseUrl": "src", "paths": {"@/*": ["*"]}}, "a", "src/a.ts"),
        ({"rootDirs": ["src", "generated"]}, "./g", "generated/g.ts"),
        ({"moduleSuffixes": [".ios", ""]}, "./a", "src/a.ios.ts"),
    ],
)
def test_tsconfig_options_are_followed(resolve, options, source, expected):
    files = dict.fromkeys(["src/a.ts", "src/index.ts", "generated/g.ts"], "")
    if "moduleSuffixes" in options:
        files["src/a.ios.ts"] = ""
    files["tsconfig.json"] = {"compilerOptions": options}
    assert resolve(files, source).path == expected


def test_options_are_inherited_relative_to_the_file_that_declares_them(resolve):
    files = {
        "config/base.json": '{ // all\n "compilerOptions": {"paths": {"@/*": ["../src/*"],},}, }',
        "config/strict.json": {"compilerOptions": {"strict": True}},
        "tsconfig.json": {"extends": ["./config/base", "./config/strict.json"]},
        "src/a.ts": "",
    }
    assert resolve(files, "@/a").path == "src/a.ts"


def test_configuration_is_inherited_from_a_package_of_the_project(resolve):
    files = {
        "package.json": {"workspaces": ["config"]},
        "config/package.json": {"name": "@x/config", "tsconfig": "./shared.json"},
        "config/shared.json": {"compilerOptions": {"paths": {"@/*": ["../src/*"]}}},
        "config/tsconfig.json": {"compilerOptions": {"paths": {"@/*": ["../lib/*"]}}},
        "src/a.ts": "",
        "lib/a.ts": "",
    }
    for extends, expected in (
        ("@x/config", "src/a.ts"),
        ("@x/config/tsconfig", "lib/a.ts"),
        ("@x/config/shared.json", "src/a.ts"),
        ("@elsewhere/config", None),
        ("../outside.json", None),
    ):
        assert resolve({**files, "tsconfig.json": {"extends": extends}}, "@/a").path == expected


def test_config_dir_is_that_of_the_last_heir(resolve):
    files = {
        "base.json": {"compilerOptions": {"paths": {"@/*": ["${configDir}/src/*"]}}},
        "app/tsconfig.json": {"extends": "../base.json"},
        "app/src/a.ts": "",
        "src/a.ts": "",
    }
    assert resolve(files, "@/a", "app/src/b.ts").path == "app/src/a.ts"


def test_nearest_tsconfig_counts(resolve):
    files = {
        "tsconfig.json": {"compilerOptions": {"paths": {"@/*": ["./src/*"]}}},
        "app/jsconfig.json": {"compilerOptions": {"paths": {"@/*": ["./lib/*"]}}},
        "src/a.ts": "",
        "app/lib/a.js": "",
    }
    assert resolve(files, "@/a").path == "src/a.ts"
    assert resolve(files, "@/a", "app/b.js").path == "app/lib/a.js"


def test_solution_stands_for_the_configuration_that_includes_the_file(resolve):
    files = {
        "tsconfig.json": {
            "files": [],
            "references": [{"path": "./tsconfig.node.json"}, {"path": "./tsconfig.app.json"}],
        },
        "tsconfig.node.json": {
            "include": ["vite.config.ts"],
            "compilerOptions": {"paths": {"@/*": ["./none/*"]}},
        },
        "tsconfig.app.json": {
            "include": ["src"],
            "exclude": ["src/old"],
            "compilerOptions": {"paths": {"@/*": ["./src/*"]}},
        },
        "src/a.ts": "",
    }
    assert resolve(files, "@/a").path == "src/a.ts"
    assert resolve(files, "@/a", "vite.config.ts").path is None


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "null",
        "\ufeff",
        "[" * 100_000,
        '{"extends": "./tsconfig.json"}',
        '{"extends": 3, "compilerOptions": []}',
        '{"compilerOptions": {"paths": [], "baseUrl": 1, "rootDirs": {}}}',
    ],
)
def test_broken_configuration_is_as_good_as_none(resolve, text):
    files = {"tsconfig.json": text, "package.json": text, "src/a.ts": ""}
    assert resolve(files, "./a").path == "src/a.ts"
    assert resolve(files, "pkg").path is None


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


def test_configuration_files_that_were_read_are_known():
    files = {
        "base.json": "{}",
        "tsconfig.json": '{"extends": "./base"}',
        "package.json": "{}",
        "src/a.ts": "",
    }
    resolver = Resolver(files, files.get)
    resolver.resolve("x", "src/a.ts")
    read = {"base.json", "tsconfig.json", "package.json"}
    assert resolver.config_paths == {*read, "base"}  # what would come before base.json


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


def test_configurations_that_extend_each_other_are_read_once_from_each_side(resolve):
    many = [f"./c{number}.json" for number in range(30)]
    files = {f"c{n}.json": {"extends": many} for n in range(30)}
    files["c7.json"]["compilerOptions"] = {"paths": {"@/*": ["./src/*"]}}
    files |= {"tsconfig.json": {"extends": "./c0"}, "src/a.ts": ""}
    assert resolve(files, "@/a").path == "src/a.ts"
    chain = {f"d{n}.json": {"extends": f"./d{n + 1}.json"} for n in range(3000)}
    assert resolve({**chain, "tsconfig.json": {"extends": "./d0"}}, "./a").path is None


def test_null_takes_back_what_is_inherited(resolve):
    files = {
        "base.json": {"compilerOptions": {"baseUrl": ".", "paths": {"x": ["./src/a"]}}},
        "tsconfig.json": {"extends": "./base", "compilerOptions": {"paths": None}},
        "src/a.ts": "",
    }
    assert resolve(files, "x").path is None
    assert resolve(files, "src/a").path == "src/a.ts"


def test_declaration_that_is_kept_with_its_source_leads_to_the_source(resolve):
    files = {
        **WORKSPACE,
        "packages/a/package.json": {"name": "@x/a", "types": "./dist/main.d.ts"},
        "packages/a/tsconfig.json": {"compilerOptions": {"outDir": "dist", "rootDir": "src"}},
        "packages/a/dist/main.d.ts": "",
    }
    found = resolve(files, "@x/a")
    assert found == Resolution("packages/a/dist/main.d.ts", "packages/a/src/main.ts")


@pytest.mark.parametrize("mode", ["classic", "node10", "node16", "bundler"])
def test_path_from_the_root_of_the_disk_leads_nowhere(resolve, mode):
    config = {"compilerOptions": {"moduleResolution": mode, "baseUrl": "."}}
    files = {"tsconfig.json": config, "src/a.ts": "", "etc/hosts.ts": ""}
    for source in ("/etc/hosts", "/src/a", "//src/a"):
        assert resolve(files, source) == Resolution(None, None)


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


def test_declarations_of_javascript_projects_stand_for_their_sources(resolve):
    made = {"outDir": "made", "allowJs": True, "module": "commonjs"}
    files = {
        "tsconfig.json": {
            "compilerOptions": {"module": "commonjs"},
            "include": ["src"],
            "references": [{"path": "./lib/tsconfig.json"}, {"path": "./none"}],
        },
        "lib/tsconfig.json": {"compilerOptions": made, "include": ["js"]},
        "lib/js/one.js": "",
        "lib/js/deep/two.jsx": "",
    }
    assert resolve(files, "../lib/made/one").path == "lib/js/one.js"
    assert resolve(files, "../lib/made/deep/two").path == "lib/js/deep/two.jsx"
    assert resolve(files, "../lib/made/three").path is None

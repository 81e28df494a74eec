"""What tsconfig.json and jsconfig.json say about imports, as TypeScript reads them."""

import pytest

from ipuaro_jupyter.index.resolve.resolver import Resolver


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

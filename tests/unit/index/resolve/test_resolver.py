"""Imports whose files are many, or broken, and what else a resolver knows."""

import json

import pytest

from ipuaro_jupyter.index.resolve.resolver import Resolution, Resolver


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


@pytest.mark.parametrize("mode", ["classic", "node10", "node16", "bundler"])
def test_path_from_the_root_of_the_disk_leads_nowhere(resolve, mode):
    config = {"compilerOptions": {"moduleResolution": mode, "baseUrl": "."}}
    files = {"tsconfig.json": config, "src/a.ts": "", "etc/hosts.ts": ""}
    for source in ("/etc/hosts", "/src/a", "//src/a"):
        assert resolve(files, source) == Resolution(None, None)

"""What has tsc write although it is told to emit nothing."""

import json

import pytest

from ipuaro_jupyter.workspace.commands.tsc_settings import writing_settings


@pytest.fixture
def found(tmp_path):
    """Give a function that writes files of a project and says what tsc would write."""
    root = tmp_path / "project"

    def write(files, *arguments, cwd=""):
        for name, content in files.items():
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content if isinstance(content, str) else json.dumps(content))
        folders = [root / cwd, *([root] if cwd else [])]
        return writing_settings(("tsc", "--noEmit", *arguments), folders, root)

    return write


def options(**given):
    return {"compilerOptions": given}


OUTSIDE = options(incremental=True, tsBuildInfoFile="/nowhere/x.tsbuildinfo")
NEXT = options(
    incremental=True, noEmit=True, outDir="dist", tsBuildInfoFile="./.cache/a.tsbuildinfo"
)


@pytest.mark.parametrize(
    "files",
    [
        {"tsconfig.json": OUTSIDE},
        {"tsconfig.json": options(tsBuildInfoFile="/tmp/x.tsbuildinfo")},
        {"tsconfig.json": options(tsBuildInfoFile="src/a.ts")},
        {"tsconfig.json": options(tsBuildInfoFile="${configDir}/../x.tsbuildinfo")},
        {"tsconfig.json": options(composite=True, outDir="../out")},
        {"tsconfig.json": options(generateTrace="trace")},
        {"tsconfig.json": {"extends": "./base"}, "base.json": OUTSIDE},
        {"tsconfig.json": {"extends": ["./a.json", "./b.json"]}, "a.json": {}, "b.json": OUTSIDE},
        {"tsconfig.json": {"extends": "pkg"}, "node_modules/pkg/tsconfig.json": OUTSIDE},
        {"tsconfig.json": {"extends": "pkg/x.json"}, "node_modules/pkg/x.json": OUTSIDE},
        {
            "tsconfig.json": {"extends": "@a/b/x"},
            "node_modules/@a/b/package.json": {"exports": {"./x": "./evil.json"}},
            "node_modules/@a/b/evil.json": OUTSIDE,
        },
        {"tsconfig.json": {"extends": "nowhere"}},
        {"tsconfig.json": {"extends": 1}},
        {"tsconfig.json": "[]"},
        {"tsconfig.json": "{"},
        {"tsconfig.json": '{"compilerOptions": {}, "compilerOptions": {}}'},
        {"tsconfig.json": '{"compilerOptions": {// x \u2028 "generateTrace": "t",\n}, /* */}'},
    ],
)
def test_what_may_write_elsewhere_is_found(found, files):
    assert found(files)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"tsconfig.json": NEXT},
        {"tsconfig.json": options(outDir="../out")},
        {"tsconfig.json": options(tsBuildInfoFile=None)},
        {"tsconfig.json": '\ufeff{"compilerOptions": {"strict": true, // "x"\n},}'},
        {"tsconfig.json": {"extends": "./base.json"}, "base.json": {"extends": "./tsconfig.json"}},
    ],
)
def test_what_stays_in_its_place_is_not(found, files):
    assert found(files) == []


@pytest.mark.parametrize("arguments", [["-p", "sub"], ["--project", "sub/tsconfig.json"]])
def test_the_named_configuration_counts(found, arguments):
    files = {"tsconfig.json": {}, "sub/tsconfig.json": OUTSIDE}
    files["sub/tsconfig.json"] = options(tsBuildInfoFile="../../x.tsbuildinfo")
    assert found(files) == []
    assert found(files, *arguments) == ["tsbuildinfofile in sub/tsconfig.json"]
    assert found(files, cwd="sub") == ["tsbuildinfofile in sub/tsconfig.json"]


def test_a_configuration_behind_a_link_counts(found, tmp_path):
    found({})
    (tmp_path / "other").mkdir()
    (tmp_path / "other/tsconfig.json").write_text("{}")
    (tmp_path / "project").mkdir(exist_ok=True)
    (tmp_path / "project/link").symlink_to(tmp_path / "other")
    assert "out of the project" in found({}, "-p", "link")[0]


def test_too_many_configurations_count(found):
    files = {f"{n}.json": {"extends": f"./{n + 1}.json"} for n in range(50)}
    assert "followed" in found({**files, "50.json": {}}, "-p", "0.json")[0]

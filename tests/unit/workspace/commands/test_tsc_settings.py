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
        {"tsconfig.json": options(incremental=True, outFile="../x.js")},
        {"tsconfig.json": options(composite=True, out="../x.js")},
        {"tsconfig.json": options(incremental=True, rootDir="a/b/c", outDir="dist")},
        {"tsconfig.json": {"extends": "./base"}, "base.json": options(composite=True, outFile="x")},
        {"tsconfig.json": options(tsBuildInfoFile="${CONFIGDIR}/../../x.tsbuildinfo")},
        {"tsconfig.json": options(tsBuildInfoFile="a/${configDir}/x.tsbuildinfo")},
        {"tsconfig.json": options(incremental=True, outDir="${configdir}/../../x")},
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
        {"tsconfig.json": options(composite=True, rootDir="src")},
        {"tsconfig.json": options(incremental=False, outFile="../x.js", rootDir="..")},
        {"tsconfig.json": options(incremental=True, outDir="${configDir}/dist")},
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


@pytest.mark.parametrize(
    "arguments",
    [["-P", "evil.json"], ["--Project", "evil.json"], ["-p", "config.txt"], ["--p", "config"]],
)
def test_the_named_configuration_counts_however_it_is_named(found, arguments):
    files = dict.fromkeys(("evil.json", "config.txt", "config"), OUTSIDE)
    assert found(files) == []
    assert found(files, *arguments) == [f"tsbuildinfofile in {arguments[1]}"]


def test_what_is_kept_beside_a_configuration_above_the_project_counts(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    above = tmp_path / "tsconfig.json"
    above.write_text(json.dumps(options(incremental=True)))
    found = writing_settings(("tsc", "--noEmit"), [root, tmp_path], root)
    assert found == ["incremental in ../tsconfig.json"]
    above.write_text(json.dumps(options(strict=True)))
    assert writing_settings(("tsc", "--noEmit"), [root, tmp_path], root) == []


@pytest.mark.parametrize(
    ("link", "given"),
    [("tsconfig.tsbuildinfo", {}), ("dist/tsconfig.tsbuildinfo", {"outDir": "dist"})],
)
def test_a_link_in_place_of_what_is_kept_counts(found, tmp_path, link, given):
    files = {"tsconfig.json": options(incremental=True, **given), "dist/a": ""}
    assert found(files) == []
    (tmp_path / "project" / link).symlink_to(tmp_path / "outside")
    assert found(files)

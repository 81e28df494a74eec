"""No program of the project, and no user's script, runs unasked by the words of a harmless one."""

import json

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision

RUNS = "#!/bin/sh\ntouch ran\n"


@pytest.fixture
def refused(opened, monkeypatch, tmp_path):
    """Give a function that runs a command which is rejected, and says what was asked."""
    for name in ("deploy", "npm", "yarn", "pnpm"):
        (tmp_path / "bin" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(RUNS)
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    opened.write("package.json", json.dumps({"scripts": {"test": "vitest run", "x": "yarn -v"}}))
    opened.write("node_modules/.bin/vitest", RUNS).chmod(0o755)
    opened.user.decision = Decision(action="reject")

    def run(command, cwd=None):
        with pytest.raises(ToolError):
            opened.workspace.run(command, tool="bash", timeout_s=60, cwd=cwd)
        assert not (opened.root / "ran").exists()
        return opened.user.asked[-1].reason

    return run


@pytest.mark.parametrize("argument", ["--version", "--help", "-v", "-V", "-h"])
def test_a_script_of_the_user_that_ignores_its_arguments(refused, argument):
    assert "not known to be safe" in refused(f"deploy {argument}")


@pytest.mark.parametrize(
    ("command", "settings"),
    [
        ("yarn --version", (".yarnrc", 'yarn-path "./evil.js"\n')),
        ("yarn --version", (".yarnrc.yml", "yarnPath: ./evil.js\n")),
        ("npm run x", (".yarnrc.yml", "yarnPath: ./evil.js\n")),
        ("npm test", (".npmrc", "script-shell=./evil.sh\n")),
        ("npm --version", (".npmrc", "node-options=--require ./evil.js\n")),
        ("pnpm test", ("pnpm-workspace.yaml", "scriptShell: ./evil.sh\n")),
        ("npm --version", (".tool-versions", "nodejs path:./evil\n")),
    ],
)
@pytest.mark.parametrize("cwd", [None, "sub/deep"])
def test_a_manager_that_the_project_configures(opened, refused, command, settings, cwd):
    file, text = settings
    opened.write(file, text)
    opened.write("sub/deep/a.ts", "")
    assert f"in {file}" in refused(command, cwd)


@pytest.mark.usefixtures("refused")
def test_settings_above_the_project_in_its_repository(opened, open_workspace):
    opened.write(".git/HEAD", "")
    opened.write(".npmrc", "script-shell=./evil.sh\n")
    opened.write("sub/package.json", json.dumps({"scripts": {"test": "vitest run"}}))
    below = open_workspace(opened.root / "sub")
    below.user.decision = Decision(action="reject")
    opened.write("sub/node_modules/.bin/vitest", RUNS).chmod(0o755)
    with pytest.raises(ToolError):
        below.workspace.run("npm test", tool="bash", timeout_s=60)
    assert "script-shell in .npmrc" in below.user.asked[0].reason


@pytest.mark.parametrize("command", ["tsc --noEmit", "npm run types", "tsc --noEmit -p ."])
@pytest.mark.parametrize("cwd", [None, "sub"])
def test_tsc_that_would_write_outside(opened, refused, command, cwd):
    opened.write("node_modules/.bin/tsc", RUNS).chmod(0o755)
    opened.write("package.json", json.dumps({"scripts": {"types": "tsc --noEmit"}}))
    options = {"incremental": True, "tsBuildInfoFile": "../../x.tsbuildinfo"}
    for folder in ("", "sub/"):
        opened.write(f"{folder}tsconfig.json", json.dumps({"compilerOptions": options}))
    assert "may write elsewhere: tsbuildinfofile" in refused(command, cwd)


@pytest.mark.parametrize(
    "command", ["tsc --noEmit null", "tsc --noEmit -p null", "tsc null --noEmit"]
)
def test_tsc_whose_option_is_revoked(opened, refused, command):
    opened.write("node_modules/.bin/tsc", RUNS).chmod(0o755)
    assert "not known to be safe" in refused(command)


def test_tsc_that_writes_nothing_elsewhere_runs(opened, refused):
    del refused
    opened.write("node_modules/.bin/tsc", RUNS).chmod(0o755)
    opened.write("tsconfig.json", '{"compilerOptions": {"incremental": true, "noEmit": true}}')
    assert opened.workspace.run("tsc --noEmit", tool="bash", timeout_s=60).exit_code == 0
    assert opened.user.asked == []


@pytest.mark.parametrize(
    "command", ["pytest link", "pytest tests/test_link.py::test_it", "python -m pytest link/below"]
)
def test_tests_that_a_link_leads_to_outside(opened, refused, tmp_path, command):
    outside = tmp_path / "tests of others"
    outside.mkdir()
    (outside / "test_it.py").write_text("def test_it(): open('ran', 'w').close()\n")
    (opened.root / "link").symlink_to(outside)
    opened.write("tests/a.py", "")
    (opened.root / "tests/test_link.py").symlink_to(outside / "test_it.py")
    assert "not known to be safe" in refused(command)

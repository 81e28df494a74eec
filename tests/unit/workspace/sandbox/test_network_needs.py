import pytest

from ipuaro_jupyter.workspace.sandbox.network_needs import git_writes, needs_network


@pytest.mark.parametrize(
    "command",
    [
        "npm install",
        "npm --prefix web ci",
        "yarn",
        "pnpm add react",
        "npx create-app",
        "pip install -r requirements.txt",
        "python3 -m pip install x",
        "uv pip install x",
        "git push origin main",
        "git -C sub fetch",
        "cargo add serde",
        "go mod download",
        "/usr/bin/curl https://example.com",
        "cd web && npm ci",
        "FOO=1 env npm ci",
        "time npm ci",
        "echo $(curl -s https://example.com)",
        "cd web\nnpm ci",
        "npm ci 'not closed",
    ],
)
def test_command_needs_a_network(command):
    assert needs_network([command])


@pytest.mark.parametrize(
    "command",
    [
        "npm test",
        "npm run build",
        "yarn test",
        "pytest -k install",
        "git commit -m 'push'",
        "git status",
        "cargo test",
        "node deploy.js",
        "python3 -m pytest",
        "git commit -m 'see; curl x'",
        "",
        "FOO=1",
    ],
)
def test_command_needs_none(command):
    assert not needs_network([command])


@pytest.mark.parametrize(
    ("commands", "writes"),
    [
        (["npm test"], "nothing"),
        (["git commit -m x"], "all"),
        (["cd sub && git add ."], "all"),
        (["git add . && npm test"], "commits"),
        (["./release", "npm version", "git tag 1"], "commits"),
    ],
)
def test_git_directory_is_written_by_git_alone(commands, writes):
    assert git_writes(commands) == writes

"""What commands get to know of the kernel's environment, and what the model may set."""

import os

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.workspace.processes import subprocesses
from ipuaro_jupyter.workspace.processes.environment import environment, starts_code, withhold

SECRET = [
    *("TOKEN", "GITHUB_TOKEN", "github_token", "npm_config_authToken", "TOKENS", "MYTOKEN"),
    *("OPENAI_API_KEY", "APIKEY", "MyApiKey", "SIGNING_KEY", "SSHKEY", "DEPLOY_KEYS", "KEY2"),
    *("AWS_SECRET_ACCESS_KEY", "SECRET", "client_secret", "SECRETS_FILE", "COOKIE", "JWT"),
    *("PASSWORD", "DB_PASSWORD", "PGPASSWORD", "passwd", "PASSPHRASE", "DB_PASS", "MYSQL_PWD"),
    *("CREDENTIALS", "GOOGLE_APPLICATION_CREDENTIALS", "CREDENTIAL_STORE", "PRIVATE_FILE"),
    *("BASIC_AUTH", "BEARER", "GH_PAT", "PIN", "SSHPASS", "DBPASS", "dbpass1", "SUDO_PASS_2"),
]
PLAIN = [
    *(
        "PLAIN",
        "KEYBOARD",
        "KEYMAP",
        "HOME_OF",
        "LANGUAGE",
        "AUTHOR",
        "GIT_AUTHOR_NAME",
    ),
    *("SSH_AUTH_SOCK", "COMPASS", "PATTERN", "PINK", "BYPASS", "PASSENGER", "OLDPWD"),
    *("BYPASS_CACHE", "COMPASS_2"),
]
SECRET_VALUES = [
    "postgres://me:pw@host/db",
    "redis://:pw@host",
    "ghp_" + "a" * 36,
    "github_pat_11ABC",
    "glpat-abcdefghijklmnop",
    "xoxb-1-2-abc",
    "sk-proj-" + "a" * 40,
    "AKIA" + "A" * 16,
    "-----BEGIN RSA PRIVATE KEY-----\nabc",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
    "sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc",
    "use npm_" + "x9kQ2vLmN4rT7wZ1cY3hJ6fG0pKsE8dUiAoB",
    "AccountName=a;AccountKey=x9kQ2v==;",
    "Server=db;Password=letmein",
]


@pytest.mark.parametrize("name", SECRET)
def test_secret_names_are_withheld(monkeypatch, tmp_path, name):
    monkeypatch.setenv(name, "s3cret")
    assert name not in environment(tmp_path, tmp_path)
    assert environment(tmp_path, tmp_path, kept=[name])[name] == "s3cret"


@pytest.mark.parametrize("name", PLAIN)
def test_other_names_are_passed_on(monkeypatch, tmp_path, name):
    monkeypatch.setenv(name, "plain")
    assert environment(tmp_path, tmp_path)[name] == "plain"


@pytest.mark.parametrize("value", SECRET_VALUES)
def test_secret_values_are_withheld(monkeypatch, tmp_path, value):
    monkeypatch.setenv("HARMLESS", value)
    assert "HARMLESS" not in environment(tmp_path, tmp_path)


@pytest.mark.parametrize("value", ["https://host/a@b", "me@host", "task-force", "sk-a", "a:b@c"])
def test_other_values_are_passed_on(monkeypatch, tmp_path, value):
    monkeypatch.setenv("HARMLESS", value)
    assert environment(tmp_path, tmp_path)["HARMLESS"] == value


def test_setting_lets_variables_through(monkeypatch, open_workspace, tmp_path):
    for name in ("NPM_TOKEN", "AWS_SECRET_KEY", "OTHER_TOKEN"):
        monkeypatch.setenv(name, "s3cret-" + name)
    opened = open_workspace(tmp_path, pass_environment=["NPM_TOKEN", "AWS_*"])
    printed = opened.workspace.run("env", tool="run_command", timeout_s=20).stdout
    assert "s3cret-NPM_TOKEN" in printed
    assert "s3cret-AWS_SECRET_KEY" in printed
    assert "OTHER_TOKEN" not in printed


@pytest.mark.parametrize(
    "name",
    [
        *("PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV"),
        *("GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_DIR", "GIT_CONFIG_COUNT", "NODE_OPTIONS"),
        *("PYTHONPATH", "PYTHONSTARTUP", "npm_config_script_shell", "PAGER", "EDITOR", "PERL5OPT"),
    ],
)
@pytest.mark.parametrize("approve", ["ask", "edits"])
def test_variables_that_start_code_are_asked_about_and_named(
    open_workspace, tmp_path, name, approve
):
    opened = open_workspace(tmp_path, approve=approve)
    opened.user.decision = Decision(action="reject")
    with pytest.raises(ToolError):
        opened.workspace.run(
            "git --version", tool="bash", timeout_s=20, env={name: "./evil", "A": "b"}
        )
    (asked,) = opened.user.asked
    assert f"It gets {name}=./evil, A=b." in asked.reason
    assert f"{name} can make other programs run other code." in asked.reason
    assert asked.pattern is None


def test_variables_of_the_model_are_never_covered_by_what_was_allowed(opened):
    opened.user.decision = Decision(action="apply", remember=True)
    run = opened.workspace.run
    run("echo one", tool="bash", timeout_s=20)
    for _ in range(2):
        run("echo one", tool="bash", timeout_s=20, env={"LD_PRELOAD": ""})
    assert len(opened.user.asked) == 3


@pytest.mark.parametrize("name", ["CI", "DEBUG", "NODE_ENV", "MY_PATHS", "LOGLEVEL"])
def test_other_variables_are_not_said_to_start_code(name):
    assert not starts_code(name)


def test_what_is_withheld_is_passed_on_to_nothing(tmp_path, monkeypatch):
    """Although its name says nothing, and although the settings pass it on."""
    monkeypatch.setenv("MY_LLM_OF_THE_TEST", "s3cret")
    assert "MY_LLM_OF_THE_TEST" in environment(tmp_path, tmp_path)
    withhold("MY_LLM_OF_THE_TEST")
    assert "MY_LLM_OF_THE_TEST" not in environment(tmp_path, tmp_path, kept=["MY_*"])
    for env in (None, dict(os.environ)):
        done = subprocesses.run(["env"], cwd=tmp_path, timeout_s=20, env=env)
        assert b"PATH=" in done.stdout
        assert b"s3cret" not in done.stdout

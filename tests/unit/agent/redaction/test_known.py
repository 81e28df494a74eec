"""Secrets are looked for in all of a text, even where the model is shown a part of it."""

import pytest
from git_repository import Git

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.redaction import Redaction
from ipuaro_jupyter.agent.redaction.known import known_in

HIDE = Redaction(b"k" * 32)
YAML = "db:\n  user: app\n  password: |\n    letmein\n  port: 5432\n"
KEY = "Zq7" + "x9kQ2vLmN4rT7wZ1cY3h" * 3
LONG = "const a = 1; " * 40 + f'api_key = "{KEY}"; ' + "const b = 2; " * 40


def call(name, /, **parameters):
    tags = "".join(f"<{key}>{value}</{key}>\n" for key, value in parameters.items())
    return f'<tool_call name="{name}">\n{tags}</tool_call>'


@pytest.fixture
def told(open_assistant, make_project):
    """Return what the model is told of a call in a project with secrets."""

    def tell(asked):
        project = make_project(
            {
                "db.yml": YAML,
                "long.js": f"{LONG}\n",
                "deploy/app.ini": "[db]\npassword =\n    Zx81Spectrum\nport = 5432\n",
                ".env": "\x1b[1mDB_PASS\x1b[0m=let\x1b[7mme\x1b[minnow\n",
            }
        )
        model = ScriptedModel([asked, "Done."])
        open_assistant(project, model, confirm=lambda _: True).ask("Run it")
        return model.requests[-1].messages[-1].content

    return tell


@pytest.mark.parametrize(
    ("asked", "secret", "stays"),
    [
        (call("get_lines", path="db.yml", start=4, end=5), "letmein", "port: 5432"),
        (call("grep", pattern="port", path="db.yml", context_lines=1), "letmein", "5432"),
        (call("grep", pattern="const b", path="long.js"), KEY[-24:], "const b"),
        (call("grep", pattern=KEY[30:40], path="long.js"), KEY[:8], "const a"),
        (call("run_command", command="sed -n 4p db.yml"), "letmein", "Exit"),
        (
            call("run_command", command="git show HEAD:./db.yml; tail -n 2 db.yml"),
            "letmein",
            "5432",
        ),
        (call("run_command", command="grep -rn -A1 user . ; grep -rn letm ."), "letmein", "user"),
        (call("bash", command="tail -n 2 app.ini", cwd="deploy"), "Zx81Spectrum", "port"),
        (call("get_lines", path=".env"), "innow", "DB_PASS"),
        (call("run_command", command="cat .env"), "innow", "DB_PASS"),
    ],
)
def test_a_part_of_a_file_shows_no_secret_of_the_whole(told, asked, secret, stays):
    shown = told(asked)
    assert secret not in shown
    assert stays in shown


@pytest.mark.parametrize(
    "name",
    [
        "test_user",
        "created_at",
        "package.json",
        "python3.11",
        "web-app-2",
        "resolver",
    ],
)
def test_a_password_like_a_name_is_hidden_in_its_line_only(name):
    known = known_in([(f"ADMIN_PASS={name}\n", ".env")])
    assert HIDE.text(f"ADMIN_PASS={name}", known=known) != f"ADMIN_PASS={name}"
    assert HIDE.text(f"select {name} from x", known=known) == f"select {name} from x"


@pytest.mark.parametrize("password", ["s3cr3tX9", "hunter2000", "correct!horse", KEY, "a b9! c d"])
def test_a_strong_password_is_hidden_wherever_it_is(password):
    known = known_in([(f"ADMIN_PASS={password}\n", ".env")])
    assert password not in HIDE.text(f"with {password} it works", known=known)


def test_terminal_codes_do_not_cut_a_secret_apart():
    line = "+\x1b[32mDB_PASS\x1b[1mWORD\x1b[m\x1b[32m=hun\x1b[7mter\x1b[27m2000\x1b[m"
    hidden = HIDE.text(f"{line}\n\x1b[31m-red\x1b[m")
    assert "hun" not in hidden
    assert "2000" not in hidden
    assert hidden.endswith("\x1b[31m-red\x1b[m")


def test_what_a_command_prints_has_no_terminal_codes(make_project, open_assistant):
    project = make_project({"a.py": "x = 1\n"})
    assistant = open_assistant(project, ScriptedModel([]), confirm=lambda _: True)
    printed = assistant.call("bash", {"command": r"printf '\033[31mred\033[0m o\boh\033]0;t\007'"})
    assert "STDOUT:\nred oh\n" in printed.text()


@pytest.mark.parametrize(
    ("command", "stays"),
    [
        ("git show HEAD~1:db.yml | sed -n 4p; git status", "db.yml"),
        ("git log -p | grep -A1 'password: .$' | tail -n 3; git log -1 --format=%s", "later"),
        ("git diff HEAD~1 -- db.yml | tail -n 3", "port"),
        ("git show HEAD:old/.env | cut -d= -f2", ""),
        ("git show HEAD:old/.env | cut -c11-19", ""),
        ("git log -p --all -- old | grep -v DB_PASS | tail -n 2 | cut -c10-", ""),
    ],
)
def test_an_earlier_version_of_a_file_shows_no_secret_either(
    open_assistant, make_project, command, stays
):
    root = make_project({"db.yml": YAML, "old/.env": "DB_PASS=Zx81Spectrum9\n"})
    git = Git(root)
    git.begin()
    git("add", "-A")
    git("commit", "-qm", "first")
    git.write("db.yml", YAML.replace("letmein", "changed by hand").replace("5432", "5433"))
    git("commit", "-qam", "later")
    git.write("db.yml", YAML.replace("letmein", "and again"))
    (root / "old/.env").unlink()
    model = ScriptedModel([call("run_command", command=command), "Done."])
    open_assistant(root, model, confirm=lambda _: True).ask("Run it")
    shown = model.requests[-1].messages[-1].content
    for secret in ("letmein", "changed by hand", "81Spectr"):
        assert secret not in shown
    assert stays in shown


def test_an_earlier_version_in_a_repository_inside_shows_no_secret_either(
    open_assistant, make_project
):
    root = make_project({"api/db.yml": YAML, "a.py": "1\n"})
    git = Git(root / "api")
    git.begin()
    git("add", "-A")
    git("commit", "-qm", "first")
    git.write("db.yml", "port: 1\n")
    git("commit", "-qam", "later")
    command = "git -C api show HEAD~1:db.yml | sed -n 4p"
    model = ScriptedModel([call("run_command", command=command), "Done."])
    open_assistant(root, model, confirm=lambda _: True).ask("Run it")
    shown = model.requests[-1].messages[-1].content
    assert "letmein" not in shown
    assert "redacted:password" in shown

"""How commands are judged, beside the verdicts of the page."""

import fnmatch
import shlex
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from command_table import PROGRAMS, judged

from ipuaro_jupyter.workspace.commands import command_policy

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

DENIED = [
    ["rm", "-rf", "keep"],
    ["/bin/rm", "-f", "-r", "keep"],
    ["sudo", "ls"],
    ["git", "push", "--force"],
    ["git", "-C", "a b", "reset", "--hard"],
    ["git", "clean", "-fd"],
    ["npm", "publish"],
    ["chmod", "777", "it's"],
    ["chown", "root", "$HOME"],
]


@pytest.mark.parametrize("quote", ["'{}'", '"{}"'])
@pytest.mark.parametrize("argv", [base for base in DENIED if "$HOME" not in base])
def test_quoted_text_is_data(argv: list[str], quote: str) -> None:
    for command in ("echo {}", "git commit -m {}", "grep {} notes.md"):
        text = command.format(quote.format(" ".join(argv).replace("'", "")))
        assert judged(text).action == "ask"


@pytest.mark.parametrize(
    "command", ["git status \u2028", "git\u00a0status", "git status\r", "git\x0bstatus"]
)
def test_unusual_blanks_ask(command):
    assert judged(command).action == "ask"


@pytest.mark.parametrize(
    ("files", "action"),
    [
        ("src/a.ts B.TSX", "run"),
        ("src/a.ts ../b.ts", "ask"),
        ("/etc/a.ts", "ask"),
        ("a.txt", "ask"),
        ("a.ts null", "ask"),
    ],
)
def test_tsc_checks_sources_of_the_project_unasked(files, action):
    assert judged(f"tsc --noEmit {files}").action == action


def test_an_alias_of_a_shell_command_is_denied_with_what_the_command_adds() -> None:
    assert "rm with -r" in judged("git -c alias.wipe=!rm wipe -rf keep").reason
    assert judged("git -c alias.wipe=!rm wipe keep").action == "ask"


def test_denial_names_the_script_and_the_reason() -> None:
    verdict = judged("npm run clean")
    assert "script 'clean'" in verdict.reason
    assert "rm with -r" in verdict.reason


def test_doubt_is_named() -> None:
    reasons = {
        "ls": "not known to be safe",
        "git status | cat": "more than one plain command",
        "git status # don't": "holds a variable",
        "git status > out": "redirects",
        "A=1 git status": "sets variables",
        "git log $x": "holds a variable",
        "git status (": "could not be parsed",
        "git\u00a0status": "unusual blanks",
        "x" * 100_001: "too long",
        "(" * 900 + "ls" + ")" * 900: "too intricate",
    }
    for command, reason in reasons.items():
        assert reason in judged(command).reason


def test_safe_command_names_the_files_that_it_relies_on() -> None:
    assert "package.json" in judged("npm test").relies_on
    assert "vitest.config.*" in judged("npm test").relies_on
    assert "conftest.py" in judged("pytest").relies_on
    assert judged("git status").relies_on == ()
    assert set(PROGRAMS["eslint"]) <= set(judged("eslint .").relies_on)
    assert set(PROGRAMS["eslint"]) <= set(judged("npm run lint").relies_on)
    assert judged("eslint --version").relies_on == PROGRAMS["eslint"]
    assert judged("local-tool x").relies_on == PROGRAMS["local-tool"]


@pytest.mark.parametrize("manager", ["npm", "pnpm", "yarn"])
@pytest.mark.parametrize("arguments", ["--version", "--help", "-v", "test"])
def test_package_manager_relies_on_its_settings(manager: str, arguments: str) -> None:
    relied_on = judged(f"{manager} {arguments}").relies_on
    for name in ("package.json", ".npmrc", ".yarnrc", ".yarnrc.yml"):
        assert any(fnmatch.fnmatchcase(name, pattern) for pattern in relied_on)


def test_variables_of_the_environment_are_judged() -> None:
    assert judged("git log", env={"A": "1"}).action == "ask"
    denied = judged("git log", env={"GIT_PAGER": "rm -rf ."})
    assert denied.action == "deny"


def test_many_unknown_variables_are_judged_fast() -> None:
    text = "rm " + " ".join(f"$a{i}" for i in range(60)) + " -rf"
    started = time.thread_time()
    assert judged(text).action == "deny"
    assert time.thread_time() - started < 20, "32 verdicts take milliseconds, 2 ** 60 for ever"


def test_deep_nesting_ends() -> None:
    text = "rm -rf keep"
    for _ in range(9):
        text = f"sh -c {shlex.quote(text)}"
    assert judged(text[:90_000]).action != "run"


@pytest.mark.parametrize("operand", CASES["mocha_runs_what_is_in_a_folder_of_tests"])
def test_mocha_runs_what_is_in_a_folder_of_tests(operand):
    assert judged(f"mocha {operand}").action == "run"


@pytest.mark.parametrize("operand", CASES["mocha_asks_about_all_else"])
def test_mocha_asks_about_all_else(operand):
    assert judged(f"mocha {operand}").action == "ask"


def test_words_that_only_the_strict_reader_finds_are_denied_too(monkeypatch):
    """Nothing is known that the first reader misses; this is the net below it."""
    read = command_policy.certainty

    def found(text, **options):
        return replace(read(text, **options), argvs=(("rm", "-rf", "x"),))

    monkeypatch.setattr(command_policy, "certainty", found)
    assert judged("deploy now").action == "deny"

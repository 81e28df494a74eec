"""No disguise makes a denied command safe; nothing that only passes one on hides it.

The compositions are the same in each run; ``--long`` tries others each time, ten times as many as
CI.
"""

import shlex
import shutil
import subprocess
import sys

import pytest
from command_table import judged
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

LONG = 1000
"""Examples of a property with ``--long``."""
DENIED = [
    ["rm", "-rf", "keep"],
    ["rm", "-r", "keep"],
    ["rm", "keep", "--recursive"],
    ["sudo", "ls"],
    ["git", "push", "--force"],
    ["git", "push", "origin", "+main"],
    ["git", "reset", "--hard"],
    ["git", "clean", "-fd"],
    ["npm", "publish"],
    ["chmod", "777", "it's"],
    ["chown", "root", "a b"],
]
LEADING = ["", "A=1 ", "A='x y' B=2 ", "! ", "2>&1 ", "</dev/null ", "coproc "]
TRANSPARENT = [
    *("env", "env -i", "env A=1", "env -u A B=2", "/usr/bin/env", "env -", "env -C ."),
    *("command", "command -p", "command --", "exec", "nohup", "setsid", "time", "time -p", "nice"),
    *("nice -n 5", "nice -5", "timeout 9", "timeout -k 1 -s KILL 9s", "stdbuf -oL", "ionice -c2"),
    *("xargs", "xargs -0 -n1", "busybox"),
]


def in_hex(word: str) -> str:
    return "$'" + "".join(f"\\x{ord(letter):02x}" for letter in word) + "'"


SPELLINGS = [
    shlex.quote,
    lambda word: "'" + word.replace("'", "'\\''") + "'",
    lambda word: '"' + word + '"',
    lambda word: "".join("\\" + letter for letter in word),
    lambda word: shlex.quote(word[:1]) + "''" + shlex.quote(word[1:]),
    lambda word: shlex.quote(word[:1]) + '""' + shlex.quote(word[1:]),
    in_hex,
    lambda word: in_hex(word[:1]) + shlex.quote(word[1:]),
]
EXPANDED = [
    *SPELLINGS,
    lambda word: "${nothing:-" + shlex.quote(word) + "}",
    lambda word: f'"$(printf %s {shlex.quote(word)})"',
    lambda word: f'"`printf %s {shlex.quote(word)}`"',
    lambda word: shlex.quote(word[:1]) + "${nothing}" + shlex.quote(word[1:]),
]
BETWEEN = [" ", "  ", " \t", " \\\n", "${IFS}"]
SHELLS = [
    *("sh -c {}", "bash -lc {}", "bash -e -c {}", "bash --norc -c {}", "eval {}", "env -S {}"),
    *("echo {} | sh", "printf %s {} | bash -s", "bash <<< {}", 'x={}; eval "$x"', "env bash -c {}"),
    *(
        "bash <(echo {})",
        "echo {} | cat | sh",
        "trap {} EXIT",
        "find . -maxdepth 0 -exec sh -c {} \\;",
    ),
    *(
        'x={}; sh -c "$x"',
        "xargs -I@ sh -c {}",
        "alias x={}",
        "echo {} | while read x; do $x; done",
    ),
]
PLACES = [
    *("git status; {}", "git status && {}", "{} || git status", "git status & {}", "git log | {}"),
    *("git status\n{}", "git status # harmless\n{}", 'git log "a $({}) b"', "git log `{}`"),
    *("( {} )", "{{ {}; }}", "! {}", "if true; then {}; fi", "f() {{ {}; }}; f", "[[ -n $({}) ]]"),
    *("for i in 1; do {}; done", "while {}; do break; done", "case x in x) {} ;; esac"),
    *("A=$({}) git status", "git diff <({})", "git log ${{x:-$({})}}", "{} > out 2>&1", "{} &"),
    *("cat <<END\n$({})\nEND", "echo $(( $({}) ))", "git status \\\n; {}", "x=(a $({}))"),
]


# What has another PATH, needs a program that few have, or only prepares what an interactive shell
# would run.
NOT_TRIED = {"env -i", "env -", "command -p", "busybox", "alias x={}", "bash -lc {}"}
PROGRAMS = [
    *("bash", "cat", "env", "find", "ionice", "nice", "nohup", "printf", "setsid", "sh", "stdbuf"),
    *("timeout", "xargs"),
]


@st.composite
def wrapped(draw: st.DrawFn) -> str:
    """Draw a denied argv, each word spelt somehow, behind programs that only start it."""
    words = [draw(st.sampled_from(SPELLINGS))(word) for word in draw(st.sampled_from(DENIED))]
    wrappers = draw(st.lists(st.sampled_from(TRANSPARENT), max_size=3))
    text = draw(st.sampled_from(BETWEEN)).join(words)
    return draw(st.sampled_from(LEADING)) + " ".join([*wrappers, text])


@st.composite
def composed(draw: st.DrawFn) -> str:
    """Draw a denied command in substitutions, pipes, blocks and shells, nested."""
    words = [draw(st.sampled_from(EXPANDED))(word) for word in draw(st.sampled_from(DENIED))]
    wrappers = draw(st.lists(st.sampled_from(TRANSPARENT), max_size=1))
    text = draw(st.sampled_from(LEADING)) + " ".join([*wrappers, *words])
    for _ in range(draw(st.integers(0, 3))):
        if draw(st.booleans()):
            text = draw(st.sampled_from(SHELLS)).replace("{}", shlex.quote(text))
        else:
            text = draw(st.sampled_from(PLACES)).format(text)
    return text


ONE_OF_EACH = [
    *(f"{wrapper} rm -rf keep" for wrapper in TRANSPARENT if wrapper not in NOT_TRIED),
    *(f"{before}rm -rf keep" for before in LEADING if before != "coproc "),
    *(" ".join(map(spell, ["rm", "-rf", "keep"])) for spell in EXPANDED),
    *(between.join(["rm", "-rf", "keep"]) for between in BETWEEN),
    *(shell.replace("{}", "'rm -rf keep'") for shell in SHELLS if shell not in NOT_TRIED),
    *(place.format("rm -rf keep") for place in PLACES),
]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the programs have other options")
@pytest.mark.parametrize("text", ONE_OF_EACH)
def test_disguises_are_real(text, tmp_path):
    """A shell does run `rm -rf keep`, here a program that only notes what it was given."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in PROGRAMS:
        if found := shutil.which(name):
            (programs / name).symlink_to(found)
    for name in ("rm", "git"):
        (programs / name).write_text(f'#!/bin/sh\necho "{name} $*" >> "{tmp_path}/log"\n')
        (programs / name).chmod(0o755)
    first = text.split()[0]
    if first in PROGRAMS and not shutil.which(first):
        pytest.skip(f"there is no {first}")
    done = subprocess.run(
        ["/bin/bash", "-c", text],
        cwd=tmp_path,
        env={"PATH": str(programs)},
        input="x\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    ran = (tmp_path / "log").read_text() if (tmp_path / "log").exists() else ""
    assert "rm -rf keep" in ran, done.stderr
    assert judged(text).action == "deny"


def times(count: int) -> settings:
    """More examples than elsewhere: one is cheap, and none may be judged wrong."""
    usual = settings.default
    return settings(
        max_examples=count * usual.max_examples,
        derandomize=usual.max_examples < LONG,
        suppress_health_check=list(HealthCheck),
        database=None,
    )


@times(10)
@given(wrapped())
def test_denied_command_is_denied_in_every_wrapping(text):
    assert judged(text).action == "deny"


@times(10)
@given(composed())
def test_denied_command_is_never_safe(text):
    assert judged(text).action in {"deny", "ask"}


SNIPPETS = st.sampled_from(
    [
        *"'\"`$(){}[]<>|&;#!*?~=\\\n\t -/",
        "rm",
        "-rf",
        "keep",
        "git",
        "status",
        "sudo",
        "npm",
        "test",
        "$(",
        "${",
        "<<EOF",
        "\nEOF\n",
        "&&",
        "sh -c ",
        "\ue000",
        "\xa0",
        "é",
    ]
)


@times(6)
@given(st.lists(SNIPPETS, max_size=14).map("".join))
def test_text_that_runs_unasked_is_what_a_shell_would_split_it_into(text: str) -> None:
    """Whatever the parser makes of a text, it runs only if the words are safe literally."""
    verdict = judged(text)
    if verdict.action == "run":
        words = shlex.split(text)
        assert words[0] in {"git", "npm", "rm", "sudo"}
        assert words[0] != "rm" or words[1:] in (["--version"], ["--help"])
        assert not set(text) & set("$`|&;<>()")


@times(3)
@example("{\U00108956")
@example("\ud800")
@given(st.text(max_size=60))
def test_any_text_gets_a_verdict(text: str) -> None:
    assert judged(text).action in {"deny", "run", "ask"}

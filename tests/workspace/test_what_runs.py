"""What a command text would run, as the user is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.workspace.what_runs import what_runs

SCRIPTS = {"build": "vite build && node after.js", "prebuild": "echo pre", "again": "npm run again"}


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("npm install x", []),
        ("ls   'a b'", []),
        ("a && b | c > d; e", ["a", "b", "c", "e"]),
        ("echo $(date)", ["date", "echo \u2026"]),
        ("sh -c 'rm x; ls'", ["sh -c 'rm x; ls'", "  rm x", "  ls"]),
        ("find . | xargs rm -f", ["find .", "xargs rm -f", "  rm -f"]),
        (
            "npm run build",
            ["npm run build", "  echo pre", "  vite build", "  node after.js"],
        ),
        ("npm run again", ["npm run again", "  npm run again", "    npm run again"]),
        ("echo '\u00e9 b' && ls", ["echo '\u00e9 b'", "ls"]),
    ],
)
def test_what_runs(command, runs):
    found = what_runs(command, SCRIPTS.get)
    assert list(found)[: len(runs)] == runs
    assert bool(found) is bool(runs)


def test_a_long_list_is_cut_and_says_so():
    found = what_runs("; ".join(f"echo {n}" for n in range(200)), SCRIPTS.get)
    assert found[-1] == "and more"
    assert len(found) == 51


@given(
    st.text(max_size=60) | st.lists(st.sampled_from(list("ab $()`'\"|;&<>{},\\\n"))).map("".join)
)
def test_any_text_is_taken_apart_or_left(command):
    assert isinstance(what_runs(command, SCRIPTS.get), tuple)

"""What a command text would run, as the user is told."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.workspace.commands.command_outline import command_outline
from ipuaro_jupyter.workspace.commands.shell_syntax import parse

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

SCRIPTS = {
    "build": "vite build && node after.js",
    "prebuild": "echo pre",
    "evil": "echo evil > ~/.bashrc",
    "hooked": "LD_PRELOAD=./x.so vitest run",
    "open": "echo 'abc",
    "two": "a\nb",
}


@pytest.mark.parametrize(("command", "runs"), CASES["what_runs"])
def test_what_runs(command, runs):
    assert list(command_outline(command, SCRIPTS.get)) == runs


def test_what_starts_each_other_too_deep_is_left_out():
    lines = command_outline("env " * 9 + "ls", SCRIPTS.get)
    assert lines[0] == "env " * 9 + "ls"
    assert lines[-2:] == ("          " + "env " * 4 + "ls", "            \u2026")


def test_a_script_that_is_too_long_is_not_taken_apart():
    text = "true;" * 5000
    first, whole, rest = command_outline("npm run long", {"long": text}.get)
    assert first == "npm run long"
    assert whole.startswith("  true;true;")
    assert rest == "    \u2026"


def test_a_script_without_a_command_has_nothing_below_it():
    assert command_outline("npm run none", {"none": "# later"}.get) == ("npm run none", "  # later")


def test_a_text_that_is_too_long_is_not_taken_apart():
    assert command_outline("true;" * 5000, SCRIPTS.get) == ()


def test_a_long_list_is_cut_and_says_so():
    found = command_outline("; ".join(f"echo {n}" for n in range(200)), SCRIPTS.get)
    assert found[-1] == "and more"
    assert len(found) == 51


def test_a_long_command_is_cut_and_says_so():
    found = command_outline(f"echo {'x' * 600}; ls", SCRIPTS.get)
    assert found[0].endswith("x \u2026")
    assert len(found[0]) < 510


def test_scripts_that_start_each_other_come_to_an_end():
    scripts = {"a": "npm run b; npm run a;" * 900, "b": "npm run a;" * 1900}
    found = command_outline("npm run a", scripts.get)
    assert found[:2] == ("npm run a", f"  {scripts['a'][:500]} \u2026")
    assert found[-1] == "and more"


@given(
    st.text(max_size=60) | st.lists(st.sampled_from(list("ab $()`'\"|;&<>{},\\\n"))).map("".join)
)
def test_any_text_is_taken_apart_or_left(command):
    found = command_outline(command, SCRIPTS.get)
    assert all(line.strip() and "\n" not in line for line in found)
    assert not parse(command).broken or found == ()


@given(
    st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=4),
    st.sampled_from(["> f", "2>> f", "< f", "&> f"]),
    st.sampled_from(["A=1 ", ""]),
)
def test_nothing_is_lost_of_a_command_that_a_script_holds(words, redirection, assignment):
    text = f"{assignment}{' '.join(words)} {redirection}"
    found = command_outline("npm run it && true", {"it": f"true; {text}"}.get)
    assert found == ("npm run it", f"  true; {text}", "    true", f"    {text}", "true")

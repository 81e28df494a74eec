"""A program of the command policy is data: adding one is one file, and its examples are judged."""

from collections import Counter

import pytest
from command_table import judged

from ipuaro_jupyter.workspace.commands.program import PROGRAMS, Program, load, program

FILES = sorted(PROGRAMS.iterdir())
FAMILIES = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
ACTIONS = {"denied": "deny", "safe": "run", "asks": "ask"}


def verdicts(known: Program) -> set[str]:
    """The kinds of verdict that a program may get."""
    found = {"asks"}
    if known.denied or known.starts or known.manager:
        found.add("denied")
    if known.safe or known.place or known.version:
        found.add("safe")
    return found


@FAMILIES
def test_file_has_an_example_of_each_verdict(path):
    family = load(path)
    given = {kind for kind, commands in family.examples.items() if commands}
    missing = set().union(*map(verdicts, family.program)) - given
    assert not missing, f"{path.name}: add to [examples] commands for {sorted(missing)}"


@FAMILIES
def test_examples_are_judged_so(path):
    wrong = [
        f"{command}: {verdict.action}, {verdict.reason}"
        for kind, commands in load(path).examples.items()
        for command in commands
        if (verdict := judged(command)).action != ACTIONS[kind]
    ]
    assert not wrong, f"{path.name}: either [examples] or the tables are wrong"


@FAMILIES
def test_file_begins_with_what_it_is_about(path):
    assert path.suffix == ".toml"
    assert path.read_text("utf-8").startswith("# "), f"{path.name}: begin with a comment"


@FAMILIES
def test_programs_are_found_by_their_names(path):
    for known in load(path).program:
        lost = [name for name in known.names if program(name) is not known]
        assert known.names, f"{path.name}: a [[program]] has no names"
        assert not lost, f'{path.name}: begin a line with names = " for {lost}'


def test_each_program_is_in_one_file():
    counted = Counter(
        name for path in FILES for known in load(path).program for name in known.names
    )
    assert [name for name, times in counted.items() if times > 1] == []
    assert len(counted) > 150

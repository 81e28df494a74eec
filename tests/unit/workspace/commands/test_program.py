"""The files of programs, and what is said of a wrong one."""

import subprocess
import sys
from typing import get_args

import pytest

from ipuaro_jupyter.workspace.commands import wrapped_commands
from ipuaro_jupyter.workspace.commands.program import (
    Program,
    ProgramError,
    Starts,
    denied_programs,
    load,
    program,
)

CRANE = """
[every]
place = "project"
starts = { how = "command", values = "-n --times" }

[[program]]
names = "crane"
denied = [{ options = "--dr[op]", reason = "crane --drop drops it" }]

[[program]]
names = "hoist"
starts = { operands = 1 }

[examples]
denied = ["crane --drop"]
"""


@pytest.fixture
def crane(tmp_path):
    return tmp_path / "crane.toml"


def test_programs_of_a_file_have_what_every_one_has(crane):
    crane.write_text(CRANE)
    first, second = load(crane).program
    assert (first.place, second.place) == ("project", "project")
    assert (first.starts.operands, second.starts.operands) == (0, 1)
    assert second.starts.values == ("-n", "--times")
    assert first.denied[0].reason == "crane --drop drops it"
    assert second.denied == ()


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("names = ", "nmaes = ", "crane.toml: program.0.nmaes: Extra inputs are not permitted"),
        ("values", "valeus", "crane.toml: program.0.starts.valeus: Extra inputs"),
        ('"command"', '"comand"', "crane.toml: program.0.starts.how: Input should be 'alias'"),
        ("operands = 1", 'operands = "x"', "crane.toml: program.1.starts.operands: Input should"),
        ('"-n --times"', '["-n"]', "crane.toml: program.0.starts.values: Value error, should be a"),
        ("reason = ", "raeson = ", "crane.toml: program.0.denied.0.reason: Field required"),
        ('denied = ["', 'forbidden = ["', "crane.toml: examples.forbidden.[key]: Input should"),
        ("[examples]", "[samples]", "crane.toml: examples: Field required; samples: Extra"),
        ("[[program]]", "[program", "crane.toml: "),
    ],
)
def test_wrong_key_or_value_is_named_with_its_file(crane, right, wrong, said):
    crane.write_text(CRANE.replace(right, wrong))
    with pytest.raises(ProgramError) as error:
        load(crane)
    assert str(error.value).startswith(said)


def test_nothing_is_known_of_most_programs():
    assert program("no-such-program") == Program()


def test_programs_with_denied_uses_have_git_at_their_end():
    assert denied_programs()[-1] == "git"
    assert {"rm", "sudo", "find", "su"} < set(denied_programs())


def test_file_is_read_only_when_a_command_names_its_program():
    code = """
import sys, ipuaro_jupyter
assert not any(name.startswith("ipuaro_jupyter.workspace.commands") for name in sys.modules)
from ipuaro_jupyter.workspace.commands import program
assert program.load.cache_info().currsize == 0
program.program("ls-x"), program.program("rm"), program.program("rm")
print(program.load.cache_info().misses)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_each_way_to_start_commands_is_read():
    read = [*wrapped_commands._TEXTS, *wrapped_commands._READERS]
    assert sorted(read) == sorted(get_args(Starts.model_fields["how"].annotation))

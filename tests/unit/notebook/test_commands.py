import pytest
from IPython.core import oinspect

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.cell_thread import CellThread
from ipuaro_jupyter.notebook.commands import command_names, find_command
from ipuaro_jupyter.notebook.magics import IpuaroMagics
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.settings.removed_settings import removed_command


@pytest.mark.parametrize("name", command_names())
def test_every_subcommand_is_found_by_its_name_and_documented(name):
    command = find_command(name)
    assert command.name == name
    assert command.summary.endswith(".")
    assert f"%ipuaro {name}" in command.help()
    shown = oinspect.getdoc(IpuaroMagics.ipuaro)
    assert f"``%ipuaro {name}" in shown, "name it in what %ipuaro? shows"


def test_an_unknown_subcommand_names_the_closest():
    with pytest.raises(SettingsError, match="Did you mean %ipuaro status"):
        find_command("statu")


@pytest.mark.parametrize("line", ["", "src --limit 3", "'never closed"])
def test_a_removed_subcommand_says_what_to_do_instead_whatever_it_is_given(line):
    told = removed_command("unused", "%ipuaro unused")
    command = find_command("unused")
    shown = command.run(OpenProject(), CellThread(lambda _: None), command.read(line))
    assert shown.text == told
    assert told.startswith("%ipuaro unused no longer exists and is ignored: knip, vulture or")
    assert told in command.help()
    assert command.completes([]) == ([], None)


def test_an_unknown_tool_names_the_closest_or_all():
    with pytest.raises(SettingsError, match="Did you mean find_references"):
        OpenProject().find_tool("find_reference")
    with pytest.raises(SettingsError, match=r"There are: bash, create_file, .*write_file"):
        OpenProject().find_tool("zzz")


def test_arguments_are_split_as_in_a_shell():
    arguments = find_command("start").read("'my project' --model m --auto-apply --new")
    assert (arguments.path, arguments.model) == ("my project", "m")
    assert arguments.auto_apply
    assert arguments.new


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--modle x", "unrecognized arguments: --modle. Usage: %ipuaro start"),
        ("--model", "expected one argument"),
        ("'x", "No closing quotation"),
    ],
)
def test_wrong_arguments_are_said_with_the_usage(line, message):
    with pytest.raises(SettingsError, match=message):
        find_command("start").read(line)

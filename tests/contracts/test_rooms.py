"""Rooms that can be held in the head: listed doors, one meaning to a name."""

import ast
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

import ipuaro_jupyter

PACKAGE = Path(ipuaro_jupyter.__file__).parent
PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
NOT_OURS = {"app", "sample.py"}  # the demo's application, and samples of languages
MODULES = sorted(
    path for path in PACKAGE.rglob("*.py") if NOT_OURS.isdisjoint([path.name, *path.parts])
)
COMMANDS = ("cli.commands", "notebook.commands")  # one command, in a shell and in a cell
SHARED_CLASSES: dict[str, str] = {}


def dotted(path):
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def doors():
    """Each sub-room whose doors are listed in pyproject.toml, with these doors."""
    if not PYPROJECT.exists():  # these tests run against a wheel, too
        return []
    contracts = tomllib.loads(PYPROJECT.read_text())["tool"]["importlinter"]["contracts"]
    named = [c for c in contracts if c["name"].startswith("The doors of ")]
    return [
        (c["protected_modules"][0], [i.partition(" -> ")[2] for i in c["ignore_imports"]])
        for c in named
    ]


@pytest.mark.checkout
@pytest.mark.parametrize(("room", "listed"), doors(), ids=lambda value: str(value)[:40])
def test_a_room_says_which_modules_are_its_doors(room, listed):
    place = PACKAGE.joinpath(*room.split(".")[1:], "__init__.py")
    said = ast.get_docstring(ast.parse(place.read_text())) or ""
    unsaid = [door for door in listed if f"``{door.removeprefix(room + '.')}``" not in said]
    unsaid = [door for door in unsaid if door != room]  # its __init__ offers names itself
    assert not unsaid, f"{place}: name these doors in the docstring, with what they offer: {unsaid}"


@pytest.mark.checkout
def test_every_folder_of_a_room_has_its_doors_listed():
    rooms = {room for room, _ in doors()}
    split = {"index", "workspace", "project", "agent", "llm"}
    folders = {
        f"ipuaro_jupyter.{room}.{folder.parent.name}"
        for room in split
        for folder in (PACKAGE / room).glob("*/__init__.py")
    }
    assert folders <= rooms, f"add contracts named 'The doors of …' for {folders - rooms}"


def test_no_two_classes_have_one_name():
    """Unless they are the same idea; then say so in SHARED_CLASSES."""
    homes = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                homes[node.name.lstrip("_")].append(dotted(path))
    twice = {name: at for name, at in homes.items() if len(at) > 1 and name not in SHARED_CLASSES}
    assert not twice, f"rename one of each pair by what it is: {twice}"


def test_modules_of_one_name_are_about_one_thing():
    """A record and its view share a name, and so do a command in a shell and in a cell."""
    homes = defaultdict(list)
    for path in MODULES:
        if path.stem != "__init__":
            homes[path.stem].append(dotted(path))
    alike = {"records", "views"}
    for name, at in homes.items():
        rest = [home for home in at if not home.startswith(COMMANDS)]
        rest = [home for home in rest if home.partition(".")[0] not in alike]
        assert len(rest) <= 1, f"{name}: rename all but one of {rest} by what they hold."

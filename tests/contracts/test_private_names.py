"""A test looks inside its own room only: another room may change behind its doors."""

import ast
from functools import cache
from pathlib import Path

import pytest

import ipuaro_jupyter

TESTS = Path(__file__).parents[1]
PACKAGE = Path(ipuaro_jupyter.__file__).parent
KINDS = ("unit", "system", "hostile")
ABOUT = {
    "support/index_contents.py": "index",
    "support/indexes.py": "index",
    "support/servers.py": "store",
    "system/robustness": "assistant",
}
"""What is about a room and not in a folder of its name."""
FOREIGN = {"_exit", "_replace", "_send"}
"""Of os, of named tuples, of Starlette."""
MODULES = sorted(
    path for kind in (*KINDS, "support", "contracts") for path in (TESTS / kind).rglob("*.py")
)


def room_of(path):
    """The room that a module of the tests is about, "" when it is about none."""
    place = path.relative_to(TESTS)
    for known, room in ABOUT.items():
        if place.is_relative_to(known):
            return room
    if place.parts[0] not in KINDS:
        return ""
    return place.parts[1] if len(place.parts) > 2 else place.stem.removeprefix("test_")


def is_private(name):
    """Whether a name is private: not "_", "__init__", nor IPython's "_repr_html_"."""
    return name.startswith("_") and not name.endswith("_")


def defined(tree):
    """The private names that a module binds: functions, variables, attributes, methods."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


@cache
def rooms():
    """The rooms of the package, each with the private names that it binds."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        names = defined(ast.parse(path.read_text("utf-8")))
        found.setdefault(room, set()).update(name for name in names if is_private(name))
    return found


def foreign_names(source, room):
    """What a test of ``room`` takes of the private names of other rooms, as "line: name"."""
    tree = ast.parse(source)
    allowed = rooms().get(room, set()) | set(defined(tree))
    others = set().union(*rooms().values()) - allowed - FOREIGN
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in others:
            yield f"{node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.ImportFrom):
            package, _, rest = (node.module or "").partition(".")
            if package == "ipuaro_jupyter" and rest.split(".")[0] != room:
                names = (name.name for name in node.names if is_private(name.name))
                yield from (f"{node.lineno}: {node.module}.{name}" for name in names)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(TESTS).as_posix())
def test_a_test_looks_inside_its_own_room_only(module):
    found = list(foreign_names(module.read_text("utf-8"), room_of(module)))
    assert not found, (
        f"These are private to another room than {room_of(module)!r}: {found}. Ask for it by a "
        "public name of that room, or move the test to the folder of the room that it is about."
    )


@pytest.mark.parametrize(
    ("source", "room", "count"),
    [
        ("assistant._conversation", "agent", 1),
        ("assistant._conversation", "assistant", 0),
        ("from ipuaro_jupyter.workspace.permission import _script", "index", 1),
        ("from ipuaro_jupyter.workspace.permission import _script", "workspace", 0),
        ("answer._repr_html_()", "", 0),
        ("values._replace(a=1)", "", 0),
    ],
)
def test_what_is_private_elsewhere_is_found(source, room, count):
    assert len(list(foreign_names(source, room))) == count

"""What was promised of the Python API in 1.0 is still there, as griffe sees it.

``public_api_1_0.txt`` is what the documentation calls stable. It changes with a new major version
only: then `frozen` writes it anew (``python tests/contracts/test_public_api.py``).
"""

from pathlib import Path

import griffe
import pytest

FROZEN = Path(__file__).with_name("public_api_1_0.txt")
_PACKAGE = "ipuaro_jupyter"
PUBLIC = {
    "start": None,
    "parse_reply": None,
    "ScriptedModel": ("__init__",),
    "Assistant": (
        *("__enter__", "__exit__", "approve", "ask", "call", "clear", "close", "decisions"),
        *("export", "load", "reindex", "sessions", "stream", "tools", "undo"),
    ),
    "Proposal": ("kind", "tool", "title", "path", "old_text", "new_text", "command", "message"),
    "Decision": ("action", "reason", "text", "hunks", "remember"),
    "Trouble": ("kind", "message"),
    "Remedy": ("action",),
    "records.chat.Answer": ("question", "text", "tool_calls", "edits", "usage", "ended", "notice"),
    "records.outputs.ToolResult": ("success", "to_dict", "text", "tool", "output", "error"),
    "llm.Model": None,
    "llm.Chunk": None,
    "views.proposal.detail_text": None,
    "views.proposal.question_html": None,
}
"""The stable names, with those of their members that are; None for all public ones."""


@pytest.fixture(scope="module")
def package():
    return griffe.load(_PACKAGE, search_paths=[Path(__file__).parents[2]], resolve_aliases=True)


def found(package, name):
    """A stable function or class, wherever it is defined."""
    return target(package[name])


def members(found, names):
    """The members of a class that are stable, by name."""
    known = found.all_members
    all_of_it = [n for n in known if not n.startswith("_") and n != "model_config"]
    chosen = all_of_it if names is None else names
    return {name: known[name] for name in chosen}


def breakages(frozen, package):
    """What of the frozen API is missing or otherwise today, in words.

    Griffe passes over inherited members, which it sees as aliases, and over the types and defaults
    of attributes: so classes are put together from the members themselves, and attributes compared
    as they are written.
    """
    before = griffe.visit("public_api", filepath=FROZEN, code=frozen)
    now = griffe.Module("public_api")
    for name, names in PUBLIC.items():
        one = found(package, name)
        if one.is_class:
            whole = griffe.Class(one.name, parent=now)
            whole.members |= {name: target(m) for name, m in members(one, names).items()}
            one = whole
        now.members[one.name] = one
    for broken in griffe.find_breaking_changes(before, now):
        yield f"{broken.obj.path.removeprefix('public_api.')}: {broken.kind.value}"
    for group in before.members.values():
        for old in () if group.is_alias else group.members.values():
            new = now.members.get(group.name, griffe.Class("")).members.get(old.name)
            if old.is_attribute and new is not None and line(old) != line(new):
                yield f"{group.name}.{old.name}: was {line(old)}, is {line(new)}"


def target(one):
    """A member, not the name by which a class has inherited it."""
    return one.final_target if one.is_alias else one


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("def undo(", "def undo_all(", "Assistant.undo_all: Public object was removed"),
        ("def undo(self, *", "def undo(self, count, *", "Parameter was removed"),
        ("turn: bool = False", "turn: bool = True", "Parameter default was changed"),
        ("cancel: CancelToken)", "cancel: CancelToken, now)", "Parameter was removed"),
        ("    title: str", "    title: str = 'x'", "Proposal.title: was title: str = 'x', is"),
        ("'reject', 'check'", "'reject'", "was action: Literal['apply', 'reject'],"),
        ("def start(", "def begin(", "begin: Public object was removed"),
    ],
)
def test_what_is_broken_is_found(package, before, after, told):
    frozen = FROZEN.read_text()
    assert before in frozen
    assert any(told in one for one in breakages(frozen.replace(before, after), package))


def test_all_stable_names_are_frozen():
    frozen = griffe.visit("public_api", filepath=FROZEN, code=FROZEN.read_text())
    assert set(frozen.members) >= {name.rpartition(".")[2] for name in PUBLIC}


def frozen(package):
    """The text of the frozen API as it is today."""
    told = "The stable Python API of 1.0; see `test_public_api`."
    parts = [f'"""{told}"""', "from typing import Literal"]
    for name, names in PUBLIC.items():
        one = found(package, name)
        if one.is_function:
            parts.append(line(one))
            continue
        inner = [f"    {line(member)}" for member in members(one, names).values()]
        parts.append("\n".join([f"class {one.name}:", *inner]))
    return "\n\n".join(parts) + "\n"


def line(member):
    """A function or an attribute on one line."""
    if member.is_function:
        written = f"def {member.signature(return_type=True)}: ..."
        if member.parent.is_class:
            written = written.replace("(", "(self, ", 1).replace("(self, )", "(self)")
        return written
    value = "" if member.value is None else f" = {member.value}"
    return f"{member.name}: {member.annotation}{value}"


if __name__ == "__main__":
    loaded = griffe.load(_PACKAGE, search_paths=[Path(__file__).parents[2]], resolve_aliases=True)
    FROZEN.write_text(frozen(loaded))

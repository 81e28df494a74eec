"""The README and the reference say what the code says; the reference's tables are made from it.

    python tests/contracts/test_readme.py

writes the tables and the page of the settings; a failure says so.
"""

import ast
import json
import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from pydantic_core import PydanticUndefined

from ipuaro_jupyter.agent.mcp.mcp_settings import McpServerSettings
from ipuaro_jupyter.cli import EXIT_STATUS, main
from ipuaro_jupyter.languages.registry import languages
from ipuaro_jupyter.notebook.commands import command_names, find_command
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.settings.settings import Settings
from ipuaro_jupyter.tools import load_tools

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
REFERENCE = ROOT / "notebooks" / "reference.md"
CONTRIBUTING = ROOT / "notebooks" / "contributing.md"
SETTINGS = ROOT / "notebooks" / "settings.md"
PYPROJECT = ROOT / "pyproject.toml"
WRITE = "Run: python tests/contracts/test_readme.py"


def table(*rows):
    head, *rest = (
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows
    )
    return "\n".join([head, "| " + " | ".join("---" for _ in rows[0]) + " |", *rest])


def tools_table():
    rows = [("tool", "what it does")]
    for tool in load_tools():
        first = tool.schema.description.split(". ")[0].rstrip(".")
        rows.append((f"`{tool.signature}`", f"{first}."))
    return table(*rows)


def commands_table():
    rows = [("command", "what it does")]
    for name in command_names():
        command = find_command(name)
        usage = " ".join(command.parser.format_usage().removeprefix("usage: ").split())
        rows.append((f"`{usage}`", command.summary))
    return table(*rows)


def programs():
    """Yield the name of each command, of a group those of its own, and the command."""
    for name in main.list_commands(None):
        command = main.get_command(None, name)
        for of_group, one in getattr(command, "commands", {"": command}).items():
            if not one.hidden:
                yield f"{name} {of_group}".rstrip(), one


def _options(command):
    return [p for p in command.params if p.param_type_name == "option" and not p.hidden]


def programs_table():
    rows = [("command line", "what it does")]
    for name, command in programs():
        usage = " ".join(command.collect_usage_pieces(main.make_context("ipuaro", ["open"])))
        options = [f"[{'|'.join(p.opts)}]" for p in _options(command)]
        usage = " ".join(["ipuaro", name, *options, usage.removeprefix("[OPTIONS] ")])
        rows.append((f"`{usage}`", command.short_help))
    return table(*rows)


def languages_table():
    kinds = {
        "declarations": "functions, classes, types, imports, references, complexity",
        "python": "functions, classes, imports, references, complexity",
        "grammar": "functions, types, imports, complexity, references by name: "
        "with the extra `languages`",
        "cells": "the code cells, as Python",
        "component": "script blocks, and the names in the template",
        "keys": "the top-level keys",
        "": "markers in comments, such as TODO",
    }
    files = {kind: [] for kind in kinds}
    for language in languages().values():
        kind = language.reader if language.is_parsed or language.install else ""
        files[kind] += [*language.filenames, *language.extensions]
    rows = [(", ".join(f"`{n}`" for n in sorted(files[k])), told) for k, told in kinds.items()]
    return table(("files", "what the index knows of them"), *rows)


def setting_rows(settings, prefix=""):
    """Return the settings of a class: key, default, what it does."""
    for name, field in settings.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, Record):
            continue
        shown = "" if default is PydanticUndefined else f"`{json.dumps(default)}`"
        key = f"`{prefix}{field.alias or name}`"
        assert field.description, f"{settings.__name__}.{name} has no description"
        yield key, shown, field.description


def groups():
    """Return the groups of the settings and their classes."""
    for name, field in Settings.model_fields.items():
        if issubclass(kind := type(field.get_default(call_default_factory=True)), Record):
            yield field.alias or name, kind


def settings_table():
    rows = [("settings", "what they say", "keys")]
    for name, kind in groups():
        keys = ", ".join(f"`{f.alias or key}`" for key, f in kind.model_fields.items())
        rows.append((f"`{name}`", first_line(kind), keys))
    rows += ((key, told, "") for key, _, told in setting_rows(Settings))
    return table(*rows)


def first_line(kind):
    return kind.__doc__.partition("\n")[0]


def settings_page():
    head = ("key", "default", "what it does")
    parts = [
        "# Settings",
        (
            "All keys of `.ipuaro.json`, with their defaults. `%ipuaro config` shows what each is "
            "in the open project, and where it was set; `ipuaro init` writes a JSON schema, from "
            "which editors complete and check them. The [reference](reference.md#settings) says "
            "which file takes precedence, and which keys a cloned repository cannot set."
        ),
        table(head, *setting_rows(Settings)),
    ]
    for name, kind in groups():
        parts += [f"## {name}", kind.__doc__.partition("\n\n    ")[0]]
        more = kind.__doc__.partition("\n\n")[2]
        parts += [" ".join(more.split())] if more else []
        parts.append(table(head, *setting_rows(kind, f"{name}.")))
    parts += ["## mcpServers", " ".join(McpServerSettings.__doc__.replace("``", "`").split())]
    parts.append(table(head, *setting_rows(McpServerSettings, "mcpServers.NAME.")))
    return "\n\n".join(parts) + "\n"


def dependencies_table():
    """What each dependency is for: the comment beside it."""
    text = PYPROJECT.read_text(encoding="utf-8").partition("\ndependencies = [\n")[2]
    rows = [("dependency", "what it is for")]
    for line in text.partition("\n]\n")[0].splitlines():
        told = re.fullmatch(r' {4}"([\w-]+)[^"]*",(?: # (.+))?', line)
        assert told is not None, line
        assert told[2], f"pyproject.toml: say in a comment what {told[1]} is for."
        rows.append((f"`{told[1]}`", f"{told[2]}."))
    return table(*rows)


TABLES = {
    "tools": (tools_table, REFERENCE),
    "subcommands": (commands_table, REFERENCE),
    "command line": (programs_table, REFERENCE),
    "languages": (languages_table, REFERENCE),
    "settings": (settings_table, REFERENCE),
    "dependencies": (dependencies_table, CONTRIBUTING),
}


@pytest.mark.checkout
@pytest.mark.parametrize("name", TABLES)
def test_the_tables_are_what_the_code_says(name):
    make, page = TABLES[name]
    made = make()
    assert made in page.read_text(encoding="utf-8"), f"{WRITE}, or put this in:\n{made}"


@pytest.mark.checkout
def test_the_page_of_the_settings_is_what_the_code_says():
    made = settings_page()
    assert SETTINGS.read_text(encoding="utf-8") == made, WRITE


@pytest.mark.checkout
def test_the_exit_status_in_the_reference_is_that_of_the_help():
    assert EXIT_STATUS in REFERENCE.read_text(encoding="utf-8")


@pytest.mark.checkout
def test_the_settings_in_the_reference_can_be_set():
    blocks = re.findall(r"```json\n(.*?)```", REFERENCE.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        Settings.model_validate(json.loads(block))


@pytest.mark.checkout
def test_the_drawing_in_the_readme_shows_the_floors():
    """From top to bottom, as in the layers of import-linter; small modules are not drawn."""
    contracts = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = next(c["layers"] for c in contracts["contracts"] if c["type"] == "layers")
    rooms = [re.split(r" [|:] ", layer) for layer in layers]
    text = README.read_text(encoding="utf-8").partition("## How it is built")[2]
    drawn = [re.findall(r"│ (\w+)(?=  )", line) for line in text.split("```")[1].splitlines()]
    floors = [found for found in drawn if set(found) & {*chain(*rooms)}]
    small = ("added_modules", "alarms")
    wanted = [floor for floor in rooms if not floor[0].startswith(small)]
    assert floors == wanted, "Mend the drawing under How it is built in README.md."


@pytest.mark.checkout
def test_what_the_readme_links_to_is_there():
    text = README.read_text(encoding="utf-8")
    targets = re.findall(r"\]\((?!https?:)([^)]+)\)", text)
    headings = {
        re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")
        for line in text.splitlines()
        if line.startswith("#")
    }
    assert targets
    for target in targets:
        path, _, heading = target.partition("#")
        assert not path or (ROOT / path).exists(), target
        assert path or heading in headings, target


@pytest.mark.checkout
def test_the_messages_in_the_readme_are_those_of_the_code():
    """What stands for a value is "…" in both; what is IPython's is not looked for."""
    text = README.read_text(encoding="utf-8").partition("| you see |")[2].partition("\n\n")[0]
    seen = [line.split(" | ")[0] for line in text.splitlines()[2:]]
    quoted = [span for cell in seen for span in re.findall(r"`([^`]+)`", cell)]
    assert len(quoted) >= len(seen) // 2
    said = "\n".join(messages())
    for span in quoted:
        for piece in span.split("…"):
            wanted = piece.strip(" :'")
            assert len(wanted) < 4 or wanted in said or span.startswith("UsageError"), span


def messages():
    """Yield the texts of the package, with "…" for what is put into them."""
    for path in sorted((ROOT / "ipuaro_jupyter").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.JoinedStr):
                parts = (v.value if isinstance(v, ast.Constant) else "…" for v in node.values)
                yield "".join(map(str, parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def write():
    """Write the tables over those that begin with the same line, and the page."""
    for make, page in TABLES.values():
        made = make()
        head = re.escape(made.partition("\n")[0])
        text = page.read_text(encoding="utf-8")
        text, count = re.subn(rf"{head}\n(?:\|.*\n)*", lambda _, made=made: f"{made}\n", text)
        assert count == 1, made
        page.write_text(text, encoding="utf-8")
    SETTINGS.write_text(settings_page(), encoding="utf-8")


if __name__ == "__main__":
    write()

"""What becomes of commands, in the project that the user guide's page describes."""

import json
import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.workspace.commands.command_policy import Verdict, judge
from ipuaro_jupyter.workspace.commands.package_scripts import ReadScript
from ipuaro_jupyter.workspace.processes.environment import starts_code

PAGE = Path(__file__).parents[2] / "notebooks" / "commands.md"
WORDS = {"denied": "deny", "safe": "run", "ask": "ask"}
PROGRAMS: dict[str, tuple[str, ...]] = {
    "eslint": ("node_modules/.bin/eslint", "node_modules/eslint/bin/eslint.js"),
    "vitest": ("node_modules/.bin/vitest",),
    "python3": (".venv/bin/python3",),
    "local-tool": ("node_modules/.bin/local-tool",),
} | dict.fromkeys(("bash", "cargo", "deno", "gcc", "git", "make", "node", "npm", "rm", "sudo"), ())
SCRIPT_PROGRAMS = {**PROGRAMS, "cargo": ("node_modules/.bin/cargo",)}
INSIDE = "/project"


class Row(NamedTuple):
    """A command, and what the policy says of it; ``verdict`` is one of `WORDS`."""

    section: str
    command: str
    verdict: str
    why: str


def read_page(text: str) -> list[Row]:
    """Return the rows of all tables of a page, in their order."""
    rows = []
    section = ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:]
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 3 and cells[0].startswith("`"):
            rows.append(Row(section, _command(cells[0]), cells[1], cells[2]))
    return rows


def _command(span: str) -> str:
    fence = re.match(r"`+", span)[0]
    text = span[len(fence) : -len(fence)]
    if len(fence) > 1:
        text = text[1:-1]
    return _plain(text.replace("\\|", "|"))


def _plain(text: str) -> str:
    return text.replace("⏎", "\n").replace("⇥", "\t")


def _read_table(text: str) -> list[Row]:
    """Read sections of lines ``verdict: why``, each above the commands for which it holds."""
    rows = []
    section = verdict = why = ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("  "):
            rows.append(Row(section, _plain(line[2:]), verdict, why))
        else:
            verdict, _, why = line.partition(": ")
    return rows


ROWS = _read_table(Path(__file__).with_name("commands.txt").read_text("utf-8"))
TEXT = PAGE.read_text("utf-8")
SCRIPTS: dict[str, str] = json.loads(re.search(r"```json\n(.*?)```", TEXT, re.DOTALL)[1])["scripts"]


def judged(
    command: str,
    env: dict[str, str] | None = None,
    scripts_of: Callable[[str], ReadScript] | None = None,
) -> Verdict:
    """Return the verdict on a command in the project of the page."""
    return judge(
        command,
        read_script=SCRIPTS.get,
        find_program=lambda name, in_script: (SCRIPT_PROGRAMS if in_script else PROGRAMS).get(name),
        is_inside=lambda path: posixpath.normpath(posixpath.join(INSIDE, path)).startswith(INSIDE),
        starts_code=starts_code,
        env=env,
        scripts_of=scripts_of,
    )

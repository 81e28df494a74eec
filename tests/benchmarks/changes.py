"""How many faulty functions a model mends, by which way of asking.

    python tests/benchmarks/changes.py DATA KEPT --model NAME [--ways WAY…] [--rows N] [--table]

DATA is a file of rows: a function with a fault (``before``, ``function``, ``language``), what is
seen of it (``symptom``), and ``tests``, which no side is shown. Each row is a project of one file,
and is asked for as "FUNCTION gives SYMPTOM: fix it". Whatever is proposed is applied; the tests run
on the file as it is then. Thirty rows are asked, those with the lowest hashes; --rows asks more.

Ways: ``evidence`` and ``loop`` set ``llm.way``; ``aider`` is ``aider --edit-format whole`` with the
file, on the same server, where it is on the path. Each change is a line of the file KEPT, which the
next run goes on from; ``--table`` only prints what is there.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import aider_runs
from kept_rows import Row, keep, parser, read
from scratch_home import scratch_home

import ipuaro_jupyter
from ipuaro_jupyter.languages.syntax_errors import syntax_problems
from ipuaro_jupyter.llm.local.own_server import stop

WAYS = ("evidence", "loop", "aider")
_SAMPLE = 30
_WINDOW = 8192
_TEST_S = 20
_ENDINGS = {"python": "py", "js": "js"}


def rows(data: Path) -> list[Row]:
    """Return the rows, those with the lowest hashes first."""
    found = [json.loads(line) for line in data.read_text().splitlines()]
    return sorted(found, key=lambda row: sha256(row["id"].encode()).digest())


def passes(row: Row, text: str) -> bool:
    """Whether the tests of a row pass on a text."""
    program = [sys.executable, "-I"] if row["language"] == "python" else ["node"]
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary, f"tested.{_ENDINGS[row['language']]}")
        file.write_text(f"{text}\n{row['tests']}")
        try:
            done = subprocess.run(
                [*program, str(file)], check=False, capture_output=True, text=True, timeout=_TEST_S
            )
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0 and "Assertion failed" not in done.stderr


def changed(row: Row, way: str, *, model: Any) -> Row:
    """Return what became of one request."""
    question = f"{row['function']} gives {row['symptom']}: fix it"
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary, "project", f"{row['function']}.{_ENDINGS[row['language']]}")
        file.parent.mkdir()
        file.write_text(row["before"])
        began = time.monotonic()
        if way == "aider":
            told = by_aider(file, question, model)
        else:
            told = by_us(file.parent, question, way, model)
        took = time.monotonic() - began
        after = file.read_text() if file.is_file() else ""
    problems = syntax_problems(file.name, row["before"].encode(), after.encode())
    return {
        "id": row["id"],
        "way": way,
        "fixed": passes(row, after),
        "proposed": after != row["before"],
        "parses": not problems,
        "s": took,
        "after": after,
        **told,
    }


def by_us(root: Path, question: str, way: str, model: Any) -> Row:
    """Ask the assistant, which applies what is proposed."""
    settings = {"llm": {"contextWindow": _WINDOW, "way": way}}
    with ipuaro_jupyter.start(
        root, model=model, new=True, settings=settings, auto_apply=True
    ) as assistant:
        answer = assistant.ask(question)
    return {
        "tokens": answer.usage.prompt_tokens,
        "written": answer.usage.completion_tokens,
        "ended": f"{answer.ended} {answer.notice}".strip(),
        "text": answer.text,
    }


def by_aider(file: Path, question: str, model: Any) -> Row:
    """Ask aider, which is given the file."""
    with aider_runs.served(model, _WINDOW) as where:
        said = aider_runs.run(file.parent, question, where, "--edit-format", "whole", file.name)
    ended = f"code {said.code}" if said.code else "done"
    return {"tokens": said.tokens, "written": said.written, "ended": ended, "text": said.text}


def table(wanted: list[Row], changes: dict[tuple[str, str], Row]) -> Iterator[str]:
    """Yield the table of the ways."""
    yield "| way | fixed | proposed | of these parse | seconds | tokens read | written, medians |"
    yield "|---|---|---|---|---|---|---|"
    for way in WAYS:
        some = [changes[row["id"], way] for row in wanted if (row["id"], way) in changes]
        if not some:
            continue
        proposed = [one for one in some if one["proposed"]]
        medians = (
            statistics.median(one[key] for one in some) for key in ("s", "tokens", "written")
        )
        told = " | ".join(f"{number:,.0f}" for number in medians)
        yield (
            f"| {way} | {sum(one['fixed'] for one in some)} of {len(some)} | {len(proposed)} "
            f"| {sum(one['parses'] for one in proposed)} | {told} |"
        )


def ask(wanted: list[Row], given: argparse.Namespace, changed: Callable[..., Row]) -> None:
    """Ask for what is not kept, and keep it.

    Args:
        wanted: The rows.
        given: What the command line says.
        changed: Returns what became of a row, asked in a way.
    """
    for way in () if given.table else given.ways:
        if way == "aider" and shutil.which("aider") is None:
            print("aider is not on the path")
            continue
        known = read(given.kept)
        with scratch_home():
            try:
                for row in wanted:
                    if (row["id"], way) in known:
                        continue
                    one = changed(row, way, model=given.model)
                    keep(given.kept, one)
                    mark = "fixed" if one["fixed"] else "not fixed"
                    print(
                        f"{way} {row['id']}: {mark}, {one['s']:.0f} s, {one['text'][:80]}",
                        flush=True,
                    )
            finally:
                stop()


def main(given: argparse.Namespace) -> None:
    """Ask for what is not kept, and print the table."""
    wanted = rows(given.data)[: given.rows]
    ask(wanted, given, changed)
    print("\n".join(table(wanted, read(given.kept))))


if __name__ == "__main__":
    main(parser(WAYS, rows=_SAMPLE).parse_args())

"""Compare the cyclomatic complexity of each function with ESLint's rule ``complexity``.

    python compare_complexity.py [CORPUS | NAME=FOLDER …] [--show N] [--files N]

Ours is 1 + ``if``, loops, ``case``, ``catch``, ``?:``, ``&&``, ``||`` and ``??``. ESLint counts
default values, optional chains and logical assignments too, and it counts a class field and a
static block as functions of their own. Both are put on one footing, and what differs all the same
is shown.
"""

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from compare_facts import sources
from corpora import compare_all, run_node

from ipuaro_jupyter.index.extract import parse
from ipuaro_jupyter.index.extract.ecmascript import declarations
from ipuaro_jupyter.index.extract.facts import facts_of
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.languages.syntax import read_syntax

HERE = Path(__file__).parent
Found = dict[int, list[tuple[int, int]]]
"""The start and the complexity of functions, by the end: several may end at one place."""

_entered: list[Any] = []
_enter = declarations._enter


def _noting(sweeping: Any, frame: Any, record: Any) -> None:
    """Enter a function, and remember it."""
    _enter(sweeping, frame, record)
    _entered.append(frame)


declarations._enter = _noting


def ours(path: str, data: bytes) -> Found | None:
    """Return the functions of a file, places in UTF-16 units; None when it is not parsed."""
    language = language_for(path)
    if language is None or parse._reason_unparsed(data, language) is not None:
        return None
    _entered.clear()
    facts_of(read_syntax(language, data), data)
    found: Found = defaultdict(list)
    for frame in _entered:
        start, end = (_units(data, place) for place in (frame.start, frame.end))
        found[end].append((start, frame.function["cyclomatic"]))
    return found


def _units(data: bytes, place: int) -> int:
    if data.isascii():
        return place
    return len(data[:place].decode().encode("utf-16-le")) // 2


def theirs(functions: list[list[Any]]) -> tuple[Found, Counter[str]]:
    """Return the functions as ESLint counts them, without what only it counts."""
    real = [row for row in functions if "Function" in row[2]]
    plain = {(row[0], row[1]): row[3] - sum(row[4:]) for row in real}
    kinds = Counter[str]()
    for _, _, _, _, defaults, chains, assignments in real:
        kinds.update({"default": defaults, "?.": chains, "&&=": assignments})
    for start, end, kind, complexity, *extra in functions:
        around = [place for place in plain if place[0] <= start and end <= place[1]]
        if "Function" not in kind and around:
            kinds["field or block"] += complexity - 1 - sum(extra)
            plain[max(around)] += complexity - 1 - sum(extra)
    found: Found = defaultdict(list)
    for (start, end), complexity in plain.items():
        found[end].append((start, complexity))
    return found, kinds


def compare(name: str, root: Path, options: argparse.Namespace) -> Counter[str]:
    """Print what a corpus gives; return the counts."""
    paths = sources(root)[: options.files]
    said = run_node(HERE / "eslint_complexity.cjs", str(root), text="\n".join(paths))
    total, kinds = Counter[str](), Counter[str]()
    shown = 0
    for line in said.rstrip("\n").split("\n"):
        made = json.loads(line)
        data = (root / made["path"]).read_bytes().removeprefix(b"\xef\xbb\xbf")
        mine = ours(made["path"], data)
        if mine is None or made["error"] is not None:
            total["left out"] += 1
            continue
        other, counted = theirs(made["functions"])
        kinds.update(counted)
        for end, functions in other.items():
            pairs = zip(sorted(functions), sorted(mine.get(end, [])), strict=False)
            differing = [(a, b) for a, b in pairs if a[1] != b[1]]
            total["functions"] += len(functions)
            total["not found"] += max(len(functions) - len(mine.get(end, [])), 0)
            total["differ"] += len(differing)
            for (_, expected), (start, found) in differing:
                if shown < options.show:
                    shown += 1
                    number = data[:start].count(b"\n") + 1
                    print(f"{name}/{made['path']}:{number}: ESLint {expected}, ours {found}")
    print(
        f"{name}: {len(paths)} files, {total['left out']} left out; {total['functions']} functions"
        f", {total['not found']} not found, {total['differ']} differ; counted by ESLint only: "
        + ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    )
    return total


if __name__ == "__main__":
    compare_all(compare, argparse.ArgumentParser(description=__doc__.partition("\n")[0]))

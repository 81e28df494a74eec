"""Compare the facts of the index with those of the TypeScript compiler's syntax tree.

    python compare_facts.py [CORPUS | NAME=FOLDER …] [--kind KIND] [--show N] [--files N]

For each corpus and kind: how many rows the compiler has, precision, recall and F1 of ours. A row
counts when all of it is equal: names, lines, flags, texts. Identifiers are counted one by one.
Files that the index refuses for their size or lines are left out; what neither reads as a whole
(``errors`` of the compiler) is compared all the same.

Rows:
    imports      source, line, kind, [imported, local]…
    exports      name, line, local, source
    functions, methods
                 qualified, kind, first and last line, async, generator, static, abstract,
                 has a body, exported
    signatures   qualified, first line, [name, type, optional, rest]…, return type
    complexity   qualified, first line, cyclomatic complexity, depth of the control flow
    classes      qualified, lines, extends, implements, abstract, exported
    properties, fields (of interfaces)
                 qualified, lines, type, static, readonly, the function held
    interfaces   qualified, lines, extends, exported
    types        qualified, lines, text, exported
    enums        qualified, lines, members, exported
    namespaces   qualified, name, lines, exported
    variables    qualified, kind, lines, exported
    definitions  qualified, line of the name
    identifiers  name, how often
    comments     first and last line
    metrics      lines of code, depth, cyclomatic complexity
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from corpora import compare_all, run_node

HERE = Path(__file__).parent
SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")
KINDS = (
    *("imports", "exports", "functions", "methods", "signatures", "complexity", "classes"),
    *("properties", "interfaces", "fields", "types", "enums", "namespaces", "variables"),
    *("definitions", "identifiers", "comments", "metrics"),
)


def sources(root: Path) -> list[str]:
    """Return the paths of the files to compare, relative to ``root``, sorted."""
    paths = (path for path in root.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    found = (path.relative_to(root).as_posix() for path in paths)
    return sorted(path for path in found if "node_modules/" not in path)


def facts_of_compiler(root: Path, paths: list[str]) -> dict[str, dict[str, Any]]:
    """Return what the compiler's syntax tree says, by path."""
    said = run_node(HERE / "syntax_facts.cjs", str(root), text="\n".join(paths))
    return {made["path"]: made for made in map(json.loads, said.rstrip("\n").split("\n"))}


def facts_of_index(root: Path, paths: list[str]) -> list[dict[str, Any]]:
    """Return what the index says."""
    done = subprocess.run(
        [sys.executable, str(HERE / "our_facts.py"), str(root)],
        input="\n".join(paths).encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def rows(made: dict[str, Any], kind: str) -> Counter[str]:
    """Return the rows of a kind with how often each occurs."""
    if kind == "identifiers":
        return Counter(dict(made[kind]))
    return Counter(json.dumps(row, ensure_ascii=False) for row in made[kind])


def compare(name: str, root: Path, options: argparse.Namespace) -> dict[str, Counter[str]]:
    """Print the table of a corpus and the differences that were asked for; return the counts."""
    paths = sources(root)[: options.files]
    theirs = facts_of_compiler(root, paths)
    ours = facts_of_index(root, paths)
    totals = {kind: Counter[str]() for kind in KINDS}
    refused = broken = flagged = 0
    shown: Counter[str] = Counter()
    for mine in ours:
        path = mine["path"]
        if (mine["parse_error"] or "").startswith("Not analysed"):
            refused += 1
            continue
        broken += theirs[path]["errors"] > 0
        flagged += mine["parse_error"] is not None
        for kind in KINDS:
            expected, found = rows(theirs[path], kind), rows(mine, kind)
            missing, extra = expected - found, found - expected
            totals[kind].update(n=expected.total(), missing=missing.total(), extra=extra.total())
            wanted = options.kind in {None, kind} and shown[kind] < options.show
            if wanted and (missing or extra):
                shown[kind] += 1
                _show(f"{name}/{path}", kind, missing, extra)
    print(
        f"\n{name}: {len(paths)} files, {refused} refused, syntax errors in {broken} for the "
        f"compiler and in {flagged} for the index"
    )
    print(f"{'kind':12} {'n':>8} {'precision':>10} {'recall':>10} {'F1':>10} {'differ':>8}")
    for kind in KINDS:
        _print(kind, totals[kind])
    return totals


def f1(total: Counter[str]) -> float:
    """Return how well a kind is found, 0 to 1."""
    n, missing, extra = total["n"], total["missing"], total["extra"]
    right = n - missing
    return 2 * right / (2 * right + missing + extra) if n + extra else 1.0


def _print(kind: str, total: Counter[str]) -> None:
    """Print the line of a kind."""
    n, missing, extra = total["n"], total["missing"], total["extra"]
    right = n - missing
    precision = right / (right + extra) if right + extra else 1.0
    recall = right / n if n else 1.0
    print(f"{kind:12} {n:8} {precision:10.5f} {recall:10.5f} {f1(total):10.5f} {missing + extra:8}")


def _show(path: str, kind: str, missing: Counter[str], extra: Counter[str]) -> None:
    """Print the differences in a file."""
    for sign, some in (("-", missing), ("+", extra)):
        for row, count in list(some.items())[:12]:
            print(f"{sign} {kind} {path} {row}{f' x{count}' if count > 1 else ''}")


if __name__ == "__main__":
    options_of = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options_of.add_argument("--kind", choices=KINDS, help="show differences of this kind only")
    compare_all(compare, options_of)

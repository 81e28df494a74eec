"""Break real files, and see which facts outside of the broken place stay.

    python fuzz_repair.py [COUNT] [SEED] [--show N]

Each round takes a file of the corpora and breaks one place: half a statement, a cut or missing
line, a sign more or less, a merge conflict, a cut end. For each way of breaking: how many of the
declarations, imports and exports elsewhere are still found, with a repair and without it; how many
of them on the right lines; and the longest time.
"""

import argparse
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

from corpora import corpus

from ipuaro_jupyter.index.extract.facts import facts_of
from ipuaro_jupyter.languages import syntax
from ipuaro_jupyter.languages.registry import language_for

PATTERNS = {
    "rxjs": ("src/**/*.ts", "dist/cjs/**/*.js"),
    "theia-core": ("src/**/*.ts", "src/**/*.tsx"),
    "three": ("src/**/*.js",),
    "tldraw": ("src/**/*.tsx",),
    "zod": ("src/**/*.ts",),
}
HALVES = (
    *(b"const x = ", b"foo.", b"if (", b"const { a, ", b"import { ", b"function foo(", b"return {"),
    *(b"x = `abc ${", b"const s = 'abc", b"class Foo {", b"=> {", b"}", b")", b"})", b"/* x"),
    *(b"switch (a) {", b"<div>", b"@Inject(", b"for (const a of", b"a ? b :", b"[", b"type A ="),
    *(b"interface I {", b"export", b"export default", b"async", b"new", b"foo(() => {"),
)
SIGNS = (b"(", b"{", b"[", b"`", b"'", b"}", b")", b"]", b"<", b"/*", b"${")
Names = dict[tuple[str, str], tuple[int, int]]
Broken = tuple[bytes, int, int, int, str]
"""The text, the first and last broken row, by how much what follows has moved, and the way."""


def names(data: bytes, path: str, *, is_repaired: bool = True) -> Names:
    """Return what a file declares, imports and exports, with the lines."""
    real = syntax.repaired
    if not is_repaired:
        syntax.repaired = lambda _language, _text, tree: tree
    try:
        facts = facts_of(syntax.read_syntax(language_for(path), data), data)[0]
    finally:
        syntax.repaired = real
    found: Names = {}
    holders = [*facts["classes"], *facts["interfaces"]]
    kinds: dict[str, list[dict[str, Any]]] = {
        kind: facts[kind] for kind in ("functions", "types", "enums", "variables", "namespaces")
    }
    kinds |= {"holders": holders, "methods": [m for h in holders for m in h["methods"]]}
    for kind, records in kinds.items():
        for record in records:
            found[kind, record["qualified"]] = (record["line_start"], record["line_end"])
    for kind, name in (("exports", "name"), ("imports", "source")):
        for record in facts[kind]:
            found[kind, record[name]] = (record["line"], record["line"])
    return found


def break_lines(rng: random.Random, data: bytes) -> Broken:
    """Return a file of which some lines are broken."""
    lines = data.split(b"\n")
    row = rng.randrange(len(lines))
    last = min(len(lines), row + rng.randrange(1, 7))
    way = rng.choice(("insert", "cut line", "drop lines", "conflict", "cut end"))
    if way == "insert":
        old = lines[row]
        lines.insert(row, old[: len(old) - len(old.lstrip())] + rng.choice(HALVES))
        return b"\n".join(lines), row, row, 1, way
    if way == "cut line":
        lines[row] = lines[row][: rng.randrange(len(lines[row]) + 1)]
        return b"\n".join(lines), row, row, 0, way
    if way == "drop lines":
        del lines[row:last]
        return b"\n".join(lines), row, last, row - last, way
    if way == "conflict":
        own = lines[row:last]
        other = own[: len(own) // 2]
        lines[row:last] = [b"<<<<<<< HEAD", *own, b"=======", *other, b">>>>>>> other"]
        return b"\n".join(lines), row, last, 3 + len(other), way
    cut = data[: rng.randrange(len(data))]
    return cut, cut.count(b"\n"), len(lines), 0, way


def break_signs(rng: random.Random, data: bytes) -> Broken:
    """Return a file with one sign more or less."""
    places = [at for at, byte in enumerate(data) if byte in b"(){}[]`'\";,"]
    if places and rng.random() < 0.5:
        at = rng.choice(places)
        made, way = data[:at] + data[at + 1 :], "drop sign"
    else:
        at = rng.randrange(len(data))
        made, way = data[:at] + rng.choice(SIGNS) + data[at:], "add sign"
    row = data.count(b"\n", 0, at)
    return made, row, row, 0, way


def main() -> None:
    """Break as many files as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=500)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="files that lose most to show")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    roots = {name: corpus(name) for name in PATTERNS}
    files = [p for name, some in PATTERNS.items() for one in some for p in roots[name].glob(one)]
    totals: dict[str, Counter[str]] = {}
    losses: list[tuple[int, str, Path, int]] = []
    longest = 0.0
    for _ in range(options.count):
        path = rng.choice(files)
        data = path.read_bytes()
        if not data:
            continue
        broken, row, last, moved, way = rng.choice((break_lines, break_signs))(rng, data)
        began = time.process_time()
        kept = names(broken, path.name)
        longest = max(longest, time.process_time() - began)
        raw = names(broken, path.name, is_repaired=False)
        outside = {
            key: lines if lines[1] <= row else (lines[0] + moved, lines[1] + moved)
            for key, lines in names(data, path.name).items()
            if lines[1] <= row or lines[0] > last + 1
        }
        total = totals.setdefault(way, Counter())
        total.update(
            rounds=1,
            outside=len(outside),
            kept=sum(key in kept for key in outside),
            raw=sum(key in raw for key in outside),
            right=sum(kept.get(key) == lines for key, lines in outside.items()),
        )
        losses.append((sum(key not in kept for key in outside), way, path, row + 1))
    for way, total in sorted(totals.items()):
        shares = [total[key] / max(total["outside"], 1) for key in ("kept", "raw", "right")]
        print(
            f"{way:10} {total['rounds']:5} rounds: {shares[0]:.4f} kept ({shares[1]:.4f} without "
            f"a repair), {shares[2]:.4f} on the right lines"
        )
    print(f"longest: {longest:.2f} s")
    for lost, way, path, line in sorted(losses, reverse=True)[: options.show]:
        print(f"{lost:4} lost by {way} at {path}:{line}")


if __name__ == "__main__":
    main()

"""How often the evidence on a question holds what it is about, and how long it takes; no model.

    python tests/benchmarks/evidence.py FOLDER [PART…] [--kept FILE]

FOLDER has ``localisation.jsonl`` (issues, and the functions that their fixes changed) and
``questions.jsonl`` (questions, and the files and symbols that their answers name), each row with
a release on PyPI, which pip fetches once. Parts: ``localisation``, ``questions``, ``fixes`` (those
of `fix_rows`), ``times``; by default all. Rows that are in the file ``--kept`` are not asked again.
The half of the rows that the weights were chosen on is told apart, by a hash of the rows' ids.
Files that a release lacks count as not found.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tarfile
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import fix_rows
import speed
from corpora import cache

import ipuaro_jupyter

Row = dict[str, Any]
_TOKENS = 1500
_SIZES = (1, 6, 27)
"""Copies of the mixed sources of 3,740 files: about 4,000, 20,000 and 100,000 files."""
_ROUNDS = 5
_FIRST = """
import sys, time, ipuaro_jupyter
with ipuaro_jupyter.start(sys.argv[1], model=ipuaro_jupyter.ScriptedModel([])) as assistant:
    began = time.process_time()
    assistant.evidence(sys.argv[2], tokens=int(sys.argv[3]))
    print(1000 * (time.process_time() - began))
"""
_ASKED = (
    "How is a connection opened again after an error?",
    "Where are the keys of a keybinding resolved?",
    "Fixed an issue where a retry does not respect the delay of the transport",
    "What happens when a table cell is selected with the mouse?",
    "How does a subscriber unsubscribe from its source when it completes?",
    "Where is the address checksum of an account validated?",
    "Why is a union of schemas parsed without its discriminator?",
    "How are terminals of a plugin created and revived?",
)


def is_tuned_on(row: Row) -> bool:
    """Whether the weights were chosen on a row."""
    return int(sha256(row["id"].encode()).hexdigest(), 16) % 2 == 0


def release(package: str, version: str, *, with_tests: bool = False) -> Path | None:
    """Return the folder with a release of PyPI: a wheel, else the sources; None when pip fails.

    Args:
        package: Its name.
        version: Its version.
        with_tests: Take the sources, since a wheel lacks tests and documents.
    """
    folder = cache() / "releases" / f"{package}-{version}{'-sources' if with_tests else ''}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(exist_ok=True)
    spec = f"{package}=={version}"
    ways = (
        ("--only-binary=:all:", "--python-version", "3.9"),
        ("--only-binary=:all:", "--python-version", "3.12"),
        ("--no-binary=:all:", "--no-build-isolation"),
    )
    for way in (("--no-binary=:all:",),) if with_tests else ways:
        fetch = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *way, "-d"]
        place = folder.parent / f"{folder.name}.fetched"
        done = subprocess.run([*fetch, str(place), spec], check=False, capture_output=True)
        if not done.returncode:
            (archive,) = place.iterdir()
            if archive.suffix in {".whl", ".zip"}:
                zipfile.ZipFile(archive).extractall(folder)
            else:
                with tarfile.open(archive) as tar:
                    tar.extractall(folder, filter="data")
            return folder
    return None


def is_same(path: str, meant: str) -> bool:
    """Whether two paths end alike: a wheel lacks ``src/``."""
    return f"/{path}".endswith(f"/{meant}") or f"/{meant}".endswith(f"/{path}")


def found(row: Row, evidence: Any) -> Row:
    """Return what of a row the evidence has: ranks of files and symbols, and what its text has."""
    functions = [one for one in evidence.symbols if "." in one.name or one.end > one.line]
    shown = {path for path in evidence.files if path in evidence.text}
    words = set(re.findall(r"\w+", evidence.text))
    qualified = [one for one in row["symbols"] if "::" in one]
    return {
        "id": row["id"],
        "file": _rank(any(is_same(p, f) for f in row["files"]) for p in evidence.files),
        "function": _rank(
            any(is_same(one.path, f) and one.name == name for f, _, name in map(_parts, qualified))
            for one in functions
        ),
        "shown_file": any(is_same(path, f) for path in shown for f in row["files"]),
        "shown_symbol": any(s.rpartition(".")[2] in words for s in row["symbols"]),
        "ms": evidence.ms,
    }


def _parts(symbol: str) -> tuple[str, str, str]:
    return symbol.partition("::")


def _rank(hits: Iterable[bool]) -> int:
    """Return the place of the first hit, from 1; 0 for none."""
    return next((place for place, is_hit in enumerate(hits, 1) if is_hit), 0)


def asked(rows: Iterable[Row], kept: dict[str, Row], file: Path | None) -> Iterator[Row]:
    """Yield what the evidence has for each row whose release can be had."""
    releases = defaultdict(list)
    for row in rows:
        releases[row["package"], row["version"]].append(row)
    for (package, version), some in sorted(releases.items()):
        yield from (kept[row["id"]] for row in some if row["id"] in kept)
        rest = [row for row in some if row["id"] not in kept]
        is_npm = package in fix_rows.PACKAGES
        root = (
            fix_rows.sources(f"{package}@{version}")
            if is_npm and rest
            else release(package, version)
        )
        if root is None or not rest:
            continue
        with ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([])) as assistant:
            for row in rest:
                question = row.get("issue") or row["question"]
                one = found(row, assistant.evidence(question, tokens=_TOKENS))
                if file is not None:
                    with file.open("a") as kept_file:
                        kept_file.write(json.dumps(one) + "\n")
                yield one


def tell(name: str, rows: list[Row], answers: list[Row]) -> None:
    """Print the shares of a part, of all rows and of each half."""
    by_id = {row["id"]: row for row in rows}
    halves = {
        "all": answers,
        "tuned on": [one for one in answers if is_tuned_on(by_id[one["id"]])],
        "the other half": [one for one in answers if not is_tuned_on(by_id[one["id"]])],
    }
    print(f"\n| {name} | rows | file@1 | file@5 | file@10 | function@1 | function@5 | a right file")
    print("in the text | a right symbol |\n|---|---|---|---|---|---|---|---|---|")
    for half, some in halves.items():
        with_symbols = [one for one in some if by_id[one["id"]]["symbols"]]
        shares = [
            *(_share(some, lambda one, k=k: 0 < one["file"] <= k) for k in (1, 5, 10)),
            *(_share(some, lambda one, k=k: 0 < one["function"] <= k) for k in (1, 5)),
            _share(some, lambda one: one["shown_file"]),
            _share(with_symbols, lambda one: one["shown_symbol"]),
        ]
        print(f"| {half} | {len(some)} | {' | '.join(shares)} |")


def _share(rows: list[Row], holds: Any) -> str:
    return f"{100 * sum(map(holds, rows)) / len(rows):.1f}" if rows else "-"


def first_ms(root: Path) -> float:
    """Return the processor's time for the first answer of a fresh process, in an index made before.

    That includes what the process does beside it after opening, such as watching the files.
    """
    asking = [sys.executable, "-c", _FIRST, str(root), _ASKED[0], str(_TOKENS)]
    env = speed.environment(os.environ.get("IPUARO_HOME", ""))
    done = subprocess.run(asking, check=True, capture_output=True, text=True, env=env)
    return float(done.stdout)


def times() -> None:
    """Print how long evidence takes in projects of three sizes, by the processor's time."""
    print("\n| files | cold, ms | warm, ms, median |\n|---|---|---|")
    for copies in _SIZES:
        folder = cache() / f"mixed-{copies}"
        for number in range(copies):
            if not (folder / str(number)).is_dir():
                speed.copy_sources(speed.mixed(), folder / str(number))
        with ipuaro_jupyter.start(folder, model=ipuaro_jupyter.ScriptedModel([])) as assistant:
            spent = []
            for question in (*_ASKED, *_ASKED):
                began = time.process_time()
                assistant.evidence(question, tokens=_TOKENS)
                spent.append(1000 * (time.process_time() - began))
            files = assistant.status().files
        cold = statistics.median(first_ms(folder) for _ in range(_ROUNDS))
        warm = statistics.median(spent[len(_ASKED) :])
        print(f"| {files:,} | {cold:.0f} | {warm:.0f} |")


def main(data: Path, parts: list[str], file: Path | None) -> None:
    """Print the tables."""
    kept: dict[str, Row] = {}
    if file is not None and file.is_file():
        kept = {(one := json.loads(line))["id"]: one for line in file.read_text().splitlines()}
    counts: Counter[str] = Counter()
    for part in ("localisation", "questions", "fixes"):
        if parts and part not in parts:
            continue
        place = cache() / "fixes.jsonl" if part == "fixes" else data / f"{part}.jsonl"
        rows = [json.loads(line) for line in place.read_text().splitlines()]
        answers = list(asked(rows, kept, file))
        counts[part] = len(rows) - len(answers)
        tell(part, rows, answers)
    for part, missing in counts.items():
        print(f"\n{part}: {missing} rows whose release cannot be had.")
    if not parts or "times" in parts:
        times()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--kept", type=Path)
    given = parser.parse_args()
    main(given.data, given.parts, given.kept)

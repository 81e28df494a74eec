"""How many faults of published packages a model finds and mends that is told of a failing test.

    python tests/benchmarks/faults.py DATA KEPT --model NAME [--ways WAY…] [--rows N] [--table]

In two packages of PyPI and two of npm that ship their tests, one place of one function is made
wrong: a comparison flipped, a number off by one, a condition turned round, a default changed, two
arguments swapped. The same number is taken of each package, by hash and from each kind in turn, of
those that make one of its tests fail. A request has the name of the first such test and what it
says, never the place. Whatever is proposed is applied. A fault is fixed when all tests pass that
passed before it, as the package ships them, and found when the function that has it is changed.

DATA is the file of the faults; those that it lacks are added, some seconds each. Each request is a
line of the file KEPT, which the next run goes on from; ``--table`` only prints what is there.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from difflib import SequenceMatcher
from functools import cache
from hashlib import sha256
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from changes import ask, by_us
from corpora import package
from crash_faults import Site, Source, nodes_in, sources
from evidence import release
from kept_rows import Row, keep, parser, read

PACKAGES = {
    "sqlparse==0.5.3": ["sqlparse/**/*.py"],
    "find-my-way@9.3.0": ["index.js", "lib/**/*.js"],
    "tomlkit==0.13.2": ["tomlkit/**/*.py"],
    "@pinojs/redact@0.4.0": ["index.js"],
}
"""By package: the files in which faults are seeded."""
WAYS = ("evidence", "loop")
_SAMPLE = 40
_LIMIT_S = 60
_LONGEST = 300
_KINDS = {"a condition turned round", "a number off by one", "arguments swapped"}
_ORDERED = {"<": b"<=", "<=": b"<", ">": b">=", ">=": b">", "==": b"!=", "!=": b"=="}
_IN_PYTHON = {"in": b"not in", "not in": b"in", "is": b"is not", "is not": b"is"}
_FLIPPED = {
    "comparison_operator": _ORDERED | _IN_PYTHON,
    "binary_expression": _ORDERED | {"===": b"!==", "!==": b"==="},
}
"""What the operators of a comparison are flipped to, in Python and in JavaScript."""
_DEFAULTS = {"default_parameter", "typed_default_parameter", "assignment_pattern"}
_CHANGED = {b"True": b"False", b"False": b"True", b"true": b"false", b"false": b"true"}


def fetched(spec: str) -> Path:
    """Return the folder of a package with its tests, and with what it needs when it runs."""
    if "==" in spec:
        folder = release(*spec.split("=="), with_tests=True)
        assert folder is not None, spec
        return next(folder.iterdir())
    folder = package("npm", spec)
    wanted = json.loads((folder / "package.json").read_text()).get("dependencies")
    if wanted and not (folder / "node_modules").is_dir():
        options = ["--omit=dev", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
        subprocess.run(["npm", "install", "--silent", *options], check=True, cwd=folder)
    return folder


def copied(spec: str, place: Path) -> Path:
    """Return a copy of a package."""
    left = shutil.ignore_patterns(".git", ".corpus")
    return shutil.copytree(fetched(spec), place / "project", ignore=left)


def tested(root: Path) -> dict[str, str]:
    """Return what each test says, "" when it passes; nothing when they do not end."""
    report = root.parent / "report.xml"
    report.unlink(missing_ok=True)
    if (root / "package.json").is_file():
        command = ["node", "--test", "--test-reporter=junit", "test"]
        command.insert(3, f"--test-reporter-destination={report}")
    else:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--junitxml={report}"]
    alone = {
        "PYTHONPATH": ".",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    subprocess.run(
        ["timeout", "-s", "KILL", str(_LIMIT_S), *command],
        check=False, cwd=root, capture_output=True, env={**os.environ, **alone},
    )  # fmt: skip
    try:
        cases = ET.parse(report).iter("testcase")
    except (OSError, ET.ParseError):  # they were killed
        return {}
    found: dict[str, str] = {}
    for case in cases:
        name, said = (
            case.get("name", ""),
            next(iter([*case.iter("failure"), *case.iter("error")]), None),
        )
        if not name.startswith(str(root)):  # else a whole file of tests
            found[name] = found.get(name) or (
                "" if said is None else said.get("message") or "it fails"
            )
    return found


@cache
def passing(spec: str) -> frozenset[str]:
    """Return the tests of a package that pass as it is."""
    with tempfile.TemporaryDirectory() as temporary:
        said = tested(copied(spec, Path(temporary)))
    return frozenset(name for name, text in said.items() if not text)


def places(spec: str, root: Path) -> Iterator[tuple[Source, Site]]:
    """Yield where a package can be made wrong: by hash, one of each kind after the other."""
    by_kind: dict[str, list[tuple[str, Source, Site]]] = {}
    for source in sources(root, PACKAGES[spec]):
        for site in chain((one for one in source.sites() if one.kind in _KINDS), _others(source)):
            key = sha256(f"{spec} {source.path} {site.start} {site.kind}".encode()).hexdigest()
            by_kind.setdefault(site.kind, []).append((key, source, site))
    ordered = [sorted(by_kind[kind], key=lambda one: one[0]) for kind in sorted(by_kind)]
    yield from (one[1:] for turn in zip_longest(*ordered) for one in turn if one is not None)


def _others(source: Source) -> Iterator[Site]:
    """Yield the comparisons and the defaults of a file."""
    functions = sorted(one for one, _ in source.functions())
    for node in nodes_in(source):
        flipped = _FLIPPED.get(node.type, {})
        wrong = [(one, flipped[one.type]) for one in node.children if one.type in flipped]
        kind = "a comparison flipped"
        if node.type in _DEFAULTS:
            value = node.child_by_field_name("value") or node.child_by_field_name("right")
            number = b"%d" % (int(value.text) + 1) if value.text.isdigit() else b""
            wrong, kind = [(value, _CHANGED.get(value.text, number))], "a default changed"
        for place, text in wrong:
            line = place.start_point[0] + 1
            here = [one for one in functions if one.first <= line <= one.last]
            if here and text:
                yield Site(kind, place.start_byte, place.end_byte, text, here[-1])


def seeded(spec: str, *, after: str | None) -> Iterator[Row]:
    """Yield the faults of a package that one of its tests notices, those after a known one."""
    with tempfile.TemporaryDirectory() as temporary:
        root = copied(spec, Path(temporary))
        for source, site in places(spec, root):
            name = f"{spec} {source.path}:{site.start} {site.kind}"
            if after is not None:
                after = None if name == after else after
                continue
            file = root / source.path
            file.write_bytes(source.content[: site.start] + site.text + source.content[site.end :])
            said = tested(root)
            file.write_bytes(source.content)
            failed = [one for one, text in said.items() if text and one in passing(spec)]
            if failed:
                yield {
                    "id": name,
                    "package": spec,
                    "path": source.path,
                    "at": (site.start, site.end),
                    "text": site.text.decode(),
                    "lines": (site.function.first, site.function.last),
                    "test": failed[0],
                    "says": " ".join(said[failed[0]].split())[:_LONGEST],
                }


def rows(data: Path, count: int) -> list[Row]:
    """Return so many faults, one of each package after the other; those not in the file are added.

    Args:
        data: The file.
        count: Their number.
    """
    each = -(-count // len(PACKAGES))

    def added(spec: str) -> list[Row]:
        known = [json.loads(line) for line in data.read_text().splitlines()]
        some = [row for row in known if row["package"] == spec]
        more = seeded(spec, after=some[-1]["id"] if some else None)
        for row in islice(more, max(0, each - len(some))):
            keep(data, row)
            some.append(row)
        return some[:each]

    data.touch()
    with ThreadPoolExecutor(2) as pool:
        turns = zip_longest(*pool.map(added, PACKAGES))
    return [row for turn in turns for row in turn if row is not None][:count]


def changed(row: Row, way: str, *, model: Any) -> Row:
    """Return what became of one request."""
    question = f"Fix the code: the test {row['test']!r} fails with {row['says']!r}."
    start, end = row["at"]
    with tempfile.TemporaryDirectory() as temporary:
        root = copied(row["package"], Path(temporary))
        file = root / row["path"]
        content = file.read_bytes()
        file.write_bytes(content[:start] + row["text"].encode() + content[end:])
        before, files = file.read_text(), _texts(root)
        began = time.monotonic()
        told = by_us(root, question, way, model)
        took = time.monotonic() - began
        after = file.read_text() if file.is_file() else ""
        paths = sorted(path for path, text in _texts(root).items() if files.get(path) != text)
        for folder in ("test", "tests"):
            if (fetched(row["package"]) / folder).is_dir():
                shutil.rmtree(root / folder, ignore_errors=True)
                shutil.copytree(fetched(row["package"]) / folder, root / folder)
        said = tested(root) if paths else {}
    return {
        "id": row["id"],
        "way": way,
        "fixed": all(said.get(name) == "" for name in passing(row["package"])),
        "found": _touches(before, after, *row["lines"]),
        "file": row["path"] in paths,
        "paths": paths,
        "s": took,
        **told,
    }


def _texts(root: Path) -> dict[str, bytes]:
    found = (path for path in root.rglob("*") if path.suffix in (".py", ".js", ".ts", ".md"))
    kept = (path for path in found if "node_modules" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in kept}


def _touches(before: str, after: str, first: int, last: int) -> bool:
    """Whether one of the lines was changed; 1-based, the last one is included."""
    matcher = SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False)
    spans = ((start, end) for kind, start, end, _, _ in matcher.get_opcodes() if kind != "equal")
    return any(start < last and max(end, start + 1) >= first for start, end in spans)


def table(wanted: list[Row], kept: dict[tuple[str, str], Row]) -> Iterator[str]:
    """Yield the table of the packages."""
    yield "| way | package | proposed | in its file | found | fixed | seconds, read, written |"
    yield "|---|---|---|---|---|---|---|"
    for way in WAYS:
        for spec in (*PACKAGES, "all"):
            meant = [row["id"] for row in wanted if spec in ("all", row["package"])]
            some = [kept[one, way] for one in meant if (one, way) in kept]
            if some:
                medians = (
                    statistics.median(one[k] for one in some) for k in ("s", "tokens", "written")
                )
                counts = (
                    sum(bool(one[k]) for one in some) for k in ("paths", "file", "found", "fixed")
                )
                yield (
                    f"| {way} | {spec} | {' | '.join(map(str, counts))} of {len(some)} "
                    f"| {'; '.join(f'{number:,.0f}' for number in medians)} |"
                )


def main(given: argparse.Namespace) -> None:
    """Ask for what is not kept, and print the table."""
    wanted = rows(given.data, given.rows)
    ask(wanted, given, changed)
    print("\n".join(table(wanted, read(given.kept))))


if __name__ == "__main__":
    main(parser(WAYS, rows=_SAMPLE).parse_args())

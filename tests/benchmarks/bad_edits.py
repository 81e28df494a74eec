"""How many bad edits are flagged before the click: by parsing, by types, by tests.

    python tests/benchmarks/bad_edits.py [--count N] [--seed SEED] [--kept FILE] [--quick] [--show]

Bad edits of ten kinds, as many of each, are drawn with a seed from all places in the demo and in
the sources of two packages of npm that ship their tests, graphql-request 7.4.0 and ts-dedent 2.3.0.
Each is proposed, checked as "Check first" does it, in a copy, and rejected. The seconds of a check
stand beside those of the type checker and the whole suite, run in the project itself every ten
edits. ``--kept`` names a file that keeps what was checked, to go on from after a break. ``--quick``
proposes ten.
"""

import argparse
import hashlib
import itertools
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from corpora import package

import ipuaro_jupyter as ipuaro
from ipuaro_jupyter.demo.folder import passing_app

_TOOLS = {"typescript": "5.9.3", "vitest": "3.2.7"}
_TSCONFIG = {
    "compilerOptions": {
        "target": "ES2022",
        "module": "ESNext",
        "moduleResolution": "bundler",
        "strict": True,
        "noEmit": True,
        "skipLibCheck": True,
        "lib": ["ES2022", "DOM", "DOM.Iterable"],
    },
    "include": ["src"],
}
_QUICK = 10
_SUITE_EVERY = 10  # edits of one project
_SHARES = {"demo": 0.4, "graphql-request": 0.4, "ts-dedent": 0.2}  # of the edits of each kind
_BY = ("parsing", "types", "tests", "any")


class Edit(NamedTuple):
    """A bad edit: its kind, the file, its whole new text, and the lines that change."""

    kind: str
    path: str
    text: str
    lines: tuple[str, str]

    @property
    def key(self) -> str:
        """What tells it from the other edits of a project."""
        return f"{self.kind} {self.path} {hashlib.sha256(self.text.encode()).hexdigest()[:16]}"


class Found(NamedTuple):
    """What flagged an edit before the click, and the seconds of the check."""

    parsing: bool
    types: bool
    tests: bool
    seconds: float

    @property
    def any(self) -> bool:
        """Whether something flagged it."""
        return self.parsing or self.types or self.tests


Place = tuple[int, int, str]
"""A part of a text, from and up to an offset, and what is written there instead."""

Kind = Callable[[str], Iterator[Place]]


def _replacing(pattern: str, make: Callable[[re.Match[str]], str]) -> Kind:
    """Make a kind that replaces what matches a pattern."""

    def places(text: str) -> Iterator[Place]:
        for at in re.finditer(pattern, text):
            yield at.start(), at.end(), make(at)

    return places


def _shifted(text: str) -> Iterator[Place]:
    """Write a line over the one below it: the range was one off."""
    lines, at = text.splitlines(keepends=True), 0
    for line, below in itertools.pairwise(lines):
        at += len(line)
        if line.strip() and line != below:
            yield at, at + len(below), line


def _changed_signature(text: str) -> Iterator[Place]:
    """Swap the first two parameters, or ask for one more."""
    two = r"(?<=\()(\s*)(\w+: [^,(){}=]+)(,\s*)(\w+: [^,(){}=]+?)(?=\s*[,)])"
    for at in re.finditer(two, text):
        yield at.start(), at.end(), f"{at[1]}{at[4]}{at[3]}{at[2]}"
    for at in re.finditer(r"(?<=\bfunction )\w+\((\s*\))?", text):
        last = ")" if at[1] else ", "
        yield at.start(), at.end(), f"{at[0].partition('(')[0]}(added: string{last}"


_OPPOSITE = {"===": "!==", "!==": "===", "<": "<=", ">": ">=", "<=": "<", ">=": ">", "+": "-"}
KINDS: dict[str, Kind] = {
    "wrong name": _replacing(r"(?<=[\w)]\.)([a-z]\w{3,})", lambda at: at[0][:-1]),
    "wrong variable": _replacing(r"(?<=[(\s!])([a-z]\w{3,})(?=[.)\[])", lambda at: f"{at[0]}s"),
    "missing await": _replacing(r"\bawait ", lambda _: ""),
    "off by one line": _shifted,
    "dropped brace": _replacing(r"[{}]", lambda _: ""),
    "wrong import": _replacing(
        r"""(?<=from ["'])[^"']+?(?=(?:\.js)?["'])""", lambda at: f"{at[0]}s"
    ),
    "wrong imported name": _replacing(r"(?<=import \{ )\w+", lambda at: f"{at[0]}s"),
    "changed signature": _changed_signature,
    "wrong operator": _replacing(r"(?<= )(===|!==|<=|>=|<|>|\+)(?= )", lambda at: _OPPOSITE[at[0]]),
    "dropped return": _replacing(r"\breturn (?=\S)", lambda _: ""),
}


def _changed(before: str, after: str) -> tuple[str, str]:
    """Return the lines that differ."""
    old, new = before.split("\n"), after.split("\n")
    first = _same(old, new)
    last = _same(old[:first:-1], new[:first:-1])
    return "\n".join(old[first : len(old) - last]), "\n".join(new[first : len(new) - last])


def _same(lines: Sequence[str], others: Sequence[str]) -> int:
    pairs = zip(lines, others, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def every(root: Path, kind: str) -> list[Edit]:
    """Return all bad edits of a kind in the sources of a project; comments are left alone."""
    edits = []
    for path in sorted((root / "src").rglob("*.ts")):
        if re.search(r"\.(test|spec|test-d)\.ts$", path.name):
            continue
        text, name = path.read_text(), path.relative_to(root).as_posix()
        comments = [at.span() for at in re.finditer(r"/\*.*?\*/|//[^\n]*", text, re.DOTALL)]
        for start, end, instead in KINDS[kind](text):
            if any(start < upto and end > at for at, upto in comments):
                continue
            after = text[:start] + instead + text[end:]
            edits.append(Edit(kind, name, after, _changed(text, after)))
    return edits


def drawn(roots: dict[str, Path], count: int, draw: random.Random) -> dict[str, list[Edit]]:
    """Draw bad edits for each project, as many of each kind; what one project lacks others give."""
    chosen: dict[str, list[Edit]] = {name: [] for name in roots}
    for number, kind in enumerate(KINDS):
        wanted = count // len(KINDS) + (number < count % len(KINDS))
        left = {name: every(root, kind) for name, root in roots.items()}
        for edits in left.values():
            draw.shuffle(edits)
        taken = {name: left[name][: round(wanted * _SHARES[name])] for name in roots}
        more = [(name, one) for name in roots for one in left[name][len(taken[name]) :]]
        draw.shuffle(more)
        for name, one in more[: wanted - sum(map(len, taken.values()))]:
            taken[name].append(one)
        for name, edits in taken.items():
            chosen[name] += edits
    for edits in chosen.values():
        draw.shuffle(edits)
    return chosen


def checked(assistant: ipuaro.Assistant, root: Path, edit: Edit) -> tuple[Found, Sequence[str]]:
    """Propose an edit, check it, reject it; return what was found, and the lines that said it."""
    asked: list[ipuaro.Proposal] = []

    def confirm(proposal: ipuaro.Proposal) -> ipuaro.Decision:
        asked.append(proposal)
        return ipuaro.Decision(action="check" if proposal.checked is None else "reject")

    assistant.confirm = confirm
    lines = len((root / edit.path).read_text().splitlines())
    arguments = {"path": edit.path, "start": 1, "end": lines, "content": edit.text}
    assistant.call("edit_lines", arguments)
    report = asked[-1].checked
    if report is None:
        raise RuntimeError(f"{edit.kind} in {edit.path} was not checked")
    found = Found(
        parsing=bool(asked[0].problems),
        types="new error" in report.lines[0],
        tests=any(line.startswith("failed:") for line in report.lines),
        seconds=report.seconds,
    )
    return found, report.lines


def suite_seconds(root: Path) -> float:
    """Return the seconds of the type checker and all tests."""
    began = time.monotonic()
    for command in (["npx", "tsc", "--noEmit"], ["npx", "vitest", "run"]):
        subprocess.run(command, cwd=root, check=True, capture_output=True)
    return time.monotonic() - began


def projects(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the projects, not yet installed, each with its name."""
    with passing_app() as app:
        shutil.copytree(app, folder / "demo")
    yield "demo", folder / "demo"
    for spec, more in (
        ("graphql-request@7.4.0", {"graphql": "16", "@types/node": "22"}),
        ("ts-dedent@2.3.0", {"@types/node": "22"}),
    ):
        root = folder / spec.partition("@")[0]
        shutil.copytree(package("npm", spec) / "src", root / "src")
        for test in (root / "src").rglob("*.spec.ts"):
            text = test.read_text().replace("@jest/globals", "vitest")
            test.write_text(text.replace("'ts-dedent'", "'../index'"))
        manifest = {"name": root.name, "private": True, "type": "module"}
        wanted = {**_TOOLS, **more, "@graphql-typed-document-node/core": "3"}
        (root / "package.json").write_text(json.dumps({**manifest, "devDependencies": wanted}))
        (root / "tsconfig.json").write_text(json.dumps(_TSCONFIG))
        yield root.name, root


def _install(root: Path) -> None:
    words = ["npm", "install", "--no-audit", "--no-fund", "--silent"]
    subprocess.run(words, cwd=root, check=True)
    (root / ".gitignore").write_text("node_modules\n")


class Kept:
    """What was checked, and the seconds of the suites, by project; in a file if there is one."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self.found: dict[str, dict[str, Found]] = {}
        self.suites: dict[str, list[float]] = {}
        if file is not None and file.exists():
            for line in file.read_text().splitlines():
                project, key, value, *_ = json.loads(line)
                self._note(project, key, value)

    def add(self, project: str, key: str, value: float | Found, *more: object) -> None:
        """Keep one result; ``more`` is for whoever reads the file."""
        self._note(project, key, value)
        if self._file is not None:
            with self._file.open("a") as written:
                written.write(json.dumps([project, key, value, *more]) + "\n")

    def _note(self, project: str, key: str, value: float | Sequence) -> None:
        if isinstance(value, float):
            self.suites.setdefault(project, []).append(value)
        else:
            self.found.setdefault(project, {})[key] = Found(*value)


def run(name: str, root: Path, edits: Sequence[Edit], kept: Kept, *, show: bool) -> None:
    """Check those edits of a project that were not checked before."""
    known = kept.found.setdefault(name, {})
    left = [edit for edit in edits if edit.key not in known]
    if not left:
        return
    _install(root)
    with ipuaro.start(root, model=ipuaro.ScriptedModel([])) as assistant:
        for number, edit in enumerate(left):
            if number % _SUITE_EVERY == 0:
                kept.add(name, "suite", suite_seconds(root))
            one, lines = checked(assistant, root, edit)
            kept.add(name, edit.key, one, edit.lines, lines)
            if show:
                print(name, edit.kind, edit.path, *one, file=sys.stderr, flush=True)


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kept", type=Path, help="where results are kept, to go on from")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--show", action="store_true", help="each edit as it is checked")
    parser.add_argument("--no-run", action="store_true", help="only the tables of what is kept")
    options = parser.parse_args()
    count, draw = _QUICK if options.quick else options.count, random.Random(options.seed)
    kept = Kept(options.kept)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("IPUARO_HOME", str(Path(folder) / "home"))
        roots = dict(projects(Path(folder).resolve()))
        chosen = drawn(roots, count, draw)
        for name, edits in () if options.no_run else chosen.items():
            run(name, roots[name], edits, kept, show=options.show)
    by_project: dict[str, list[Found]] = {}
    by_kind: dict[str, list[Found]] = {kind: [] for kind in KINDS}
    for name, edits in chosen.items():
        for edit in edits:
            if (one := kept.found.get(name, {}).get(edit.key)) is not None:
                by_project.setdefault(name, []).append(one)
                by_kind[edit.kind].append(one)
    print(_table("kind of edit", by_kind), _table("project", by_project), sep="\n\n", end="\n\n")
    print(_seconds(by_project, kept.suites))
    return 0


def _table(heading: str, rows: dict[str, list[Found]]) -> str:
    told = [f"| {heading} | edits | {' | '.join(_BY)} | missed |", "|---" * 7 + "|"]
    total = [one for found in rows.values() for one in found]
    for name, found in {**rows, "all": total}.items():
        counts = [sum(getattr(one, by) for one in found) for by in _BY]
        cells = [len(found), *counts, len(found) - counts[-1]]
        told.append(f"| {name} | {' | '.join(map(str, cells))} |")
    return "\n".join(told)


def _seconds(rows: dict[str, list[Found]], suites: dict[str, list[float]]) -> str:
    told = ["| seconds, median (worst) | a check | compiler and whole suite | ratio of medians |"]
    told.append("|---" * 4 + "|")
    for name, found in rows.items():
        checks, whole = [one.seconds for one in found], suites.get(name, [])
        ratio = statistics.median(checks) / statistics.median(whole) if whole else 0
        pair = (f"{statistics.median(took):.1f} ({max(took):.1f})" for took in (checks, whole))
        told.append(f"| {name} | {' | '.join(pair)} | {ratio:.2f} |")
    return "\n".join(told)


if __name__ == "__main__":
    sys.exit(main())

"""How many bad edits are flagged before the click: by parsing, by types, by tests.

    python tests/benchmarks/bad_edits.py [--count N] [--seed SEED] [--quick] [--show]

Bad edits of ten kinds, drawn with a seed, are proposed for the demo and for the sources of two
packages of npm that ship their tests: graphql-request 7.4.0 and ts-dedent 2.3.0. Each is checked
as "Check first" does it, in a copy, and rejected. The seconds of a check stand beside those of the
type checker and the whole suite, run in the project itself. ``--quick`` proposes ten.
"""

import argparse
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
from collections import Counter
from collections.abc import Callable, Iterator
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
_TRIES = 200
_BY = ("parsing", "types", "tests", "any")


class Edit(NamedTuple):
    """A bad edit: its kind, the file, and its whole new text."""

    kind: str
    path: str
    text: str


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


def _replaced(
    text: str, pattern: str, make: Callable[[re.Match[str]], str], draw: random.Random
) -> str:
    places = list(re.finditer(pattern, text))
    if not places:
        return text
    at = draw.choice(places)
    return text[: at.start()] + make(at) + text[at.end() :]


def _code_lines(text: str) -> list[int]:
    lines = text.split("\n")
    return [n for n, line in enumerate(lines[:-2]) if line.strip() and "//" not in line]


def _shifted(text: str, draw: random.Random) -> str:
    """Write a line over the one below it: the range was one off."""
    lines, numbers = text.split("\n"), _code_lines(text)
    if not numbers:
        return text
    at = draw.choice(numbers)
    lines[at + 1] = lines[at]
    return "\n".join(lines)


def _swapped(at: re.Match[str]) -> str:
    return f"({at[2]}, {at[1]})"


_OPPOSITE = {"===": "!==", "!==": "===", "<": "<=", ">": ">=", "<=": "<", ">=": ">", "+": "-"}
KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "wrong name": lambda text, draw: _replaced(
        text, r"(?<=[\w)]\.)([a-z]\w{3,})", lambda at: at[0][:-1], draw
    ),
    "wrong variable": lambda text, draw: _replaced(
        text, r"(?<=[(\s!])([a-z]\w{3,})(?=[.)\[])", lambda at: f"{at[0]}s", draw
    ),
    "missing await": lambda text, draw: _replaced(text, r"\bawait ", lambda _: "", draw),
    "off by one line": _shifted,
    "dropped brace": lambda text, draw: _replaced(text, r"[{}]", lambda _: "", draw),
    "wrong import": lambda text, draw: _replaced(
        text, r"""(?<=from ["'])[^"']+(?=["'])""", lambda at: f"{at[0]}s", draw
    ),
    "wrong imported name": lambda text, draw: _replaced(
        text, r"(?<=import \{ )\w+", lambda at: f"{at[0]}s", draw
    ),
    "changed signature": lambda text, draw: _replaced(
        text, r"\((\w+: [\w<>\[\]]+), (\w+: [\w<>\[\]]+)\)", _swapped, draw
    ),
    "wrong operator": lambda text, draw: _replaced(
        text, r"(?<= )(===|!==|<=|>=|<|>|\+)(?= )", lambda at: _OPPOSITE[at[0]], draw
    ),
    "dropped return": lambda text, draw: _replaced(text, r"\breturn (?=\S)", lambda _: "", draw),
}


def drawn(root: Path, count: int, draw: random.Random) -> Iterator[Edit]:
    """Yield bad edits of the sources of a project, the kinds in turn."""
    files = [
        path
        for path in sorted((root / "src").rglob("*.ts"))
        if not re.search(r"\.(test|spec|test-d)\.ts$", path.name)
    ]
    kinds = list(KINDS)
    seen: set[tuple[str, str]] = set()
    made = tries = 0
    while made < count and tries < count * _TRIES:
        kind = kinds[tries % len(kinds)]
        tries += 1
        path = draw.choice(files)
        before = path.read_text()
        after = KINDS[kind](before, draw)
        edit = Edit(kind, path.relative_to(root).as_posix(), after)
        if after != before and (edit.path, after) not in seen:
            seen.add((edit.path, after))
            made += 1
            yield edit


def checked(assistant: ipuaro.Assistant, root: Path, edit: Edit) -> Found:
    """Propose an edit, check it, reject it."""
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
    return Found(
        parsing=bool(asked[0].problems),
        types="new error" in report.lines[0],
        tests=any(line.startswith("failed:") for line in report.lines),
        seconds=report.seconds,
    )


def suite_seconds(root: Path) -> float:
    """The seconds of the type checker and all tests, the median of three."""
    took = []
    for _ in range(3):
        began = time.monotonic()
        for command in (["npx", "tsc", "--noEmit"], ["npx", "vitest", "run"]):
            subprocess.run(command, cwd=root, check=True, capture_output=True)
        took.append(time.monotonic() - began)
    return statistics.median(took)


def projects(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the projects, installed, each with its name."""
    with passing_app() as app:
        demo = folder / "demo"
        shutil.copytree(app, demo)
    yield "demo", _installed(demo)
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
        yield root.name, _installed(root)


def _installed(root: Path) -> Path:
    words = ["npm", "install", "--no-audit", "--no-fund", "--silent"]
    subprocess.run(words, cwd=root, check=True)
    (root / ".gitignore").write_text("node_modules\n")
    return root


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--show", action="store_true", help="each edit as it is checked")
    options = parser.parse_args()
    count, draw = _QUICK if options.quick else options.count, random.Random(options.seed)
    shares = {"demo": 0.4, "graphql-request": 0.4, "ts-dedent": 0.2}
    found: dict[str, list[Found]] = {}
    kinds: dict[str, list[Found]] = {kind: [] for kind in KINDS}
    suites: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("IPUARO_HOME", str(Path(folder) / "home"))
        for name, root in projects(Path(folder).resolve()):
            suites[name] = suite_seconds(root)
            with ipuaro.start(root, model=ipuaro.ScriptedModel([])) as assistant:
                for edit in drawn(root, round(count * shares[name]), draw):
                    one = checked(assistant, root, edit)
                    found.setdefault(name, []).append(one)
                    kinds[edit.kind].append(one)
                    if options.show:
                        print(name, edit.kind, edit.path, *one, file=sys.stderr, flush=True)
    print(_table("project", found, suites), _table("kind of edit", kinds, None), sep="\n\n")
    return 0


def _table(heading: str, rows: dict[str, list[Found]], suites: dict[str, float] | None) -> str:
    told = [f"| {heading} | edits | parsing | types | tests | any |"]
    told[0] += " seconds of a check, median (slowest) | of everything | ratio |" if suites else ""
    told.append("|---" * (told[0].count("|") - 1) + "|")
    every = [one for found in rows.values() for one in found]
    for name, found in {**rows, **({"all": every} if suites else {})}.items():
        if not found:
            continue
        counts = Counter(
            key
            for one in found
            for key in ("parsing", "types", "tests", "any")
            if getattr(one, key)
        )
        cells = [name, str(len(found))]
        cells += [f"{counts[key]}" for key in ("parsing", "types", "tests", "any")]
        if suites:
            seconds = [one.seconds for one in found]
            middle, whole = statistics.median(seconds), suites.get(name)
            cells.append(f"{middle:.1f} ({max(seconds):.1f})")
            cells += ["", ""] if whole is None else [f"{whole:.1f}", f"{middle / whole:.2f}"]
        told.append(f"| {' | '.join(cells)} |")
    return "\n".join(told)


if __name__ == "__main__":
    sys.exit(main())

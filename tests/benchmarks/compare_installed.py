"""Compare where names of installed packages are declared, with TypeScript and with jedi.

    python tests/benchmarks/compare_installed.py [--names N] [--seed N] [--show N]

Popular packages of npm and PyPI are installed into a project of their own, and of each up to N of
its public names are drawn at random. Our answer is that of ``find_definition`` for a name that the
project imports from the package; the truth is what TypeScript's checker resolves the export to, and
where jedi goes from such an import.

Needs jedi, which IPython brings along.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from corpora import cache, run_node

from ipuaro_jupyter.index.extract.batches import batch_of
from ipuaro_jupyter.index.extract.parsed_file import ParsedFile
from ipuaro_jupyter.index.installed.imported_from import ImportedFrom, Origins
from ipuaro_jupyter.index.installed.installed_packages import (
    InstalledDeclaration,
    PackageDeclarations,
)

NPM = (
    *("react@19", "@types/react@19", "react-dom@19", "@types/react-dom@19", "vue@3", "rxjs@7"),
    *("zod@4", "axios@1", "express@5", "@types/express@5", "lodash@4", "@types/lodash@4"),
    *("commander@14", "chalk@5", "date-fns@4", "uuid@11", "semver@7", "@types/semver@7"),
    *("@tanstack/react-query@5", "redux@5", "@reduxjs/toolkit@2", "graphql@16", "ws@8"),
    *("@types/ws@8", "three@0.180", "@types/three@0.180", "effect@3", "mobx@6", "immer@10"),
    *("yargs@17", "@types/yargs@17", "prisma@6", "fastify@5", "hono@4", "@mui/material@7"),
    *("@types/node@24", "d3-scale@4", "@types/d3-scale@4", "svelte@5", "ajv@8"),
)
PYPI = (
    *("click==8.1.8", "requests==2.32.5", "types-requests==2.32.4.20250913", "httpx==0.28.1"),
    *("jinja2==3.1.6", "pydantic==2.12.4", "rich==14.2.0", "flask==3.1.2", "attrs==25.4.0"),
    *("numpy==2.3.5", "pandas==2.3.3", "pandas-stubs==2.3.2.250926", "sqlalchemy==2.0.44"),
    *("pytest==9.0.1", "tornado==6.5.2", "packaging==25.0", "networkx==3.6", "aiohttp==3.13.2"),
)
_MODULES = {"attrs": "attr", "types-requests": "", "pandas-stubs": ""}
_SCRIPT = Path(__file__).parent / "installed_truth.cjs"
Truth = dict[str, dict[str, set[tuple[str, int]]]]
"""For each module the places of its names."""


class Score(NamedTuple):
    """What became of the names of one package."""

    count: int
    right: int
    wrong: int
    by_name: int
    seconds: tuple[float, ...]


class Reader:
    """Parses in this process."""

    def parsed(self, path: str, data: bytes) -> ParsedFile:
        """The facts of a file."""
        return batch_of([(path, 0, data)]).answers[0]


def bare(spec: str) -> str:
    """A package's name without its version."""
    return spec.partition("==")[0] if "==" in spec else spec[0] + spec[1:].partition("@")[0]


def project() -> Path:
    """A folder with the packages, installed once."""
    root = cache() / "installed"
    if not (root / "complete").exists():
        root.mkdir(exist_ok=True)
        (root / "package.json").write_text('{"private": true}\n')
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *NPM]
        subprocess.run(npm, check=True, cwd=root)
        subprocess.run([sys.executable, "-m", "venv", root / ".venv"], check=True)
        pip = [root / ".venv/bin/pip", "install", "--quiet", *PYPI]
        subprocess.run(pip, check=True)
        (root / "complete").touch()
    return root


def npm_truth(root: Path) -> Truth:
    """The exports of the packages, by TypeScript."""
    names = [bare(spec) for spec in NPM if not spec.startswith("@types/") or "node" in spec]
    names = ["node:fs" if name == "@types/node" else name for name in names]
    found = json.loads(run_node(_SCRIPT, str(root), *names))
    return {
        name: {one: {(path, line) for path, line in places} for one, places in exports}
        for name, exports in found
    }


def pypi_truth(root: Path, drawn: Mapping[str, Iterable[str]]) -> Truth:
    """Where jedi goes from an import of each name."""
    import jedi

    project = jedi.Project(root, environment_path=root / ".venv")
    truth: Truth = {}
    for module, names in drawn.items():
        places = truth[module] = {}
        for name in names:
            script = jedi.Script(f"from {module} import {name}\n{name}\n", project=project)
            went = script.goto(2, 0, follow_imports=True, prefer_stubs=True)
            places[name] = {
                (Path(one.module_path).relative_to(root).as_posix(), one.line or 1)
                for one in went
                if one.module_path is not None and Path(one.module_path).is_relative_to(root)
            }
    return truth


def python_names(root: Path) -> dict[str, list[str]]:
    """The public names of the packages, as they say at run time."""
    modules = [_MODULES.get(bare(spec), bare(spec)) for spec in PYPI]
    code = (
        "import importlib, json, sys\n"
        "print(json.dumps({m: sorted(n for n in getattr(importlib.import_module(m), '__all__', 0)"
        " or dir(importlib.import_module(m)) if not n.startswith('_'))"
        " for m in sys.argv[1:]}))\n"
    )
    command = [root / ".venv/bin/python", "-c", code, *filter(None, modules)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=120)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def agrees(found: list[InstalledDeclaration], truth: set[tuple[str, int]]) -> bool:
    """Whether a place is right, and the others are declarations of the same name beside it.

    jedi goes to one of several overloads. A whole module is the same at any line.
    """
    if len(found) == 1 and found[0].kind == "namespace" and found[0].line == 1:
        return found[0].path in {path for path, _ in truth}
    right = {(one.path, one.qualified) for one in found if (one.path, one.line) in truth}
    return bool(right) and {(one.path, one.qualified) for one in found} <= right


def score(
    root: Path, importer: str, module: str, names: Mapping[str, set[tuple[str, int]]], show: int
) -> Score:
    """Compare the names of one module."""
    right = wrong = by_name = 0
    seconds = []
    for name, truth in names.items():
        began = time.process_time()
        packages = PackageDeclarations(root, Reader())
        origins = Origins([ImportedFrom(importer, module, (name,))], [])
        found = packages.answer(origins).declarations
        seconds.append(time.process_time() - began)
        exact = {(one.path, one.line) for one in found if one.is_exact}
        is_right = agrees([one for one in found if one.is_exact], truth)
        if is_right:
            right += 1
        elif exact:
            wrong += 1
        else:
            by_name += bool(found)
        if show and not is_right:
            print(f"    {module} {name}: {sorted(exact)[:3]} instead of {sorted(truth)[:3]}")
            show -= 1
    return Score(len(names), right, wrong, by_name, tuple(seconds))


def main() -> None:
    """Print a row for each package, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--names", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    root, draw = project(), random.Random(given.seed)

    def some(names: Iterable[str]) -> list[str]:
        ordered = sorted(names)
        return sorted(draw.sample(ordered, min(given.names, len(ordered))))

    exports = npm_truth(root)
    npm = {m: {n: exports[m][n] for n in some(exports[m])} for m in exports}
    pypi = pypi_truth(root, {m: some(names) for m, names in python_names(root).items()})
    print("| package | names | right | elsewhere | by name only | nothing | ms median (slowest) |")
    print("|---|---|---|---|---|---|---|")
    for title, importer, truth in (("npm", "a.ts", npm), ("PyPI", "a.py", pypi)):
        scores = []
        for module, names in truth.items():
            there = {name: places for name, places in names.items() if places}
            if there:
                scores.append(score(root, importer, module, there, given.show))
                row(module, scores[-1])
        everything = tuple(s for one in scores for s in one.seconds)
        sums = [sum(column) for column in zip(*(one[:4] for one in scores), strict=True)]
        row(f"**{title}**", Score(*sums, everything))


def row(name: str, found: Score) -> None:
    """Print a row of the table."""
    nothing = found.count - found.right - found.wrong - found.by_name
    middle, most = statistics.median(found.seconds) * 1000, max(found.seconds) * 1000
    counts = f"{found.count} | {found.right} | {found.wrong} | {found.by_name} | {nothing}"
    print(f"| {name} | {counts} | {middle:.0f} ({most:.0f}) |", flush=True)


if __name__ == "__main__":
    main()

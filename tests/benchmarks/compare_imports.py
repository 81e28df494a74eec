"""Compare where imports lead with the TypeScript compiler, on public code and on a fixture.

``python tests/benchmarks/compare_imports.py [NAME…]``: corpora by name, or folders; without any,
all corpora and the fixture "shipyard". A difference is what TypeScript takes an import for, as
far as that is a file of the project, and `Resolution.path` says otherwise.

``--module nodenext`` (or preserve, esnext, commonjs) before the names compares copies of them with
that option in a tsconfig.json at their root, which most published packages are without.

``python tests/benchmarks/compare_imports.py --record`` writes down what TypeScript takes the
imports of the fixture for; the test suite reads it.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from corpora import CORPORA, corpus, run_node

from ipuaro_jupyter.index.resolve.resolver import Resolver
from ipuaro_jupyter.workspace.files.listing import list_files

HERE = Path(__file__).parent
SCRIPT = HERE / "resolved_imports.cjs"
SHIPYARD = HERE.parent / "projects" / "shipyard"
RECORDED = HERE.parent / "projects" / "shipyard.imports.json"
_SOURCES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_MOST_SHOWN = 20
_LARGEST = 1_000_000


class Answer(NamedTuple):
    """What an import leads to: `resolved` is a path of the project, or None."""

    path: str
    specifier: str
    kind: str
    resolved: str | None


class Comparison(NamedTuple):
    """The imports of a project, and those that lead elsewhere by us: our answer, TypeScript's."""

    count: int
    differences: list[tuple[Answer, str | None]]
    found: int
    seconds: float


class Project(NamedTuple):
    """A folder; the imports to resolve are those of `files`, and `imports`: path, name, kind."""

    root: Path
    files: Sequence[str]
    imports: Sequence[Sequence[str]] = ()


def compiler_answers(projects: Sequence[Project]) -> list[list[Answer]]:
    """Return TypeScript's answers for the imports of each project."""
    given = [
        {"root": str(project.root), "files": project.files, "imports": project.imports}
        for project in projects
    ]
    found = json.loads(run_node(SCRIPT, text=json.dumps(given)))
    return [[Answer(*answer) for answer in answers] for answers in found]


def resolver_of(root: Path) -> Resolver:
    """Return our resolver for the files of a folder as they are."""
    listing = list_files(root)

    def read(path: str) -> str | None:
        file = root / path
        return file.read_text(errors="replace") if file.is_file() else None

    return Resolver(frozenset(listing.files), read, symlinks=listing.symlinks)


def compared(root: Path) -> Comparison:
    """Compare the imports of a folder's files."""
    sources = [
        path
        for path, stat in list_files(root).files.items()
        if path.endswith(_SOURCES) and stat.size < _LARGEST
    ]
    (answers,) = compiler_answers([Project(root, sources)])
    return judged(root, answers)


def judged(root: Path, answers: Sequence[Answer]) -> Comparison:
    """Compare our answers with TypeScript's for the imports of a folder."""
    files = frozenset(list_files(root).files)
    resolver = resolver_of(root)
    start = time.process_time()
    ours = [resolver.resolve(a.specifier, a.path, kind=a.kind).path for a in answers]
    seconds = time.process_time() - start
    differences = []
    found = 0
    for answer, our in zip(answers, ours, strict=True):
        expected = answer.resolved if answer.resolved in files else None
        found += expected is not None
        if our != expected:
            differences.append((answer._replace(resolved=expected), our))
    return Comparison(len(answers), differences, found, seconds)


def install(source: Path, folder: Path) -> Path:
    """Copy a project and link its packages, as installing does; return the copy.

    ``links.json`` beside the project says what is linked: for each link its target, relative to
    the project.
    """
    copy = folder / source.name
    shutil.copytree(source, copy)
    links = json.loads(source.with_name(f"{source.name}.links.json").read_text())
    for link, target in links.items():
        place = copy / link
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(copy / target)
    return copy


def shown(answer: Answer, our: str | None) -> str:
    """Return a difference as a line."""
    return (
        f"{answer.path}: {answer.kind} {answer.specifier!r}: TypeScript {answer.resolved}, we {our}"
    )


def with_module(source: Path, folder: Path, module: str) -> Path:
    """Copy a project and say in its configuration what it is compiled to; return the copy."""
    copy = folder / f"{source.name}-{module}"
    shutil.copytree(source, copy, symlinks=True)
    options = {"module": module, "allowJs": True, "target": "es2022"}
    (copy / "tsconfig.json").write_text(json.dumps({"compilerOptions": options}))
    return copy


def record() -> None:
    """Write down TypeScript's answers for the fixture, one in a line."""
    with tempfile.TemporaryDirectory() as temporary:
        root = install(SHIPYARD, Path(temporary))
        sources = [path for path in list_files(root).files if path.endswith(_SOURCES)]
        (answers,) = compiler_answers([Project(root, sources)])
    lines = ",\n".join(json.dumps(answer) for answer in answers)
    RECORDED.write_text(f"[\n{lines}\n]\n")


def main(names: Sequence[str]) -> int:
    """Print a table; return 1 when less than 0.995 is equal somewhere."""
    if list(names) == ["--record"]:
        record()
        return 0
    module = names[1] if names and names[0] == "--module" else None
    names = names[2:] if module else names
    print(f"{'project':24} {'imports':>8} {'inside':>8} {'equal':>8} {'ratio':>8} {'us each':>8}")
    lists: list[str] = []
    worst = 1.0
    with tempfile.TemporaryDirectory() as temporary:
        for name in names or (*CORPORA, "shipyard"):
            if name == "shipyard":
                root = install(SHIPYARD, Path(temporary))
            else:
                root = corpus(name) if name in CORPORA else Path(name)
            if module is not None:
                root = with_module(root, Path(temporary), module)
            result = compared(root)
            equal = result.count - len(result.differences)
            ratio = equal / max(1, result.count)
            worst = min(worst, ratio)
            each = 1e6 * result.seconds / max(1, result.count)
            counts = f"{result.count:8} {result.found:8} {equal:8}"
            print(f"{root.name:24} {counts} {ratio:8.4f} {each:8.1f}")
            lists += [
                f"{root.name}: {shown(answer, our)}"
                for answer, our in result.differences[:_MOST_SHOWN]
            ]
    print(*lists, sep="\n")
    return int(worst < 0.995)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

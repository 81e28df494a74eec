"""Compare the facts of Python files with what Python's own ``ast`` says, and with radon.

    python tests/benchmarks/compare_python.py [FOLDER...] [--show N]

Without folders: the standard library and some installed packages. It prints precision, recall
and F1 for each kind of fact, the files in which the count of any identifier differs, and how the
complexity of functions compares with radon's.

Our complexity of a function is 1 + ``if``, ``elif``, ``for``, ``while``, ``except``, ``a if b else
c``, ``and``, ``or``, each ``for`` and ``if`` of a comprehension, each ``case`` but ``case _``, and
each guard of a ``case``. radon counts, besides, ``assert`` (switched off here, with all that is in
it) and the ``else`` of loops and ``try``; it counts neither the guards nor the defaults of
parameters. Decisions in a lambda count for the function around it with radon, for the lambda here.
The comparison takes all that into account.
"""

import argparse
import ast
import sys
import sysconfig
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from python_truth import Truth, truth_of

from ipuaro_jupyter.index.extract.facts import postings_of
from ipuaro_jupyter.index.extract.postings import counts
from ipuaro_jupyter.index.extract.python.python_facts import facts_of
from ipuaro_jupyter.languages.registry import language_named
from ipuaro_jupyter.languages.syntax import read_syntax

KINDS = ("functions", "classes", "attributes", "variables", "imports", "exports", "identifiers")
PACKAGES = ("pydantic", "jinja2", "tornado", "jedi", "hypothesis", "pygments", "git", "redis")
Facts = dict[str, Any]


def facts_in(data: bytes) -> tuple[Facts, Counter[str], int | None]:
    """Return the facts of a file, the counts of its identifiers, and the line of an error."""
    syntax = read_syntax(language_named("python"), data)
    facts, definitions = facts_of(syntax, data)
    found = Counter(dict(counts(postings_of(facts, syntax, data, definitions))))
    return facts, found, syntax.error_line


def ours(facts: Facts, identifiers: Counter[str]) -> Truth:
    """Return our facts in the form of the truth."""
    found = Truth(identifiers=identifiers)
    for function in facts["functions"]:
        found.functions[_function(function)] += 1
    for holder in facts["classes"]:
        lines = holder["line_start"], holder["line_end"]
        found.classes[holder["qualified"], *lines, holder["extends"] or ""] += 1
        for method in holder["methods"]:
            found.functions[_function(method)] += 1
        for attribute in holder["properties"]:
            found.attributes[holder["qualified"], attribute["name"]] += 1
    found.variables = Counter((variable["name"],) for variable in facts["variables"])
    for record in facts["imports"]:
        if record["kind"] != "dynamic":
            for name in record["names"]:
                found.imports[record["source"], name["imported"], name["local"]] += 1
    found.exports = Counter({export["name"] for export in facts["exports"]})
    return found


def _function(function: Facts) -> tuple[Any, ...]:
    params = tuple((p["name"], p["is_optional"], p["is_rest"]) for p in function["params"])
    lines = function["line_start"], function["line_end"]
    how = function["return_type"], function["is_async"], function["is_generator"]
    return function["qualified"], *lines, params, *how


def python_files(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the sources in some folders."""
    for folder in folders:
        yield from sorted(
            path
            for path in folder.rglob("*.py")
            if "site-packages" not in path.relative_to(folder).parts and path.is_file()
        )


def default_folders() -> list[Path]:
    """Return the standard library and some packages."""
    site = Path(sysconfig.get_path("purelib"))
    found = [Path(sysconfig.get_path("stdlib"))]
    return found + [site / name for name in PACKAGES if (site / name).is_dir()]


def radon_differences(data: bytes, facts: Facts) -> Iterator[tuple[str, int, int, int]]:
    """Yield name, line, radon's complexity and ours, of the functions in which they differ."""
    from radon.visitors import ComplexityVisitor

    tree = ast.parse(data)
    visitor = ComplexityVisitor.from_ast(tree, no_assert=True)
    functions = [*facts["functions"]]
    functions += [method for holder in facts["classes"] for method in holder["methods"]]
    by_name: dict[str, list[Facts]] = {}
    for function in functions:
        by_name.setdefault(function["name"], []).append(function)
    own = {
        (node.lineno, node.name): _adjustment(node)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    blocks = [*visitor.functions]
    blocks += [method for holder in visitor.classes for method in holder.methods]
    for block in blocks:
        known = [f for f in by_name.get(block.name, ()) if _is_at(f, block.lineno)]
        if len(known) == 1:
            mine = known[0]["cyclomatic"] + own[block.lineno, block.name]
            if mine != block.complexity:
                yield block.name, block.lineno, block.complexity, mine


def _is_at(function: Facts, line: int) -> bool:
    return bool(function["line_start"] <= line <= function["line_end"])


def _adjustment(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return what radon counts more than we do."""
    more = 0
    open_: list[ast.AST] = [*function.body]
    while open_:
        node = open_.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While, ast.Try)):
            more += bool(node.orelse)
        elif isinstance(node, ast.match_case):
            more -= node.guard is not None
        elif isinstance(node, ast.Lambda):
            more += sum(map(_decisions, ast.walk(node)))
        elif isinstance(node, ast.Assert):
            more -= sum(map(_decisions, ast.walk(node)))
            continue
        open_.extend(ast.iter_child_nodes(node))
    outside = [*function.args.defaults, *function.args.kw_defaults]
    more -= sum(_decisions(n) for d in outside if d is not None for n in ast.walk(d))
    return more


def _decisions(node: ast.AST) -> int:
    """Return what an expression adds to the complexity, without what is in it."""
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return len(node.ifs) + 1
    return isinstance(node, ast.IfExp)


@dataclass
class Comparison:
    """What has been compared so far; ``sums`` are right, ours and theirs by kind."""

    show: int
    sums: dict[str, list[int]] = field(default_factory=lambda: {kind: [0, 0, 0] for kind in KINDS})
    files: int = 0
    size: int = 0
    seconds: float = 0.0
    unreadable: int = 0
    functions: int = 0
    unexplained: int = 0
    broken: list[str] = field(default_factory=list)
    counts_differ: list[str] = field(default_factory=list)
    shown: Counter[str] = field(default_factory=Counter)

    def add(self, path: Path, *, with_radon: bool) -> None:
        """Compare one file."""
        data = path.read_bytes()
        try:
            truth = truth_of(data)
        except (SyntaxError, ValueError, RecursionError):
            self.unreadable += 1
            return
        began = time.perf_counter()
        facts, identifiers, error = facts_in(data)
        self.seconds += time.perf_counter() - began
        self.files, self.size = self.files + 1, self.size + len(data)
        if error is not None:
            self.broken.append(f"{path}:{error}")
        mine = ours(facts, identifiers)
        for kind in KINDS:
            self._count(kind, path, getattr(mine, kind), getattr(truth, kind))
        if mine.identifiers != truth.identifiers:
            self.counts_differ.append(str(path))
        if with_radon:
            self.functions += mine.functions.total()
            for name, line, theirs, own in radon_differences(data, facts):
                self.unexplained += 1
                print(f"{path}:{line} {name}: radon {theirs}, we {own}", file=sys.stderr)

    def _count(self, kind: str, path: Path, left: Counter, right: Counter) -> None:
        numbers = ((left & right).total(), left.total(), right.total())
        self.sums[kind] = [a + b for a, b in zip(self.sums[kind], numbers, strict=True)]
        for sign, some in (("+", left - right), ("-", right - left)):
            for item in some:
                if self.shown[kind] < self.show:
                    self.shown[kind] += 1
                    print(f"{sign} {kind} {path} {item}", file=sys.stderr)

    def report(self) -> None:
        """Print everything."""
        print(f"{self.files} files, {self.size / 1e6:.1f} MB, {self.seconds:.1f} s")
        print(f"{self.unreadable} more that ast cannot read")
        print(f"{len(self.broken)} with a syntax error for us: {', '.join(self.broken) or 'none'}")
        print(f"{'kind':12} {'ours':>8} {'ast':>8} {'precision':>10} {'recall':>8} {'F1':>8}")
        for kind, (both, left, right) in self.sums.items():
            precision, recall = both / max(left, 1), both / max(right, 1)
            score = 2 * both / max(left + right, 1)
            print(f"{kind:12} {left:8} {right:8} {precision:10.5f} {recall:8.5f} {score:8.5f}")
        print(f"identifier counts differ in {len(self.counts_differ)} files")
        print(f"complexity: {self.functions} functions, {self.unexplained} unexplained differences")


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--show", type=int, default=0, help="differences to print of each kind")
    parser.add_argument("--no-radon", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    comparison = Comparison(options.show)
    for path in python_files(options.folders or default_folders()):
        comparison.add(path, with_radon=not options.no_radon)
    comparison.report()


if __name__ == "__main__":
    main()

"""What ``python tests/benchmarks`` measures: each function makes a row or a table of Markdown."""

import argparse
import contextlib
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

from scratch_home import scratch_home

_SMALL = ("rxjs",)
_REFERENCES = ("rxjs", "zod", "theia-core", "effect", "tldraw", "lexical")
_OPTIONS = argparse.Namespace(kind=None, show=0, files=None)


def facts(*, quick: bool) -> str:
    """Return the row of the facts, beside the compiler's syntax tree."""
    from compare_facts import KINDS, compare, f1
    from corpora import CORPORA, corpus

    names = _SMALL if quick else tuple(CORPORA)
    found = [compare(name, corpus(name), _OPTIONS) for name in names]
    others = [f1(totals[kind]) for totals in found for kind in KINDS if kind != "identifiers"]
    words = [totals["identifiers"] for totals in found]
    result = (
        f"F1 {_span(others)} for {len(KINDS) - 1} kinds; "
        f"{sum(total['n'] for total in words):,} identifiers {_span(list(map(f1, words)))}"
    )
    return _row("facts: the TypeScript compiler's syntax tree", ", ".join(names), result)


def complexity(*, quick: bool) -> str:
    """Return the row of the complexity, beside ESLint."""
    from compare_complexity import compare
    from corpora import CORPORA, corpus

    names = _SMALL if quick else tuple(CORPORA)
    found = [compare(name, corpus(name), _OPTIONS) for name in names]
    functions, differ, lost = (
        sum(total[key] for total in found) for key in ("functions", "differ", "not found")
    )
    result = f"{differ} of {functions:,} functions differ, {lost} are not found"
    return _row("complexity of functions: ESLint's rule", ", ".join(names), result)


def imports(*, quick: bool) -> str:
    """Return the row of the imports, beside TypeScript's resolver."""
    from compare_imports import compared
    from corpora import CORPORA, corpus

    names = _SMALL if quick else tuple(CORPORA)
    found = [compared(corpus(name)) for name in names]
    count, differ = sum(one.count for one in found), sum(len(one.differences) for one in found)
    result = f"{differ} of {count:,} imports differ"
    return _row("imports: `ts.resolveModuleName`", ", ".join(names), result)


def references(*, quick: bool) -> str:
    """Return the row of the references, beside the language service."""
    from compare_references import compare

    names, symbols = (_SMALL, 20) if quick else (_REFERENCES, 150)
    by_kind: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    with scratch_home():
        for name in names:
            for kind, pair in compare(name, symbols=symbols).items():
                by_kind[kind].append(pair)
    parts = []
    for kind, pairs in by_kind.items():
        precisions, recalls = zip(*pairs, strict=True)
        parts.append(f"{kind}: precision {_span(precisions)}, recall {_span(recalls)}")
    result = "; ".join(parts)
    on = f"{', '.join(names)}, {symbols} symbols each"
    return _row("references: TypeScript's language service", on, result)


def python(*, quick: bool) -> str:
    """Return the row of Python, beside ``ast`` and radon."""
    import jinja2
    from compare_python import KINDS, Comparison, default_folders, python_files

    comparison, with_radon = Comparison(0), find_spec("radon") is not None
    folders = [Path(jinja2.__file__).parent] if quick else default_folders()
    for path in python_files(folders):
        comparison.add(path, with_radon=with_radon)
    comparison.report()
    scores = []
    for both, left, right in (comparison.sums[kind] for kind in KINDS):
        scores.append(2 * both / max(left + right, 1))
    on = "jinja2" if quick else "the standard library and 8 packages"
    result = f"{comparison.files:,} files, F1 {_span(scores)}"
    if with_radon:
        result += f"; {comparison.unexplained} of {comparison.functions:,} complexities differ"
    return _row("Python: `ast`, radon", on, result)


def edges(*, quick: bool) -> str:
    """Return the table of the graph of imports, beside madge."""
    from compare_madge import NAMES, compare_all

    rows = ["| edges of the graph | found | right | there are | seconds |", "|---|---|---|---|---|"]
    for row in compare_all(_SMALL if quick else NAMES):
        counts = f"{row.edges} | {row.right} | {row.real} | {row.seconds:.1f}"
        rows.append(f"| {row.name}: {row.who} | {counts} |")
    return "\n".join(rows)


def graph(*, quick: bool) -> str:
    """Return what networkx says of cycles, hubs and what depends on what."""
    from graph import main

    main(["200" if quick else "2500"])
    return "networkx agrees on cycles, hubs and everything that depends on a file."


def speed(*, quick: bool) -> str:
    """Return the table of what it costs."""
    from speed import main

    table = StringIO()
    with contextlib.redirect_stdout(table):
        main(1 if quick else 3, quick=quick)
    return table.getvalue().strip()


def prompts(*, quick: bool) -> str:
    """Return the tables of what a model has to read, first and in the course of a conversation."""
    from models import steady, tokens

    with scratch_home():
        turns = steady(quick=quick, turns=6 if quick else 60)
        return "\n".join([*tokens(quick=quick), "", *turns])


def receipts(*, quick: bool) -> str:
    """Return the table of false claims that are marked."""
    from receipts import ANSWERS, measured, told

    return told(measured(ANSWERS // 10 if quick else ANSWERS, 7))


SECTIONS: dict[str, tuple[Callable[..., str], tuple[str, ...]]] = {
    "facts": (facts, ("node", "npm")),
    "complexity": (complexity, ("node", "npm")),
    "imports": (imports, ("node", "npm")),
    "references": (references, ("node", "npm")),
    "python": (python, ()),
    "edges": (edges, ("node", "npm")),
    "graph": (graph, ("networkx",)),
    "speed": (speed, ("npm", "ctags", "rg")),
    "receipts": (receipts, ("npm",)),
    "prompts": (prompts, ("npm", "tiktoken", "dashscope")),
}
"""What there is, and what it cannot do without."""
ROWS = ("facts", "complexity", "imports", "references", "python")
"""Those that are rows of one table."""


def _row(what: str, on: str, result: str) -> str:
    return f"| {what} | {on} | {result} |"


def _span(values: Sequence[float]) -> str:
    """Return from where to where they go."""
    low, high = f"{min(values):.4f}", f"{max(values):.4f}"
    return low if low == high else f"{low} to {high}"


def measured(name: str, *, quick: bool) -> str:
    """Return what one of `SECTIONS` makes; what it prints besides goes to standard error."""
    make, _ = SECTIONS[name]
    with contextlib.redirect_stdout(sys.stderr):
        return make(quick=quick)

"""Compare resolved references with those of TypeScript's language service.

    python tests/benchmarks/compare_references.py [NAME…] [--symbols N] [--seed N] [--show N]

Symbols whose name is declared once in the project are compared: exported ones, spread evenly, and
members of each kind, drawn at random. The references that we call resolved are compared with what
findReferences returns, as places in files.
"""

import argparse
import json
import re
import shutil
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path

from corpora import cache, corpus, run_node
from scratch_home import scratch_home

_CORPORA = ("rxjs", "zod", "theia-core", "effect", "tldraw", "lexical")
_KINDS = ("exported", "method", "property", "accessor", "interface member", "alias member")
_SOURCES = {"effect": "src", "rxjs": "src", "zod": "src"}
_CODE = {".ts", ".tsx", ".mts", ".cts"}
_CONFIGS = {"package.json", "tsconfig.json"}


def project(name: str, place: Path) -> Path:
    """Copy the sources of a corpus, and nothing that was built from them, to a folder."""
    source = corpus(name)
    target = place / name
    for path in source.rglob("*"):
        part = path.relative_to(source)
        is_source = part.parts[0] == _SOURCES.get(name, part.parts[0])
        is_code = path.suffix in _CODE and ".d." not in path.name and is_source
        if path.is_file() and (is_code or part.name in _CONFIGS):
            (target / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target / part)
    return target


def compare(
    name: str, *, symbols: int, seed: int = 1, show: int = 0
) -> dict[str, tuple[float, float]]:
    """Print precision and recall for the symbols of one corpus; return them for each kind."""
    import ipuaro_jupyter

    script = Path(__file__).with_name("language_service.cjs")
    with tempfile.TemporaryDirectory(dir=cache()) as temporary:
        root = project(name, Path(temporary))
        told = run_node(script, str(root), str(symbols), str(seed))
        truth = [json.loads(line) for line in told.splitlines()]
        model = ipuaro_jupyter.ScriptedModel([])
        with ipuaro_jupyter.start(root, model=model) as assistant:
            kinds = {kind: [entry for entry in truth if entry["kind"] == kind] for kind in _KINDS}
            return {
                kind: _report(name, kind, some, assistant._index, root=root, show=show)
                for kind, some in kinds.items()
                if some
            }


def _report(
    name: str, kind: str, entries: list[dict], index, *, root: Path, show: int
) -> tuple[float, float]:
    both = ours_count = theirs_count = told_count = 0
    seconds = []
    missed, extra = Counter(), Counter()
    for entry in entries:
        theirs = {tuple(use[:3]) for use in entry["uses"]}
        began = time.process_time()
        found = index.uses(entry["name"], limit=None)
        seconds.append(time.process_time() - began)
        ours = {(r.path, r.line, r.column) for r in found.first if r.resolved}
        apart = {(r.path, r.line, r.column) for r in (*found.first, *found.unresolved)}
        told_count += len(apart & theirs)
        both += len(ours & theirs)
        ours_count += len(ours)
        theirs_count += len(theirs)
        for causes, places in ((extra, ours - theirs), (missed, theirs - ours)):
            for place in sorted(places) if show else ():
                causes[_cause(root, place), place in apart] += 1
                sign = "+" if causes is extra else "?" if place in apart else "-"
                print(f"    {sign} {entry['name']} {':'.join(map(str, place))}")
    precision, recall = both / max(ours_count, 1), both / theirs_count
    print(
        f"{name:12} {kind:16} {len(entries):5} symbols {theirs_count:7} uses"
        f"  precision {precision:.4f}  recall {recall:.4f}"
        f"  with those apart {told_count / theirs_count:.4f}"
        f"  processor ms: median {1000 * statistics.median(seconds):.1f},"
        f" worst {1000 * max(seconds):.0f}",
        flush=True,
    )
    for sign, causes in (("missed", missed), ("extra", extra)):
        for (cause, is_apart), count in causes.most_common(show):
            print(f"    {count:4} {sign}{', listed apart' * is_apart}: {cause}")
    return precision, recall


def _cause(root: Path, place: tuple[str, int, int]) -> str:
    """Return what kind of place it is: the text before the name, without the words."""
    path, line, column = place
    text = (root / path).read_text(errors="replace").split("\n")[line - 1]
    before = text[: column - 1].rstrip()
    if before.endswith("."):
        opened = re.search(r"[\w$\])!?]+\.$", before)
        end = opened[0] if opened else "."
        return "a call's or an element's member" if end[0] in ")]" else "a member of a name"
    if before.endswith(("'", '"')):
        return "a name in quotes"
    if re.match(r"\s*[\w$]+\??\s*[:=(,]", text[column - 1 :]):
        return "a key or an attribute"
    return "another place"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=_CORPORA)
    parser.add_argument("--symbols", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    with scratch_home():
        for wanted in given.names:
            compare(wanted, symbols=given.symbols, seed=given.seed, show=given.show)

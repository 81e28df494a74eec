"""Compare resolved references with those of TypeScript's language service.

    python tests/benchmarks/compare_references.py [NAME…] [--symbols N] [--show N]

Exported symbols and members whose name is declared once in the project are sampled evenly. The
references that we call resolved are compared with what findReferences returns, as places in files.
"""

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from corpora import cache, corpus, run_node

_CORPORA = ("rxjs", "zod", "theia-core", "effect")
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


def compare(name: str, *, symbols: int, show: int = 0) -> list[tuple[float, float]]:
    """Print precision and recall for the symbols of one corpus; return them for each kind."""
    import ipuaro_jupyter

    script = Path(__file__).with_name("language_service.cjs")
    with tempfile.TemporaryDirectory(dir=cache()) as temporary:
        root = project(name, Path(temporary))
        truth = [
            json.loads(line) for line in run_node(script, str(root), str(symbols)).splitlines()
        ]
        model = ipuaro_jupyter.ScriptedModel([])
        with ipuaro_jupyter.start(root, model=model) as assistant:
            kinds = {
                kind: [entry for entry in truth if entry["kind"] == kind]
                for kind in ("exported", "members")
            }
            return [
                _report(name, kind, some, assistant._index, show)
                for kind, some in kinds.items()
                if some
            ]


def _report(name: str, kind: str, entries: list[dict], index, show: int) -> tuple[float, float]:
    both = ours_count = theirs_count = by_name = 0
    seconds = []
    for entry in entries:
        theirs = {tuple(use[:3]) for use in entry["uses"]}
        began = time.perf_counter()
        found = index.references(entry["name"])
        seconds.append(time.perf_counter() - began)
        ours = {(r.path, r.line, r.column) for r in found if r.resolved}
        by_name += len({(r.path, r.line, r.column) for r in found if not r.resolved} & theirs)
        both += len(ours & theirs)
        ours_count += len(ours)
        theirs_count += len(theirs)
        for sign, places in (("+", ours - theirs), ("-", theirs - ours)):
            for place in sorted(places)[:show]:
                print(f"    {sign} {entry['name']} {place}")
    precision, recall = both / max(ours_count, 1), both / theirs_count
    print(
        f"{name:12} {kind:10} {len(entries):5} symbols {theirs_count:7} uses"
        f"  precision {precision:.4f}  recall {recall:.4f}"
        f"  with those by name {(both + by_name) / theirs_count:.4f}"
        f"  median {1000 * statistics.median(seconds):.1f} ms",
        flush=True,
    )
    return precision, recall


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=_CORPORA)
    parser.add_argument("--symbols", type=int, default=150)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    home = tempfile.mkdtemp(prefix="ipuaro-references-")
    os.environ["IPUARO_HOME"] = home
    from ipuaro_jupyter.store.embedded import stop

    try:
        for wanted in given.names:
            compare(wanted, symbols=given.symbols, show=given.show)
    finally:
        stop()
        shutil.rmtree(home, ignore_errors=True)

"""Compare callers, callees and implementations with TypeScript's language service.

    python tests/benchmarks/compare_calls.py [NAME…] [--symbols N] [--seed N] [--show N]

Functions, methods, classes and interfaces are drawn at random by the seed. What we call certain is
compared with `call_hierarchy.cjs`, as places in files.
"""

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from compare_references import project
from corpora import cache, run_node
from scratch_home import scratch_home

_CORPORA = ("rxjs", "theia-core", "zod", "lexical")
Places = set[tuple[object, ...]]


class Counts:
    """Counts what both sides have, and what only one has."""

    def __init__(self) -> None:
        self.symbols = self.both = self.ours = self.theirs = self.known = 0

    def add(self, ours: Places, theirs: Places, known: Places = frozenset()) -> None:  # type: ignore[assignment]
        """Add the places of a symbol; ``known`` are those that we list as uncertain."""
        self.symbols += 1
        self.both += len(ours & theirs)
        self.ours += len(ours)
        self.theirs += len(theirs)
        self.known += len((ours | known) & theirs)

    def __str__(self) -> str:
        precision, recall = self.both / max(self.ours, 1), self.both / max(self.theirs, 1)
        told = f"{self.symbols:4} symbols {self.theirs:6} places  precision {precision:.4f}"
        return f"{told}  recall {recall:.4f}  with uncertain {self.known / max(self.theirs, 1):.4f}"


def compare(name: str, *, symbols: int, seed: int, show: int) -> None:
    """Print the figures of one corpus."""
    import ipuaro_jupyter

    script = Path(__file__).with_name("call_hierarchy.cjs")
    with tempfile.TemporaryDirectory(dir=cache()) as temporary:
        root = project(name, Path(temporary))
        truth = [
            json.loads(s) for s in run_node(script, str(root), str(symbols), str(seed)).splitlines()
        ]
        with ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([])) as assistant:
            counts: defaultdict[str, Counts] = defaultdict(Counts)
            for entry in truth:
                _JUDGES[entry["kind"]](assistant.call, entry, counts, show)
        for kind, found in counts.items():
            print(f"{name:12} {kind:24} {found}", flush=True)


def _asked(call, tool: str, entry: dict, **more):
    given = {"symbol": entry["name"], "declared_in": entry["path"], **more}
    result = call(tool, given)
    if not result.success:
        print("   ", tool, entry["name"], entry["path"], result.error.message)
        return None
    return result.output


def _differ(kind: str, entry: dict, ours: Places, theirs: Places, show: int) -> None:
    for sign, places in (("+", ours - theirs), ("-", theirs - ours)):
        for place in sorted(places, key=str)[:show]:
            print(f"    {sign} {kind} {entry['path']}:{entry['line']} {entry['name']} {place}")


def _callers(call, entry: dict, counts, show: int) -> None:
    output = _asked(call, "get_callers", entry, limit=100_000)
    if output is None:
        return
    target = [s for s in output.calls if s.kind != "read" and s.callee == entry["name"]]
    exact = {(s.path, s.line, s.column) for s in target if s.through is None}
    every = {(s.path, s.line, s.column) for s in (*target, *output.by_name)}
    theirs, related = _places(entry["sites"]), _places(entry["related"])
    counts["callers"].add(exact, theirs, every)
    counts["callers with overrides"].add(
        {(s.path, s.line, s.column) for s in target} - (related - every), theirs | (related & every)
    )
    _differ("callers", entry, exact, theirs, show)


def _callees(call, entry: dict, counts, show: int) -> None:
    output = _asked(call, "get_callees", entry, limit=100_000)
    if output is None:
        return
    allowed = {tuple(site[:3]): {tuple(place) for place in site[3]} for site in entry["sites"]}
    found = {
        ((s.path, s.line, s.column), (s.callee_path, s.callee_line))
        for s in output.calls
        if s.kind != "super"
    }
    # One of several declarations, such as overloads, stands for all of them.
    ours = {at if to in allowed.get(at, ()) else (*at, *to) for at, to in found}
    known = {(s.path, s.line, s.column) for s in output.by_name}
    theirs = set(allowed)
    counts["callees"].add(ours, theirs, known)
    _differ("callees", entry, ours, theirs, show)


def _implementations(call, entry: dict, counts, show: int) -> None:
    output = _asked(call, "find_implementations", entry, limit=100_000)
    if output is None:
        return
    listed = output.implementations
    classes = {(s.path, s.line, s.column) for s in listed if s.kind != "object"}
    objects = {(s.path, s.line) for s in listed if s.kind == "object"}
    counts["implementations"].add(classes, _places(entry["classes"]))
    theirs = {tuple(place[:2]) for place in entry["objects"]}
    counts["objects"].add(objects, theirs)
    _differ("implementations", entry, classes, _places(entry["classes"]), show)
    _differ("objects", entry, objects, theirs, show)


def _members(call, entry: dict, counts, show: int) -> None:
    output = _asked(call, "find_implementations", entry, limit=100_000)
    if output is None:
        return
    listed = output.implementations
    ours = {(s.path, s.line, s.column) for s in listed if s.has_body}
    every = {(s.path, s.line, s.column) for s in listed}
    theirs = _places(entry["members"])
    counts["members"].add(ours | (every & theirs), theirs)
    _differ("members", entry, ours, theirs, show)


def _places(listed: Iterable[Iterable[object]]) -> Places:
    return {tuple(place) for place in listed}


_JUDGES = {
    "callers": _callers,
    "callees": _callees,
    "implementations": _implementations,
    "members": _members,
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=_CORPORA)
    parser.add_argument("--symbols", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    with scratch_home():
        for wanted in given.names:
            compare(wanted, symbols=given.symbols, seed=given.seed, show=given.show)

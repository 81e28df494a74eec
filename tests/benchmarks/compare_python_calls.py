"""Compare the callers of Python functions with what jedi finds (``pip install jedi``).

    python tests/benchmarks/compare_python_calls.py [PACKAGE…] [--symbols N] [--seed N] [--show N]

Functions and methods are drawn at random by the seed. Jedi's references of each are taken for calls
where the name is followed by a parenthesis, or decorates; ours are the certain calls without those
of a base's method, which may run the one that overrides it: jedi does not count them.
"""

import argparse
import ast
import random
import re
import shutil
import tempfile
from pathlib import Path

from corpora import cache, package
from scratch_home import scratch_home

_PACKAGES = ("click==8.1.7", "httpx==0.28.1")


def functions(root: Path) -> list[tuple[str, str, int, int]]:
    """The functions and methods: path, qualified name, line and 0-based column of the name."""
    found = []
    for path in sorted(root.rglob("*.py")):
        text = path.read_text()
        for node in ast.parse(text).body:
            inner = node.body if isinstance(node, ast.ClassDef) else []
            for one, holder in ((node, ""), *((each, f"{node.name}.") for each in inner)):
                if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                    line = text.splitlines()[one.lineno - 1]
                    column = re.search(rf"\bdef\s+({one.name})\b", line)
                    if column and not one.name.startswith("__"):
                        name = path.relative_to(root).as_posix()
                        found.append((name, holder + one.name, one.lineno, column.start(1)))
    names = [qualified for _, qualified, _, _ in found]
    return [one for one in found if names.count(one[1]) == 1]


def theirs(project, root: Path, path: str, line: int, column: int) -> set[tuple[str, int, int]]:
    """The calls that jedi finds: path, line and 1-based column."""
    import jedi

    script = jedi.Script(path=root / path, project=project)
    found = set()
    for use in script.get_references(line, column, include_builtins=False):
        if use.is_definition() or use.module_path is None:
            continue
        lines = Path(use.module_path).read_text().splitlines()
        text = lines[use.line - 1]
        is_import = re.match(r"\s*(from|import)\b", text) is not None
        behind = text[use.column + len(use.name) :].lstrip()
        before = text[: use.column].strip()
        if not is_import and (behind.startswith("(") or before.startswith("@")):
            where = Path(use.module_path).relative_to(root).as_posix()
            found.add((where, use.line, use.column + 1))
    return found


def compare(spec: str, *, symbols: int, seed: int, show: int) -> None:
    """Print precision and recall for one package."""
    import jedi

    import ipuaro_jupyter

    with tempfile.TemporaryDirectory(dir=cache()) as temporary:
        root = Path(temporary) / "project"
        source = package("pypi", spec)
        shutil.copytree(source, root, ignore=shutil.ignore_patterns(".git", "*.dist-info"))
        drawn = functions(root)
        drawn = random.Random(seed).sample(drawn, min(symbols, len(drawn)))
        both = ours_count = theirs_count = known = 0
        project = jedi.Project(root)
        with ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([])) as assistant:
            for path, qualified, line, column in drawn:
                given = {"symbol": qualified, "declared_in": path, "limit": 100_000}
                output = assistant.call("get_callers", given).output
                kinds = {"call", "decorator"}
                certain = [s for s in output.calls if s.kind in kinds and s.through is None]
                ours = {(s.path, s.line, s.column) for s in certain}
                named = {(s.path, s.line, s.column) for s in output.by_name}
                peer = theirs(project, root, path, line, column)
                both += len(ours & peer)
                known += len((ours | named) & peer)
                ours_count += len(ours)
                theirs_count += len(peer)
                for sign, places in (("+", ours - peer), ("-", peer - ours)):
                    for place in sorted(places)[:show]:
                        print(f"    {sign} {qualified} {place}")
        print(
            f"{spec:16} {len(drawn):4} functions {theirs_count:5} calls"
            f"  ours also jedi's {both / max(ours_count, 1):.4f} of {ours_count}"
            f"  jedi's also ours {both / max(theirs_count, 1):.4f}"
            f"  with uncertain {known / max(theirs_count, 1):.4f}",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("packages", nargs="*", default=_PACKAGES)
    parser.add_argument("--symbols", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    with scratch_home():
        for wanted in given.packages:
            compare(wanted, symbols=given.symbols, seed=given.seed, show=given.show)

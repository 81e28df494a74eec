"""How many answers about frequent names still hold after an edit.

    python tests/benchmarks/kept_answers.py [ROUNDS] [--project PROJECT]

The answers about the names that occur most often are found ahead. Then a file is edited, ROUNDS (6)
times for each kind of edit, each time in another file of the project, and the kept answers that
hold afterwards are counted; those that do not are found again before the next edit.
"""

import argparse
import os
import random
import re
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from frequent_names import PROJECTS, side_by_side
from scratch_home import scratch_home
from speed_after_edits import edited

_BOUND = 2_000_000
_EXPORTED = re.compile(r"export (?:function|const|class) (\w+)")


def in_a_body(draw: random.Random, path: Path, _: list[Path]) -> tuple[Path, str]:
    """Return a file with a comment more in a function."""
    return path, edited(draw, path.read_text(), "// edited")


def new_function(_: random.Random, path: Path, __: list[Path]) -> tuple[Path, str]:
    """Return a file with one more function, which it exports."""
    return path, path.read_text() + "\nexport function neverSeenBefore() {\n\treturn 1\n}\n"


def new_import(draw: random.Random, path: Path, files: list[Path]) -> tuple[Path, str]:
    """Return a file with one more import, of a name that another file exports."""
    exporting = {
        one: _EXPORTED.findall(one.read_text()) for one in draw.sample(files, min(50, len(files)))
    }
    other = draw.choice([one for one, names in exporting.items() if names and one != path])
    source = os.path.relpath(other.with_suffix(""), path.parent)
    source = source if source.startswith(".") else f"./{source}"
    name = draw.choice(exporting[other])
    line = f"import {{ {name} as taken }} from '{source}'"
    return path, f"{line}\n{path.read_text()}\nvoid taken\n"


def new_file(_: random.Random, path: Path, __: list[Path]) -> tuple[Path, str]:
    """Return a new file beside another, which imports that one."""
    text = f"import * as all from './{path.stem}'\nexport const neverSeenAgain = all\n"
    return path.with_name("never-seen-before.ts"), text


KINDS = {
    "an edit in a body": in_a_body,
    "a new function": new_function,
    "a new import": new_import,
    "a new file": new_file,
}


def holding(index, names: list[str]) -> tuple[int, int]:
    """Return how many of the answers that were found ahead hold, and how many there were."""
    from ipuaro_jupyter.index.binding.answers.answers_on_server import AnswersOnServer
    from ipuaro_jupyter.index.binding.answers.uses import UsesQuestion
    from ipuaro_jupyter.index.binding.frequent_uses import FIRST_USES

    kept = AnswersOnServer(index._stored, settings=str(_BOUND))
    state = index._sync.snapshot
    found = [kept.get(state, UsesQuestion(name, None, FIRST_USES, "")) for name in names]
    return sum(one is not None for one in found), len(found)


def measure(root: Path, rounds: int) -> None:
    """Print the figures."""
    import ipuaro_jupyter
    from ipuaro_jupyter.index.binding import frequent_uses

    settings = {"project": {"answers_ahead": False}}
    model = ipuaro_jupyter.ScriptedModel([])
    with ipuaro_jupyter.start(root, model=model, settings=settings) as assistant:
        index = assistant._index
        files = sorted(p for p in root.rglob("*.ts*") if ".d." not in p.name)
        names = frequent_uses.most_frequent(index._stored)

        def find() -> float:
            began = time.process_time()
            frequent_uses.find(index._stored, root, most_bytes=_BOUND)
            return time.process_time() - began

        print(f"found ahead in {find():.1f} s of processor time; {holding(index, names)} hold")
        for kind, edit in KINDS.items():
            draw, shares = random.Random(1), []
            for _ in range(rounds):
                path, text = edit(draw, draw.choice(files), files)
                before = path.read_text() if path.exists() else None
                path.write_text(text)
                index.refresh()
                hold, of = holding(index, names)
                shares.append(hold)
                if before is None:
                    path.unlink()
                else:
                    path.write_text(before)
                index.refresh()
                find()
            print(f"{kind}: {statistics.median(shares)} of {of} hold ({shares})", flush=True)


def main() -> None:
    """Print what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", nargs="?", type=int, default=6)
    parser.add_argument("--project", choices=tuple(PROJECTS), default="tldraw")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        shutil.copytree(side_by_side(PROJECTS[options.project]), root)
        measure(root, options.rounds)


if __name__ == "__main__":
    with scratch_home():
        main()

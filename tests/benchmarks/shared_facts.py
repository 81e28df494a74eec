"""What is saved when contents were indexed before: a clone, a worktree, a branch, a colleague.

    python tests/benchmarks/shared_facts.py [ROUNDS] [--check]

The sources of effect, three, rxjs and zod from npm, as a git repository whose branch ``other``
changes every fifth file, drawn by a seed. Medians of ROUNDS (3), of the processor time of the
process that opens the project, its workers and the server, over that of a first index in the same
round. With ``--check``, each index is made anew at the end and compared row by row. The colleague
has a home of their own and the same Redis server, and both have said ``project.sharedFactsMb``.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from frequent_names import side_by_side
from scratch_home import scratch_home

_WHO = ("-c", "user.name=A", "-c", "user.email=a@b.c")
_CODE = {".ts", ".tsx", ".js", ".mjs"}
_OPEN = """
import json, resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import ipuaro_jupyter
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.settings.settings import load_settings
from index_contents import everything_in

def spent():
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    server = store._client.run("INFO", "cpu")
    return (sum(one.ru_utime + one.ru_stime for one in own)
            + server["used_cpu_user"] + server["used_cpu_sys"])

settings = {"project": {"sharedFactsMb": 256, "answersAhead": False}, "llm": {"warm": False},
            "watchdog": {"enabled": False}}
store = connect(load_settings(Path(sys.argv[1]), {}).settings.redis)
began = spent()
with ipuaro_jupyter.start(sys.argv[1], model=ipuaro_jupyter.ScriptedModel([]),
                          settings=settings) as assistant:
    took = spent() - began
    report = assistant.index_report()
    is_same = True
    if sys.argv[3:]:
        index = assistant._index
        before = everything_in(index)
        index.refresh(full=True)
        is_same = everything_in(index) == before
print(json.dumps({"cpu_s": took, "files": report.files, "isSame": is_same}))
"""


def opened(root: Path, *, is_checked: bool) -> float:
    """Return the seconds of processor time that opening a project takes, in a new process."""
    support = str(Path(__file__).parents[1] / "support")
    command = [sys.executable, "-c", _OPEN, str(root), support, *["check"] * is_checked]
    run = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if run.returncode:
        raise SystemExit(run.stderr)
    told = json.loads(run.stdout.splitlines()[-1])
    if not told["isSame"]:
        raise SystemExit(f"{root}: not what a fresh index has")
    return float(told["cpu_s"])


def git(root: Path, *words: str) -> None:
    """Run git in a folder."""
    subprocess.run(["git", "-C", str(root), *_WHO, *words], check=True, capture_output=True)


def repository(place: Path) -> None:
    """Make the repository with its two branches."""
    shutil.copytree(side_by_side(("effect", "three", "rxjs", "zod")), place)
    git(place, "init", "-q", "-b", "main")
    git(place, "add", ".")
    git(place, "commit", "-qm", "Main")
    git(place, "switch", "-qc", "other")
    files = sorted(file for file in place.rglob("*") if file.suffix in _CODE)
    for file in random.Random(7).sample(files, len(files) // 5):
        with file.open("a") as text:
            text.write(f"\nexport const added{len(file.name)} = '{file.name}'\n")
    git(place, "commit", "-qam", "Other")
    git(place, "switch", "-q", "main")


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Run a Redis server of one's own."""
    socket = folder / "own.sock"
    options = ("--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(folder))
    server = subprocess.Popen(["redis-server", *options], stdout=subprocess.DEVNULL)
    try:
        while not socket.exists():
            time.sleep(0.05)
        yield f"unix://{socket}"
    finally:
        server.kill()
        server.wait(10)


def one_user(folder: Path, *, is_checked: bool) -> Iterator[tuple[str, float]]:
    """Yield what each way of opening takes for one user on the embedded server."""
    first, second, tree = folder / "first", folder / "second", folder / "tree"
    repository(first)
    git(folder, "clone", "-q", str(first), str(second))
    with scratch_home():
        yield "first index", opened(first, is_checked=is_checked)
        yield "opened again", opened(first, is_checked=False)
        yield "a second clone", opened(second, is_checked=is_checked)
        git(first, "worktree", "add", "-q", str(tree), "other")
        yield "a worktree of the other branch", opened(tree, is_checked=is_checked)
        git(second, "switch", "-q", "other")
        yield "a switch to that branch in the second clone", opened(second, is_checked=False)
        git(second, "switch", "-q", "main")
        yield "back to the first", opened(second, is_checked=False)
        git(second, "switch", "-q", "other")
        yield "there again", opened(second, is_checked=is_checked)


def colleague(folder: Path, *, is_checked: bool) -> Iterator[tuple[str, float]]:
    """Yield what a colleague's clone takes on the same server, after the first user's."""
    with redis_server(folder) as url:
        os.environ["IPUARO_REDIS_URL"] = url
        try:
            with scratch_home():
                yield (
                    "first index on a server of one's own",
                    opened(folder / "first", is_checked=False),
                )
            git(folder, "clone", "-q", str(folder / "first"), str(folder / "theirs"))
            with scratch_home():
                yield "a colleague's clone", opened(folder / "theirs", is_checked=is_checked)
        finally:
            del os.environ["IPUARO_REDIS_URL"]


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", nargs="?", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    os.environ.pop("IPUARO_REDIS_URL", None)
    shares: dict[str, list[float]] = {}
    for _ in range(arguments.rounds):
        with tempfile.TemporaryDirectory(prefix="ipuaro-shared-") as made:
            folder, first_s = Path(made), 0.0
            for ways in (one_user, colleague):
                for name, cpu_s in ways(folder, is_checked=arguments.check):
                    if name.startswith("first"):
                        first_s = cpu_s
                    print(f"{name}: {cpu_s:.1f} s", file=sys.stderr)
                    shares.setdefault(name, []).append(100 * cpu_s / first_s)
    print("| | of a first index's processor time |\n| --- | --- |")
    for name, found in shares.items():
        print(f"| {name} | {statistics.median(found):.1f} % |")


if __name__ == "__main__":
    main()

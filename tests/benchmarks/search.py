"""Search a folder with grep's three strategies and with ripgrep itself.

``python tests/benchmarks/search.py FOLDER`` prints for each pattern the best of three times in
milliseconds, how many lines match, and whether the strategies answer the same.
"""

import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.project.search.search import search
from ipuaro_jupyter.project.search.search_result import Query
from ipuaro_jupyter.workspace.files.listing import list_files

PATTERNS = (
    ("createServer", False, False),
    ("nowhereToBeFound", False, False),
    ("import", False, False),
    ("TODO", False, True),
    (r"class \w+ extends", True, False),
    (r"\bfoo\w*bar\b", True, False),
    (r"^\s*(async )?function\s+get[A-Z]\w*\(", True, True),
)


def best_of_three(work):
    """Return the result, and the shortest time in milliseconds."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - began)
    return result, round(min(times) * 1000)


def ripgrep(root, pattern, *, use_regex, case_sensitive):
    """Run ripgrep on the same files with the same context."""
    argv = ["rg", "--json", "-C2", "--hidden", "-e", pattern]
    argv += [] if use_regex else ["-F"]
    argv += [] if case_sensitive else ["-i"]
    return subprocess.run([*argv, str(root)], capture_output=True, check=False).stdout


def main():
    """Measure and print."""
    root = Path(sys.argv[1]).resolve()
    listing, took = best_of_three(lambda: list_files(root))
    size = sum(stat.size for stat in listing.files.values()) / 1e6
    print(f"{len(listing.files)} files, {size:.1f} MB, listed in {took} ms")
    print("pattern | python | ripgrep | hybrid | rg itself | lines | same")
    workspace = SimpleNamespace(root=root)
    for pattern, use_regex, case_sensitive in PATTERNS:
        answers, times = [], []
        for strategy in ("python", "ripgrep", "hybrid"):
            query = Query(
                pattern,
                use_regex=use_regex,
                case_sensitive=case_sensitive,
                strategy=strategy,
                first_match_s=600,
                total_s=600,
            )
            found, milliseconds = best_of_three(
                lambda query=query: search(workspace, listing.files, query, CancelToken())
            )
            answers.append((found.matches, found.total))
            times.append(milliseconds)
        own = best_of_three(
            lambda p=pattern, r=use_regex, c=case_sensitive: ripgrep(
                root, p, use_regex=r, case_sensitive=c
            )
        )[1]
        same = answers.count(answers[0]) == len(answers)
        print(" | ".join(map(str, (pattern, *times, own, answers[0][1], same))))


if __name__ == "__main__":
    main()

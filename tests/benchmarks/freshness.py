"""How soon a changed file is in the index: taken up at once, and seen by the watch.

    python tests/benchmarks/freshness.py [FILES]

A project of FILES TypeScript files (2000) of some 4 KB. Prints medians; the limit of one changed
file is 10 ms, the limit of the watch 100 ms. Ends with status 1 beyond a limit.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

ROUNDS = 40
LIMIT_MS = 10.0
WATCH_LIMIT_MS = 100.0
LOST_S = 20.0


def source(number, files, mark):
    """Return a file that imports two others and declares 30 functions, some of common names."""
    others = [(number + 1) % files, (number + 7) % files]
    lines = [f"import {{ f{other}x1 }} from './f{other}'" for other in others]
    lines += [f"export const mark{number}_{mark} = f{others[0]}x1(f{others[1]}x1({mark}))"]
    names = [f"f{number}x{i}" for i in range(30)]
    names[7], names[8] = f"render{number % 40}", f"update{number % 90}"
    for i, name in enumerate(names):
        lines += [f"export function {name}(a: number, b = {mark}) {{", "  if (a > b) {"]
        lines += ["    return a * b", "  }", f"  return {names[i - 1]}(b, a) // {number}", "}"]
    return "\n".join(lines)


def median_ms(times):
    """Return the median of times in seconds, in milliseconds."""
    return 1000 * statistics.median(times)


def measure(root, store, files):
    """Return the medians of taking up one file, and of the watch, in milliseconds."""
    from ipuaro_jupyter.index.code_index import CodeIndex, IndexSettings
    from ipuaro_jupyter.workspace.files.watch import WatchSettings

    index = CodeIndex(SimpleNamespace(root=root), store, IndexSettings())
    print(f"first index of {files} files: {index.refresh().seconds:.2f} s")
    taken, seen = [], []
    for mark in range(ROUNDS):
        number = mark * 37 % files
        (root / f"f{number}.ts").write_text(source(number, files, mark + 1))
        began = time.perf_counter()
        index.touch([f"f{number}.ts"])
        taken.append(time.perf_counter() - began)
    index.watch(WatchSettings())
    while not index._sync.watch.is_ready:
        time.sleep(0.01)
    time.sleep(1.0)
    for mark in range(ROUNDS):
        number = mark * 41 % files
        name = f"mark{number}_{mark + 1000}"
        (root / f"f{number}.ts").write_text(source(number, files, mark + 1000))
        began = time.perf_counter()
        while not index._stored.symbols([name]):
            time.sleep(0.001)
            if time.perf_counter() - began > LOST_S:
                raise SystemExit(f"The change of f{number}.ts was never seen.")
        seen.append(time.perf_counter() - began)
    index.close()
    return median_ms(taken), median_ms(seen)


def main(files=2000):
    """Measure and say how it compares with the limits."""
    with tempfile.TemporaryDirectory(prefix="ipuaro-fresh-") as home:
        os.environ["IPUARO_HOME"] = home
        from ipuaro_jupyter.store.connection import StoreSettings, connect
        from ipuaro_jupyter.store.embedded import stop

        root = Path(home, "project")
        root.mkdir()
        for number in range(files):
            (root / f"f{number}.ts").write_text(source(number, files, 0))
        store = connect(StoreSettings())
        try:
            taken, seen = measure(root, store, files)
        finally:
            store.close()
            stop()
    print(f"one changed file into the index: {taken:.1f} ms (limit {LIMIT_MS:.0f} ms)")
    print(f"seen and taken up by the watch: {seen:.1f} ms (limit {WATCH_LIMIT_MS:.0f} ms)")
    return int(taken > LIMIT_MS or seen > WATCH_LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))

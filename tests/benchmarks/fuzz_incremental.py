"""Edit a project at random for a while: is the index always that of a fresh start?

    python tests/benchmarks/fuzz_incremental.py [SECONDS] [SEED]

Real files, real Redis (the embedded server of a home of its own), kernels that watch, scan and
are told. Prints the first difference with the seed that repeats it, and ends with status 1.
"""

import os
import random
import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))  # index_contents
NAMES = ("a", "b", "index", "main", "util")
FOLDERS = ("", "src", "src/sub", "packages/x", "packages/x/src", "packages/y", "lib", "made")
EXTENSIONS = (".ts", ".tsx", ".js", ".mjs", ".d.ts", ".json", ".py", ".yml", ".txt", ".png")
CONFIGS = {
    ".gitignore": ("", "made/\n", "*.js\n!a.js\n", "lib\n/src/sub/\n"),
    "package.json": (
        '{"name": "x", "main": "src/index.ts", "workspaces": ["packages/*"]}',
        '{"name": "y", "exports": {".": "./src/index.ts", "./*": "./src/*.ts"}}',
        '{"name": "z", "imports": {"#u": "./src/util.ts", "#a/*": "./lib/*.ts"}}',
        "{",
    ),
    "tsconfig.json": (
        '{"compilerOptions": {"baseUrl": "."}}',
        '{"compilerOptions": {"paths": {"@/*": ["./src/*", "./lib/*"]}}}',
        '{"extends": "../tsconfig.json", "compilerOptions": {"rootDir": "src", "outDir": "made"}}',
        '{"compilerOptions": {"rootDirs": ["src", "lib"]}}',
    ),
}
SOURCES = ("./a", "../b", "./util.js", "@/a", "#u", "#a/b", "x", "y/a", "src/main", "..", ".")


def content(rng):
    """Return the text of a source file."""
    lines = [f"import {{ v{rng.randrange(9)} }} from '{rng.choice(SOURCES)}'" for _ in range(3)]
    lines += [f"export const v{rng.randrange(9)} = 1", f"export * from '{rng.choice(SOURCES)}'"]
    lines += [f"class K{rng.randrange(4)} {{ m() {{ return v1 }} }} // TODO: {rng.randrange(9)}"]
    if rng.random() < 0.05:
        lines.append("x" * 25_000)
    if rng.random() < 0.05:
        lines.append("function (")
    rng.shuffle(lines)
    return "\n".join(lines) + "\0" * (rng.random() < 0.03)


def edit(rng, root):
    """Do something to the files."""
    folder = root / rng.choice(FOLDERS)
    place = folder / (rng.choice(NAMES) + rng.choice(EXTENSIONS))
    if rng.random() < 0.15:
        name = rng.choice(list(CONFIGS))
        place = folder / name
        text = rng.choice(CONFIGS[name])
    else:
        text = content(rng)
    what = rng.random()
    try:
        if what < 0.5:
            folder.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        elif what < 0.6:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "t.tmp").write_text(text)
            (folder / "t.tmp").replace(place)
        elif what < 0.75:
            place.unlink()
        elif what < 0.82 and folder != root:
            shutil.rmtree(folder)
        elif what < 0.97:
            target = root / rng.choice(FOLDERS) / (rng.choice(NAMES) + rng.choice(EXTENSIONS))
            (place if what < 0.92 else folder).rename(target if what < 0.92 else target.parent)
        else:
            place.symlink_to(rng.choice(["../a.ts", ".", "/etc", "none"]))
    except OSError:  # not possible now
        return


def differences(one, other):
    """Yield what two indexes do not share."""
    for key in one:
        for field in sorted(one[key].keys() | other[key].keys()):
            if one[key].get(field) != other[key].get(field):
                yield f"{key} {field!r}: {one[key].get(field)!r} != {other[key].get(field)!r}"


def run(seed, store, home):
    """Run one history of edits; returns how it differs from a fresh start."""
    from index_contents import everything_in

    from ipuaro_jupyter.index.code_index import CodeIndex, IndexSettings
    from ipuaro_jupyter.workspace.files.watch import WatchSettings

    rng = random.Random(seed)
    root = Path(tempfile.mkdtemp(dir=home))
    workspace = SimpleNamespace(root=root)
    kernels = [CodeIndex(workspace, store, IndexSettings(scan_interval_s=0)) for _ in range(3)]
    if rng.random() < 0.5:
        os.system(f"git init -q {root}")
    kernels[0].refresh()
    kernels[2].watch(WatchSettings(debounce_ms=rng.choice([0, 5, 50])))
    for _ in range(rng.randrange(1, 40)):
        for _ in range(rng.choice([1, 1, 3, 10])):
            edit(rng, root)
        kernel = rng.choice(kernels)
        ask = partial(kernel.references, "v1")
        rng.choice([kernel.refresh, kernel.paths, ask, kernel.todos])()
    kernels[2].close()
    kernels[0].refresh()
    by_and_by = everything_in(kernels[0])
    kernels[1].refresh(full=True)
    found = list(differences(by_and_by, everything_in(kernels[1])))
    for kernel in kernels:
        kernel.close()
    store.delete(*kernels[0]._stored.key_names)
    shutil.rmtree(root)
    return found


def main(seconds=60.0, seed=None):
    """Run histories until the time is over."""
    with tempfile.TemporaryDirectory(prefix="ipuaro-fuzz-") as home:
        os.environ["IPUARO_HOME"] = home
        from ipuaro_jupyter.store.connection import StoreSettings, connect
        from ipuaro_jupyter.store.embedded import stop

        store, end, count = connect(StoreSettings()), time.monotonic() + seconds, 0
        try:
            while time.monotonic() < end:
                current = random.randrange(10**9) if seed is None else int(seed)
                found = run(current, store, home)
                count += 1
                if found or seed is not None:
                    print(f"seed {current}: {len(found)} differences", *found[:10], sep="\n")
                    return 1 if found else 0
            print(f"{count} histories of edits, no difference")
            return 0
        finally:
            store.close()
            stop()


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:2]), *sys.argv[2:3]))

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

from scratch_home import scratch_home

COMPARED = 0.2
LATE = "the parser took longer"
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))  # index_contents
NAMES = ("a", "b", "index", "main", "util", "__init__", "a.ios", "base")
FOLDERS = (
    *("", "src", "src/sub", "src/a", "packages/x", "packages/x/src", "packages/y", "lib", "made"),
    *("pkg", "pkg/inner", "src/pkg", "src/pkg/inner", "types/x", "cfg"),
)
EXTENSIONS = (
    *(".ts", ".tsx", ".js", ".jsx", ".mjs", ".mts", ".cjs", ".d.ts", ".d.mts", ".json", ".css"),
    *(".py", ".pyi", ".ipynb", ".yml", ".txt", ".png", ""),
)
CONFIGS = {
    ".gitignore": ("", "made/\n", "*.js\n!a.js\n", "lib\n/src/sub/\n"),
    "package.json": (
        '{"name": "x", "main": "src/index.ts", "workspaces": ["packages/*"]}',
        '{"name": "x", "types": "./lib/a", "main": "./src", "type": "module"}',
        '{"name": "y", "exports": {".": "./src/index.ts", "./*": "./src/*.ts"}}',
        '{"name": "y", "exports": {".": {"types": "./lib/a.d.ts", "import": "./lib/a.mjs"}}}',
        '{"name": "z", "imports": {"#u": "./src/util.ts", "#a/*": ["./lib/*.ts", "./src/*.js"]}}',
        '{"name": "z", "imports": {"#u": "y", "#a/*": "x/*"}, "dependencies": {"y": "file:../y"}}',
        '{"name": "cfg", "tsconfig": "base.json", "workspaces": ["cfg", "packages/*"]}',
        "{",
    ),
    "pnpm-workspace.yaml": ("packages:\n  - packages/*\n  - cfg\n", ""),
    "pyproject.toml": (
        '[tool.setuptools.packages.find]\nwhere = ["src"]\n',
        '[project.scripts]\nrun = "pkg.main:run"\n[tool.pytest.ini_options]\npythonpath = "lib"\n',
    ),
    "base.json": (
        '{"compilerOptions": {"baseUrl": "src", "module": "preserve"}}',
        '{"compilerOptions": {"moduleResolution": "bundler", "moduleSuffixes": [".ios", ""]}}',
    ),
    "tsconfig.json": (
        '{"compilerOptions": {"baseUrl": "."}}',
        '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*/index", "lib/*"]}}}',
        '{"compilerOptions": {"paths": {"@/*": ["./src/*", "./lib/*"]}}}',
        '{"extends": "../tsconfig.json", "compilerOptions": {"rootDir": "src", "outDir": "made"}}',
        '{"extends": "./base", "compilerOptions": {"typeRoots": ["types"]}}',
        '{"extends": "cfg", "compilerOptions": {"module": "nodenext"}}',
        '{"extends": ["cfg/base", "../base.json"], "compilerOptions": {"checkJs": true}}',
        '{"references": [{"path": "./packages/x"}, {"path": "src"}], "files": []}',
        '{"references": [{"path": "src"}], "compilerOptions": {"module": "node16"}}',
        '{"compilerOptions": {"composite": true, "outDir": "../made", "module": "esnext"}}',
        '{"compilerOptions": {"rootDirs": ["src", "lib"], "moduleResolution": "classic"}}',
    ),
}
SOURCES = (
    *("./a", "../b", "./util.js", "./a.mjs", "@/a", "#u", "#a/b", "x", "y/a", "src/main"),
    *("y", "x/src/a", "./a.json", "./a.css", "a", "../lib/a.js", "./index", "@/a/index", "./none"),
    *("../made/a", "../made/a.js", "/src/a", "..", "."),
)
PYTHON = (
    *("import pkg", "import pkg.a", "from pkg import a, inner", "from . import a", "import util"),
    *("from .. import b", "from .inner import b as v1", "from pkg.inner.main import v1"),
    *("from .a import v2", "import src.pkg.a", "from ... import lib", "import main, lib.a"),
    "import a",
)


def content(rng, name):
    """Return the text of a source file."""
    if name.endswith((".py", ".pyi")):
        return "\n".join([*rng.sample(PYTHON, 3), f"def v{rng.randrange(9)}(): pass"])
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
        text = content(rng, place.name)
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
    one, other = ({**index, "counts": {"": index["counts"]}} for index in (one, other))
    for key in one:
        for field in sorted(one[key].keys() | other[key].keys()):
            if one[key].get(field) != other[key].get(field):
                yield f"{key} {field!r}: {one[key].get(field)!r} != {other[key].get(field)!r}"


def run(seed, store, home):
    """Run one history of edits; return how it differs from a fresh start, and its steps."""
    from index_contents import everything_in

    from ipuaro_jupyter.index.code_index import CodeIndex, IndexSettings
    from ipuaro_jupyter.workspace.files.watch import WatchSettings
    from ipuaro_jupyter.workspace.readable_folder import ReadableFolder

    rng = random.Random(seed)
    root = Path(tempfile.mkdtemp(dir=home))
    settings = IndexSettings(scan_interval_s=0)
    kernels = [CodeIndex(ReadableFolder(root), store, settings) for _ in range(3)]
    if rng.random() < 0.5:
        os.system(f"git init -q {root}")
    kernels[0].refresh()
    kernels[2].watch(WatchSettings(debounce_ms=rng.choice([0, 5, 50])))
    found, steps = [], 0
    for _ in range(rng.randrange(1, 40)):
        for _ in range(rng.choice([1, 1, 1, 3, 10])):
            edit(rng, root)
            steps += 1
        kernel = rng.choice(kernels)
        ask = partial(kernel.references, "v1")
        rng.choice([kernel.refresh, kernel.paths, ask, kernel.todos])()
        if rng.random() < COMPARED:
            found = compared(kernels, everything_in)
        if found:
            break
    kernels[2].close()
    found = found or compared(kernels, everything_in)
    for kernel in kernels:
        kernel.close()
    store.delete(*kernels[0]._stored.key_names)
    shutil.rmtree(root)
    return found, steps


def compared(kernels, everything_in):
    """Return how the index, brought up to date, differs from a new one."""
    kernels[0].refresh()
    by_and_by = everything_in(kernels[0])
    kernels[1].refresh(full=True)
    found = list(differences(by_and_by, everything_in(kernels[1])))
    return [] if any(LATE in one for one in found) else found  # the machine is busy


def main(seconds=60.0, seed=None):
    """Run histories until the time is over."""
    with scratch_home() as home:
        from ipuaro_jupyter.store.connection import StoreSettings, connect

        store, end = connect(StoreSettings()), time.monotonic() + seconds
        count = steps = 0
        try:
            while time.monotonic() < end:
                current = random.randrange(10**9) if seed is None else int(seed)
                found, more = run(current, store, home)
                count, steps = count + 1, steps + more
                if found or seed is not None:
                    print(f"after {count} histories, {steps:,} edits")
                    print(f"seed {current}: {len(found)} differences", *found[:10], sep="\n")
                    return 1 if found else 0
            print(f"{count} histories, {steps:,} edits, no difference")
            return 0
        finally:
            store.close()


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:2]), *sys.argv[2:3]))

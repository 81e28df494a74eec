"""Whatever happens to the files: the index that follows is that of a fresh start."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

PATHS = (
    *("a.ts", "b.ts", "src/a.ts", "src/b.tsx", "src/index.ts", "src/sub/index.js", "src/sub/c.mjs"),
    *("packages/x/src/index.ts", "packages/x/package.json", "package.json", "tsconfig.json"),
    *("src/tsconfig.json", "x.txt", "read.md", "src/sub/.gitignore", ".gitignore", "a.d.ts"),
    *("base.json", "src/pkg/__init__.py", "src/pkg/m.py", "src/logo.png"),
)
CONTENTS = (
    "",
    "export const a = 1\nexport function f() { return a }\n",
    "import { a } from './a'\nimport './sub'\nexport class K { m() { return a } }\n",
    "export * from './a'\nexport { f as g } from './sub/index'\nimport x from 'x'\nimport '@/a'\n",
    "enum E { A, B }\n// TODO: z\nimport '../a'; import './gone'; import '#i'",
    '{"name":"x","main":"src/index.ts","workspaces":["packages/*"],"imports":{"#i":"./a.ts"}}',
    '{"name":"x","exports":{".":"./src/index.ts","./*":"./src/*.ts"},"imports":{"#i":"./b.ts"}}',
    '{"compilerOptions":{"baseUrl":".","paths":{"@/*":["src/*"]}}}',
    '{"extends":"../base.json","compilerOptions":{"rootDir":"src","outDir":"dist"}}',
    "c.mjs\nb.ts\n",
    "*\n!a.ts\n",
    "\0binary",
    "class A { constructor(){} m(){} }\nclass B { m(){} }\nconst q = require('./a'); function (",
    "import y from './b'; export default y; import z from '../x.txt'",
    "from . import m\nfrom .m import f\nimport pkg.m\ndef f(): pass\n",
    "// " + "x" * 30_000,
)
WRITES = st.tuples(st.sampled_from(PATHS), st.none() | st.sampled_from(CONTENTS))
FOLDERS = st.tuples(st.sampled_from(["src", "src/sub", "packages"]), st.none())
RENAMES = st.tuples(
    st.sampled_from([*PATHS, "src", "src/sub", "packages/x"]),
    st.sampled_from([*PATHS, "lib", "src/other", "packages/y"]).map(lambda path: (path,)),
)
STEPS = st.lists(
    st.tuples(
        st.lists(WRITES | FOLDERS | RENAMES, min_size=1, max_size=4), st.sampled_from([0, 1, 2, 3])
    ),
    max_size=8,
)


def change(root, change_disk, path, what):
    """Write, delete or rename; returns the paths that this concerns. What cannot be, is not."""
    place = root / path
    if not isinstance(what, tuple):
        if what is None or not place.is_dir():
            change_disk(root, path, what)
        return [path]
    target = root / what[0]
    if place.exists() and not target.is_dir() and not target.is_relative_to(place):
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or place.is_file():
            place.rename(target)
    return [path, what[0]]


@pytest.fixture
def numbered(tmp_path):
    """Return a function that makes another empty folder."""
    numbers = itertools.count()

    def make():
        folder = tmp_path / f"p{next(numbers)}"
        folder.mkdir()
        return folder

    return make


@given(STEPS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_index_after_any_changes_is_that_of_a_fresh_start(
    numbered, open_index, contents, change_disk, steps
):
    """Two kernels take turns: by scanning, by being told, by a question."""
    root = numbered()
    kernels = [open_index(root), open_index(root)]
    kernels[0].refresh()
    for changes, way in steps:
        touched = []
        for path, what in changes:
            try:
                touched += change(root, change_disk, path, what)
            except (FileExistsError, NotADirectoryError):  # a file where a folder would be
                continue
        kernel = kernels[way % 2]
        if way == 0:
            kernel.refresh()
        elif way == 1:
            kernel.references("a")
        else:
            kernel.touch(touched)
    kernels[0].refresh()
    by_and_by = contents(kernels[0])
    kernels[1].refresh(full=True)
    assert by_and_by == contents(kernels[1])

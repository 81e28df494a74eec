"""A change of files alters only the imports that were looked for where it happened."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.index.resolve.lookups import location, touched_locations
from ipuaro_jupyter.index.resolve.resolver import Resolver

CONFIGS = (
    {},
    {"tsconfig.json": {"baseUrl": ".", "paths": {"@/*": ["src/*", "lib/*"]}}},
    {"tsconfig.json": {"moduleSuffixes": [".ios", ""], "allowJs": True}},
    {"tsconfig.json": {"rootDirs": ["src", "lib"], "typeRoots": ["lib"]}},
    {"tsconfig.json": {"moduleResolution": "classic"}},
    {
        "tsconfig.json": {"module": "esnext", "references": [{"path": "lib"}]},
        "lib/tsconfig.json": {"outDir": "../out", "checkJs": True},
    },
    {
        "package.json": {"name": "top", "workspaces": ["lib"], "imports": {"#a": "./src/a.js"}},
        "lib/package.json": {"name": "lib", "exports": {".": "./index.js", "./*": "./*.mjs"}},
        "tsconfig.json": {"module": "nodenext", "rootDir": "src", "outDir": "o"},
    },
    {
        "package.json": {"name": "top", "dependencies": {"lib": "file:./lib"}, "type": "module"},
        "lib/package.json": {"name": "lib", "main": "b", "types": "./dist/a.d.ts"},
        "tsconfig.json": {"moduleResolution": "bundler"},
    },
    {"go.mod": "module x.org/m\nreplace x.org/other => ./lib\n", "lib/go.mod": "module x.org/o\n"},
    {
        "Cargo.toml": '[package]\nname = "top"\n[dependencies]\nz = { package = "lib" }\n'
        '[[bin]]\nname = "c"\npath = "src/b/c/a.rs"\n',
        "lib/Cargo.toml": '[package]\nname = "lib"\n[lib]\npath = "a/index.rs"\n',
    },
    {"pyproject.toml": '[tool.setuptools.packages.find]\nwhere = ["src"]'},
)
FOLDERS = ("", "src/", "src/a/", "lib/", "lib/a/", "out/", "src/b/c/")
NAMES = ("a", "b", "index", "__init__", "a.ios", "lib", "mod")
ENDINGS = (
    *(".ts", ".tsx", ".js", ".mjs", ".d.ts", ".json", ".py", ".go", "_test.go", ""),
    *(".rs", ".rs", ".java", ".java"),
)
FILES = st.frozensets(
    st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES), st.sampled_from(ENDINGS)).map(
        "".join
    )
)
IMPORTS = (
    *(
        "./a",
        "../a",
        "./a.js",
        "@/a",
        "@/b/c/a",
        "#a",
        "lib",
        "lib/a",
        "top",
        ".",
        "..",
        "./a.json",
    ),
    *("./a/index", "a", "src/a", "../out/a", "./a.css", "../lib/b", "./b/c", "lib/b.js"),
)
PYTHON = ("a", "a.b", ".a", ".", "..a", "b.c", "src.a", "lib", ".b.c", "..")
NAMED = (".py", ".rs", ".java")
GO = ("x.org/m", "x.org/m/src", "x.org/other", "x.org/other/a", "./a", "../lib", "x.org/m/none")
RUST = ("crate::a", "self::b", "super::a::b", "lib::a", "z", "a::b", "top::index", "a.rs", "mod")
JAVA = ("a", "src.a", "a.b", "b.c", "lib.a.index")
ASKED = (
    *((source, f"{at}.rs") for source in RUST for at in ("src/a", "src/b/c/a", "lib/a/b", "lib")),
    *((source, f"{at}.java") for source in JAVA for at in ("src/app", "lib/a/app")),
    *((source, importer) for source in IMPORTS for importer in ("src/app.ts", "lib/a/app.mts")),
    *((source, importer) for source in PYTHON for importer in ("src/app.py", "src/a/app.py")),
    *((source, importer) for source in GO for importer in ("src/app.go", "lib/a/app.go")),
)


def written(config):
    """Return the texts of configuration files; options of the compiler are at their top."""
    texts = {}
    for path, said in config.items():
        whole = said
        if path.endswith("tsconfig.json"):
            whole = {"compilerOptions": said, "references": said.get("references", [])}
        texts[path] = whole if isinstance(whole, str) else json.dumps(whole)
    return texts


def answers(resolver):
    """Return the answer to each import, with what was looked at."""
    return [
        resolver.lookup(source, importer, names=["a", "b"] if importer.endswith(NAMED) else [])
        for source, importer in ASKED
    ]


@given(st.sampled_from(CONFIGS), FILES, FILES)
@settings(max_examples=25, deadline=None)
def test_import_is_answered_as_before_unless_it_was_looked_for_where_files_moved(
    config, some, others
):
    before, after = (dict.fromkeys(sorted(files), "") | written(config) for files in (some, others))
    touched = touched_locations(before.keys() ^ after.keys(), before, after)
    first = Resolver(before, before.get)
    known = answers(first)
    now, reused = answers(Resolver(after, after.get)), answers(first.with_files(after))
    assert reused == now
    for asked, one, other in zip(ASKED, known, now, strict=True):
        if touched.isdisjoint(one.locations):
            assert one == other, asked


@pytest.mark.parametrize("path", ["src/a.ts", "src/a.d.ts", "src/a.test.tsx", "src/a"])
def test_files_that_differ_in_their_extensions_are_at_one_location(path):
    assert location(path) == location("src/a.js")


def test_folder_counts_only_when_it_begins_or_ceases_to_have_files_of_python():
    before, after = {"pkg/sub/a.py": 0, "pkg/b.ts": 0}, {"pkg/sub/a.py": 0, "pkg/sub/b.py": 0}
    moved = {"pkg/sub/b.py", "pkg/b.ts"}
    assert location("pkg/sub/") not in touched_locations(moved, before, after)
    assert location("pkg/sub/") in touched_locations({"pkg/sub/a.py"}, before, {"pkg/b.ts": 0})


def test_order_of_questions_does_not_change_what_is_noted():
    files = {"src/a/__init__.py": "", "src/a/b.py": "", "src/c/d.py": "", "src/a.ts": ""}
    questions = [("a.b", "src/x.py"), ("a", "src/y.py"), ("c.d", "src/x.py"), ("./a", "src/x.ts")]
    one, other = Resolver(files, files.get), Resolver(files, files.get)
    forwards = {asked: one.lookup(*asked).locations for asked in questions}
    assert forwards == {asked: other.lookup(*asked).locations for asked in questions[::-1]}

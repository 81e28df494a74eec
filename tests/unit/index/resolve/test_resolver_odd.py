"""Whatever configurations hold and imports say: there is an answer, and it is in the project."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.index.resolve.resolver import Resolver

TEXTS = st.sampled_from(
    [
        *(
            "",
            ".",
            "..",
            "./",
            "*",
            "./*",
            "../*",
            "#a",
            "a",
            "./src/a.ts",
            "./src/*.js",
            "/",
            "//",
        ),
        *(
            "@x/a",
            "@x",
            "@",
            "x/",
            "nodenext",
            "bundler",
            "classic",
            "commonjs",
            "esnext",
            "module",
        ),
        *(
            "workspace:*",
            "link:..",
            "file:",
            "${configDir}",
            "${configDir}/src",
            "{",
            "{a,b}",
            "\0",
        ),
        *("./package.json", "../../..", "src", "**", "a\\b", ">=5", "\ud800"),
    ]
)
KEYS = st.sampled_from(
    [
        *("compilerOptions", "paths", "baseUrl", "rootDirs", "moduleSuffixes", "moduleResolution"),
        *("module", "extends", "references", "path", "include", "exclude", "files", "outDir"),
        *("rootDir", "typeRoots", "name", "main", "types", "exports", "imports", "typesVersions"),
        *("workspaces", "packages", "dependencies", "type", "bin", ".", "./*", "#a", "import", "*"),
        *("@x/a", "customConditions", "composite", "tsconfig", "types@>=5"),
    ]
)
VALUES = st.recursive(
    st.one_of(TEXTS, st.none(), st.booleans(), st.integers(-1, 9)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
TABLES = st.dictionaries(KEYS, VALUES, max_size=6)
CONFIGS = ("package.json", "tsconfig.json", "packages/a/package.json", "packages/a/tsconfig.json")
SOURCES = ("src/a.ts", "src/index.tsx", "packages/a/src/b.mts", "packages/a/index.d.ts", "a.js")


@settings(suppress_health_check=list(HealthCheck))
@given(
    tables=st.fixed_dictionaries(dict.fromkeys(CONFIGS, TABLES)),
    sources=st.lists(st.one_of(TEXTS, st.text(max_size=8)), min_size=1, max_size=6),
)
def test_odd_projects_have_answers_all_the_same(tables, sources):
    files = {path: json.dumps(table) for path, table in tables.items()}
    files |= dict.fromkeys(SOURCES, "")
    resolver = Resolver(files, files.get, symlinks={"src/link": "../packages", "loop": "loop"})
    for importer in SOURCES:
        for source in sources:
            for kind in ("import", "require", "dynamic"):
                found = resolver.resolve(source, importer, kind=kind)
                assert found.path is None or found.path in files
                assert found.target is None or not found.target.startswith(("/", "../"))
    assert resolver.entries <= files.keys()

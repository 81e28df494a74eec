"""The imports of a monorepo lead where TypeScript takes them.

What it takes them for is recorded: ``python tests/benchmarks/compare_imports.py --record``.
"""

import json
from itertools import groupby
from pathlib import Path

import pytest

from ipuaro_jupyter.index.resolve.resolver import Resolver

PROJECTS = Path(__file__).parents[3] / "projects"
SHIPYARD = PROJECTS / "shipyard"
RECORDED = json.loads((PROJECTS / "shipyard.imports.json").read_text())


@pytest.fixture(scope="module")
def resolver():
    """Return a resolver for all files of the monorepo."""
    paths = (path for path in SHIPYARD.rglob("*") if path.is_file())
    files = {path.relative_to(SHIPYARD).as_posix(): path.read_text() for path in paths}
    return Resolver(files, files.get)


@pytest.mark.parametrize(
    ("importer", "answers"),
    [(path, list(answers)) for path, answers in groupby(RECORDED, key=lambda answer: answer[0])],
)
def test_imports_lead_where_typescript_takes_them(resolver, importer, answers):
    ours = [
        [importer, source, kind, resolver.resolve(source, importer, kind=kind).path]
        for _, source, kind, _ in answers
    ]
    assert ours == answers


@pytest.mark.parametrize(
    ("source", "importer", "expected"),
    [
        ("@yard/keel", "apps/web/src/index.ts", "packages/keel/src/index.ts"),
        ("./worker", "apps/web/src/index.ts", "apps/web/src/worker.d.mts"),
        ("#built", "packages/hull/src/index.ts", "packages/hull/src/rivets.ts"),
        ("./rivets", "packages/hull/src/index.ts", "packages/hull/src/rivets.ts"),
        ("wreck", "apps/wreck/main.js", "apps/wreck/main.js"),
        ("./gone.js", "packages/hull/src/index.ts", "packages/hull/src/gone.js"),
        ("unknown", "apps/web/src/index.ts", None),
    ],
)
def test_what_typescript_does_not_find_has_a_target_all_the_same(
    resolver, source, importer, expected
):
    assert resolver.resolve(source, importer).target == expected

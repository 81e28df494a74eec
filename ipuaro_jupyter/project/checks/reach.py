"""The files and tests that a change reaches through imports."""

import re
from collections.abc import Collection, Iterable, Mapping

from ipuaro_jupyter.cancellation import checkpoint

_NAMED = re.compile(r"(?:.*/)?(?:[^/]+[._-](?:test|spec)\.\w+|test_[^/]+\.py|[^/]+_test\.py)")
_IN_FOLDER = re.compile(r"(?:.*/)?__tests__/.+\.[cm]?[jt]sx?")
_TEST_FOLDER = re.compile(r"(?:.*/)?(?:tests?|specs?)/.+\.[cm]?[jt]sx?")
_CONFTEST = "conftest.py"

Graph = Mapping[str, Collection[str]]


def reached_files(changed: Iterable[str], dependents: Graph) -> frozenset[str]:
    """The changed files, and all that import them at any distance.

    Files below a ``conftest.py`` count as its importers: pytest loads it for them.

    Args:
        changed: Files of the project; they need not be in the graph.
        dependents: For each file of the project the files that import it.
    """
    return frozenset(distances(changed, dependents))


def distances(changed: Iterable[str], dependents: Graph) -> dict[str, int]:
    """The files of `reached_files`, each with the number of imports to a changed one."""
    found: dict[str, int] = {}
    border, distance = set(changed), 0
    while border:
        checkpoint()
        found.update(dict.fromkeys(border, distance))
        border = {by for path in border for by in _importers(path, dependents)} - found.keys()
        distance += 1
    return found


def is_test(path: str) -> bool:
    """Whether runners take a file for a test by its name."""
    return bool(_NAMED.fullmatch(path) or _IN_FOLDER.fullmatch(path))


def may_be_test(path: str, dependents: Graph) -> bool:
    """Whether a runner without a rule for names may run a file: in a test folder, not imported."""
    return bool(_TEST_FOLDER.fullmatch(path)) and not dependents.get(path)


def _importers(path: str, dependents: Graph) -> Iterable[str]:
    yield from dependents.get(path, ())
    folder, _, name = path.rpartition("/")
    if name == _CONFTEST:
        above = f"{folder}/" if folder else ""
        yield from (p for p in dependents if p.startswith(above) and p.endswith(".py"))

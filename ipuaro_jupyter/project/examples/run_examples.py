"""Runs the examples in the documentation of one function: ``run_examples.py FILE NAME OTHERS``.

OTHERS are those that doctest does not read, as JSON: pairs of an expression and what it gives.

It runs in the Python of a project, and needs nothing but Python 3.9. The exit status is 0 when all
examples hold, 4 when one fails, which is printed, and 3 when nothing is known.
"""

import doctest
import importlib
import json
import sys
from pathlib import Path
from typing import Any

_UNKNOWN, _FAILED = 3, 4


class _Runner(doctest.DocTestRunner):
    """Tells each example that fails in a line."""

    failed = 0

    def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:  # noqa: ARG002
        said, given, wanted = (one.strip() for one in (example.source, got, example.want))
        if wanted or given == "False":  # else it says no result, or compares with it
            self.failed += 1
            out(f"{said} gives {given}" + (f", not {wanted}\n" if wanted else "\n"))

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:  # noqa: ARG002
        self.failed += 1
        out(f"{example.source.strip()} raises {exc_info[0].__name__}: {exc_info[1]}\n")


def _module(file: Path) -> str:
    """The name by which the file can be imported, with its folder on the path."""
    folder, parts = file.parent, [file.stem]
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    sys.path[0] = str(folder)
    return ".".join(part for part in parts if part != "__init__")


def _others(examples: list[list[str]], names: dict[str, Any]) -> tuple[int, int]:
    """Run pairs of expressions; how many were run, and how many fail."""
    ran = failed = 0
    for said, meant in examples:
        try:
            wanted = eval(meant, dict(names))  # noqa: S307 - the project's own examples, in a sandbox
        except Exception:  # noqa: BLE001, S112 - it is no code
            continue
        ran += 1
        try:
            given = eval(said, dict(names))  # noqa: S307
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"{said} raises {type(error).__name__}: {error}")  # noqa: T201
            continue
        if given != wanted:
            failed += 1
            print(f"{said} gives {given!r}, not {wanted!r}")  # noqa: T201
    return ran, failed


def _run(file: str, name: str, others: str) -> int:
    """The exit status."""
    try:
        module = importlib.import_module(_module(Path(file).resolve()))
        found = module
        for part in name.split("."):
            found = getattr(found, part)
        finder = doctest.DocTestFinder(recurse=False)
        tests = finder.find(found, name, module=module, globs=dict(vars(module)))
    except BaseException:  # noqa: BLE001 - what the file does on import is its own
        return _UNKNOWN
    runner = _Runner(verbose=False)
    for test in tests:
        runner.run(test)
    ran, failed = _others(json.loads(others), vars(module))
    if not runner.tries + ran:
        return _UNKNOWN
    return _FAILED if runner.failed + failed else 0


if __name__ == "__main__":
    sys.exit(_run(*sys.argv[1:]))

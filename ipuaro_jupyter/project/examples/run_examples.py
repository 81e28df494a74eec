"""Runs the examples of a function: ``run_examples.py MARK FILE EXAMPLES``.

EXAMPLES are JSON: a documentation, whose examples doctest finds, and a list of further ones, pairs
of an expression and what it gives. MARK is printed once FILE is imported, and before the examples
that fail: a list as JSON, of an expression, what it should give, and what it does instead. With
``-`` as FILE the words behind it are a program that is run instead of the examples.

It runs in the Python of a project, and needs nothing but Python 3.9.
"""

import doctest
import importlib
import json
import os
import shutil
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

_MOST_BYTES, _LARGEST_FILE_BYTES = 4 << 30, 100 << 20

Failed = list[tuple[str, str, str]]


class _Runner(doctest.DocTestRunner):
    """Collects the examples that fail."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(verbose=False)
        self._failed = failed

    def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:  # noqa: ARG002
        said, given, wanted = (one.strip() for one in (example.source, got, example.want))
        if wanted or given == "False":  # else it says no result, or compares with it
            told = f"{said} gives {given}" + (f", not {wanted}" if wanted else "")
            self._failed.append((said, wanted, told))

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:  # noqa: ARG002
        _note_error(example.source.strip(), example.want.strip(), exc_info[1], self._failed)


def _note_error(said: str, meant: str, error: BaseException, failed: Failed) -> None:
    """Note an example that raises, unless it is no code by itself, or needs what is not here."""
    raised = traceback.extract_tb(error.__traceback__)[-1].filename
    is_own = raised.startswith("<") or raised in (doctest.__file__, __file__)
    unknown = (ImportError, OSError, *((NameError, SyntaxError) if is_own else ()))
    if not isinstance(error, unknown):
        failed.append((said, meant, f"{said} raises {type(error).__name__}: {error}"))


def _module(file: Path) -> str:
    """The name by which the file can be imported, with its folder on the path."""
    folder, parts = file.parent, [file.stem]
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    sys.path[0] = str(folder)
    return ".".join(part for part in parts if part != "__init__")


def _run_others(examples: list[list[str]], names: dict[str, Any], failed: Failed) -> None:
    """Run pairs of expressions."""
    for said, meant in examples:
        try:
            wanted = eval(meant, dict(names))  # noqa: S307 - the project's own examples, in a sandbox
        except BaseException:  # noqa: BLE001, S112 - it is no code
            continue
        try:
            given = eval(said, dict(names))  # noqa: S307
            is_other = not isinstance(wanted, type) and not hasattr(given, "__await__")
            if is_other and bool(given != wanted):
                failed.append((said, meant, f"{said} gives {given!r}, not {wanted!r}"))
        except BaseException as error:  # noqa: BLE001
            _note_error(said, meant, error, failed)


def _limit() -> None:
    """Bound what it takes, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - Windows has none

        resource.setrlimit(resource.RLIMIT_DATA, (_MOST_BYTES, _MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE_BYTES, _LARGEST_FILE_BYTES))


def _run(mark: str, file: str, examples: str) -> None:
    documentation, others = json.loads(examples)
    try:
        names = vars(importlib.import_module(_module(Path(file).resolve())))
        parser = doctest.DocTestParser()
        test = parser.get_doctest(documentation, dict(names), "example", file, 0)
    except BaseException:  # noqa: BLE001 - what the file does on import is its own
        return
    print(mark, flush=True)  # noqa: T201
    failed: Failed = []
    _Runner(failed).run(test)
    _run_others(others, names, failed)
    print(f"\n{mark}{json.dumps(failed)}")  # noqa: T201


if __name__ == "__main__":
    _limit()
    if sys.argv[2] == "-":
        os.execv(shutil.which(sys.argv[3]) or sys.argv[3], sys.argv[3:])  # noqa: S606 - in a sandbox
    _run(*sys.argv[1:])

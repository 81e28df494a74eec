"""Compare where Python's imports lead with what the finders of importlib say.

    python tests/benchmarks/compare_python_imports.py [PACKAGE...]

Each installed package is taken for a project of its own that lies where it is installed. Every
absolute and relative import in it, of a module or of names, is looked up by the finders, without
importing anything: a name that is a submodule leads there, unless the package has other names too.
It prints how many imports lead to the same files, and those that do not.
"""

import argparse
import ast
import importlib.machinery
import sysconfig
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ipuaro_jupyter.index.resolve.resolver import Resolver

SITE = Path(sysconfig.get_path("purelib"))
PACKAGES = ("pydantic", "jinja2", "tornado", "jedi", "hypothesis", "pygments", "git", "redis")
LOADERS = importlib.machinery.SourceFileLoader, importlib.machinery.SOURCE_SUFFIXES


@cache
def _finder(folder: str) -> importlib.machinery.FileFinder:
    return importlib.machinery.FileFinder(folder, LOADERS)


@cache
def located(parts: tuple[str, ...], path: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """Return the file of a module and the folders of its submodules; (None, ()) for nothing."""
    origin: str | None = None
    for part in parts:
        portions: list[str] = []
        spec = None
        for folder in path:
            spec = _finder(folder).find_spec(part)
            if spec is not None and spec.loader is not None:
                break
            portions += spec.submodule_search_locations or [] if spec is not None else []
            spec = None
        if spec is None and not portions:
            return None, ()
        origin = None if spec is None else spec.origin
        path = tuple(portions if spec is None else spec.submodule_search_locations or ())
    return origin, path


def truth(source: str, file: Path, names: list[str]) -> set[str]:
    """Return the files that an import leads to."""
    name = source.lstrip(".")
    level = len(source) - len(name)
    parts = tuple(name.split(".")) if name else ()
    if level:
        folder = file.parent
        for _ in range(level - 1):
            folder = folder.parent
        init = folder / "__init__.py"
        found = (str(init) if init.exists() else None, (str(folder),))
        found = located(parts, (str(folder),)) if parts else found
    else:
        found = located(parts, (str(SITE),))
    own, folders = found
    inner = {n: located((n,), folders)[0] for n in names} if folders else {}
    modules = {path for path in inner.values() if path is not None and path != own}
    every = bool(names) and all(inner.get(n) not in (None, own) for n in names)
    return modules if every else modules | ({own} if own is not None else set())


def imports(file: Path) -> Iterator[tuple[str, int, list[str]]]:
    """Yield the imports of a file: source, line, names."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno, ["*"]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            yield source, node.lineno, [alias.name for alias in node.names]


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    options = parser.parse_args()
    total = equal = 0
    seconds = 0.0
    for package in options.packages:
        files = sorted((SITE / package).rglob("*.py"))
        known = {str(file.relative_to(SITE)) for file in files}
        resolver = Resolver(known, lambda _: None)
        for file in files:
            importer = str(file.relative_to(SITE))
            for source, line, names in imports(file):
                began = time.perf_counter()
                link = resolver.resolve(source, importer, names=names)
                seconds += time.perf_counter() - began
                ours = {path for path in link.targets if path in known}
                theirs = {
                    str(Path(p).relative_to(SITE)) for p in truth(source, file, names)
                } & known
                total += 1
                equal += ours == theirs
                if ours != theirs:
                    print(
                        f"{importer}:{line} {source} {names}: {ours or None}, not {theirs or None}"
                    )
    print(
        f"{total} imports, {equal} equal, {total - equal} not; {1e6 * seconds / total:.1f} µs each"
    )


if __name__ == "__main__":
    main()

"""Which file of the project a Python import means.

Python looks a module up in the folders of ``sys.path``, which nobody knows without running the
program. Here they are: the folder of the outermost package that the importing file is in, and
those above, each with its ``src``.

See https://docs.python.org/3/reference/import.html#searching
"""

import sys
from collections.abc import Callable, Iterator

from ipuaro_jupyter.index.project_paths import folder_of, folders_up, join

_ENDINGS = (".py", ".pyi", "/__init__.py", "/__init__.pyi")


def is_python(path: str) -> bool:
    """Return whether the imports of a file are Python's."""
    return path.endswith((".py", ".pyi"))


def python_module(source: str, importer: str, exists: Callable[[str], bool]) -> str | None:
    """Return the file that a module is in; None: it is not in the project.

    Args:
        source: The module as it is imported: "a.b", ".a" or "..".
        importer: The file that imports it.
        exists: Whether the project has a file.
    """
    name = source.lstrip(".")
    level = len(source) - len(name)
    path = name.replace(".", "/")
    if level:
        place = join(folder_of(importer), "./" + "../" * (level - 1) + path)
        return None if place is None else _module(place, exists)
    if name.partition(".")[0] in sys.stdlib_module_names:
        return None
    for root in _roots(importer, exists):
        found = _module(f"{root}/{path}" if root else path, exists)
        if found is not None:
            return found
    return None


def _module(place: str, exists: Callable[[str], bool]) -> str | None:
    endings = _ENDINGS if place else ()
    return next((place + ending for ending in endings if exists(place + ending)), None)


def _roots(importer: str, exists: Callable[[str], bool]) -> Iterator[str]:
    is_outside = False
    for folder in folders_up(folder_of(importer)):
        is_outside = is_outside or not exists(f"{folder}/__init__.py" if folder else "__init__.py")
        if is_outside:
            yield folder
            yield f"{folder}/src" if folder else "src"

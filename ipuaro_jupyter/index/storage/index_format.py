"""The format of the index: whether this version of the package made it."""

import os
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ipuaro_jupyter.languages.registry import SEARCH_PATH, languages

_LAYOUT = "1"
_PACKAGE = Path(__file__).parents[2]
_ROOMS = ("index", "languages")
_BESIDES = ("globs.py", "workspace/files/text_file.py")  # which resolves, and says what is text


def index_format() -> str:
    """A hash of everything that determines the content of the index: our code and grammars."""
    return _format_with(os.environ.get(SEARCH_PATH, ""))


@lru_cache(maxsize=8)
def _format_with(search_path: str) -> str:
    digest = blake2b(f"{_LAYOUT} {version('tree-sitter')}".encode(), digest_size=16)
    sources = [source for room in _ROOMS for source in sorted((_PACKAGE / room).rglob("*.py"))]
    sources += [_PACKAGE / source for source in _BESIDES]
    for language in languages(search_path).values():
        sources += sorted(language.folder.glob("*.[ts][oc]m*"))
        if language.grammar is not None:
            module = language.grammar.partition(":")[0]
            with suppress(PackageNotFoundError):
                digest.update(version(module.replace("_", "-")).encode())
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()

"""The names of the packages that a project says it depends on."""

import json
import re
from collections.abc import Iterator, Sequence

from ipuaro_jupyter.index.code_index import CodeIndex

_MOST = 30  # manifests
_REQUIRED = re.compile(r"^\s*[\"']?([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*(?:[<>=!~;@].*)?[\"']?,?\s*$")


def dependencies(index: CodeIndex, paths: Sequence[str]) -> Iterator[str]:
    """Yield the names in lower case, a name with a scope also without it."""
    texts = index.texts([path for path in paths if _is_manifest(path)][:_MOST])
    for path, (data, _) in texts.items():
        text = data.decode("utf-8", "replace")
        found = _of_npm(text) if path.endswith(".json") else _of_python(text)
        for name in found:
            yield name.lower()
            yield name.lower().rpartition("/")[2]


def _is_manifest(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in ("package.json", "pyproject.toml") or (
        name.startswith("requirements") and name.endswith(".txt")
    )


def _of_npm(text: str) -> Iterator[str]:
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError):
        return
    for kind in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        named = manifest.get(kind) if isinstance(manifest, dict) else None
        yield from named if isinstance(named, dict) else ()


def _of_python(text: str) -> Iterator[str]:
    """Yield what is required, one to a line or in a list."""
    for line in re.split(r"[\n\[\]]|(?<=[\"']),", text):
        if required := _REQUIRED.match(line):
            yield required[1]

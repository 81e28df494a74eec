"""The files whose exports something outside of the code takes: packages, tools, frameworks."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ipuaro_jupyter.index.resolve.export_maps import every_target
from ipuaro_jupyter.index.resolve.project_paths import folder_of, join

_CODE = r"\.[cm]?[jt]sx?"
_NEXT = (
    "page|layout|template|loading|error|global-error|not-found|default|route|sitemap|robots"
    "|manifest|icon|apple-icon|opengraph-image|twitter-image|forbidden|unauthorized"
)
_ANY_EXPORT: dict[str, tuple[str, ...]] = {
    "next": (
        rf"(?:src/)?pages/.+{_CODE}",
        rf"(?:src/)?app/(?:.+/)?(?:{_NEXT}){_CODE}",
        rf"(?:src/)?(?:middleware|proxy|instrumentation|instrumentation-client){_CODE}",
    ),
    "@remix-run/": (rf"app/(?:routes/.+|root|entry\.\w+){_CODE}",),
    "@react-router/": (rf"app/(?:routes/.+|root|routes|entry\.\w+){_CODE}",),
    "@sveltejs/kit": (
        rf"src/routes/(?:.+/)?\+[\w.]+{_CODE}",
        rf"src/(?:hooks[\w.]*|params/.+|service-worker){_CODE}",
    ),
    "nuxt": (
        rf"(?:app/)?(?:pages|layouts|plugins|middleware|composables|utils)/.+{_CODE}",
        rf"server/(?:api|routes|middleware|plugins|utils)/.+{_CODE}",
    ),
    "astro": (rf"src/(?:pages/.+|content/config|content\.config|middleware){_CODE}",),
    "gatsby": (rf"src/(?:pages|templates|api)/.+{_CODE}", rf"gatsby-\w+{_CODE}"),
    "@docusaurus/core": (rf"src/(?:pages|theme)/.+{_CODE}",),
    "expo-router": (rf"(?:src/)?app/.+{_CODE}",),
    "@nestjs/": (rf".+\.(?:module|controller|gateway|resolver){_CODE}",),
}
"""The files that frameworks read, by the name of a dependency; a "/" at its end takes them all."""

_EVERYWHERE = (
    rf"(?:.+/)?[^/]+\.stories{_CODE}|(?:.+/)?\.storybook/.+|(?:.+/)?__mocks__/.+"
    rf"|(?:.+/)?[^/]+\.(?:cy|bench|story){_CODE}|(?:.+/)?migrations/.+"
    r"|(?:.+/)?(?:manage|setup|conftest|noxfile|fabfile|wsgi|asgi|gunicorn\.conf)\.py"
    r"|(?:.+/)?management/commands/.+\.py|(?:.+/)?(?:alembic|versions)/.+\.py"
    r"|(?:.+/)?(?:urls|admin|apps|settings|models|signals|tasks|__main__)\.py"
    r"|(?:.+/)?settings/.+\.py|(?:.+/)?docs?/(?:.+/)?conf\.py"
)
_PYTHON_NAMES = re.compile(r"pytest_\w+|__\w+__|setup|load_ipython_extension|main")
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_OBJECT = re.compile(r"(?P<module>[A-Za-z_][\w.]*)\s*:\s*(?P<name>[A-Za-z_]\w*)")


class Conventions:
    """Tells which exports tools and frameworks take.

    Args:
        packages: The contents of the package.json files, by folder.
        objects: What the settings of Python packages name; see `named_objects`.
    """

    def __init__(
        self,
        packages: Mapping[str, Mapping[str, Any]],
        objects: Collection[tuple[str, str]],
    ) -> None:
        self._objects = objects
        self._patterns: list[tuple[str, re.Pattern[str]]] = []
        for folder, said in packages.items():
            names = {name for key in _DEPENDENCIES for name in _table(said.get(key))}
            self._patterns += [
                (folder, re.compile(pattern))
                for wanted, patterns in _ANY_EXPORT.items()
                if any(name == wanted or _is_in_scope(name, wanted) for name in names)
                for pattern in patterns
            ]
        self._everywhere = re.compile(_EVERYWHERE)
        self._alternatives = _alternatives(packages)

    def takes(self, path: str, name: str) -> bool:
        """Whether a tool or framework takes a file's export by its place or its name.

        Or it is one of those that ``imports`` has for several platforms.
        """
        if self._everywhere.fullmatch(path) or path in self._alternatives:
            return True
        if path.endswith((".py", ".pyi")):
            module = path.rpartition("/")[2].partition(".")[0]
            return (module, name) in self._objects or bool(_PYTHON_NAMES.fullmatch(name))
        return any(
            pattern.fullmatch(path[len(folder) + bool(folder) :])
            for folder, pattern in self._patterns
            if not folder or path.startswith(f"{folder}/")
        )


def _alternatives(packages: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    """The files of which ``imports`` takes one, by the conditions that hold where the code runs."""
    places = (
        join(folder, target)
        for folder, said in packages.items()
        for value in _table(said.get("imports")).values()
        for target in (every_target(value) if isinstance(value, dict) else ())
    )
    return frozenset(place for place in places if place)


def pattern_entries(
    packages: Mapping[str, Mapping[str, Any]], files: Collection[str]
) -> frozenset[str]:
    """The files that patterns in ``exports`` match, such as "./lib/*.js"."""
    found: set[str] = set()
    for folder, said in packages.items():
        for target in every_target(said.get("exports")):
            place = join(folder, target) if "*" in target else None
            if place is None:
                continue
            before, _, after = place.partition("*")
            stem = re.sub(rf"(?:\.d)?{_CODE}$", "", after)
            pattern = re.compile(rf"{re.escape(before)}.+{re.escape(stem)}(?:\.d)?{_CODE}")
            found |= {path for path in files if pattern.fullmatch(path)}
    return frozenset(found)


def named_objects(texts: Iterable[str]) -> frozenset[tuple[str, str]]:
    """The functions that settings of Python packages name: the last part of the module, the name.

    Args:
        texts: The contents of ``pyproject.toml``, ``setup.cfg`` and ``setup.py``.
    """
    found = (match for text in texts for match in _OBJECT.finditer(text))
    return frozenset((match["module"].rpartition(".")[2], match["name"]) for match in found)


def first_files(packages: Iterable[str], files: Collection[str]) -> frozenset[str]:
    """The files that packages without an entry point in the project most likely begin with."""
    found = set()
    for folder in packages:
        inside = f"{folder}/" if folder else ""
        stems = [f"{inside}{place}{name}" for place in ("", "src/", "lib/") for name in _FIRST]
        found |= {f"{stem}{end}" for stem in stems for end in _ENDS if f"{stem}{end}" in files}
    return frozenset(found)


_FIRST = ("index", "main", "cli")
_ENDS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")


def package_folder(path: str) -> str:
    """The folder of a package.json."""
    return folder_of(path)


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_in_scope(name: str, wanted: str) -> bool:
    return wanted.endswith("/") and name.startswith(wanted)

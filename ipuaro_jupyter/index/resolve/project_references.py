"""The sources of built files, as TypeScript knows them without a build.

`Sources` does what the editor does for project references (``useSourceOfProjectReferenceRedirect``
in TypeScript's program.ts): the declaration files that other projects will have stand for their
sources. `input_places` does what it does for a package's own ``exports`` and ``imports``
(``tryLoadInputFileForPath`` in moduleNameResolver.ts).
"""

import posixpath
from collections.abc import Iterable, Iterator, Sequence

from ipuaro_jupyter.index.resolve.candidates import DECLARATIONS, JAVASCRIPT, TYPESCRIPT
from ipuaro_jupyter.index.resolve.lookups import TrackedFiles
from ipuaro_jupyter.index.resolve.project_paths import folder_of, folders_up, is_inside
from ipuaro_jupyter.index.resolve.tsconfig import TsConfig

_BUILT = (".mjs", ".cjs", ".js", ".json", *DECLARATIONS)
_INPUTS = {
    **dict.fromkeys((".d.mts", ".mjs"), (".mts", ".mjs")),
    **dict.fromkeys((".d.cts", ".cjs"), (".cts", ".cjs")),
    **dict.fromkeys((".js", ".d.ts", ".json"), (".tsx", ".ts", ".jsx", ".js")),
}
_KIND_OF = {
    **dict.fromkeys((".tsx", ".ts", ".mts", ".cts"), TYPESCRIPT),
    **dict.fromkeys((".jsx", ".js", ".mjs", ".cjs"), JAVASCRIPT),
}
_COMPILED = (".ts", ".tsx", ".mts", ".cts")
_JAVASCRIPT = (".js", ".jsx", ".mjs", ".cjs")
_SOURCES = {
    ".d.ts": (".ts", ".tsx", ".js", ".jsx"),
    ".d.mts": (".mts", ".mjs"),
    ".d.cts": (".cts", ".cjs"),
}


class Sources:
    """The future declaration files of the projects that a configuration refers to.

    Args:
        configs: The configurations of these projects.
        files: The paths of the project.
    """

    def __init__(self, configs: Sequence[TsConfig], files: TrackedFiles) -> None:
        self._configs = configs
        self._files = files
        self._roots: dict[str, str | None] = {}

    def source_of(self, path: str) -> str | None:
        """The source of the declaration file ``path``; None when no project will have it."""
        for config in self._configs:
            output = next(iter(config.outputs), None)
            if output is not None and not is_inside(path, output):
                continue
            for source in self._inputs(path, output, config):
                if source in self._files and config.includes(source):
                    return source
        return None

    def _inputs(self, path: str, output: str | None, config: TsConfig) -> Iterator[str]:
        place = path
        if output is not None:
            root = self._root(config)
            if root is None:
                return
            place = _under(root, path[len(output) :].lstrip("/"))
        extension = next(e for e in DECLARATIONS if place.endswith(e))
        for given in _SOURCES[extension]:
            if config.allows_js or given in _COMPILED:
                yield place[: -len(extension)] + given

    def _root(self, config: TsConfig) -> str | None:
        """The folder that is compiled into the one for declarations; None when there is none."""
        if config.root_dir is not None:
            return config.root_dir
        if config.is_composite:
            return folder_of(config.path)
        self._files.note_all()
        if config.path not in self._roots:
            kinds = (*_COMPILED, *_JAVASCRIPT) if config.allows_js else _COMPILED
            self._roots[config.path] = _common_folder(
                path
                for path in self._files
                if path.endswith(kinds)
                and not path.endswith(DECLARATIONS)
                and config.includes(path)
            )
        return self._roots[config.path]


def input_places(
    path: str, package: str, config: TsConfig, folder: str, kinds: int
) -> Iterator[str]:
    """Yield the possible sources of a file in ``outDir`` or ``declarationDir``.

    Args:
        path: The file that ``exports`` or ``imports`` name.
        package: The folder of the package that names it.
        config: The configuration of the importing file.
        folder: The folder of that file.
        kinds: The kinds of files to look for; see `candidates`.
    """
    if not config.outputs or not is_inside(config.path, package):
        return
    if config.root_dir is not None:
        roots = [config.root_dir]
    elif config.is_composite:
        roots = [folder_of(config.path)]
    else:
        roots = [*folders_up(_common([folder, package]))][::-1]
    for root in roots:
        for output in config.outputs:
            if is_inside(path, output) and path != output:
                yield from _inputs_at(_under(root, path[len(output) :].lstrip("/")), kinds)


def _inputs_at(place: str, kinds: int) -> Iterator[str]:
    for extension in _BUILT:
        if place.endswith(extension):
            for given in _INPUTS[extension]:
                if kinds & _KIND_OF[given]:
                    yield place[: -len(extension)] + given


def _under(root: str, rest: str) -> str:
    return posixpath.join(root, rest)


def _common_folder(paths: Iterable[str]) -> str | None:
    """The deepest folder that contains all files; None when there are no files."""
    folders = {folder_of(path) for path in paths}
    return _common(sorted(folders)) if folders else None


def _common(folders: Sequence[str]) -> str:
    """The deepest folder that contains, or is, each of the folders."""
    first = folders[0]
    return next(above for above in folders_up(first) if all(is_inside(f, above) for f in folders))

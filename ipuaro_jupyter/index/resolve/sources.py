"""The sources of built files: packages of a workspace are often imported before a build."""

from collections.abc import Iterator

from ipuaro_jupyter.index.resolve.project_paths import join
from ipuaro_jupyter.index.resolve.tsconfig import TsConfig

_BUILT = frozenset(
    {
        *("dist", "build", "lib", "out", "output", "target", "es", "esm", "cjs", "umd", "esnext"),
        *("module", "modules", "commonjs", "types", "typings", "dts", "node", "browser"),
        *("dist-cjs", "dist-es", "dist-esm", "dist-types", "es2015", "es2020", "legacy", "bundles"),
    }
)


def source_places(
    place: str, folder: str, config: TsConfig, *, is_guessed: bool = True
) -> Iterator[str]:
    """Yield the possible sources of a built file, with the extension of the built one.

    First by ``outDir`` and ``rootDir``, then with ``src`` in place of the usual build folders, then
    in the package's own folder.

    Args:
        place: The built file.
        folder: The package that it is in.
        config: The configuration of that package's sources.
        is_guessed: Include guesses by the names of folders, without a configuration.
    """
    for output in config.outputs:
        if place.startswith(f"{output}/"):
            rest = place[len(output) + 1 :]
            roots = [config.root_dir] if config.root_dir is not None else [f"{folder}/src", folder]
            yield from (path for root in roots if (path := join(root.lstrip("/"), rest)))
    if is_guessed:
        yield from _guessed(place, folder)


def _guessed(place: str, folder: str) -> Iterator[str]:
    rest = place[len(folder) :].lstrip("/")
    parts = rest.split("/")
    while len(parts) > 1 and parts[0] in _BUILT:
        parts = parts[1:]
        rest = "/".join(parts)
        for root in ("src", "lib", "source", ""):
            if path := join(folder, f"{root}/{rest}" if root else rest):
                yield path
    if not rest.startswith("src/") and (path := join(folder, f"src/{rest}")):
        yield path

"""Whether a specifier of ECMAScript means a package rather than a file of the project."""

from collections.abc import Collection
from functools import cached_property
from itertools import chain
from pathlib import Path

from ipuaro_jupyter.index.resolve.packages import Packages
from ipuaro_jupyter.index.resolve.project_paths import folder_of, folders_up

NODE_MODULES = frozenset(
    {
        *("assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants"),
        *("crypto", "dgram", "diagnostics_channel", "dns", "domain", "events", "fs", "http"),
        *("http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process"),
        *("punycode", "querystring", "readline", "repl", "stream", "string_decoder", "sys"),
        *("timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi"),
        *("worker_threads", "zlib"),
    }
)
"""The modules that Node brings along: `require("module").builtinModules` of Node 22."""
_NO_PACKAGE = ("@/", "~", "#", "$")


def package_name(source: str) -> str:
    """The name of the package that a bare specifier begins with, as in "@team/ui"."""
    return "/".join(source.split("/")[: 2 if source.startswith("@") else 1])


class NodeEnvironment:
    """Tells which packages a project has, for one question.

    Args:
        root: The project's folder.
        packages: Its package.json files.
        files: Its paths.
    """

    def __init__(self, root: Path, packages: Packages, files: Collection[str]) -> None:
        self._root = root
        self._packages = packages
        self._files = files

    def has(self, source: str, path: str) -> bool:
        """Whether a specifier means a package, for a file.

        That is one of Node, one with a scheme, one that a package.json of the project names, or one
        that is installed. Without any package.json, it is all but those that begin with the name of
        a folder.
        """
        name = package_name(source)
        if ":" in source or name in NODE_MODULES:
            return True
        if source.startswith(_NO_PACKAGE):
            return False
        if not self._packages.all and name not in self._folders:
            return True
        above = (self._root / one / "node_modules" / name for one in folders_up(folder_of(path)))
        return name in self._declared or any(one.exists() for one in above)

    @cached_property
    def _folders(self) -> frozenset[str]:
        """The names of the folders."""
        return frozenset(chain.from_iterable(path.split("/")[:-1] for path in self._files))

    @cached_property
    def _declared(self) -> frozenset[str]:
        """The names of the packages, and of those that they depend on."""
        names = {package.name for package in self._packages.all}
        names.update(*(package.asked for package in self._packages.all))
        return frozenset(names | {one.removeprefix("@types/") for one in names})

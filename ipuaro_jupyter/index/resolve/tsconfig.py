"""What tsconfig.json and jsconfig.json say of how imports are resolved.

Paths are relative to the project; what leads out of it is left out.
"""

from dataclasses import dataclass
from typing import Literal

from ipuaro_jupyter.index.resolve.path_patterns import PathPatterns
from ipuaro_jupyter.index.resolve.project_paths import folder_of, matches_any

Mode = Literal["classic", "node10", "node16", "bundler"]
Format = Literal["script", "commonjs", "esm", "node", "preserve"]
"""What ``module`` emits; "script" stands for AMD and the like, "node" for what Node would run."""


@dataclass(frozen=True)
class TsConfig:
    """A configuration with what it inherits.

    Attributes:
        path: The file; "" when there is none.
        mode: The way of resolving.
        format: What files are compiled to, by which conditions of packages depend on syntax.
        base_url: What bare names are looked up in.
        aliases: ``paths``, relative to `aliases_base`; targets that begin with a slash are
            relative to the project.
        aliases_base: The folder that targets of aliases are relative to.
        root_dirs: Folders that count as one.
        suffixes: ``moduleSuffixes``, tried in order.
        conditions: ``customConditions``.
        type_roots: Folders in which declarations of packages are looked up.
        is_json_resolved: Whether imports of JSON lead anywhere: unless that is switched off.
        uses_exports: Whether ``exports`` of packages count.
        uses_imports: Whether ``imports`` of packages count.
        allows_js: Whether JavaScript is compiled too.
        out_dir: Where compiled files go; None: beside their sources.
        declaration_dir: Where declarations go; None: to `out_dir`.
        root_dir: What is compiled into these; None when it is not said.
        is_composite: Whether other projects may refer to this one.
    """

    path: str = ""
    mode: Mode = "node10"
    format: Format = "commonjs"
    base_url: str | None = None
    aliases: PathPatterns | None = None
    aliases_base: str = ""
    root_dirs: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ("",)
    conditions: tuple[str, ...] = ()
    type_roots: tuple[str, ...] = ()
    is_json_resolved: bool = True
    uses_exports: bool = False
    uses_imports: bool = False
    allows_js: bool = False
    out_dir: str | None = None
    declaration_dir: str | None = None
    root_dir: str | None = None
    is_composite: bool = False
    files: tuple[str, ...] | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    references: tuple[str, ...] = ()

    @property
    def outputs(self) -> tuple[str, ...]:
        """The folders that compiled files and declarations go to."""
        found = dict.fromkeys((self.declaration_dir, self.out_dir))
        return tuple(place for place in found if place is not None)

    def includes(self, path: str) -> bool:
        """Return whether the configuration is for the file ``path``."""
        if self.files is not None and path in self.files:
            return True
        patterns = self.include
        if patterns is None:
            folder = folder_of(self.path)
            patterns = () if self.files is not None else (f"{folder}/**/*" if folder else "**/*",)
        excluded = self.outputs if self.exclude is None else self.exclude
        return matches_any(path, patterns) and not matches_any(path, excluded, below=True)

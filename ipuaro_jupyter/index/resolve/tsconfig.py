"""The settings of tsconfig.json and jsconfig.json that affect how imports are resolved.

Paths are relative to the project; paths that lead out of it are dropped.
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
    """A configuration, inherited options included.

    Attributes:
        path: The file; "" when there is none.
        mode: The resolution mode.
        format: The format that files are compiled to; conditions of packages depend on it.
        base_url: The folder in which bare names are looked up.
        aliases: ``paths``, relative to `aliases_base`; targets that begin with a slash are relative
            to the project.
        aliases_base: The folder that targets of aliases are relative to.
        root_dirs: Folders that count as one.
        suffixes: ``moduleSuffixes``, tried in order.
        conditions: ``customConditions``.
        type_roots: Folders in which declarations of packages are looked up.
        is_json_resolved: Whether imports of JSON are resolved; on unless switched off.
        uses_exports: Whether ``exports`` of packages count.
        uses_imports: Whether ``imports`` of packages count.
        allows_js: Whether JavaScript is compiled too.
        out_dir: The folder of compiled files; None: beside their sources.
        declaration_dir: The folder of declaration files; None: `out_dir`.
        root_dir: The folder compiled into these; None when unset.
        is_composite: Whether other projects may refer to this one.
        forces_modules: Whether every file is a module, also one without imports and exports.
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
    forces_modules: bool = False
    files: tuple[str, ...] | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    references: tuple[str, ...] = ()

    @property
    def outputs(self) -> tuple[str, ...]:
        """The folders of compiled files and declarations."""
        found = dict.fromkeys((self.declaration_dir, self.out_dir))
        return tuple(place for place in found if place is not None)

    def includes(self, path: str) -> bool:
        """Whether the configuration applies to the file ``path``."""
        if self.files is not None and path in self.files:
            return True
        patterns = self.include
        if patterns is None:
            folder = folder_of(self.path)
            patterns = () if self.files is not None else (f"{folder}/**/*" if folder else "**/*",)
        excluded = self.outputs if self.exclude is None else self.exclude
        return matches_any(path, patterns) and not matches_any(path, excluded, below=True)

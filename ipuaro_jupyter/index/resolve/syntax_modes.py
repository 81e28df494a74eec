"""Whether an import counts as ES module or CommonJS syntax; conditions follow from it.

See ``getModeForUsageLocation`` and ``getConditions`` in TypeScript.
"""

from typing import Literal

from ipuaro_jupyter.index.resolve.packages import Package
from ipuaro_jupyter.index.resolve.tsconfig import TsConfig

Syntax = Literal["esm", "commonjs"]

_REQUIRED = frozenset({"require", "import-equals"})
_ESM = (".mts", ".mjs")
_COMMONJS = (".cts", ".cjs")


def syntax_of(path: str, kind: str, config: TsConfig, package: Package | None) -> Syntax | None:
    """The syntax that an import counts as.

    Args:
        path: The importing file.
        kind: One of `records.code.ImportKind`.
        config: The configuration for that file.
        package: The package that the file belongs to.

    Returns:
        None when the resolution mode makes no difference.
    """
    if config.mode != "node16" and not (config.uses_exports or config.uses_imports):
        return None
    if kind in _REQUIRED:
        return "commonjs"
    if kind == "dynamic" and config.format in ("node", "preserve"):
        return "esm"
    emitted = _emitted(path, config, package)
    if kind == "dynamic":
        return "commonjs" if emitted in ("commonjs", "script") else "esm"
    if emitted == "commonjs":
        return "commonjs"
    return "esm" if emitted == "esm" else None


def _emitted(path: str, config: TsConfig, package: Package | None) -> str:
    """The format a file is compiled to: ``getEmitModuleFormatOfFile``."""
    said = None
    if path.endswith((*_ESM, *_COMMONJS)):
        said = "module" if path.endswith(_ESM) else "commonjs"
    elif config.mode == "node16":
        said = None if package is None else package.said.get("type")
        if config.format == "node" and said != "module":
            said = "commonjs"
    if said in ("module", "commonjs"):
        return "esm" if said == "module" else "commonjs"
    return "esm" if config.format == "preserve" else config.format


def conditions_of(config: TsConfig, syntax: Syntax | None) -> frozenset[str]:
    """The conditions of packages that hold for an import.

    Args:
        config: The configuration for the importing file.
        syntax: The syntax of the import; see `syntax_of`.
    """
    if syntax is None and config.mode in ("node10", "classic"):
        return frozenset()
    is_esm = syntax == "esm" or (syntax is None and config.mode == "bundler")
    node = () if config.mode == "bundler" else ("node",)
    return frozenset({"import" if is_esm else "require", "types", *node, *config.conditions})

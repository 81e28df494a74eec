"""Read the options of tsconfig.json and jsconfig.json that concern imports.

``_computedOptions`` in TypeScript's utilities.ts defines how options follow from each other.
"""

import re
from collections.abc import Iterator
from typing import Any

from ipuaro_jupyter.index.resolve.jsonc import strings
from ipuaro_jupyter.index.resolve.path_patterns import PathPatterns
from ipuaro_jupyter.index.resolve.project_paths import folder_of, join
from ipuaro_jupyter.index.resolve.tsconfig import Format, Mode, TsConfig

_FOLDERS = ("outDir", "declarationDir", "rootDir", "baseUrl")
_LISTS = ("rootDirs", "typeRoots")
_PLAIN = (
    *("moduleResolution", "module", "target", "moduleSuffixes", "customConditions", "composite"),
    *("resolveJsonModule", "resolvePackageJsonExports", "resolvePackageJsonImports"),
    *("allowJs", "checkJs", "moduleDetection"),
)
_HERE = "${configDir}"
_OLD_TARGETS = frozenset({"es3", "es5"})
_MODES: dict[str, Mode] = {
    "classic": "classic",
    "node": "node10",
    "node10": "node10",
    "node16": "node16",
    "nodenext": "node16",
    "bundler": "bundler",
}
_FORMATS: dict[str, Format] = {
    **dict.fromkeys(("none", "amd", "umd", "system"), "script"),
    "commonjs": "commonjs",
    **dict.fromkeys(("es6", "es2015", "es2020", "es2022", "esnext"), "esm"),
    **dict.fromkeys(("node16", "node18", "node20", "nodenext"), "node"),
    "preserve": "preserve",
}
_MODE_OF_FORMAT: dict[Format, Mode] = {
    "commonjs": "node10",
    "node": "node16",
    "preserve": "bundler",
}


def own_options(own: dict[str, Any], folder: str) -> dict[str, Any]:
    """The options of one file, flat, with paths relative to the project.

    Args:
        own: The content of the file.
        folder: The folder of the file.
    """
    options = own.get("compilerOptions")
    made = _compiler_options(options, folder) if isinstance(options, dict) else {}
    for name in ("files", "include", "exclude"):
        if isinstance(own.get(name), list):
            made[name] = [_place(path, folder) for path in strings(own[name])]
    if isinstance(own.get("references"), list):
        paths = (item.get("path") for item in own["references"] if isinstance(item, dict))
        made["references"] = [_place(path, folder) for path in paths if isinstance(path, str)]
    return made


def _compiler_options(options: dict[str, Any], folder: str) -> dict[str, Any]:
    """The options of ``compilerOptions``; null resets an inherited one."""
    made: dict[str, Any] = {}
    for name in _FOLDERS:
        if isinstance(options.get(name), str):
            made[name] = _place(options[name], folder)
    for name in _LISTS:
        if isinstance(options.get(name), list):
            made[name] = [_place(path, folder) for path in strings(options[name])]
    if isinstance(options.get("paths"), dict):
        made["paths"], made["pathsBase"] = options["paths"], folder
    made |= {name: options[name] for name in _PLAIN if name in options}
    for name in (*_FOLDERS, *_LISTS, "paths"):
        if name in options and options[name] is None:
            made[name] = None
    return made


def build_config(path: str, options: dict[str, Any]) -> TsConfig:
    """The configuration in a file.

    Args:
        path: The file.
        options: Its `own_options` merged over those it extends.
    """
    folder = folder_of(path)

    def here(place: str | None) -> str | None:
        if place is None or not _is_here(place):
            return place
        return join(folder, f".{place[len(_HERE) :]}")

    def places(name: str) -> tuple[str, ...]:
        found = (here(place) for place in options.get(name) or ())
        return tuple(place for place in found if place is not None)

    base_url = here(options.get("baseUrl"))
    is_javascript = path.rpartition("/")[2] == "jsconfig.json"
    made_format, mode = _format(options), _mode(options)
    is_bundled, is_node = mode == "bundler", mode == "node16"
    allows_js = options.get("allowJs")
    if allows_js is None:
        allows_js = options.get("checkJs") or is_javascript
    return TsConfig(
        path=path,
        mode=mode,
        format=made_format,
        base_url=base_url,
        aliases=_aliases(options.get("paths"), folder),
        aliases_base=options.get("pathsBase", "") if base_url is None else base_url,
        root_dirs=places("rootDirs"),
        suffixes=tuple(strings(options.get("moduleSuffixes"))) or ("",),
        conditions=tuple(strings(options.get("customConditions"))),
        type_roots=places("typeRoots"),
        is_json_resolved=_is_on(options, "resolveJsonModule"),
        uses_exports=is_node or (is_bundled and _is_on(options, "resolvePackageJsonExports")),
        uses_imports=is_node or (is_bundled and _is_on(options, "resolvePackageJsonImports")),
        allows_js=allows_js is True,
        out_dir=here(options.get("outDir")),
        declaration_dir=here(options.get("declarationDir")),
        root_dir=here(options.get("rootDir")),
        is_composite=options.get("composite") is True,
        forces_modules=str(options.get("moduleDetection")).lower() == "force",
        files=places("files") if "files" in options else None,
        include=tuple(map(_open, places("include"))) if "include" in options else None,
        exclude=places("exclude") if "exclude" in options else None,
        references=places("references"),
    )


def _is_on(options: dict[str, Any], name: str) -> bool:
    return options.get(name) is not False


def _is_here(place: str) -> bool:
    return place[: len(_HERE)].lower() == _HERE.lower()


def _place(path: str, folder: str) -> str | None:
    """The path in an option; ``${configDir}`` is filled in once the last heir is known."""
    return path if _is_here(path) else join(folder, path)


def _open(pattern: str) -> str:
    """A pattern of ``include``; a folder stands for everything in it."""
    last = pattern.rpartition("/")[2]
    is_file = "*" in last or "?" in last or re.search(r"\.(?:[cm]?[jt]sx?|json)$", last)
    if is_file and last != "**":
        return pattern
    return f"{pattern}/**/*" if pattern else "**/*"


def _format(options: dict[str, Any]) -> Format:
    said = _word(options.get("module"))
    if said in _FORMATS:
        return _FORMATS[said]
    target = _word(options.get("target"))
    return "commonjs" if not target or target in _OLD_TARGETS else "esm"


def _mode(options: dict[str, Any]) -> Mode:
    said = _word(options.get("moduleResolution"))
    return _MODES.get(said) or _MODE_OF_FORMAT.get(_format(options), "classic")


def _word(value: object) -> str:
    return value.lower() if isinstance(value, str) else ""


def _aliases(paths: dict[str, Any] | None, folder: str) -> PathPatterns | None:
    if paths is None:
        return None
    table = {
        pattern: [t for target in strings(targets) for t in _target(target, folder)]
        for pattern, targets in paths.items()
    }
    return PathPatterns(table)


def _target(target: str, folder: str) -> Iterator[str]:
    """Yield a target of an alias; one that begins with a slash is relative to the project."""
    if not _is_here(target):
        if not target.startswith("/"):
            yield target
        return
    place = join(folder, f".{target[len(_HERE) :]}")
    if place is not None:
        yield f"/{place}"

"""Read the folder of a language; see `language` for what is in it."""

import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ipuaro_jupyter.languages.language import KEYS, MODULES, READERS, Language
from ipuaro_jupyter.languages.tables import Cells, Comments, Component, LanguageError, tables_of


def load(folder: Path) -> Language:
    """The language that ``folder`` describes. The grammar is imported on first use.

    Raises:
        LanguageError: language.toml is missing, is not TOML, or has an unknown key.
    """
    table = _read(folder)
    _check(folder, table)
    grammar, install = table.get("grammar"), ""
    if grammar is not None and find_spec(grammar.partition(":")[0]) is None:
        grammar, install = None, _install(table)
    cells = table.get("cells", {})
    comments = table.get("comments", {})
    return Language(
        name=table["name"],
        folder=folder,
        extensions=tuple(table.get("extensions", ())),
        filenames=tuple(table.get("filenames", ())),
        grammar=grammar,
        retry=table.get("retry"),
        queries=tuple(table.get("queries", ())),
        details=tuple(table.get("details", ())),
        foreseen=tuple(table.get("foreseen", ())),
        comments=Comments(
            line=tuple(comments.get("line", ())),
            block=tuple((start, end) for start, end in comments.get("block", ())),
            strings=tuple((start, end) for start, end in comments.get("strings", ())),
            after_blank=comments.get("after_blank", False),
        ),
        tables=tables_of(folder, table.get("tables", {})),
        reader=table.get("reader", "declarations"),
        modules=table.get("modules", "ecmascript"),
        keys=table.get("keys", ""),
        component=Component(**table.get("component", {})),
        cells=Cells(
            language=cells.get("language", ""),
            kernels=frozenset(cells.get("kernels", ())),
            foreign=frozenset(cells.get("foreign", ())),
        ),
        extra=table.get("extra", ""),
        safe_bytes=table.get("safe_bytes", Language.safe_bytes),
        install=install,
    )


def _install(table: dict[str, Any]) -> str:
    """The command that installs the grammar."""
    package = table["grammar"].partition(":")[0].replace("_", "-")
    wanted = f"'ipuaro_jupyter[{table['extra']}]'" if "extra" in table else package
    return f"pip install {wanted}"


def _check(folder: Path, table: dict[str, Any]) -> None:
    """Raise LanguageError for keys and values that are not known, and a missing name.

    Raises:
        LanguageError: There are some.
    """
    known = {
        *("name", "extensions", "filenames", "grammar", "retry", "queries", "details", "comments"),
        *("tables", "reader", "modules", "keys", "cells", "component", "foreseen", "extra"),
        "safe_bytes",
    }
    unknown = sorted(table.keys() - known)
    if unknown:
        raise LanguageError(
            f"{folder}: unknown keys {', '.join(unknown)}. Known: {', '.join(sorted(known))}"
        )
    if not isinstance(table.get("name"), str):
        raise LanguageError(f'{folder}: name is missing, such as name = "{folder.name}"')
    for key, values in (("reader", READERS), ("modules", MODULES), ("keys", KEYS)):
        if table.get(key, values[0]) not in values:
            raise LanguageError(f"{folder}: {key} = {table[key]!r} is none of {', '.join(values)}")


def _read(folder: Path) -> dict[str, Any]:
    """language.toml merged over the tables of the language that it extends."""
    try:
        with (folder / "language.toml").open("rb") as file:
            table = tomllib.load(file)
    except FileNotFoundError as error:
        raise LanguageError(f"{folder}: a language needs a language.toml") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LanguageError(f"{folder / 'language.toml'} is not valid TOML: {error}") from error
    base = table.pop("extends", None)
    if base is not None:
        tables = _read((folder / base).resolve()).get("tables", {})
        table["tables"] = _merge(tables, table.get("tables", {}))
    return table


def _merge(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """``below`` with ``above`` merged over it: tables are merged, lists are joined."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            merged[key] = _merge(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            merged[key] = [*old, *value]
        else:
            merged[key] = value
    return merged

"""The symbols of a file whose index entry was made before, for the same content."""

from hashlib import blake2b

import msgspec

from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parsed_file import ParsedFile
from ipuaro_jupyter.index.extract.symbols import SymbolRow, symbol_rows
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.registry import language_for, language_named

_decode_definitions = msgspec.msgpack.Decoder(dict[str, list[int]]).decode


def known_symbols(file: ParsedFile, path: str, data: bytes) -> list[SymbolRow]:
    """The symbols of a file whose index entry is known by its content.

    Args:
        file: The entry.
        path: Project-relative; its name decides the language.
        data: The file.

    Raises:
        ValueError: It is the entry of another file.
    """
    facts = unpack_facts(file.facts)
    if (facts["path"], facts["hash"]) != (path, blake2b(data, digest_size=16).hexdigest()):
        raise ValueError(f"not the facts of {path!r}")
    rows = symbol_rows(facts, _decode_definitions(file.definitions), _text_of(path, data))
    if len(rows) != file.symbols:
        raise ValueError(f"not the symbols of {path!r}")
    return rows


def _text_of(path: str, data: bytes) -> bytes:
    """The text that lines and offsets refer to."""
    language = language_for(path)
    if language is None or language.reader != "cells":
        return data
    from ipuaro_jupyter.index.extract.notebooks.cell_lines import NotebookError  # noqa: PLC0415 - for a notebook only
    from ipuaro_jupyter.index.extract.notebooks.notebook_code import code_of  # noqa: PLC0415 - the same

    try:
        return code_of(data, language.cells, language_named(language.cells.language)).text
    except (NotebookError, ParsingTooSlow) as error:
        raise ValueError(str(error)) from error

"""Extract the facts of a file whose reader is ``grammar``: its query alone says what is what."""

from collections.abc import Mapping
from typing import Any

from ipuaro_jupyter.index.extract import extractor as reading
from ipuaro_jupyter.index.extract.extractor import Readers
from ipuaro_jupyter.index.extract.facts import Found, finished
from ipuaro_jupyter.index.extract.grammar import grammar_declarations as declarations
from ipuaro_jupyter.index.extract.grammar import grammar_imports as imports
from ipuaro_jupyter.index.extract.grammar.grammar_extraction import GrammarExtraction
from ipuaro_jupyter.languages.syntax import Syntax

_READERS = Readers(
    {
        "import.file": imports.read_file,
        "namespace": declarations.read_namespace,
        "class": declarations.read_class,
        "interface": declarations.read_interface,
        "enum": declarations.read_enum,
        "type": declarations.read_type,
        "methods": declarations.read_methods,
        "extends": declarations.read_extends,
        "implements": declarations.read_implements,
        "function": declarations.read_function,
        "function.arrow": declarations.read_closure,
        "class.expression": declarations.read_closure,
        "property": declarations.read_property,
        "member": declarations.read_member,
        "constant": declarations.read_constant,
        "variable": declarations.read_variable,
        "import.package": imports.read_package,
        "import": imports.read_import,
        "import.source": imports.read_source,
        "import.within": imports.read_within,
        "import.name": imports.read_name,
        "import.star": imports.read_all,
        "import.module": imports.read_module,
        "import.path": imports.read_path,
        "branch": reading.read_branch,
        "branch.block": reading.read_block,
        "decision": reading.read_decision,
    }
)


def facts_of(syntax: Syntax, data: bytes) -> Found:
    """The facts of a file in a language with the reader ``grammar``."""
    captures: Mapping[str, Any] = syntax.captures
    extraction = GrammarExtraction(data, syntax, captures)
    extraction.chained = {node.start_byte for node in captures.get("branch.chained", ())}
    _READERS.read_all(extraction, captures)
    extraction.place_members()
    imports.add_paths(extraction)
    imports.add_package(extraction, captures)
    return finished(extraction, captures, data)

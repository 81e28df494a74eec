"""Extract the facts of a file whose reader is ``python``.

Python has no keyword such as `export` or `const` beside a name: a function directly in a class is a
method, the first binding of a name declares it, and ``__all__`` or a leading underscore decides
what is exported.
"""

from ipuaro_jupyter.index.extract import extractor as reading
from ipuaro_jupyter.index.extract.ecmascript.imports import loads, read_load
from ipuaro_jupyter.index.extract.extractor import Readers
from ipuaro_jupyter.index.extract.facts import Found, finished
from ipuaro_jupyter.index.extract.python import python_declarations as declarations
from ipuaro_jupyter.index.extract.python import python_modules as modules
from ipuaro_jupyter.index.extract.python.python_extractor import PythonExtraction
from ipuaro_jupyter.languages.syntax import Syntax

_READERS = Readers(
    {
        "types.only": modules.read_types_only,
        "import": modules.read_import,
        "import.module": modules.read_module,
        "decorator": declarations.read_decorator,
        "binding": declarations.read_binding,
        "class": declarations.read_class,
        "extends": declarations.read_extends,
        "class.keyword": declarations.read_class_keyword,
        "function": declarations.read_function,
        "function.arrow": declarations.read_lambda,
        "function.yields": declarations.read_yield,
        "type": declarations.read_type,
        "binding.target": declarations.read_target,
        "import.source": modules.read_source,
        "import.name": modules.read_name,
        "import.star": modules.read_star,
        "load": read_load,
        "branch": reading.read_branch,
        "branch.block": reading.read_block,
        "decision": reading.read_decision,
    }
)


def facts_of(syntax: Syntax, data: bytes) -> Found:
    """The facts of a file in a language with the reader ``python``."""
    captures = dict(syntax.captures)
    extraction = PythonExtraction(data, syntax)
    captures["load"] = loads(extraction.source, syntax.tree.root_node)
    _READERS.read_all(extraction, captures)
    extraction.facts["variables"] = [
        record for start, record in extraction.variables if start not in extraction.claimed
    ]
    modules.add_exports(extraction, captures.get("identifier", []))
    return finished(extraction, captures, data)

"""Turn the bytes of a file into its index entry.

Nothing here imports the records, Redis or a model of the facts: workers stay small. What reads only
some languages is imported for the first file in one of them: workers start sooner.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from ipuaro_jupyter.index.extract import facts as declared_facts
from ipuaro_jupyter.index.extract.comments import comments_of
from ipuaro_jupyter.index.extract.extractor import LISTS
from ipuaro_jupyter.index.extract.facts import Found, QuotedNames, postings_of
from ipuaro_jupyter.index.extract.parsed_file import BROKEN, ParsedFile, make_parsed_file
from ipuaro_jupyter.index.extract.symbols import SymbolRow
from ipuaro_jupyter.index.extract.todos import has_markers, todos_of_comment
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.registry import language_for, language_named
from ipuaro_jupyter.languages.syntax import Syntax, SyntaxTooDeep, read_syntax

LARGEST = 1_000_000
"""Of files with more bytes only lines and hash are kept."""
LARGEST_NOTEBOOK = 50_000_000
"""The limit for notebooks, which are mostly outputs; `LARGEST` applies to their code."""
_MINIFIED_SIZE = 20_000
_MINIFIED_LINE = 300
_OPEN_COMMENTS = 50_000_000  # comments times bytes: about two seconds
_BINARY_LOOK = 8192
_BYTES_TO_A_NUL = 8  # in source code, at least
_TOO_DEEP = "Not analysed: brackets are nested too deeply or never closed."


def parse_file(path: str, data: bytes) -> tuple[ParsedFile, list[SymbolRow], bytes]:
    """The index entry of a file without its words, its symbols, and what `file_words` reads.

    Nothing in a file makes it raise: `parse_error` says why only hash, size and lines are known.

    Args:
        path: Project-relative; its name decides the language.
        data: The file.
    """
    language = language_for(path)
    facts = _bare(path, data, language)
    found = _BesideFacts()
    try:
        if language is not None and language.reader == "cells":
            found = _read_cells(facts, language, data)
        elif language is not None and language.reader == "component":
            found = _read_component(facts, language, data)
        else:
            found = _read_text(facts, language, data)
    except Exception as error:  # noqa: BLE001 - one bad file must not stop the others
        facts = _bare(path, data, language)
        facts["parse_error"] = f"Not analysed: {type(error).__name__}: {error}"
        found = _BesideFacts()
    text = data if found.text is None else found.text
    problem = facts["parse_error"] or ""
    if not found.unread and problem.startswith(BROKEN):
        found = replace(found, unread=problem)
    entry = make_parsed_file(facts, found.definitions, found.postings, text, unread=found.unread)
    return *entry, text if found.postings else b""


def unparsed_file(path: str, data: bytes, *, reason: str) -> ParsedFile:
    """The index entry of a file that cannot be parsed; ``reason`` says why."""
    facts = _bare(path, data, language_for(path))
    facts["parse_error"] = f"Not analysed: {reason}."
    return make_parsed_file(facts, {}, b"", data)[0]


@dataclass(frozen=True)
class _BesideFacts:
    """The parts of an index entry beside the facts.

    ``text`` is the text that lines and offsets refer to when it is not the file itself; ``unread``
    says what of it is not read, beside what the facts say.
    """

    postings: bytes = b""
    definitions: Mapping[str, list[int]] = field(default_factory=dict)
    text: bytes | None = None
    unread: str = ""


def count_lines(data: bytes) -> int:
    """The number of lines an editor shows; a final newline adds none."""
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def _bare(path: str, data: bytes, language: Language | None) -> dict[str, Any]:
    """The facts that need no syntax tree."""
    facts: dict[str, Any] = {
        "path": path,
        "language": language.name if language is not None else "text",
        "hash": blake2b(data, digest_size=16).hexdigest(),
        "size": len(data),
        "lines": count_lines(data),
    }
    facts.update({name: [] for name in (*LISTS, "todos")})
    facts["metrics"] = {"loc": 0, "nesting_depth": 0, "cyclomatic_complexity": 1}
    facts["parse_error"] = None
    return facts


def _reason_unparsed(data: bytes, language: Language | None) -> str | None:
    """The reason why a file is not parsed, in a sentence; None when it can be."""
    is_source = language is not None and language.is_code
    nuls = data.count(b"\0", 0, None if is_source else _BINARY_LOOK)
    if nuls and not (is_source and nuls <= len(data) // _BYTES_TO_A_NUL):
        return "Not analysed: the file is binary."
    if len(data) > LARGEST:
        return f"Not analysed: larger than {LARGEST // 1_000_000} MB."
    is_parsed = language is not None and language.grammar is not None
    if is_parsed and len(data) > max(_MINIFIED_SIZE, _MINIFIED_LINE * count_lines(data)):
        return "Not analysed: the file is minified or generated (very long lines)."
    if is_parsed and language is not None and _never_closes(data, language):
        return "Not analysed: comments are opened and never closed."
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        return f"Not analysed: not UTF-8 at byte {error.start}."
    return None


def _never_closes(data: bytes, language: Language) -> bool:
    """Whether so many comments are left open that the parser would take for ever.

    It reads to the end of the file for each of them.
    """
    if len(data) ** 2 // 2 <= _OPEN_COMMENTS:  # even if it were nothing but comments
        return False
    for start, end in language.comments.block:
        tail = max(data.rfind(end.encode()), 0)
        if data.count(start.encode(), tail) * (len(data) - tail) > _OPEN_COMMENTS:
            return True
    return False


def _read_cells(facts: dict[str, Any], language: Language, data: bytes) -> _BesideFacts:
    """Read a notebook: its cells are read like a file in their language."""
    from ipuaro_jupyter.index.extract.notebooks.cell_lines import NotebookError  # noqa: PLC0415 - for a notebook only
    from ipuaro_jupyter.index.extract.notebooks.notebook_code import code_of  # noqa: PLC0415 - the same

    inner = language_named(language.cells.language)
    if len(data) > LARGEST_NOTEBOOK:
        facts["parse_error"] = f"Not analysed: larger than {LARGEST_NOTEBOOK // 1_000_000} MB."
        return _BesideFacts()
    try:
        code = code_of(data, language.cells, inner)
    except (NotebookError, ParsingTooSlow) as error:
        facts["parse_error"] = f"Not analysed: {error}."
        return _BesideFacts()
    found = _read_text(facts, inner, code.text)
    facts["parse_error"] = facts["parse_error"] or code.problem
    return replace(found, text=code.text)


def _read_component(facts: dict[str, Any], language: Language, data: bytes) -> _BesideFacts:
    """Read a component: its script blocks like a file in their language, and its template."""
    from ipuaro_jupyter.index.extract.component_facts import read_component  # noqa: PLC0415 - for a component only
    from ipuaro_jupyter.languages.components.component_code import component_code  # noqa: PLC0415 - the same

    problem = _reason_unparsed(data, language_named(language.component.language))
    if problem is not None:
        facts["parse_error"] = problem
        return _BesideFacts()
    facts["todos"] = _todos(language, data)
    try:
        blob, names, unread = read_component(facts, component_code(language, data))
    except SyntaxTooDeep:
        facts["parse_error"] = _TOO_DEEP
    except ParsingTooSlow as error:
        facts["parse_error"] = f"Not analysed: {error}."
    else:
        return _BesideFacts(blob, names, unread=unread)
    return _BesideFacts()


def _read_text(facts: dict[str, Any], language: Language | None, data: bytes) -> _BesideFacts:
    """Add the facts of a text to ``facts``; return the rest of its entry."""
    problem = _reason_unparsed(data, language)
    if problem is not None:
        facts["parse_error"] = problem
        return _BesideFacts()
    if language is not None and language.grammar is not None:
        return _read(facts, language, data)
    if language is None:
        return _BesideFacts()
    facts["todos"] = _todos(language, data)
    if language.install:
        facts["parse_error"] = (
            f"Not analysed: the grammar of {language.name} is not installed: {language.install}."
        )
    if language.reader != "keys":
        return _BesideFacts()
    from ipuaro_jupyter.index.extract.data.data_keys import keys_of  # noqa: PLC0415 - for a data file only

    facts["variables"], definitions = keys_of(language.keys, data)
    return _BesideFacts(definitions=definitions)


def _read(facts: dict[str, Any], language: Language, data: bytes) -> _BesideFacts:
    """Add the facts from the syntax tree to ``facts``; return the rest of the entry."""
    try:
        syntax = read_syntax(language, data)
    except SyntaxTooDeep:
        facts["parse_error"] = _TOO_DEEP
        facts["todos"] = _todos(language, data)
        return _BesideFacts()
    except ParsingTooSlow as error:
        facts["parse_error"] = f"Not analysed: {error}."
        facts["todos"] = _todos(language, data)
        return _BesideFacts()
    read, definitions = _reader(language.reader)(syntax, data)
    facts.update(read)
    if syntax.error_line is not None:
        facts["parse_error"] = f"Syntax error at line {syntax.error_line}."
    quoted = _quoted_names() if language.reader == "python" else None
    blob = postings_of(facts, syntax, data, definitions, quoted=quoted)
    return _BesideFacts(blob, definitions)


def _reader(name: str) -> Callable[[Syntax, bytes], Found]:
    """The reader that language.toml names."""
    if name == "declarations":
        return declared_facts.facts_of
    if name == "python":
        from ipuaro_jupyter.index.extract.python import python_facts  # noqa: PLC0415 - for Python only

        return python_facts.facts_of
    from ipuaro_jupyter.index.extract.grammar import grammar_facts  # noqa: PLC0415 - for few languages

    return grammar_facts.facts_of


def _quoted_names() -> QuotedNames:
    from ipuaro_jupyter.index.extract.python.quoted_names import quoted_names  # noqa: PLC0415 - for Python only

    return quoted_names


def _todos(language: Language, data: bytes) -> list[dict[str, Any]]:
    """The markers of a file that has no syntax tree."""
    if not has_markers(data):
        return []
    comments = comments_of(data.decode("utf-8-sig"), language.comments)
    return [todo for line, text in comments for todo in todos_of_comment(text, line)]

"""The imports that the new text of a declaration needs and its file lacks."""

import re
import symtable
import sys
from contextlib import suppress
from posixpath import dirname, relpath, splitext
from textwrap import dedent
from typing import NamedTuple

from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.masking import mask
from ipuaro_jupyter.languages.offered_names import (
    is_offered_to_ecmascript,
    is_offered_to_python,
)
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.languages.syntax import parse_fitting
from ipuaro_jupyter.records.code import FileFacts, SymbolLocation
from ipuaro_jupyter.tools.replace_symbol import Replacement
from ipuaro_jupyter.workspace.files.text_file import TextFile

_WORD = re.compile(r"(?<![\w$.])[A-Za-z_$][\w$]*")
_USED = re.compile(r"(?<![\w$.])(?P<name>[A-Za-z_$][\w$]*)(?=\s*[.(<])|\bnew\s+(?P<made>[\w$]+)")
_BOUND = r"\b(?:const|let|var|function|class)\s+{0}\b|[(,{{[]\s*{0}\s*(?=[,)}}\]=:?])|\b{0}\s*=>"
_IMPORTS = re.compile(r"^(?:import|from)\b", re.MULTILINE)
_REQUIRES = re.compile(r"^(?:const|let|var)\b[^;\n]*\brequire\(", re.MULTILINE)
_COMMON, _MODULE = (
    re.compile(r"\brequire\(|\bexports\b"),
    re.compile(r"^(?:im|ex)port\b", re.MULTILINE),
)
_HEAD = re.compile(r"#|//|/\*|[rRuU]?[\"']")
"""A comment, a documentation, or a directive."""
_TYPED = (".ts", ".tsx", ".mts", ".cts")
_MOST_USERS = 20


class AddedImports(NamedTuple):
    """Imports for a file.

    Attributes:
        line: The line before which they stand, 1-based; 0 where there are none.
        text: The new lines.
        problem: A name that nothing has, in words for the model; "" for none.
    """

    line: int = 0
    text: str = ""
    problem: str = ""

    def added_to(self, file: TextFile) -> bytes:
        """The file's bytes with them."""
        return file.replaced(self.line, self.line - 1, self.text) if self.line else file.data


def added_imports(file: TextFile, made: Replacement, code: str, index: CodeIndex) -> AddedImports:
    """The imports for a new text, written as those of the file.

    Args:
        file: The file as it is.
        made: The new text of one declaration in it.
        code: What the model wrote around it, where its imports stand.
        index: Knows in which file a name is declared.
    """
    language = language_for(file.path)
    if language is None or language.reader not in ("python", "declarations"):
        return AddedImports()
    known = _known(file, language)
    lines: list[str] = []
    for name in _missing(file, made.text, language):
        if name in known:
            continue
        line = _written(name, code, file, index) or _declared(name, file, index)
        if line:
            lines.append(line)
        elif language.reader == "python" and not re.search(r"import\s*\*", file.text):
            return AddedImports(problem=f"`{name}` is not known in {file.path}.")
    if not lines:
        return AddedImports()
    return _placed(file, sorted(dict.fromkeys(lines)), language, made.lines.start)


def _known(file: TextFile, language: Language) -> frozenset[str]:
    """The names that a file has for all of it; of an ECMAScript file all that are no members."""
    if language.reader == "python":
        with suppress(SyntaxError, ValueError, RecursionError):
            whole = symtable.symtable(file.text, "text", "exec")
            own = (one for one in whole.get_symbols() if one.is_assigned() or one.is_imported())
            return frozenset(one.get_name() for one in own)
    return frozenset(_WORD.findall(_bare(file.text, language)))


def _is_python(path: str) -> bool:
    """Whether a file is one of Python."""
    return path.endswith((".py", ".pyi"))


def _missing(file: TextFile, text: str, language: Language) -> list[str]:
    """The names that a text takes from around it, and that the language does not have."""
    if language.reader == "python":
        found = _globals(text)
        return [name for name in found if not is_offered_to_python(name, file.path)]
    bare = _bare(text, language)
    used = dict.fromkeys(one["name"] or one["made"] for one in _USED.finditer(bare))
    return [
        name
        for name in used
        if not is_offered_to_ecmascript(name, imported=False)
        and not re.search(_BOUND.format(re.escape(name)), bare)
    ]


def _bare(text: str, language: Language) -> str:
    """A text without its comments and strings."""
    return mask(text.encode(), language.comments).text.decode(errors="replace")


def _globals(text: str) -> list[str]:
    """The names that Python looks up in the module; none where the text cannot be read."""
    try:
        whole = symtable.symtable(dedent(text), "text", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return []
    found: dict[str, None] = {}
    own = {one.get_name() for one in whole.get_symbols() if one.is_assigned()}
    tables = [whole]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        for one in table.get_symbols():
            is_outer = one.is_global() or table is whole
            if one.is_referenced() and is_outer and one.get_name() not in own:
                found[one.get_name()] = None
    return sorted(found)


def _facts(path: str, data: bytes) -> FileFacts:
    return FileFacts.model_validate(unpack_facts(parse_file(path, data)[0].facts))


def _written(name: str, code: str, file: TextFile, index: CodeIndex) -> str:
    """The import of a name that the model wrote, if its module may be there; "" for none."""
    ending = splitext(file.path)[1]
    for item in _facts(f"reply{ending}", code.encode()).imports:
        for one in item.names:
            if one.local == name and _may_be_there(item.source, file.path, index):
                return _worded(file, item.source, one.imported, name)
    return ""


def _may_be_there(source: str, path: str, index: CodeIndex) -> bool:
    """Whether a module may be imported: one of the language, or one that the project names."""
    if _is_python(path):
        top = source.partition(".")[0]
        return bool(top) and (top in sys.stdlib_module_names or bool(index.having(top)))
    return source.startswith("node:")


def _declared(name: str, file: TextFile, index: CodeIndex) -> str:
    """The import of a name that one file of the project declares for others; "" for none."""
    places = [
        one
        for one in index.definitions(name)
        if one.qualified == name
        and one.path != file.path
        and _is_python(one.path) == _is_python(file.path)
    ]
    if len({one.path for one in places}) != 1:
        return ""
    if _is_python(file.path):
        source = _module(places[0], file, index)
        return f"from {source} import {name}" if source else ""
    facts = index.facts(places[0].path)
    exported = {one.local or one.name: one.name for one in facts.exports} if facts else {}
    if name not in exported:
        return ""
    return _worded(file, _specifier(places[0].path, file), exported[name], name)


def _module(place: SymbolLocation, file: TextFile, index: CodeIndex) -> str:
    """The module of a declaration as another file imports it, else by its folders; "" for none."""
    stem = splitext(place.path)[0].removesuffix("/__init__")
    last = stem.rpartition("/")[2]
    for user in index.having(place.name)[:_MOST_USERS]:
        facts = index.facts(user)
        is_near = dirname(user) == dirname(file.path)
        for item in facts.imports if facts is not None else ():
            is_meant = item.source.rpartition(".")[2] == last
            is_meant &= place.name in {one.imported for one in item.names}
            if is_meant and (is_near or not item.source.startswith(".")):
                return item.source
    folder = dirname(place.path)
    packages = {dirname(path) for path in index.paths() if path.endswith("/__init__.py")}
    top = folder
    while top in packages:
        top = dirname(top)
    parts = stem.removeprefix(f"{top}/" if top else "").split("/")
    is_beside = folder == dirname(file.path) or bool(top != folder)
    return ".".join(parts) if is_beside and all(map(str.isidentifier, parts)) else ""


def _specifier(path: str, file: TextFile) -> str:
    """The path of a file as another one names it, with an ending where that names endings."""
    stem, ending = splitext(relpath(path, dirname(file.path) or "."))
    stem = stem if stem.startswith(".") else f"./{stem}"
    relative = re.findall(r"(?:from|require\()\s*[\"'](\.[^\"']+)[\"']", file.text)
    has_ending = [splitext(one)[1] in (".js", ".mjs", ".cjs", ".ts") for one in relative]
    if not (all(has_ending) if has_ending else file.path.endswith((".js", ".mjs"))):
        return stem.removesuffix("/index") if stem != "./index" else stem
    return f"{stem}{'.js' if ending in _TYPED else ending}"


def _worded(file: TextFile, source: str, imported: str, local: str) -> str:
    """An import statement as the language, and the file, writes it."""
    alias = "" if imported == local else f" as {local}"
    if _is_python(file.path):
        if imported == "*":
            alias = "" if local in (source, source.partition(".")[0]) else alias
            return f"import {source}{alias}"
        return f"from {source} import {imported}{alias}"
    sign = "'" if re.search(r"(?:from|require\()\s*'", file.text) else '"'
    end = ";" if re.search(r";$", file.text, re.MULTILINE) else ""
    names = {"*": f"* as {local}", "default": local}.get(imported, f"{{ {imported}{alias} }}")
    if _COMMON.search(file.text) and not _MODULE.search(file.text):
        names = names.removeprefix("* as ").replace(" as ", ": ")
        return f"const {names} = require({sign}{source}{sign}){end}"
    return f"import {names} from {sign}{source}{sign}{end}"


def _placed(file: TextFile, lines: list[str], language: Language, limit: int) -> AddedImports:
    """The lines behind the first imports, else behind the head of the file, above a line."""
    last, is_import = 0, False
    for node in parse_fitting(language, file.data)[1].root_node.children:
        text, end = (node.text or b"").decode(errors="replace"), node.end_point.row + 1
        if end >= limit:
            break
        if _IMPORTS.match(text) or _REQUIRES.match(text):
            last, is_import = end, True
        elif is_import and node.type == "comment":
            continue
        elif is_import or not _HEAD.match(text):
            break
        elif node.type != "comment" or not file.lines[end].strip():
            last = end
    above = [] if is_import or not last else [""]
    below = [""] if not is_import and file.lines[last].strip() else []
    return AddedImports(last + 1, "\n".join([*above, *lines, *below, ""]))

"""The imports that the new text of a declaration needs and its file lacks."""

import re
import symtable
import sys
from collections.abc import Collection, Mapping
from contextlib import suppress
from posixpath import dirname, join, normpath, relpath, splitext
from textwrap import dedent
from typing import NamedTuple

from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.declared_lines import Declarations
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.index.installed.node_environment import NODE_MODULES, package_name
from ipuaro_jupyter.languages.indentation import indentation
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.masking import mask
from ipuaro_jupyter.languages.offered_names import (
    is_offered_to_ecmascript,
    is_offered_to_python,
)
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.languages.syntax import parse_fitting
from ipuaro_jupyter.records.code import FileFacts, Import, SymbolLocation
from ipuaro_jupyter.tools.replace_symbol import Replacement
from ipuaro_jupyter.workspace.files.text_file import TextFile

_WORD = re.compile(r"(?<![\w$.])[A-Za-z_$][\w$]*")
_USED = re.compile(
    r"(?<![\w$.])(?:[A-Za-z_$][\w$]*(?=\s*[.(<])|(?:(?<=new )|(?<=[:<|&])|(?<=[:|&] ))[A-Z][\w$]+)"
)
"""What is called or has members; what is made, a type, or a tag of JSX."""
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
    if language is None or language.reader not in ("python", "declarations", "component"):
        return AddedImports()
    ending = ".ts" if language.reader == "component" else splitext(file.path)[1]
    imports = _facts(f"reply{ending}", code).imports
    given = {one.local: _Given(item, one.imported) for item in imports for one in item.names}
    known, bound = _known(file, language)
    lines: list[str] = []
    for name in _missing(file, made.text, language, given):
        if name in (bound if name in given else known):
            continue
        line = _written(name, given, file, index) or _declared(name, file, index)
        if line:
            lines.append(line)
        elif name in given and not _is_python(file.path):
            told = f"`{name}` is imported from {given[name].item.source!r}, which is not there."
            return AddedImports(problem=told)
        elif language.reader == "python" and not re.search(r"import\s*\*", file.text):
            return AddedImports(problem=f"`{name}` is not known in {file.path}.")
    if not lines:
        return AddedImports()
    return _placed(file, sorted(dict.fromkeys(lines)), language, made.lines.start)


class _Given(NamedTuple):
    """An import of a name in a reply."""

    item: Import
    imported: str


def _known(file: TextFile, language: Language) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a file may have for all of it, and those that it has.

    Of an ECMAScript file, all that are no members may be.
    """
    if language.reader == "python":
        with suppress(SyntaxError, ValueError, RecursionError):
            whole = symtable.symtable(file.text, "text", "exec")
            own = (one for one in whole.get_symbols() if one.is_assigned() or one.is_imported())
            return (names := frozenset(one.get_name() for one in own)), names
    words = frozenset(_WORD.findall(_bare(file.text, language)))
    imported = {one.local for item in _facts(file.path, file.text).imports for one in item.names}
    return words, frozenset(imported | {*Declarations(file.path, file.data).names})


def _is_python(path: str) -> bool:
    """Whether a file is one of Python."""
    return path.endswith((".py", ".pyi"))


def _missing(file: TextFile, text: str, language: Language, given: Collection[str]) -> list[str]:
    """The names that a text takes from around it, and that the language does not have."""
    if language.reader == "python":
        found = _globals(text)
        return [name for name in found if not is_offered_to_python(name, file.path)]
    bare = _bare(text, language)
    words = {*_WORD.findall(bare)}
    used = {
        name: None
        for name in _USED.findall(bare)
        if not is_offered_to_ecmascript(name, imported=False)
        and not re.search(_BOUND.format(re.escape(name)), bare)
    }
    return [*({name: None for name in given if name in words} | used)]


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


def _facts(path: str, text: str) -> FileFacts:
    return FileFacts.model_validate(unpack_facts(parse_file(path, text.encode())[0].facts))


def _written(name: str, given: Mapping[str, _Given], file: TextFile, index: CodeIndex) -> str:
    """The import of a name that the model wrote, if its module may be there; "" for none."""
    if name not in given or not _may_be_there(given[name].item.source, file.path, index):
        return ""
    item, imported = given[name]
    return _worded(file, item.source, imported, name, is_type=item.kind == "type")


def _may_be_there(source: str, path: str, index: CodeIndex) -> bool:
    """Whether a module may be imported: one of the language, or one that the project names."""
    top = re.split(r"[./]", source)[0]
    if _is_python(path):
        return bool(top) and (top in sys.stdlib_module_names or bool(index.having(top)))
    if ":" in source or top in NODE_MODULES:
        return True
    if source.startswith((".", "~", "#", "@/")):
        place = normpath(join(dirname(path), source)) if not top else source.partition("/")[2]
        stem = re.escape(re.sub(r"\.[cm]?[jt]sx?$", "", place))
        return any(re.search(rf"(?:^|/){stem}(?:/index)?(?:\.|$)", one) for one in index.paths())
    package = package_name(source)
    texts = index.texts([one for one in index.paths() if one.endswith("package.json")])
    return not texts or any(f'"{package}"'.encode() in data for data, _ in texts.values())


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
    is_type = places[0].kind in ("interface", "type")
    source = _specifier(places[0].path, file)
    return _worded(file, source, exported[name], name, is_type=is_type)


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


def _worded(
    file: TextFile, source: str, imported: str, local: str, *, is_type: bool = False
) -> str:
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
    return f"import {'type ' if is_type else ''}{names} from {sign}{source}{sign}{end}"


def _placed(file: TextFile, lines: list[str], language: Language, limit: int) -> AddedImports:
    """The lines behind the first imports, else behind the head of the file, above a line."""
    last, is_import = 0, False
    if language.reader == "component":
        known = [one for one in _facts(file.path, file.text).imports if one.line < limit]
        if not known:
            return AddedImports(problem=f"{file.path} lacks this: {lines[0]}")
        at = max(known, key=lambda one: one.line)
        end = next(n for n in range(at.line, limit) if at.source in file.lines[n - 1])
        indent = indentation(file.lines[at.line - 1])
        return AddedImports(end + 1, "".join(f"{indent}{line}\n" for line in lines))
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

"""What is wrong in the code blocks of an answer: syntax errors, and names the project lacks.

Only what is known to be wrong is told. A module is looked up where its package is in the project,
a name where the text of the one module that may be meant does not have the word at all.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import NamedTuple

from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.declared_ranges import declared_ranges
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.languages.python_errors import is_newer_syntax, python_error
from ipuaro_jupyter.languages.registry import is_open
from ipuaro_jupyter.languages.syntax_errors import new_syntax_errors
from ipuaro_jupyter.records.code import FileFacts
from ipuaro_jupyter.records.receipt import BlockMark
from ipuaro_jupyter.text_distance import closest
from ipuaro_jupyter.workspace.workspace import Workspace

_ENDINGS = {
    **dict.fromkeys(("python", "py", "python3"), ".py"),
    **dict.fromkeys(("typescript", "ts", "tsx"), ".tsx"),
    **dict.fromkeys(("javascript", "js", "jsx", "mjs"), ".js"),
}
_FENCE = re.compile(
    r"^(?P<in> {0,3})(?P<sign>`{3,}|~{3,})[ \t]*(?P<tag>[\w+-]*)[^\n`]*\n"
    r"(?P<code>.*?)^ {0,3}(?P=sign)[`~]*[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_NO_CODE = re.compile(r"^(?:[-+%!]|@@|>>>|<<<|\$ |\s*(?:\.\.\.|…|// ?\.\.\.)\s*$)|…", re.MULTILINE)
_PART = re.compile(r"\s*(?:elif|else|except|finally|case|return|yield)\b")
_FRAMES = ("", "class A {", "x = {", "async function* f() {", "type A = {")
"""What a part of a file in TypeScript or JavaScript may stand in."""
_OPEN = re.compile(
    r"\bimport\s*\*|\*\s*from|__getattr__|globals\(|sys\.modules|\bexec\(|setattr\("
    r"|module\.exports|export\s*=|\bexports\b"
)
"""A module with one of these may have names that are not in its text."""
_DECLARED = r"\b(?:def|class|function\*?|const|let|var|interface|type|enum)\s+{0}\b|\b{0}\s*=[^=]"
_ENDING = re.compile(r"(?:/(?:__init__|index))?(?:\.d)?\.(?:pyi?|[cm]?[jt]sx?|vue|svelte)$")
_UP = re.compile(r"^(?:\.{1,2}/)+")
_TOPS = frozenset({"", "src/", "lib/"})
"""The folders from which Python's modules are named."""
_MOST_BLOCKS = 30


class _Block(NamedTuple):
    """A block: the 0-based line of the answer at which it begins, its code, and an ending."""

    at: int
    code: str
    ending: str


def block_marks(
    answer: str, index: CodeIndex, workspace: Workspace, *, wanted: str = ""
) -> tuple[BlockMark, ...]:
    """The marks of the blocks in Python, TypeScript and JavaScript, in order.

    Args:
        answer: Its text, in Markdown.
        index: The project.
        workspace: Its files.
        wanted: A question that asks for something new, the names of which need not be there.
    """
    looked = _Looking(answer, index, workspace, wanted)
    return tuple(mark for block in _blocks(answer) for mark in looked.marks(block))


def _blocks(answer: str) -> Iterator[_Block]:
    for found in [*_FENCE.finditer(answer)][:_MOST_BLOCKS]:
        ending = _ENDINGS.get(found["tag"].lower())
        if ending and not found["in"] and not _NO_CODE.search(found["code"]):
            yield _Block(answer.count("\n", 0, found.start()), dedent(found["code"]), ending)


class _Looking:
    """Looks at the blocks of one answer; see `block_marks`."""

    def __init__(self, answer: str, index: CodeIndex, workspace: Workspace, wanted: str) -> None:
        self._answer = answer
        self._index = index
        self._root = workspace.root
        self._wanted = wanted

    def marks(self, block: _Block) -> Iterator[BlockMark]:
        """Yield the syntax error of a block, or else what its imports and calls lack."""
        error = _error(block)
        told = [error] if error else dict.fromkeys(self._lacking(block))
        yield from (BlockMark(at=block.at, line=line, told=what) for line, what in told)

    def _lacking(self, block: _Block) -> Iterator[tuple[int, str]]:
        name = f"block{block.ending}"
        facts = unpack_facts(parse_file(name, block.code.encode())[0].facts)
        for item in FileFacts.model_validate(facts).imports:
            path = self._module(item.source, block.ending)
            if path is None:
                if missing := self._missing(item.source, block.ending):
                    yield item.line, missing
                continue
            for one in item.names:
                if one.imported not in {"*", "default"}:
                    yield from self._name(path, item.source, one.imported, item.line)
                elif one.imported == "*":
                    yield from self._called(path, item.source, one.local, block.code)

    def _called(self, path: str, source: str, local: str, code: str) -> Iterator[tuple[int, str]]:
        """Yield the names that are called as attributes of a module and are not there."""
        if re.search(rf"(?<![\w.]){re.escape(local)}\s*=[^=]", code):
            return
        for found in re.finditer(rf"(?<![\w.]){re.escape(local)}\.(\w+)\(", code):
            line = code[: found.start()].rpartition("\n")[2]
            if not re.search(r"[\"'`#]|//", line):
                number = code.count("\n", 0, found.start()) + 1
                yield from self._name(path, source, found[1], number)

    def _name(self, path: str, source: str, name: str, line: int) -> Iterator[tuple[int, str]]:
        """Yield that a module lacks a name, if that is known."""
        facts = self._index.facts(path)
        data, _ = self._index.texts([path]).get(path, (b"", ""))
        text = data.decode(errors="replace")
        is_new = re.search(_DECLARED.format(re.escape(name)), self._answer) or name in self._wanted
        if facts is None or facts.parse_error or is_new or _OPEN.search(text):
            return
        if re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text):
            return
        if name.startswith("__") or self._module(f"{source}.{name}", ".py"):
            return
        if self._is_on_disk(f"{path.rpartition('/')[0]}/{name}".strip("/")):
            return
        known = [one for one, _, _ in declared_ranges(facts) if "." not in one]
        near = closest(name, dict.fromkeys(known), limit=1)
        yield line, f"{source} has no `{name}`" + "".join(f"; closest: {one}" for one in near)

    def _module(self, source: str, ending: str) -> str | None:
        """The file that a module must mean; None where that is none, or not known.

        A relative one of Python may mean any, and a package of JavaScript none of the project.
        """
        is_python = ending == ".py"
        if is_python == source.startswith("."):
            return None
        plain = source.replace(".", "/") if is_python else _ENDING.sub("", _UP.sub("", source))
        found = [path for path in self._index.paths() if _is_at(path, plain)]
        if len(found) != 1 or is_open(found[0]) != is_python:
            return None
        before = _ENDING.sub("", found[0]).removesuffix(plain)
        is_top = before in _TOPS and source.partition(".")[0] not in sys.stdlib_module_names
        return found[0] if plain and (is_top or not is_python) else None

    def _missing(self, source: str, ending: str) -> str:
        """What is said of a module that its package, one of the project, lacks; "" for none."""
        above, _, name = source.rpartition(".")
        package = self._module(above, ending) if ending == ".py" and above else None
        if package is None or not package.endswith("/__init__.py"):
            return ""
        folder = package.rpartition("/")[0]
        data, _ = self._index.texts([package]).get(package, (b"", ""))
        if self._is_on_disk(f"{folder}/{name}") or re.search(rb"__path__|sys\.modules", data):
            return ""
        inside = [path.removeprefix(f"{folder}/") for path in self._index.paths(folder)]
        modules = [one.removesuffix(".py") for one in inside if "/" not in one]
        if re.search(rf"\b{re.escape(name)}\.py\b", self._answer + self._wanted):
            return ""
        near = closest(name, [one for one in modules if one != "__init__"], limit=1)
        told = "".join(f"; closest: {above}.{one}" for one in near)
        return f"there is no module {source}{told}"

    def _is_on_disk(self, path: str) -> bool:
        """Whether there is a file or folder of that name, in whatever language."""
        place = self._root / path
        return place.exists() or next(place.parent.glob(f"{place.name}.*"), None) is not None


def _is_at(path: str, module: str) -> bool:
    """Whether a file may be a module, as it is named by its last folders."""
    plain = _ENDING.sub("", path)
    return plain != path and (plain == module or plain.endswith(f"/{module}"))


def _error(block: _Block) -> tuple[int, str] | None:
    """The first syntax error of a block, with its line; None for code that may be a part."""
    if block.ending == ".py":
        error = None if _PART.match(block.code) else python_error(block.code.encode(), is_cell=True)
        if error is None or error.is_unknown or "outside" in error.reason:
            return None
        lines: Sequence[str] = block.code.split("\n")
        shown = lines[error.line - 1] if error.line <= len(lines) else ""
        return None if is_newer_syntax(error, shown) else (error.line, error.reason)
    endings = (".ts", ".tsx") if block.ending == ".tsx" else (".js", ".ts", ".tsx")
    first = None
    for ending in endings:
        for frame in _FRAMES:
            code = f"{frame}{block.code}\n}}" if frame else block.code
            errors = new_syntax_errors(f"block{ending}", None, code.encode())
            if not errors:
                return None
            first = first or errors[0]
    return None if first is None else (first.line, first.reason)

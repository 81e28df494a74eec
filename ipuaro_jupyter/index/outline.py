"""What a file declares, in a few short lines; and names of a project as a prompt may hold them."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ipuaro_jupyter.index.facts_format import Facts, unpack_facts

_LONGEST_NAME = 160
_LONGEST_LINE = 200
_MOST_PARAMS = 6
_MOST_MEMBERS = 12
_MARKS = frozenset("<>`\\")
_PLAIN = re.compile(r"[\w ./@+~,;:=#$%&()\[\]{}!?'*|-]*", re.ASCII)
_KINDS = (("interfaces", "interface"), ("types", "type"), ("enums", "enum"))


class Declared(NamedTuple):
    """One declaration: ``names`` are those that it is asked by, ``weight`` is less first."""

    line: int
    weight: int
    names: frozenset[str]
    text: str


def plain(name: str, *, longest: int = _LONGEST_NAME) -> str:
    """Return a name as a prompt may hold it: on one line, and never a mark of the prompt's own.

    Line breaks, control characters, backticks, angle brackets and backslashes are written as in
    a string of code. The middle of a long name is left out.

    Args:
        name: A path, or any text from the project's code.
        longest: How many characters it may have.
    """
    if not _PLAIN.fullmatch(name):
        name = "".join(map(_spelled, name))
    if len(name) <= longest:
        return name
    return f"{name[: longest // 2]}…{name[len(name) - (longest - longest // 2) + 1 :]}"


def _spelled(character: str) -> str:
    category = unicodedata.category(character)
    if character in _MARKS or category[0] == "C" or (category[0] == "Z" and character != " "):
        code = ord(character)
        if character == "\\":
            return "\\\\"
        return (
            f"\\x{code:02x}"
            if code <= 0xFF
            else f"\\u{code:04x}"
            if code <= 0xFFFF
            # noqa: PLR2004 - widths of the escapes
            else (f"\\U{code:08x}")
        )
    return character


def outline(blob: bytes, *, asked: Collection[str], most_chars: int) -> list[str]:
    """Return lines on what a file declares, in its order, such as "12: pay(bill, at?)".

    What does not fit is left out: what is asked for stays longest, then what is exported.

    Args:
        blob: The facts of the file, as stored.
        asked: Names that the conversation has; of the declarations with one, the line is kept.
        most_chars: How many characters the lines may take, one for each line break included.
    """
    chosen: list[Declared] = []
    room = most_chars
    ranked = sorted(
        _declarations(blob), key=lambda one: (one.names.isdisjoint(asked), one.weight, one.line)
    )
    for one in ranked:
        size = len(one.text) + len(str(one.line)) + 3
        if size <= room:
            chosen.append(one)
            room -= size
    return [f"{one.line}: {one.text}" for one in sorted(chosen, key=lambda one: one.line)]


@lru_cache(maxsize=512)
def _declarations(blob: bytes) -> tuple[Declared, ...]:
    return tuple(_declared(unpack_facts(blob)))


def _declared(facts: Facts) -> Iterator[Declared]:
    for function in facts["functions"]:
        if "." not in function["qualified"]:
            yield _one(function, _called(function), ())
    for holder in facts["classes"]:
        above = [holder["extends"] or "", *holder["implements"]]
        text = f"class {_name(holder)}{_heritage(above)}"
        yield _one(holder, text + _members(holder["methods"], holder["properties"]), _inner(holder))
    for interface in facts["interfaces"]:
        text = f"interface {_name(interface)}{_heritage(interface['extends'])}"
        yield _one(interface, text + _members(interface["methods"], interface["fields"]), ())
    for alias in facts["types"]:
        yield _one(alias, f"type {_name(alias)}", ())
    for enum in facts["enums"]:
        yield _one(enum, f"enum {_name(enum)} {{{_listed(map(plain, enum['members']))}}}", ())
    for space in facts["namespaces"]:
        yield _one(space, f"namespace {_name(space)}", ())
    for variable in facts["variables"]:
        if "." not in variable["qualified"]:
            yield _one(variable, f"{variable['kind']} {_name(variable)}", ())


def _one(record: Facts, text: str, inner: Iterable[str]) -> Declared:
    is_value = record.get("kind") in {"const", "variable", "key"}
    return Declared(
        line=record["line_start"],
        weight=2 * (not record["is_exported"]) + is_value,
        names=frozenset((record["name"], record["qualified"], *inner)),
        text=text if len(text) <= _LONGEST_LINE else f"{text[: _LONGEST_LINE - 1]}…",
    )


def _inner(holder: Facts) -> list[str]:
    return [member["name"] for member in (*holder["methods"], *holder["properties"])]


def _name(record: Facts) -> str:
    return plain(record["qualified"], longest=80)


def _heritage(above: Sequence[str]) -> str:
    """Return what a class is made of, type arguments left out."""
    named = [plain(one.partition("<")[0].strip(), longest=60) for one in above if one]
    return f" extends {', '.join(named)}" if named else ""


def _members(methods: Sequence[Facts], fields: Sequence[Facts]) -> str:
    """Return methods with their parameters, overloads once, then fields."""
    found: dict[str, str] = {}
    for method in methods:
        found[method["name"]] = _called(method, bare=True)
    for field in fields:
        function = field["function"]
        name = plain(field["name"], longest=60)
        found.setdefault(field["name"], f"{name}(…)" if function else name)
    return f" {{{_listed(found.values())}}}" if found else ""


def _called(function: Facts, *, bare: bool = False) -> str:
    if function["kind"] in {"getter", "setter"}:
        return plain(function["name"], longest=60)
    params = _listed((_param(p) for p in function["params"]), most=_MOST_PARAMS)
    name = function["name"] if bare else function["qualified"]
    return f"{plain(name, longest=80)}({params})"


def _param(param: Facts) -> str:
    name = param["name"]
    if name[:1] in {"{", "["}:
        name = f"{name[0]}…{'}' if name[0] == '{' else ']'}"
    optional = "?" if param["is_optional"] else ""
    return f"{'...' if param['is_rest'] else ''}{plain(name, longest=40)}{optional}"


def _listed(names: Iterable[str], *, most: int = _MOST_MEMBERS) -> str:
    every = list(names)
    return ", ".join(every[:most] + ["…"] * (len(every) > most))

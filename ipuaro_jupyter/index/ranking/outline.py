"""The declarations of a file in a few short lines, and names made safe for a prompt."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from ipuaro_jupyter.index.extract.facts_format import Facts, unpack_facts
from ipuaro_jupyter.languages.registry import is_open

_LONGEST_NAME = 160
_LEAST_LINE, _LONGEST_LINE = 8, 200
_MOST_PARAMS = 6
_MOST_MEMBERS = 12
_MARKS = frozenset("<>`")
_TYPED = frozenset({"typescript", "tsx", "vue", "svelte", "astro"})
"""The languages in which ``name?`` is a parameter that may be left out."""
_PLAIN = re.compile(r"[\w ./@+~,;:=#$%&()\[\]{}!?'*|-]*", re.ASCII)


class Declared(NamedTuple):
    """One declaration: ``text`` without its ``members``; the lowest ``weight`` matters most."""

    line: int
    weight: int
    names: frozenset[str]
    text: str
    members: tuple[tuple[str, str], ...] = ()

    def line_for(self, asked: Collection[str], room: int) -> str | None:
        """The line with as many members as fit, those in ``asked`` first; None: no room."""
        text = f"{self.line}: {self.text}"
        if len(text) > room:
            return None
        members = sorted(self.members, key=lambda member: member[0] not in asked)
        longest = min(room, _LONGEST_LINE)
        for count in range(min(len(members), _MOST_MEMBERS), 0, -1):
            listed = [shown for _, shown in members[:count]] + ["…"] * (count < len(members))
            whole = f"{text} {{{', '.join(listed)}}}"
            if len(whole) <= longest:
                return whole
        return text


def plain(name: str, *, longest: int = _LONGEST_NAME) -> str:
    """A name made safe for a prompt: on one line, and without the prompt's own markup.

    Line breaks, characters that hide or move others, backticks and angle brackets become
    ``[U+000A]``, and the middle of a long name "…".

    Args:
        name: A path, or any text from the project's code.
        longest: The number of characters it may have.
    """
    if not _PLAIN.fullmatch(name):
        name = "".join(map(_spelled, name))
    if len(name) <= longest:
        return name
    return f"{name[: longest // 2]}…{name[len(name) - (longest - longest // 2) + 1 :]}"


def plain_path(path: str) -> str:
    """A path at the beginning of a line, which must not look like a heading."""
    return plain(f"./{path}" if path.startswith("#") else path)


def file_line(path: str, importers: int) -> str:
    """The line of a file above its declarations."""
    return plain_path(path) + (f" (imported by {importers})" if importers else "")


def _spelled(character: str) -> str:
    is_plain = unicodedata.category(character)[0] not in "CZ" and character not in _MARKS
    return character if is_plain or character == " " else f"[U+{ord(character):04X}]"


def outline(blob: bytes, *, asked: Collection[str], most_chars: int) -> list[str]:
    """The declarations of a file, one line each in its order, such as "12: pay(bill, at?)".

    Lines that do not fit are dropped: names in ``asked`` stay longest, then exported ones.

    Args:
        blob: The facts of the file, as stored.
        asked: Names that occur in the conversation; a declaration of one keeps its line.
        most_chars: The number of characters for the lines, plus two for each line.
    """
    declared = _declarations(blob)
    order = sorted(
        range(len(declared)),
        key=lambda place: (declared[place].names.isdisjoint(asked), declared[place].weight, place),
    )
    chosen: dict[int, str] = {}
    room = most_chars
    for place in order:
        if room < _LEAST_LINE:
            break
        text = declared[place].line_for(asked, room - 2)
        if text is not None:
            chosen[place] = text
            room -= len(text) + 2
    return [chosen[place] for place in sorted(chosen)]


def declared_names(blob: bytes) -> list[str]:
    """The qualified names that a file declares, the exported ones first, methods with them.

    Args:
        blob: The facts of the file, as stored.
    """
    facts = unpack_facts(blob)
    kinds = ("functions", "classes", "interfaces", "types", "enums", "namespaces", "variables")
    found = [record for kind in kinds for record in facts[kind]]
    found.sort(key=lambda record: (not record["is_exported"], record["line_start"]))
    names: dict[str, None] = {}
    for record in found:
        names[record["qualified"]] = None
        for method in record.get("methods", ()):
            names[f"{record['qualified']}.{method['name']}"] = None
    return list(names)


@lru_cache(maxsize=512)
def _declarations(blob: bytes) -> tuple[Declared, ...]:
    return tuple(sorted(_declared(unpack_facts(blob)), key=attrgetter("line")))


def _declared(facts: Facts) -> Iterator[Declared]:
    language = "python" if is_open(facts["path"]) else facts["language"]
    for function in facts["functions"]:
        if "." not in function["qualified"]:
            yield _one(function, _called(function, language))
    for holder in facts["classes"]:
        above = [holder["extends"] or "", *holder["implements"]]
        members = _members(holder["methods"], holder["properties"], language)
        yield _one(holder, f"class {_name(holder)}{_heritage(above, language)}", members)
    for interface in facts["interfaces"]:
        text = f"interface {_name(interface)}{_heritage(interface['extends'], language)}"
        members = _members(interface["methods"], interface["fields"], language)
        yield _one(interface, text, members)
    for alias in facts["types"]:
        members = _members(alias["methods"], alias["fields"], language)
        yield _one(alias, f"type {_name(alias)}", members)
    for enum in facts["enums"]:
        members = tuple((name, plain(name, longest=60)) for name in enum["members"])
        yield _one(enum, f"enum {_name(enum)}", members)
    for space in facts["namespaces"]:
        yield _one(space, f"namespace {_name(space)}")
    for variable in facts["variables"]:
        if "." not in variable["qualified"]:
            yield _one(variable, f"{variable['kind']} {_name(variable)}")


def _one(record: Facts, text: str, members: tuple[tuple[str, str], ...] = ()) -> Declared:
    is_value = record.get("kind") in {"const", "variable", "key"}
    return Declared(
        line=record["line_start"],
        weight=2 * (not record["is_exported"]) + is_value,
        names=frozenset((record["name"], record["qualified"], *(name for name, _ in members))),
        text=text,
        members=members,
    )


def _name(record: Facts) -> str:
    return plain(record["qualified"], longest=80)


def _heritage(above: Sequence[str], language: str) -> str:
    """The bases of a class, without type arguments."""
    named = [plain(one.partition("<")[0].strip(), longest=60) for one in above if one]
    told = "({})" if language == "python" else " extends {}"
    return told.format(", ".join(named)) if named else ""


def _members(
    methods: Sequence[Facts], fields: Sequence[Facts], language: str
) -> tuple[tuple[str, str], ...]:
    """Methods with their parameters (of overloads the last), then fields; with their names."""
    found: dict[str, str] = {}
    for method in methods:
        found[method["name"]] = _called(method, language, bare=True)
    for field in fields:
        name = plain(field["name"], longest=60)
        found.setdefault(field["name"], f"{name}(…)" if field["function"] else name)
    return tuple(found.items())


def _called(function: Facts, language: str, *, bare: bool = False) -> str:
    if function["kind"] in {"getter", "setter"}:
        return plain(function["name"], longest=60)
    params = _params(function["params"], language)
    name = function["name"] if bare else function["qualified"]
    return f"{plain(name, longest=80)}({params})"


def _params(params: Sequence[Facts], language: str) -> str:
    more = ["…"] * (len(params) > _MOST_PARAMS)
    rest = [param["name"] for param in params if param["is_rest"]]
    shown = (_param(param, language, rest) for param in params[:_MOST_PARAMS])
    return ", ".join([*shown, *more])


def _param(param: Facts, language: str, rest: Sequence[str]) -> str:
    """A parameter in the form of its language; ``rest`` are those that take what is left."""
    name = param["name"]
    if name[:1] in {"{", "["}:
        name = f"{name[0]}…{'}' if name[0] == '{' else ']'}"
    name = plain(name, longest=40)
    if param["is_rest"] and language == "python":
        is_named = name.startswith("kw") or (len(rest) > 1 and param["name"] == rest[-1])
        return f"**{name}" if is_named else f"*{name}" if len(rest) > 1 or name == "args" else "…"
    optional = "?" if language in _TYPED else "=…"
    return f"{'...' if param['is_rest'] else ''}{name}{optional if param['is_optional'] else ''}"

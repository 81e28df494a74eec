"""The index's view of a language's node kinds: the tables of its language.toml."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from ipuaro_jupyter.errors import SettingsError

_MODIFIERS: Final = (
    *("async", "generator", "static", "readonly", "abstract", "getter", "setter", "optional"),
    *("default", "type_only", "constant"),
)


class LanguageError(SettingsError):
    """A language's folder breaks the rules; the message names the folder and the allowed values."""


@dataclass(frozen=True)
class Parameter:
    """How a kind of node in a parameter list is read: its fields and modifiers.

    ``place`` is the index of the name among the named children, where no field has it.
    """

    name: str | None = None
    type: str | None = None
    default: str | None = None
    optional: bool = False
    rest: bool = False
    place: int | None = None


@dataclass(frozen=True)
class Comments:
    """The signs of comments and strings, for languages without a grammar.

    ``line`` and ``block`` are the signs; ``strings`` are pairs of quotes, longest first;
    ``after_blank`` is for languages in which a sign in the middle of a word does not begin a
    comment.
    """

    line: tuple[str, ...] = ()
    block: tuple[tuple[str, str], ...] = ()
    strings: tuple[tuple[str, str], ...] = ()
    after_blank: bool = False


@dataclass(frozen=True)
class Cells:
    """How the cells of a notebook are read.

    ``language`` is the language of the code when the notebook's kernel is one of ``kernels`` or is
    not named. A cell that begins with one of the magics in ``foreign`` is in another language.
    """

    language: str = ""
    kernels: frozenset[str] = frozenset()
    foreign: frozenset[str] = frozenset()


class Component(NamedTuple):
    """How a component in one file is read: the language of its code, the kind of its template."""

    language: str = ""
    template: str = ""


class Patch(NamedTuple):
    """Syntax that a grammar does not know: see the language.toml of JavaScript.

    The first group of ``find`` is replaced by ``put``, where the text before ends with ``after``.
    When ``words`` are given, a file without any of them is not searched. ``inside`` are kinds of
    nodes: where one of them directly contains the replacement, the patch was right, whatever the
    grammar makes of the original file.
    """

    find: str
    put: str
    after: str = ""
    words: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tables:
    """The node kinds the index refers to; see the language.toml of JavaScript."""

    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    modifiers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    parameter_properties: frozenset[str] = frozenset()
    unnamed: frozenset[str] = frozenset()
    pattern_leaves: frozenset[str] = frozenset()
    pattern_follow: Mapping[str, str] = field(default_factory=dict)
    transparent: Mapping[str, int] = field(default_factory=dict)
    calls: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    members: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    objects: frozenset[str] = frozenset()
    shorthands: frozenset[str] = frozenset()
    spreads: frozenset[str] = frozenset()
    loaders: Mapping[str, str] = field(default_factory=dict)
    variables: frozenset[str] = frozenset()
    statements: frozenset[str] = frozenset()
    declarators: frozenset[str] = frozenset()
    bound_values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    bound_signs: tuple[str, ...] = ()
    type_contexts: frozenset[str] = frozenset()
    type_parts: Mapping[str, str] = field(default_factory=dict)
    constructors: frozenset[str] = frozenset()
    receivers: frozenset[str] = frozenset()
    dropped_names: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    export_objects: tuple[str, ...] = ()
    export_definers: tuple[str, ...] = ()
    export_copiers: tuple[str, ...] = ()
    unexported: frozenset[str] = frozenset()
    no_wrappers: frozenset[str] = frozenset()
    patches: tuple[Patch, ...] = ()
    joined: Mapping[str, str] = field(default_factory=dict)
    decorators: Mapping[str, str] = field(default_factory=dict)
    abstract_bases: frozenset[str] = frozenset()
    final_types: frozenset[str] = frozenset()
    shared_types: frozenset[str] = frozenset()
    alias_types: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    sequences: frozenset[str] = frozenset()
    export_lists: frozenset[str] = frozenset()
    keywords: frozenset[str] = frozenset()
    module_paths: frozenset[str] = frozenset()
    scoping: Mapping[str, str] = field(default_factory=dict)
    builtin_types: frozenset[str] = frozenset()
    blocks: frozenset[str] = frozenset()
    declaring: frozenset[str] = frozenset()
    joint: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    signatures: frozenset[str] = frozenset()
    bracketed: frozenset[str] = frozenset()
    name_lists: frozenset[str] = frozenset()
    comments: frozenset[str] = frozenset({"comment"})
    attributes: frozenset[str] = frozenset({"decorator"})
    separator: str = ""
    capital_exports: bool = False
    paths: frozenset[str] = frozenset()
    own_module: frozenset[str] = frozenset()
    outer_module: frozenset[str] = frozenset()

    @cached_property
    def markers(self) -> Mapping[str, str]:
        """The modifier that each kind of child stands for: the inverse of `modifiers`."""
        return {kind: name for name, kinds in self.modifiers.items() for kind in kinds}

    @cached_property
    def bound_sign(self) -> re.Pattern[bytes]:
        """Any of `bound_signs`."""
        return re.compile("|".join(map(re.escape, self.bound_signs)).encode())

    @cached_property
    def export_heads(self) -> tuple[bytes, ...]:
        """The possible beginnings of an assignment to an export."""
        return tuple(name.encode() for name in self.export_objects)

    @cached_property
    def export_target(self) -> re.Pattern[str]:
        """The target of an assignment to an export, without blanks: ``name`` or ``text``."""
        objects = "|".join(re.escape(name) for name in self.export_objects)
        return re.compile(rf"(?:{objects})(?:\.(?P<name>[\w$]+)|\[(['\"])(?P<text>[^'\"]*)\2\])?")

    @cached_property
    def export_call(self) -> re.Pattern[bytes]:
        """The name of a function that exports its arguments: ``callee``, maybe a ``definer``."""
        definers = "|".join(re.escape(name) for name in self.export_definers)
        copiers = "|".join(re.escape(name) for name in self.export_copiers)
        objects = "|".join(re.escape(name) for name in self.export_objects)
        return re.compile(
            rf"(?P<callee>(?P<definer>{definers})(?=\s*+\(\s*+(?:{objects})\s*+,)"
            rf"|\b(?:{copiers})(?=\s*+\(\s*+(?:[\w$.]++\s*+,\s*+)?require\b))".encode()
        )


def tables_of(folder: Path, raw: dict[str, Any]) -> Tables:
    """The tables of a language.toml.

    Raises:
        LanguageError: A table or modifier is not known.
    """
    kinds = Tables.__dataclass_fields__
    unknown = sorted(raw.keys() - kinds.keys())
    modifiers = sorted(raw.get("modifiers", {}).keys() - set(_MODIFIERS))
    if unknown or modifiers:
        raise LanguageError(
            f"{folder}: unknown tables {', '.join([*unknown, *modifiers])}. "
            f"Known: {', '.join(kinds)}; modifiers: {', '.join(_MODIFIERS)}"
        )
    made: dict[str, Any] = dict(raw)
    for name, kind in kinds.items():
        if name in made and kind.type == frozenset[str]:
            made[name] = frozenset(made[name])
        elif name in made and kind.type == tuple[str, ...]:
            made[name] = tuple(made[name])
    made["patches"] = tuple(
        Patch(**{**patch, **{name: tuple(patch.get(name, ())) for name in ("words", "inside")}})
        for patch in made.get("patches", ())
    )
    made["parameters"] = {k: Parameter(**v) for k, v in made.get("parameters", {}).items()}
    return Tables(**made)

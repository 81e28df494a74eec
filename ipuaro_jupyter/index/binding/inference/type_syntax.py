"""The syntax of a type as written in TypeScript: ``Map<string, A[]> | null`` as a tree of records.

What the grammar of types has and no name of a member can come from is kept as `Other`.
https://www.typescriptlang.org/docs/handbook/2/types-from-types.html
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Named:
    """``a.B<C>``; ``typeof a.b`` when it is the type of a value."""

    names: tuple[str, ...]
    args: tuple["Syntax", ...] = ()
    is_value: bool = False
    source: str = ""  # of import("source").Name


@dataclass(frozen=True, slots=True)
class WholeModule:
    """``typeof import("source")``."""

    source: str


@dataclass(frozen=True, slots=True)
class Compound:
    """A union, or an intersection."""

    parts: tuple["Syntax", ...]


@dataclass(frozen=True, slots=True)
class Tuple:
    """``[A, ...B[]]``; a rest element stands as the array it spreads."""

    parts: tuple["Syntax", ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object type; the name of an index signature is ""."""

    name: str
    type: "Syntax"


@dataclass(frozen=True, slots=True)
class Object:
    """``{ a: A; b(): B }``."""

    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class ParameterSyntax:
    """A parameter of a function type; the type of a rest parameter is that of its array."""

    name: str
    type: "Syntax"
    is_rest: bool = False


@dataclass(frozen=True, slots=True)
class FunctionSyntax:
    """``<T>(a: A) => B``, or a method's signature; also one that is called with ``new``."""

    type_parameters: tuple[tuple[str, "Syntax"], ...]
    parameters: tuple[ParameterSyntax, ...]
    returned: "Syntax"


@dataclass(frozen=True, slots=True)
class Indexed:
    """``A["b"]``."""

    object: "Syntax"
    key: "Syntax"


@dataclass(frozen=True, slots=True)
class Mapped:
    """``{ [K in A]: B }``."""

    name: str
    keys: "Syntax"
    type: "Syntax"


@dataclass(frozen=True, slots=True)
class KeyOf:
    """``keyof A``."""

    object: "Syntax"


@dataclass(frozen=True, slots=True)
class Conditional:
    """``A extends B ? C : D``."""

    checked: "Syntax"
    extended: "Syntax"
    then: "Syntax"
    otherwise: "Syntax"


@dataclass(frozen=True, slots=True)
class Predicate:
    """``a is B``, or ``asserts a is B``."""

    name: str
    type: "Syntax"
    is_assertion: bool


@dataclass(frozen=True, slots=True)
class Text:
    """A literal as a type, as written."""

    text: str


@dataclass(frozen=True, slots=True)
class Other:
    """Anything else."""


Syntax: TypeAlias = (
    Named
    | WholeModule
    | Compound
    | Tuple
    | Object
    | FunctionSyntax
    | Indexed
    | Mapped
    | KeyOf
    | Conditional
    | Predicate
    | Text
    | Other
)

OTHER = Other()

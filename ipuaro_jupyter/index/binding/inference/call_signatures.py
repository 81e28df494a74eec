"""What functions take and return, as written, and the arguments of calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ipuaro_jupyter.index.binding.inference.inferred_type import NOTHING, Bound, Type, Types, agreed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ipuaro_jupyter.index.binding.inference.type_syntax import FunctionSyntax, Syntax
    from ipuaro_jupyter.languages.language import Node


@dataclass(frozen=True)
class SignatureParameter:
    """A parameter of a signature: its written type, and the byte at which that stands."""

    type: Syntax
    offset: int
    is_rest: bool


@dataclass(frozen=True)
class Signature:
    """What a function takes and returns.

    Attributes:
        path: The file.
        offset: A byte in the scope of its type parameters.
        type_parameters: Their names and limits.
        parameters: The parameters, without ``this``.
        returned: The written type that it returns; None when there is none.
        node: Its node; None for a function type.
        scope: The types of other type parameters.
    """

    path: str
    offset: int
    type_parameters: tuple[tuple[str, Syntax], ...]
    parameters: tuple[SignatureParameter, ...]
    returned: Syntax | None
    node: Node | None
    scope: Bound

    def parameter(self, place: int) -> SignatureParameter | None:
        """The parameter that takes the argument at a place."""
        if place < len(self.parameters):
            return self.parameters[place]
        last = self.parameters[-1] if self.parameters else None
        return last if last is not None and last.is_rest else None

    @property
    def has_body(self) -> bool:
        """Whether it is that of a function with a body."""
        return self.node is not None and self.node.child_by_field_name("body") is not None

    @property
    def takes_rest(self) -> bool:
        """Whether its last parameter takes any number of arguments."""
        return bool(self.parameters) and self.parameters[-1].is_rest


def without_bodies(signatures: list[Signature]) -> list[Signature]:
    """The overloads of a function; all signatures where there are none."""
    if len(signatures) < 2:  # noqa: PLR2004
        return signatures
    return [one for one in signatures if not one.has_body] or signatures


def either(signatures: list[Signature], types: Iterable[Types]) -> Types:
    """The types by signatures of a function, of which a call means one overload.

    Functions with bodies, as in two branches, are all possible.
    """
    if any(one.has_body for one in signatures):
        return NOTHING.union(*types)
    return agreed(types)


def written_signature(callee: Type, syntax: FunctionSyntax) -> Signature:
    """What a function type takes and returns."""
    listed = [one for one in syntax.parameters if one.name != "this"]
    return Signature(
        callee.path,
        callee.start,
        syntax.type_parameters,
        tuple(SignatureParameter(one.type, callee.start, one.is_rest) for one in listed),
        syntax.returned,
        None,
        callee.scope,
    )

"""Reads of the index that make it anew when a part of it is damaged."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from ipuaro_jupyter.errors import WrongKeyType
from ipuaro_jupyter.index.storage.seals import IndexDamagedError


class Rebuilt(Protocol):
    """What can be made anew."""

    def rebuild(self) -> None:
        """Make it anew."""


P = ParamSpec("P")
T = TypeVar("T")
Self = TypeVar("Self", bound=Rebuilt)


def mended(read: Callable[Concatenate[Self, P], T]) -> Callable[Concatenate[Self, P], T]:
    """Have a method that meets damage make the index anew, and read again."""

    @wraps(read)
    def reading(index: Self, /, *args: P.args, **options: P.kwargs) -> T:
        try:
            return read(index, *args, **options)
        except (IndexDamagedError, WrongKeyType):
            index.rebuild()
            return read(index, *args, **options)

    return reading

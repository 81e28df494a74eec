"""TODO: no, this is a docstring."""

from __future__ import annotations

import os.path as paths
from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias, overload

from . import gate, lock as bolt
from .loads import *

if TYPE_CHECKING:
    from .fleet import Fleet

__all__ = ["LIMIT", "Truck"]
__all__ += ["drive", "pad"]
__all__.extend(("Load",))

LIMIT: Final = 10  # TODO(bob): yes
_low, (high, *others) = 1, (2, 3)
Load: TypeAlias = "dict[str, int]"
engine = import_module(".engine", __package__)
pad = lambda n, width=2: str(n).zfill(width)

text = (
    f"{LIMIT!r:>{high}} # no"
    """
# BUG: no
"""
)


class Vehicle(ABC):
    wheels: ClassVar[int] = 4
    plate: str

    @abstractmethod
    def stop(self) -> None: ...


class Truck(Vehicle, gate.Opener[int], metaclass=type):
    double = lambda self: 2 * self.wheels

    def __init__(self, fleet: Fleet, *stops: str, km=1, **rest):
        self.fleet = fleet
        self.stops, self.km = stops, km
        self.rest: dict[str, object] = rest

    @property
    def weight(self) -> int:
        return 1

    @weight.setter
    def weight(self, value):
        self._weight = value

    @classmethod
    def made(cls, /, *, count: int = 1) -> list[Truck]:
        cls.count = count
        return [cls(None) for _ in range(count) if count and _ is not None]

    @overload
    def stop(self) -> None: ...
    @overload
    def stop(self, km: int) -> None: ...
    def stop(self, km=0):
        def wait():
            yield km

        for place in self.stops:
            if place in self.rest:
                continue
            elif km or place:
                break
        return wait


async def drive(truck: Truck):
    # NOTE: yes
    match truck:
        case Truck(km=1) if bolt:
            await truck.stop()
        case _:
            pass
    try:
        paths.join("a", "b")
    except (OSError, ValueError):
        raise
    else:
        return 1 if truck else 0

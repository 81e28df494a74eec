"""Which parts of an index's shape the latest writes have changed."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from ipuaro_jupyter.index.storage.shapes.shape_parts import Part, numbers_of

_MOST_PARTS = 10_000
"""A step counts as one more."""


class _ShapeStep(NamedTuple):
    """A shape, and the numbers of the parts in which the next one differs."""

    shape: bytes
    parts: list[int]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[_ShapeStep]).decode


class ShapeChanges:
    """What the latest writes have changed of the shape, as far back as that is known.

    Args:
        steps: The shapes before the present one, oldest first.
    """

    def __init__(self, steps: Iterable[_ShapeStep] = ()) -> None:
        self._steps = tuple(steps)

    @classmethod
    def decoded(cls, value: bytes | None) -> "ShapeChanges":
        """What was `encoded`; nothing known from None."""
        return cls(() if value is None else _decode(value))

    @property
    def encoded(self) -> bytes:
        """The form in which they are stored."""
        return _encode(self._steps)

    def first(self, shape: bytes) -> bytes:
        """The oldest shape since which the changes are known.

        Args:
            shape: The present one.
        """
        return self._steps[0].shape if self._steps else shape

    def since(self, shape: bytes) -> frozenset[int] | None:
        """The numbers of the parts that have changed since another shape; None: not known."""
        for place, step in enumerate(self._steps):
            if step.shape == shape:
                return frozenset[int]().union(*(one.parts for one in self._steps[place:]))
        return None

    def with_step(self, shape: bytes, parts: Iterable[Part]) -> "ShapeChanges":
        """The changes after another one; none are known any more when they are very many.

        Args:
            shape: The shape before it.
            parts: The parts that it changes.
        """
        steps = (*self._steps, _ShapeStep(shape, numbers_of(parts)))
        return ShapeChanges(steps if sum(1 + len(s.parts) for s in steps) <= _MOST_PARTS else ())

"""A name that a change of a file leaves without a meaning."""

from dataclasses import dataclass
from typing import Literal

Verb = Literal["imported", "declared"]
"""What a file did with a name before."""


@dataclass(frozen=True, order=True)
class LostName:
    """The first use of a name that a file no longer imports or declares.

    Attributes:
        line: The line of the use in the new text, 1-based.
        name: The name.
        verb: What the old text did with it.
    """

    line: int
    name: str
    verb: Verb

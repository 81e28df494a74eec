"""What a plain shell text says: its commands, their words, and how much of each is certain."""

from dataclasses import dataclass
from enum import Enum


class Uncertain(Exception):  # noqa: N818 - no fault of anybody's
    """It is not certain what a text runs; the message is the reason, after "because"."""


class WordKnown(Enum):
    """How much of a word is certain."""

    ALL = "all"
    NAMES = "names"
    """It becomes names of files, all of which begin with its first letters."""
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class PlainWord:
    """A word; ``text`` is what it becomes, or the part before what is not certain.

    ``may_split`` says that a shell may make several words of it, or none.
    """

    text: str
    known: WordKnown = WordKnown.ALL
    may_split: bool = False

    @property
    def literal(self) -> str | None:
        """What the word becomes; None when that is not certain."""
        return self.text if self.known is WordKnown.ALL else None


@dataclass(frozen=True, slots=True)
class PlainCommand:
    """A simple command.

    ``pipeline`` is a number that the commands of a pipeline share. ``is_fed`` says that its
    standard input is something else of the text, or a file. ``writes`` are the files that its
    redirections write. ``after`` is the operator before it, or "!" where it is negated.
    """

    words: tuple[PlainWord, ...]
    assignments: tuple[tuple[str, PlainWord], ...]
    pipeline: int
    is_fed: bool
    writes: tuple[str, ...]
    after: str = ""


@dataclass(frozen=True, slots=True)
class PlainText:
    """The commands of a text in their order.

    ``in_order`` says that a later command never runs before an earlier one: that there is no loop,
    no block and nothing in the background. ``has_loops`` says that one may run again, and
    ``counts`` that a word is the number of processors.
    """

    commands: tuple[PlainCommand, ...]
    in_order: bool
    has_loops: bool = False
    counts: bool = False


def worst(one: WordKnown, other: WordKnown) -> WordKnown:
    """The lesser of two; what follows a pattern of names is a part of it, if it is certain."""
    order = (WordKnown.ALL, WordKnown.NAMES, WordKnown.NOTHING)
    return max(one, other, key=order.index)

"""Split a command's arguments into options and operands, as getopt does."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Options:
    """Options in order: (name, value), where the value is None when the option has none.

    Names have their dashes. ``operands`` are the rest.
    """

    given: tuple[tuple[str, str | None], ...]
    operands: tuple[str, ...]

    @property
    def names(self) -> set[str]:
        """The options without their values."""
        return {name for name, _ in self.given}

    def values(self, *names: str) -> list[str]:
        """The values of the options with these names."""
        return [value for name, value in self.given if name in names and value is not None]


def read_options(
    arguments: Sequence[str],
    values: Collection[str] = (),
    *,
    attached: Collection[str] = (),
    permute: bool = True,
) -> Options:
    """Split arguments into options and operands.

    Args:
        arguments: What follows the program's name.
        values: The options that take a value, attached or as the next argument.
        attached: The short options that take a value only when it is attached.
        permute: Whether options may follow operands; else the first operand ends the options.
    """
    given: list[tuple[str, str | None]] = []
    operands: list[str] = []
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument == "--":
            operands += rest
            break
        if argument.startswith("--"):
            name, equals, behind = argument.partition("=")
            value = behind if equals else None
            if value is None and name in values and rest:
                value = rest.pop(0)
            given.append((name, value))
        elif argument.startswith("-") and len(argument) > 1:
            given += _read_letters(argument[1:], values, attached, rest)
        else:
            operands.append(argument)
            if not permute:
                operands += rest
                break
    return Options(tuple(given), tuple(operands))


def _read_letters(
    letters: str, values: Collection[str], attached: Collection[str], rest: list[str]
) -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    for at, letter in enumerate(letters):
        name, behind = f"-{letter}", letters[at + 1 :]
        if name in values:
            found.append((name, behind or (rest.pop(0) if rest else None)))
            break
        if name in attached:
            found.append((name, behind or None))
            break
        found.append((name, None))
    return found


def any_like(names: Iterable[str], patterns: Iterable[str]) -> bool:
    """Whether one of ``names`` is like a pattern: ``-f``, ``--for[ce]`` or ``--force-*``."""
    patterns = tuple(patterns)
    return any(_is_like(name, pattern) for name in names for pattern in patterns)


def _is_like(name: str, pattern: str) -> bool:
    start, cut, rest = pattern.partition("[")
    if cut:
        return name.startswith(start) and f"{start}{rest[:-1]}".startswith(name)
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


@cache
def spellings(options: tuple[str, ...]) -> frozenset[str]:
    """Options with all the ways to cut the long ones short; clashes do not count."""
    shortest = len("--x")
    return frozenset(
        option[:end]
        for option in options
        for end in range(min(shortest, len(option)), len(option) + 1)
    )

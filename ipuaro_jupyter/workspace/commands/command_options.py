"""A command's arguments taken apart into options and operands, as getopt does."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """Options in their order: (name, value), where the value is None when the option has none.

    A short option's name is its letter, a long one's has two dashes. ``operands`` are the rest.
    """

    given: tuple[tuple[str, str | None], ...]
    operands: tuple[str, ...]

    @property
    def names(self) -> set[str]:
        """The options without their values."""
        return {name for name, _ in self.given}

    def values(self, *names: str) -> list[str]:
        """Return the values of the options of these names."""
        return [value for name, value in self.given if name in names and value is not None]

    def has_long(self, name: str, *, shortest: int) -> bool:
        """Whether ``--name`` was given, maybe cut to ``shortest`` or more letters."""
        return any(
            option.startswith("--")
            and len(option) >= shortest + 2
            and f"--{name}".startswith(option)
            for option in self.names
        )


def read_options(
    arguments: Sequence[str],
    *,
    short_values: str = "",
    long_values: Collection[str] = (),
    short_optional: str = "",
    permute: bool = True,
) -> Options:
    """Take arguments apart.

    Args:
        arguments: What follows the program's name.
        short_values: The letters of options that take a value, attached or as the next argument.
        long_values: The long options whose value may be the next argument, with their dashes.
        short_optional: The letters of options that take a value only when it is attached.
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
            name, equals, attached = argument.partition("=")
            value = attached if equals else None
            if value is None and name in long_values and rest:
                value = rest.pop(0)
            given.append((name, value))
        elif argument.startswith("-") and len(argument) > 1:
            given += _read_letters(argument[1:], short_values, short_optional, rest)
        else:
            operands.append(argument)
            if not permute:
                operands += rest
                break
    return Options(tuple(given), tuple(operands))


def _read_letters(
    letters: str, short_values: str, short_optional: str, rest: list[str]
) -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    for at, letter in enumerate(letters):
        if letter in short_values:
            attached = letters[at + 1 :]
            value = attached or (rest.pop(0) if rest else None)
            found.append((letter, value))
            break
        if letter in short_optional:
            found.append((letter, letters[at + 1 :] or None))
            break
        found.append((letter, None))
    return found


def long_spellings(*names: str) -> set[str]:
    """Return all ways to cut long options short, with their dashes; clashes do not count."""
    return {f"--{name[:end]}" for name in names for end in range(1, len(name) + 1)}

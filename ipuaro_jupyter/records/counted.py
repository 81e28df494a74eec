"""Numbers with their nouns."""

from collections.abc import Sequence


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: "1 line", "2 lines", "1,204 lines"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def named(items: Sequence[str], most: int = 12) -> str:
    """The first items in one line, and how many more there are: "a, b and 3 more"."""
    more = len(items) - most
    return ", ".join(items[:most]) + f" and {more} more" * (more > 0)


def line_range(first: int, last: int) -> str:
    """The lines from the first to the last, which may be the same: "line 3", "lines 3-5"."""
    return f"line {first}" if first == last else f"lines {first}-{last}"

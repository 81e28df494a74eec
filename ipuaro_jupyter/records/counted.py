"""Numbers with their nouns."""


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: "1 line", "2 lines", "1,204 lines"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"

"""Text without hidden characters, for display anywhere."""

import unicodedata

_KEPT = "\t\n\u200c\u200d"


def visible(text: str) -> str:
    """``text`` with every character that hides or moves other characters spelled out.

    Control characters, bidirectional overrides and zero-width characters become ``[U+202E]``, so
    that the reader sees everything that is there. Tabs, newlines and the joiners of scripts and
    emoji stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_spelled(character) for character in text)


def _spelled(character: str) -> str:
    if character in _KEPT or unicodedata.category(character) not in {"Cc", "Cf", "Cs"}:
        return character
    return f"[U+{ord(character):04X}]"

"""What the message of an error says of the expression that failed."""

import re
from typing import NamedTuple

_ATTRIBUTE = re.compile(r"'(?P<owner>[\w.]+)' object has no attribute '(?P<name>\w+)'")
_READ = re.compile(r"of (?:undefined|null) \((?:reading|setting) '(?P<name>[^']+)'\)")
_NOT_CALLED = re.compile(
    r"(?:^|[\s.)(])(?P<name>[\w$]+) is not (?:a function|a constructor|iterable)"
)
_NOTHING = re.compile(r"\b(?:NoneType|undefined|null)\b|on non-object")
_MISSING = re.compile(r"KeyError: '(?P<key>[^'\n]{2,})'$")
_KEYS = ("KeyError:", "IndexError:")


class Said(NamedTuple):
    """What the message of an error says of the expression that failed.

    Attributes:
        member: The name of the member that was read or called; "" for none.
        owner: The class of the object that lacks it; "" where that is not told.
        is_called: Whether the member itself was wrong, not the object.
        is_key: Whether a key or an index was wrong.
        key: The key that is missing, if it is a text.
    """

    member: str = ""
    owner: str = ""
    is_called: bool = False
    is_key: bool = False
    key: str = ""

    @classmethod
    def of(cls, message: str) -> "Said":
        """Read a message, which begins with the class of the error."""
        if (found := _ATTRIBUTE.search(message)) is not None:
            return cls(found["name"], found["owner"])
        if (found := _READ.search(message)) is not None:
            return cls(found["name"])
        if (found := _NOT_CALLED.search(message)) is not None:
            return cls(found["name"], is_called=True)
        last = message.rpartition("\n")[2]
        missing = _MISSING.match(last)
        return cls(is_key=last.startswith(_KEYS), key="" if missing is None else missing["key"])


def is_about_nothing(message: str) -> bool:
    """Whether an error tells that there was no value: None, undefined or null."""
    return _NOTHING.search(message) is not None

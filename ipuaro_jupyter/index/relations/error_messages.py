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
_MADE_BY = (
    (re.compile(r"\b(?P<name>__\w+__)(?:\(\)|'s result| method)? (?:returned|should return)"), ""),
    (re.compile(r"\biter\(\) returned non-iterator"), "__iter__"),
    (re.compile(r"\bResult of the Symbol\.iterator method is not an object"), "[Symbol.iterator]"),
    (re.compile(r"\bIterator (?:result|value) .* is not an (?:entry )?object"), "next"),
)
_PAIR = re.compile(r"\"(?P<key>[A-Za-z_]\w*)\": \"(?P<value>[\w.-]{2,60})\"")
_PHRASE = re.compile(r"(?<!\w)['\"](?P<phrase>[A-Za-z]+(?: [A-Za-z]+){1,4})['\"](?!\w)")
_LOST_NAME = re.compile(r"\b(?:name '(?P<name>\w{8,})'|(?P<bare>[\w$]{8,})) is not defined")


_MOST_PIECES = 6
_KEYS = ("KeyError:", "IndexError:")


class Said(NamedTuple):
    """What the message of an error says of the expression that failed.

    Attributes:
        member: The name of the member that was read or called; "" for none.
        owner: The class of the object that lacks it; "" where that is not told.
        is_called: Whether the member itself was wrong, not the object.
        is_key: Whether a key or an index was wrong.
        key: The key that is missing, if it is a text.
        maker: The name of the method that the language has called for the wrong value.
    """

    member: str = ""
    owner: str = ""
    is_called: bool = False
    is_key: bool = False
    key: str = ""
    maker: str = ""

    @classmethod
    def of(cls, message: str) -> "Said":
        """Read a message, which begins with the class of the error."""
        for pattern, name in _MADE_BY:
            if (found := pattern.search(message)) is not None:
                return cls(maker=name or found["name"])
        if (found := _ATTRIBUTE.search(message)) is not None:
            return cls(found["name"], found["owner"])
        if (found := _READ.search(message)) is not None:
            return cls(found["name"])
        if (found := _NOT_CALLED.search(message)) is not None:
            return cls(found["name"], is_called=True)
        last = message.rpartition("\n")[2]
        missing = _MISSING.match(last)
        return cls(is_key=last.startswith(_KEYS), key="" if missing is None else missing["key"])


class QuotedWords(NamedTuple):
    """What the message of an error quotes.

    Attributes:
        pairs: The keys of an object with their values.
        phrases: Several words in quotes.
        name: A name that is not defined.
    """

    pairs: tuple[tuple[str, str], ...] = ()
    phrases: tuple[str, ...] = ()
    name: str = ""

    @classmethod
    def of(cls, message: str) -> "QuotedWords":
        """Read a message."""
        pairs = dict.fromkeys((one["key"], one["value"]) for one in _PAIR.finditer(message))
        phrases = dict.fromkeys(one["phrase"] for one in _PHRASE.finditer(message))
        lost = _LOST_NAME.search(message)
        return cls(
            tuple(pairs)[:_MOST_PIECES],
            tuple(phrases)[:_MOST_PIECES],
            "" if lost is None else lost["name"] or lost["bare"],
        )


def names_value(message: str) -> bool:
    """Whether an error tells which value of its line was wrong, or quotes what has written it."""
    said = Said.of(message)
    is_told = bool(said.member or said.maker) or said.is_key or is_about_nothing(message)
    return is_told or any(QuotedWords.of(message))


def is_about_nothing(message: str) -> bool:
    """Whether an error tells that there was no value: None, undefined or null."""
    return _NOTHING.search(message) is not None

"""Shell words as a shell reads them: quotes, backslashes, braces, splitting, `echo`."""

import itertools
import math
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

UNKNOWN = "\ue000"  # stands for values only known at run time; a private-use character
_MOST_CHOICES = 32  # before only the most important ones are examined
_MOST_PLACES = 200_000  # in all choices together
_MOST_WORDS = 64  # that the braces of one word may expand to
_MOST_LINES = 8  # of an input that a loop reads
_BRACES = re.compile(
    r"\{(?:([^{}]*,[^{}]*)|(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])(?:\.\.(-?\d{1,6}))?)\}"
)
_BACKQUOTED = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_PARENTHESES = re.compile(r"\\.|\$\(|[()]", re.DOTALL)
_DECLARING = {"export", "declare", "typeset", "readonly", "local"}
_OPERATORS = ";|&()<>`\n"
_BEFORE_COMMANDS = {"!", "{", "do", "elif", "else", "if", "then", "until", "while"}
_T = TypeVar("_T")
_ANSI_C = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}


class TooComplex(Exception):  # noqa: N818 - no fault of anybody's
    """A text would take too long to parse."""


class ExpansionBudget:
    """The amount of work left before `TooComplex` is raised."""

    def __init__(self, amount: int) -> None:
        self._left = amount

    def take(self, amount: int) -> None:
        """Use up some of it."""
        self._left -= amount
        if self._left < 0:
            raise TooComplex


@dataclass(frozen=True, slots=True)
class WordPart:
    """A part of a word with its possible values; ``splits`` where blanks separate fields."""

    values: list[str]
    splits: bool = False

    def quoted(self) -> "WordPart":
        """The part as it is between double quotes."""
        return WordPart(self.values)


def split_fields(texts: Iterable[tuple[str, bool]]) -> list[str]:
    """The fields of a word given as (text, whether blanks in it separate fields)."""
    fields: list[str] = []
    current: str | None = None
    for text, splits in texts:
        if not splits:
            current = (current or "") + text
            continue
        first, *others = re.split(r"[ \t\n]+", text)
        if first:
            current = (current or "") + first
        for other in others:
            if current is not None:
                fields.append(current)
            current = other or None
    return fields if current is None else [*fields, current]


def unescape_word(text: str) -> str:
    """Remove the backslashes from text outside quotes."""
    return re.sub(r"\\(.)", lambda m: "" if m[1] == "\n" else m[1], text, flags=re.DOTALL)


def unescape_double_quoted(text: str) -> str:
    """Remove the backslashes that have a meaning between double quotes."""
    return re.sub(r'\\([$`"\\\n])', lambda m: "" if m[1] == "\n" else m[1], text)


def unescape_ansi_c(text: str) -> str:
    """The value of the text between ``$'`` and ``'``, or of a ``printf`` format."""
    pattern = r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))"

    def replaced(match: re.Match[str]) -> str:
        *hexadecimal, octal, other = match.groups()
        digits = next((digits for digits in hexadecimal if digits), None)
        code = int(digits, 16) if digits else int(octal, 8) if octal else -1
        if code >= 0:
            return chr(code) if code < 0x110000 else UNKNOWN  # noqa: PLR2004 - end of Unicode
        return _ANSI_C.get(other, other)

    return re.sub(pattern, replaced, text, flags=re.DOTALL)


def expand_braces(word: str) -> list[str]:
    """The words that ``a{b,c}`` or ``a{1..3}`` expands to, the first of them if many."""
    done: list[str] = []
    waiting = [word]
    while waiting and len(done) + len(waiting) < _MOST_WORDS:
        current = waiting.pop(0)
        match = _BRACES.search(current)
        if match is None:
            done.append(current)
            continue
        start, end = current[: match.start()], current[match.end() :]
        parts = match[1].split(",") if match[1] is not None else _sequence(match)
        waiting[:0] = [start + part + end for part in parts[:_MOST_WORDS]]
    return [part for part in done + waiting if part or not word]


def _sequence(match: re.Match[str]) -> list[str]:
    """The words that ``{a..c}`` or ``{1..5..2}`` expands to."""
    first, last, step = match[2], match[3], abs(int(match[4] or 1)) or 1
    if first.lstrip("-").isdigit() != last.lstrip("-").isdigit():
        return [first, last]
    read, write = (int, str) if first.lstrip("-").isdigit() else (ord, chr)
    start, end = read(first), read(last)
    direction = step if start <= end else -step
    numbers = range(start, end + (1 if direction > 0 else -1), direction)
    return [write(number) for number in numbers[:_MOST_WORDS]]


def substitutions(text: str) -> Iterator[str]:
    """Yield the text in backquotes or after ``$(``, anywhere in a text; quotes do not count."""
    for match in _BACKQUOTED.finditer(text):
        yield re.sub(r"\\([$`\\])", r"\1", match[1])
    depth, start = 0, 0
    for match in _PARENTHESES.finditer(text):
        sign = match[0]
        if not depth and sign == "$(":
            start, depth = match.end(), 1
        elif depth:
            depth += 1 if sign.endswith("(") else -1 if sign == ")" else 0
            if not depth:
                yield text[start : match.start()]


def builtin_variables(argv: Sequence[str], inputs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the variables that ``read``, ``printf -v``, ``export`` and the like set."""
    name, arguments = argv[0], list(argv[1:])
    if name in _DECLARING:
        for argument in arguments:
            variable, equals, value = argument.partition("=")
            if equals:
                yield variable, value
    elif name == "printf" and arguments[:1] == ["-v"] and len(arguments) > 2:  # noqa: PLR2004
        yield arguments[1], _printf(arguments[2], arguments[3:])
    elif name in {"read", "mapfile", "readarray"}:
        names = [argument for argument in arguments if not argument.startswith("-")]
        for text in inputs:
            for line in text.splitlines()[:_MOST_LINES]:
                words = line.split(maxsplit=max(0, len(names) - 1)) if len(names) > 1 else [line]
                yield from zip(names or ["REPLY"], words, strict=False)


def without_keywords(words: Sequence[str]) -> tuple[str, ...]:
    """The words without keywords that may precede a command: ``!``, ``{``, ``then``."""
    for at, word in enumerate(words):
        if word not in _BEFORE_COMMANDS and set(word) - set("!{( \t"):
            return tuple(words[at:])
    return ()


def program_name(argv: Sequence[str]) -> str:
    """The program's name without its folder, in lower case as some file systems see it."""
    return argv[0].rpartition("/")[2].lower() if argv else ""


def literal_output(argvs: Iterable[Sequence[str]], inputs: Sequence[str]) -> tuple[str, ...]:
    """The output of a command, as far as it is predictable; `inputs` is its possible input."""
    found: list[str] = []
    for argv in argvs:
        name, arguments = program_name(argv), list(argv[1:])
        if name == "echo":
            while arguments and re.fullmatch(r"-[neE]+", arguments[0]):
                del arguments[0]
            found += [" ".join(arguments), unescape_ansi_c(" ".join(arguments))]
        elif name == "printf" and arguments:
            found.append(_printf(arguments[0], arguments[1:]))
        elif name in {"which", "type", "command"} and arguments:
            found.append(arguments[-1])
        elif name == "tee" or (name == "cat" and all(a.startswith("-") for a in arguments)):
            found += inputs
    return tuple(dict.fromkeys(found))


def _printf(template: str, values: Sequence[str]) -> str:
    remaining = list(values)
    text = ""
    while True:
        used = len(remaining)

        def value(match: re.Match[str]) -> str:
            if match[0] == "%%":
                return "%"
            return remaining.pop(0) if remaining else ""

        text += unescape_ansi_c(re.sub(r"%%|%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]", value, template))
        if not remaining or len(remaining) == used:
            return text


def choices(places: Sequence[Sequence[_T]]) -> list[tuple[_T, ...]]:
    """All ways to take one of each place; when there are too many, the most important ones.

    These are: the first of all, the last of all, and from there one place changed at a time.
    """
    room = max(2, min(10 * _MOST_CHOICES, _MOST_PLACES // max(1, len(places))))
    if math.prod(len(place) for place in places) <= min(_MOST_CHOICES, room):
        return list(itertools.product(*places))
    bases = [tuple(place[0] for place in places), tuple(place[-1] for place in places)]
    changed = (
        (*base[:at], value, *base[at + 1 :])
        for base in bases
        for at, place in enumerate(places)
        for value in place
    )
    return [*bases, *itertools.islice(changed, room)]


def rough_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of likely commands in a text that does not parse.

    Quoted words stay whole, so that data in quotes is not taken for commands.
    """
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t\r", "", True
    words: list[str] = []
    try:
        for word in lexer:
            if set(word) <= set(_OPERATORS):
                yield words
                words = []
            elif words or (word not in _BEFORE_COMMANDS and not re.match(r"\w+\+?=", word)):
                words += expand_braces(word)
    except ValueError:  # an open quotation: its text follows
        pass
    yield words

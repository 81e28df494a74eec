r"""The files that may match a pattern, found by ripgrep.

ripgrep's regular expressions differ from Python's in ``\w``, case, ``$`` before ``\r`` and much
else. So it gets an expression that matches at least the lines that Python's matches, and Python
decides about the files that it names. The result is the same with and without it.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.found_programs import found_program
from ipuaro_jupyter.workspace.processes.subprocesses import run

_PROGRAM = "rg"
_FIRST_BYTES = 200_000  # of arguments: few, as what is found may suffice
_MOST_BYTES, _LEAST_BYTES, _SPARE_BYTES = 2_000_000, 60_000, 60_000
_FOUND, _NOTHING = 0, 1
_ARGV = (
    *(_PROGRAM, "--no-config", "--no-messages", "--color=never", "--no-mmap"),
    *("--files-with-matches", "--null", "--text", "--encoding=none", "--case-sensitive"),
)

_ANY = r"[^\n]"
_NO_WIDTH = "(?:)"
_LAST_ASCII = "\x7f"
_ALIKE = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}  # when case is ignored
_CLASSES = {
    "d": frozenset("0123456789"),
    "w": frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"),
    "s": frozenset(" \t\r\f\v\x1c\x1d\x1e\x1f"),
}
_CONTROLS = {"t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_GLOBAL_FLAGS = re.compile(r"\(\?([aimsu]+)\)")
_QUANTIFIER = re.compile(r"\{(\d*)(,?)(\d*)\}")
_NAMED_GROUP = re.compile(r"\(\?P<\w+>")
_HEX = {
    "x": re.compile("[0-9a-fA-F]{2}"),
    "u": re.compile("[0-9a-fA-F]{4}"),
    "U": re.compile("[0-9a-fA-F]{8}"),
}


class _NotKnownError(Exception):
    """The expression contains something that is not translated."""


def is_there() -> bool:
    """Whether ripgrep is installed."""
    return found_program(_PROGRAM) is not None


def may_match(
    root: Path,
    paths: Sequence[str],
    expression: str,
    *,
    timeout_s: float,
    cancel: CancelToken | None = None,
) -> list[str] | None:
    """Those of ``paths`` that may match, in their order; None when ripgrep cannot tell.

    Those that cannot be read may.

    Args:
        root: The project's folder.
        paths: Files, relative to it; one of the `portions`.
        expression: A result of `widened` or `literal`.
        timeout_s: Seconds until ripgrep is stopped.
        cancel: Stops it when the user does.

    Raises:
        ToolError: "timeout".
        Cancelled: The user asked to stop.
    """
    if not paths:  # ripgrep would search the whole folder
        return []
    argv = [*_ARGV, f"--regexp={expression}", "--", *(f"./{path}" for path in paths)]
    try:
        done = run(argv, cwd=root, timeout_s=timeout_s, cancel=cancel)
    except ToolError as error:
        if error.type == "timeout":
            raise
        return None
    if done.exit_code not in (_FOUND, _NOTHING) or done.truncated:
        readable = dict.fromkeys(path for path in paths if os.access(root / path, os.R_OK))
        if len(readable) == len(paths):
            return None
        found = may_match(root, list(readable), expression, timeout_s=timeout_s, cancel=cancel)
        possible = set(readable if found is None else found)
        possible |= {path for path in paths if path not in readable and _is_there(root, path)}
        return [path for path in paths if path in possible]
    named = {name.decode()[len("./") :] for name in done.stdout.split(b"\0") if name}
    return [path for path in paths if path in named]


def _is_there(root: Path, path: str) -> bool:
    return os.access(root / path, os.F_OK)


def portions(paths: Sequence[str]) -> Iterator[list[str]]:
    """Yield the files in their order, as many at a time as one process can be asked about."""
    portion: list[str] = []
    size, most = 0, min(_FIRST_BYTES, longest := _argument_bytes())
    for path in paths:
        length = len(path.encode()) + len("./\0") + 8  # and a pointer to it
        if portion and size + length > most:
            yield portion
            portion, size, most = [], 0, longest
        portion.append(path)
        size += length
    if portion:
        yield portion


def _argument_bytes() -> int:
    """The bytes of file names that the operating system lets us give to a program."""
    environment = sum(len(name) + len(value) + 10 for name, value in os.environb.items())
    allowed = min(os.sysconf("SC_ARG_MAX"), _MOST_BYTES)
    return max(_LEAST_BYTES, allowed - environment - _SPARE_BYTES)


def literal(text: str, *, ignore_case: bool) -> str:
    """An expression that matches at least ``text``."""
    return "".join(_sign(sign, ignore_case=ignore_case) for sign in text)


def widened(pattern: str, *, ignore_case: bool) -> str | None:
    r"""An expression that matches at least the lines that Python's ``pattern`` matches.

    Assertions between characters (``^``, ``$``, ``\b``) are left out. None for a pattern with an
    item that has no such equivalent: a look-around, a reference, flags in the middle.
    """
    flags = _GLOBAL_FLAGS.match(pattern)
    if flags is not None:
        ignore_case = ignore_case or "i" in flags[1]
        pattern = pattern[flags.end() :]
    try:
        return "".join(_Translation(pattern, ignore_case=ignore_case).pieces())
    except _NotKnownError:
        return None


class _Translation:
    def __init__(self, pattern: str, *, ignore_case: bool) -> None:
        self._pattern = pattern
        self._ignore_case = ignore_case
        self._at = 0

    def pieces(self) -> Iterator[str]:
        while self._at < len(self._pattern):
            sign = self._pattern[self._at]
            if sign == "\\":
                yield self._escape()
            elif sign == "[":
                yield self._set()
            elif sign == "(":
                yield self._group()
            elif sign == "{":
                yield self._quantifier()
            else:
                self._at += 1
                yield self._plain(sign)

    def _plain(self, sign: str) -> str:
        if sign in "|)*+?":
            return sign
        if sign in "^$":
            return _NO_WIDTH
        return _ANY if sign == "." else self._sign(sign)

    def _group(self) -> str:
        rest = self._pattern[self._at :]
        if not rest.startswith("(?"):
            self._at += 1
        elif rest.startswith("(?:"):
            self._at += len("(?:")
        elif named := _NAMED_GROUP.match(rest):
            self._at += named.end()
        else:
            raise _NotKnownError
        return "(?:"

    def _quantifier(self) -> str:
        found = _QUANTIFIER.match(self._pattern, self._at)
        if found is None or found[0] == "{}":
            self._at += 1
            return self._sign("{")
        self._at = found.end()
        least, comma, most = found.groups()
        return f"{{{least or 0}{comma}{most}}}"

    def _escape(self) -> str:
        sign = self._pattern[self._at + 1 : self._at + 2]
        if sign in _CLASSES:
            self._at += 2
            return _set_of(_CLASSES[sign], beyond=True)
        if sign in tuple("DWS"):
            self._at += 2
            return _ANY
        if sign in tuple("bBAZn"):
            self._at += 2
            return _NO_WIDTH
        return self._sign(self._character())

    def _character(self) -> str:
        """The character that the escape here stands for; moves past it."""
        sign = self._pattern[self._at + 1 : self._at + 2]
        self._at += 2
        if sign in _CONTROLS:
            return _CONTROLS[sign]
        if sign in _HEX:
            digits = _HEX[sign].match(self._pattern, self._at)
            if digits is None or int(digits[0], 16) > 0x10FFFF:  # noqa: PLR2004 - Unicode's last
                raise _NotKnownError
            self._at = digits.end()
            return chr(int(digits[0], 16))
        if not sign or (sign.isascii() and sign.isalnum()):
            raise _NotKnownError
        return sign

    def _set(self) -> str:
        """Translate a set of characters; all characters beyond ASCII count as one."""
        self._at += 1
        negated = self._pattern[self._at : self._at + 1] == "^"
        self._at += negated
        signs: set[str] = set()
        beyond = False
        start = self._at
        while self._pattern[self._at : self._at + 1] != "]" or self._at == start:
            items, is_beyond = self._item()
            signs |= items
            beyond = beyond or is_beyond
        self._at += 1
        if self._ignore_case and not negated:
            beyond = beyond or not signs.isdisjoint("iksIKS")
            signs |= {other for sign in signs for other in (sign.lower(), sign.upper())}
            signs |= set("iksIKS") if beyond else set()
        if negated:
            signs, beyond = _others(signs), True
        return _set_of(signs, beyond=beyond)

    def _item(self) -> tuple[set[str], bool]:
        """The ASCII characters of one item of a set, and whether it has others."""
        first = self._pattern[self._at : self._at + 1]
        follows = self._pattern[self._at + 1 : self._at + 2]
        if not first:
            raise _NotKnownError
        if first == "\\" and follows in tuple("dwsDWS"):
            self._at += 2
            named = _CLASSES[follows.lower()]
            return (set(named), True) if follows in _CLASSES else (_others(named), True)
        low = self._end_of_range()
        if self._pattern[self._at : self._at + 1] != "-":
            return ({low}, False) if low.isascii() else (set(), True)
        if self._pattern[self._at + 1 : self._at + 2] in ("]", ""):
            return ({low}, False) if low.isascii() else (set(), True)
        self._at += 1
        high = self._end_of_range()
        ascii_ones = {chr(code) for code in range(ord(low), min(ord(high), 0x7F) + 1)}
        return ascii_ones, not high.isascii()

    def _end_of_range(self) -> str:
        sign = self._pattern[self._at]
        if sign == "\\":
            following = self._pattern[self._at + 1 : self._at + 2]
            if following not in ("b", "n"):
                return self._character()
            self._at += 2
            return "\b" if following == "b" else "\n"
        self._at += 1
        return sign

    def _sign(self, sign: str) -> str:
        return _sign(sign, ignore_case=self._ignore_case)


def _sign(sign: str, *, ignore_case: bool) -> str:
    if not ignore_case:
        return _hex(sign)
    if not sign.isascii():
        return _ANY
    if not sign.isalpha():
        return _hex(sign)
    lower = sign.lower()
    alike = (lower, lower.upper(), *_ALIKE.get(lower, ""))
    return f"[{''.join(_hex(each) for each in alike)}]"


def _set_of(signs: set[str] | frozenset[str], *, beyond: bool) -> str:
    """A set of ASCII characters and, with ``beyond``, all others."""
    others = r"\x{80}-\x{10FFFF}" if beyond else ""
    inside = "".join(_hex(sign) for sign in sorted(signs - {"\n"})) + others
    return f"[{inside}]" if inside else _ANY


def _others(signs: set[str] | frozenset[str]) -> set[str]:
    """The other ASCII characters."""
    return {chr(code) for code in range(ord(_LAST_ASCII) + 1)} - signs


def _hex(sign: str) -> str:
    return sign if sign.isascii() and (sign.isalnum() or sign == "_") else f"\\x{{{ord(sign):x}}}"

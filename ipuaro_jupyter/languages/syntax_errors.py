"""The syntax errors that a change of a file would add to it.

What the file had before is not told: published files hold syntax that a grammar does not know. For
Python, the compiler judges where it could read the old text, since the grammar takes almost any
indentation; for JSON and TOML, the standard library does. Other languages without a grammar have
no errors here.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.components.component_code import code_in
from ipuaro_jupyter.languages.data_errors import (
    Error,
    has_comments,
    json_error,
    jsonc_error,
    makefile_error,
    toml_error,
)
from ipuaro_jupyter.languages.fstrings import without_fstrings
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.masking import mask
from ipuaro_jupyter.languages.python_errors import (
    PythonError,
    indentation_error,
    is_newer_syntax,
    python_error,
)
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.languages.syntax import GrammarError, grammar_errors

LARGEST = 1_000_000
"""Larger files are not judged, in bytes."""
_MINIFIED_SIZE = 20_000
_MINIFIED_LINE = 300
_MOST_TOLD = 5
_WITH_COMMENTS = re.compile(
    r"\.jsonc$|(?:^|/)(?:[tj]sconfig[^/]*\.json|\.eslintrc(?:\.json)?|\.swcrc|api-extractor\.json"
    r"|(?:pyrightconfig|cspell|deno|angular|turbo|biome|babel\.config|typedoc)\.json|\.babelrc"
    r"|devcontainer\.json|(?:\.vscode|\.devcontainer)/[^/]*\.json)$"
)
"""JSON files whose readers allow comments and trailing commas."""
_STRICT = {
    *("package.json", "package-lock.json", "npm-shrinkwrap.json"),
    *("composer.json", "composer.lock", "bower.json"),
}
"""JSON files whose readers allow no comments; the others may have theirs from now on."""
_LONGEST = 60
_SIGNS = re.compile(rb"[(){}\[\]\n]")
_PAIRS = {b")": b"(", b"}": b"{", b"]": b"["}


class Unmatched(NamedTuple):
    """A bracket without another: its 1-based line, the sign, and whether it opens."""

    line: int
    sign: str
    opens: bool


class _Bracket(NamedTuple):
    sign: bytes
    line: int
    indent: int


class SyntaxProblem(NamedTuple):
    """A syntax error: its 1-based line in the new text, and the reason."""

    line: int
    reason: str


Problems = tuple[SyntaxProblem, ...]


def syntax_problems(path: str, before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """The new syntax errors of a change, one line each, as a proposal tells them.

    Args:
        path: Its name decides the language.
        before: The file as it is; None when there is none.
        after: The file as it would be; None when it is deleted.
    """
    if after is None or before == after:
        return ()
    found = new_syntax_errors(path, before, after)
    told = [f"syntax error in line {line}: {reason}" for line, reason in found[:_MOST_TOLD]]
    if len(found) > _MOST_TOLD:
        told.append(f"{len(found) - _MOST_TOLD} more syntax errors")
    return tuple(told)


@lru_cache(maxsize=8)
def new_syntax_errors(path: str, before: bytes | None, after: bytes) -> Problems:
    """The syntax errors of ``after`` that ``before`` does not have, by line.

    Errors that have only moved are not new. Empty, too, for what cannot be judged: other
    languages, and files that are binary, minified, very large or take too long.
    """
    language = language_for(path)
    if language is None or not _is_judged(after) or not _is_judged(before or b""):
        return ()
    if language.reader == "component":
        return _component(path, before, after)
    if language.grammar is None:
        return _data(path, language, before, after)
    if _is_minified(after) or _is_minified(before or b""):
        return ()
    if language.name == "python":
        return _python(language, before, after)
    return _by_grammar(language, before, after)


def _is_minified(data: bytes) -> bool:
    """Whether the lines are so long on average that nobody has written them."""
    return len(data) > max(_MINIFIED_SIZE, _MINIFIED_LINE * data.count(b"\n"))


def _is_judged(data: bytes) -> bool:
    if len(data) > LARGEST or b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _python(language: Language, before: bytes | None, after: bytes) -> Problems:
    """By the compiler where it could read the old text; otherwise by the grammar."""
    new = _compiler_error(language, after)
    if new is None:
        return ()
    by_grammar = _by_grammar(language, before, after)
    if new.is_unknown:
        return by_grammar
    if before is not None and _compiler_error(language, before) is not None:
        shifted = indentation_error(after)
        if by_grammar or shifted is None or indentation_error(before) is not None:
            return by_grammar
        return (SyntaxProblem(shifted.line, shifted.reason),)
    told: Problems = (SyntaxProblem(new.line, new.reason),)
    if is_newer_syntax(new, _line(after, new.line)):
        is_sure = new.reason.startswith("f-string") or _new_bracket(language, before, after)
        if not (by_grammar and is_sure):  # the grammar may be as old as the compiler
            told = tuple(one for one in by_grammar if one.line != new.line)
    return told


def _compiler_error(language: Language, data: bytes) -> PythonError | None:
    """What the compiler says; to one before 3.12, f-strings are given as their expressions."""
    found = python_error(data)
    if found is None or found.is_unknown or sys.version_info >= (3, 12):
        return found
    try:
        plain = without_fstrings(language, data)
    except ParsingTooSlow:
        return found
    return found if plain is None else python_error(plain)


def _component(path: str, before: bytes | None, after: bytes) -> Problems:
    """Those of its script blocks."""
    try:
        language, text = code_in(path, after)
        old = None if before is None else code_in(path, before)[1]
    except ParsingTooSlow:
        return ()
    return () if language is None or _is_minified(text) else _by_grammar(language, old, text)


def _by_grammar(language: Language, before: bytes | None, after: bytes) -> Problems:
    """The errors of the grammar, each in the line where it finds it or where a bracket is open."""
    retry = True
    old: tuple[GrammarError, ...] = ()
    try:
        if before is not None and language.retry is not None:
            old = grammar_errors(language, before, retry=False)
            retry = bool(old) or b"@flow" in after
        if before is not None and (old or language.retry is None):
            old = grammar_errors(language, before, retry=True)
        new = grammar_errors(language, after, retry=retry)
    except ParsingTooSlow:
        return ()
    if not new:
        return ()
    known = Counter(_look(error, before or b"") for error in old)
    added: list[GrammarError] = []
    for error in new:
        look = _look(error, after)
        if known[look]:
            known[look] -= 1
        else:
            added.append(error)
    if not added:
        return ()
    bracket = _new_bracket(language, before, after)
    if bracket is not None:
        does = "is never closed" if bracket.opens else "closes nothing"
        return (SyntaxProblem(bracket.line, f'"{bracket.sign}" {does}'),)
    gone = [error for error in old if known[_look(error, before or b"")]]
    added = _unexcused(before or b"", after, gone=gone[: known.total()], added=added)
    found = dict.fromkeys(SyntaxProblem(error.line, _reason(error, after)) for error in added)
    return tuple(found)


def _new_bracket(language: Language, before: bytes | None, after: bytes) -> Unmatched | None:
    """A bracket without another, where the old text has none such."""
    bracket = unmatched_bracket(mask(after, language.comments).text)
    if bracket is None or before is None:
        return bracket
    return None if unmatched_bracket(mask(before, language.comments).text) else bracket


def _unexcused(
    before: bytes, after: bytes, *, gone: Sequence[GrammarError], added: list[GrammarError]
) -> list[GrammarError]:
    """The new errors but for one for each old error in the lines that were replaced by theirs."""
    if not gone:
        return added
    old, new = before.split(b"\n"), after.split(b"\n")
    head = _equal(old, new)
    tail = _equal(old[head:][::-1], new[head:][::-1])
    excuses = sum(head < error.line <= len(old) - tail for error in gone)
    left: list[GrammarError] = []
    for error in added:
        if excuses and head < error.line <= len(new) - tail:
            excuses -= 1
        else:
            left.append(error)
    return left


def _equal(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    """The number of equal lines at the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def _data(path: str, language: Language, before: bytes | None, after: bytes) -> Problems:
    judge = _judge(path, language, before, after)
    error = None if judge is None else judge(after)
    if judge is None or error is None or (before is not None and judge(before) is not None):
        return ()
    return (SyntaxProblem(*error),)


def _judge(
    path: str, language: Language, before: bytes | None, after: bytes
) -> Callable[[bytes], Error | None] | None:
    """What judges a data file, if there is something for its format.

    A JSON file may have comments, unless it is known to be read without them.
    """
    name = path.rpartition("/")[2].lower()
    if language.name == "toml":
        return toml_error
    if language.name == "make":
        return makefile_error
    if language.name == "notebook":
        return json_error
    if language.name != "json" or name.endswith(".json5"):
        return None
    may_have = _WITH_COMMENTS.search(path.lower()) or (before is not None and json_error(before))
    return jsonc_error if may_have or (name not in _STRICT and has_comments(after)) else json_error


def _look(error: GrammarError, data: bytes) -> tuple[str, bytes]:
    """What two errors have in common that are the same one in two versions of a file."""
    start = data.rfind(b"\n", 0, error.start) + 1
    end = data.find(b"\n", error.start)
    return error.missing, data[start : end if end >= 0 else len(data)].strip()


def _reason(error: GrammarError, data: bytes) -> str:
    if error.missing:
        return f'"{error.missing}" is missing'
    line = _look(error, data)[1].decode(errors="replace")
    cut = line if len(line) <= _LONGEST else f"{line[:_LONGEST]}\u2026"
    return f'"{cut}" cannot be read'


def _line(data: bytes, number: int) -> str:
    """The text of a 1-based line, "" past the end."""
    lines = data.decode("utf-8-sig").split("\n")
    return lines[number - 1] if number <= len(lines) else ""


def unmatched_bracket(masked: bytes) -> Unmatched | None:
    """The bracket that most probably has no other; None when all are matched.

    Where a closing bracket that begins a line is matched by one of another indentation, the deeper
    of the two is it.

    Args:
        masked: A file without its comments, strings and the text of templates; see `mask`.
    """
    open_: list[_Bracket] = []
    suspect: Unmatched | None = None
    line, begin = 1, 0
    for found in _SIGNS.finditer(masked):
        sign, at = found.group(), found.start()
        if sign == b"\n":
            line, begin = line + 1, at + 1
        elif sign not in _PAIRS:
            open_.append(_Bracket(sign, line, _indent(masked, begin)))
        elif not open_:
            return suspect or Unmatched(line, sign.decode(), opens=False)
        elif open_[-1].sign != _PAIRS[sign]:
            return suspect or _mismatch(open_, sign, line)
        else:
            opener = open_.pop()
            if suspect is None and opener.line != line and not masked[begin:at].strip():
                suspect = _suspected(opener, sign, line, _indent(masked, begin))
    if not open_:
        return None
    return suspect or Unmatched(open_[-1].line, open_[-1].sign.decode(), opens=True)


def _mismatch(open_: list[_Bracket], sign: bytes, line: int) -> Unmatched:
    """The wrong one of a closing bracket and the bracket of another kind that it meets."""
    if any(opener.sign == _PAIRS[sign] for opener in open_):
        return Unmatched(open_[-1].line, open_[-1].sign.decode(), opens=True)
    return Unmatched(line, sign.decode(), opens=False)


def _suspected(opener: _Bracket, sign: bytes, line: int, indent: int) -> Unmatched | None:
    if opener.indent > indent:
        return Unmatched(opener.line, opener.sign.decode(), opens=True)
    if opener.indent < indent:
        return Unmatched(line, sign.decode(), opens=False)
    return None


def _indent(masked: bytes, begin: int) -> int:
    """The width of the blanks at the beginning of a line."""
    end = masked.find(b"\n", begin)
    text = masked[begin : end if end >= 0 else len(masked)]
    return len(text[: len(text) - len(text.lstrip(b" \t"))].expandtabs(4))

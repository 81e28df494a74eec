"""Move all lines of a piece of code to another indentation."""

import re
import tokenize
from io import StringIO

from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.masking import mask

_BLANKS = re.compile(r"[ \t]*")
_OPENS, _CLOSES = "FSTRING_START", "FSTRING_END"


def indentation(line: str) -> str:
    """The blanks that a line begins with."""
    found = _BLANKS.match(line)
    return "" if found is None else found[0]


def first_indentation(text: str) -> str | None:
    """The indentation of the first line that is not blank; None when all are."""
    return next((indentation(line) for line in text.split("\n") if line.strip()), None)


def shifted(text: str, wanted: str, language: Language | None) -> str | None:
    """The text with the indentation of its first line that is not blank changed to ``wanted``.

    All other lines move by as much, except those in strings over several lines that are no
    docstrings.

    Args:
        text: Lines of code.
        wanted: The indentation.
        language: Its language.

    Returns:
        None when a line has less indentation than is to be taken away.
    """
    first = first_indentation(text)
    if first is None:
        return text
    lines = text.split("\n")
    kept = _string_lines(lines, first, language)
    made = _moved_lines(lines, first, wanted, kept)
    return None if made is None else "\n".join(made)


def _moved_lines(lines: list[str], first: str, wanted: str, kept: set[int]) -> list[str] | None:
    """The lines with ``first`` at their beginning replaced by ``wanted``; see `shifted`."""
    if wanted.startswith(first):
        old, new = "", wanted[len(first) :]
    elif first.startswith(wanted):
        old, new = first[len(wanted) :], ""
    else:
        old, new = first, wanted
    made = []
    for number, line in enumerate(lines, 1):
        if number in kept or not line.strip():
            made.append(line)
        elif line.startswith(old):
            made.append(new + line[len(old) :])
        else:
            return None
    return made


def _string_lines(lines: list[str], first: str, language: Language | None) -> set[int]:
    """The lines, 1-based, that begin within a string that is no docstring."""
    if language is None or language.grammar is None:
        return set()
    if language.reader == "python":
        return _python_strings([line.removeprefix(first) for line in lines])
    data = "\n".join(lines).encode()
    texts = (
        text for template in mask(data, language.comments).templates for text in template.texts
    )
    return {
        line
        for start, end in texts
        for line in range(data.count(b"\n", 0, start) + 2, data.count(b"\n", 0, end) + 2)
    }


def _python_strings(lines: list[str]) -> set[int]:
    inside: set[int] = set()
    start, before = 0, ""
    try:
        for token in tokenize.generate_tokens(StringIO("\n".join(lines) + "\n").readline):
            kind = tokenize.tok_name[token.type]
            if kind == _OPENS:
                start = token.start[0]
            elif kind == _CLOSES:
                inside.update(range(start + 1, token.end[0] + 1))
            elif kind == "STRING" and before not in {"", "NEWLINE", "INDENT", "DEDENT"}:
                inside.update(range(token.start[0] + 1, token.end[0] + 1))
            if kind not in {"NL", "COMMENT"}:
                before = kind
    except (tokenize.TokenError, SyntaxError):
        return inside
    return inside


def fitted(text: str, wanted: str, language: Language | None) -> str:
    """The text of a whole declaration with the indentation ``wanted``; as it is where none fits.

    Where only the first line has lost its indentation, that one alone is moved.
    """
    first = first_indentation(text)
    if first is None or first == wanted:
        return text
    head, _, rest = text.lstrip("\n").partition("\n")
    others = [indentation(line) for line in rest.split("\n") if line.strip()]
    width = len(wanted.expandtabs())
    least = min((len(one.expandtabs()) for one in others), default=0)
    is_python = language is not None and language.reader == "python"
    if not first and others and (least > width or (least == width and not is_python)):
        return f"{wanted}{head}\n{rest}"
    moved = shifted(text, wanted, language)
    return text if moved is None else moved

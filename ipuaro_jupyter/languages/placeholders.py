"""Comments that stand for code that was left out: ``// ... existing code ...``.

Models that shorten a file write them; applied, the code that they stand for is gone.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ipuaro_jupyter.languages.masking import mask
from ipuaro_jupyter.languages.registry import language_for

LARGEST = 1_000_000
"""Larger files are not judged, in bytes."""
_MOST_TOLD = 5
_LONGEST = 60
_DOTS = rb"(?:\.{3,}|\xe2\x80\xa6)"
_OLD_CODE = (
    rb"\b(?:existing|rest|remain(?:s|ing|der)|unchanged|same|previous|others?|omitted|as before"
    rb"|code|implementation|unmodified|snip(?:ped)?|keep)\b"
)
_REST = (
    rb"(?:keep )?(?:the )?(?:rest|remainder|remaining|existing|everything else|other methods"
    rb"|other functions)\b[^.]{0,60}?\b(?:unchanged|same|omitted|as before|as is|here|code|file"
    rb"|class|function|method|methods|functions|component|implementation)\b\.?"
)
_COMMENT = re.compile(
    rb"(?://+|#+|/\*+|<!--)[ \t]*(?P<words>[^\s][^\n]{0,100}?)[ \t]*(?:\*+/|-->|\r?$)", re.MULTILINE
)
_STANDS_FOR_CODE = re.compile(
    rb"[\[(]?(?:" + _DOTS + rb"|" + _DOTS + rb"[^\n]*" + _OLD_CODE + rb"[^\n]*"
    rb"|[^\n]*" + _OLD_CODE + rb"[^\n]*" + _DOTS + rb"|" + _REST + rb")[\])]?",
    re.IGNORECASE,
)


class _Placeholder(NamedTuple):
    """A comment for code: its 1-based line and its text."""

    line: int
    text: str


def placeholder_problems(path: str, before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """The comments of a change that stand for code that it removes, one line each.

    None where the old text has the same comment, or no line goes.

    Args:
        path: Its name decides the language.
        before: The file as it is; None when there is none.
        after: The file as it would be; None when it is deleted.
    """
    if not before or after is None or max(len(before), len(after)) > LARGEST:
        return ()
    new = list(_placeholders(path, after))
    if not new or not _removes(before, after):
        return ()
    known = Counter(one.text for one in _placeholders(path, before))
    told: list[str] = []
    for one in new:
        if known[one.text]:
            known[one.text] -= 1
        else:
            told.append(f"a placeholder instead of code in line {one.line}: {one.text}")
    return tuple(told[:_MOST_TOLD])


def _placeholders(path: str, data: bytes) -> Iterator[_Placeholder]:
    language = language_for(path)
    if language is None:
        return
    found = [one for one in _COMMENT.finditer(data) if _STANDS_FOR_CODE.fullmatch(one["words"])]
    if not found:
        return
    masked = mask(data, language.comments)
    texts = [text for template in masked.templates for text in template.texts]
    for one in found:
        start = one.start()
        in_template = any(first <= start < end for first, end in texts)
        if masked.text[start : start + 1] == b" " and not in_template:
            text = one[0].decode(errors="replace").strip()
            cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\u2026"
            yield _Placeholder(data.count(b"\n", 0, start) + 1, cut)


def _removes(before: bytes, after: bytes) -> bool:
    """Whether a line of the old text that is not blank is gone."""
    gone = Counter(map(bytes.strip, before.split(b"\n")))
    gone.subtract(map(bytes.strip, after.split(b"\n")))
    return any(line and count > 0 for line, count in gone.items())

"""Edits that a model writes into its reply instead of calling a tool for them."""

import re
from collections.abc import Collection

_PATH = re.compile(
    r"(?:[\w@.\-+\[\]()]+[/\\])*[\w@.\-+\[\]()]*\w\.\w{1,12}|(?:[\w@.\-+]+/)+[\w.\-]+"
)
_PATH_LINE = re.compile(r"[#*`>\s]*(?:(?i:file|path|filename)\s*:)?[*`\s]*([^\s*`:]+)[*`:\s]*")
_HEADER = re.compile(r"(?:---|\+\+\+) (?:[ab]/)?([^\t\n]+)")
_PATCHED = re.compile(r"\*\*\* (?:Update|Add|Delete) File: (.+)")
_FENCE = re.compile(r"```+\s*(?:[\w+\-]*\s+)?([^\s`]*)\s*")
_TOOLS = ("edit_lines", "update_file", "create_file")
_LONGEST_LINE = 300
_NEW_FILE = "/dev/null"


def written_edit(text: str, tools: Collection[str], *, is_question: bool = False) -> str:
    """What to tell the model when its reply is nothing but edits of files; "" when it is more.

    Edits are blocks of SEARCH and REPLACE, unified diffs and patches that name a file. A diff with
    git's own header is what git has said. With a sentence before it, it is an explanation.

    Args:
        text: The text of a reply without calls.
        tools: The tools there are.
        is_question: Whether the user asks for no change.
    """
    usable = [name for name in _TOOLS if name in tools]
    path = _edited(text) if usable else ""
    if not path:
        return ""
    if is_question:
        return (
            f"Your reply is an edit of {path} as text, but the message asks for no change: nothing "
            "was changed. Answer in words; to show code, put a sentence before it."
        )
    return (
        f"Your reply is an edit of {path} as text: nothing was changed. To make it, call "
        f"{' or '.join(usable)}. If it is only to be shown, put a sentence before it."
    )


def _edited(text: str) -> str:
    """The first file that the edits name of which the text consists; "" for any other text."""
    lines = text.split("\n")
    path, edits, at = "", 0, 0
    while at < len(lines):
        line = lines[at].rstrip()
        found, end = _block(lines, at)
        if end > at:
            path, edits, at = path or found, edits + 1, end
            continue
        fence = _FENCE.fullmatch(line[:_LONGEST_LINE])
        named = fence or _PATH_LINE.fullmatch(line[:_LONGEST_LINE])
        if line and named is None:
            return ""
        if named is not None and _PATH.fullmatch(named[1]):
            path = path or named[1]
        elif line and fence is None:
            return ""
        at += 1
    return path if edits else ""


def _block(lines: list[str], start: int) -> tuple[str, int]:
    """The file that the edit at a line names, and the line behind it; ``start`` for no edit."""
    line = lines[start]
    if re.match(r"<{5,9} ?SEARCH", line):
        middle = _next(lines, start, r"={5,9}\s*$")
        end = _next(lines, middle, r">{5,9} ?REPLACE") if middle > start else middle
        return ("", end + 1) if end > middle else ("", start)
    if line.startswith("*** Begin Patch"):
        end = _next(lines, start, r"\*\*\* End Patch")
        named = [found[1] for text in lines[start:end] if (found := _PATCHED.match(text))]
        return (named[0].strip(), end + 1) if named and end > start else ("", start)
    return _diff(lines, start)


def _diff(lines: list[str], start: int) -> tuple[str, int]:
    headers = [_HEADER.match(line) for line in lines[start : start + 2]]
    if len(headers) < 2 or not all(headers):  # noqa: PLR2004 - one of the old file, one of the new
        return "", start
    paths = [found[1].strip() for found in headers if found]
    named = [path for path in reversed(paths) if path != _NEW_FILE]
    end = start + 2
    while end < len(lines) and lines[end][:1] in {"@", "+", "-", " ", "\\", ""}:
        if lines[end].startswith("--- ") and _HEADER.match(lines[min(end + 1, len(lines) - 1)]):
            break
        end += 1
    changes = [line for line in lines[start + 2 : end] if line[:1] in {"+", "-"}]
    is_edit = changes and named and _PATH.fullmatch(named[0])
    return (named[0], end) if is_edit else ("", start)


def _next(lines: list[str], start: int, pattern: str) -> int:
    """The next line behind ``start`` that matches; ``start`` when none does."""
    matches = (n for n in range(start + 1, len(lines)) if re.match(pattern, lines[n]))
    return next(matches, start)

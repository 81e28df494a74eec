"""Edits that a model writes into its reply instead of calling a tool for them."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

_PATH = re.compile(
    r"(?:~?[/\\])?(?:(?:[\w@.\-+\[\]()]+[/\\])*[\w@.\-+\[\]()]*\w\.\w{1,12}|(?:[\w@.\-+]+/)+[\w.\-]+)"
    r"|\.\w[\w.\-]*|(?:Make|Docker|Container|Jenkins|Vagrant|Rake|Gem|Pip|Proc|Just|Caddy)file"
)
_PATH_LINE = re.compile(r"[#*`>\s]*(?:(?i:file|path|filename)\s*:)?[*`\s]*([^\s*`:]+)[*`:\s]*")
_HEADER = re.compile(r"(?:---|\+\+\+) (?:[ab]/)?([^\t\n]+)")
_PATCHED = re.compile(r"\*\*\* (?P<what>Update|Add|Delete) File: (?P<path>.+)")
_MOVED = re.compile(r"\*\*\* Move to: (?P<path>.+)")
_HUNK = re.compile(r"@@(?:\s*-\d[\d,]*\s+\+\d[\d,]*\s*@@|[ .]*@@|(?=\s|$))(?P<within>.*)")
_ENDS = re.compile(r"```|>{5,9} ?REPLACE|\*\*\* End Patch|[+\- ]")
"""The last line of an edit."""
_TOOLS = ("edit_lines", "update_file", "create_file")
_LONGEST_LINE = 300
_NEW_FILE = "/dev/null"
_FENCED = re.compile(r" {0,3}(?P<sign>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)")
_IN_INFO = re.compile(r"[\s:=\"'{}()]+")
_NAMED_ABOVE = re.compile(
    r"(?:#|//|--|<!--|/\*)\s*(?:(?i:file|path|filename):\s*)?(\S+?)\s*(?:-->|\*/)?"
)
_NO_TEXT = ("bash", "sh", "shell", "console", "text", "txt", "plaintext", "output", "zsh")


class WrittenEdit(NamedTuple):
    """An edit as a model has written it.

    Attributes:
        path: The file that it names; "" for none.
        old: The lines to replace; none where ``new`` is a whole file; None where it is code in a
            fence, and so a whole declaration or file, or only shown.
        new: The lines in their place; none of a whole file delete it.
        within: The line in whose declaration the old lines stand; above a whole text the one that
            names its file; "" where there is none.
    """

    path: str
    old: tuple[str, ...] | None
    new: tuple[str, ...]
    within: str = ""


class _MarkedEdits(NamedTuple):
    """An edit with marks of its own.

    Attributes:
        path: The file that it names; "" for none.
        end: The index of the line behind it; of its first line where there is no edit.
        edits: What it changes.
    """

    path: str
    end: int
    edits: tuple[WrittenEdit, ...] = ()


def written_edits(text: str) -> list[WrittenEdit]:
    """The edits in a text: those that say what they replace, else the code in its fences.

    A file that is named above a block, or in or above its fence, is that of all that follow it.
    """
    lines = [line.rstrip("\r") for line in text.split("\n")]
    edits: list[WrittenEdit] = []
    fences: list[WrittenEdit] = []
    path, at = "", 0
    while at < len(lines):
        fence = _FENCED.fullmatch(lines[at][:_LONGEST_LINE])
        if fence is None:
            found, at, path = _marked(lines, at, path)
            edits += found
            continue
        path = _path_in(fence["info"]) or path
        end, has_blocks = _closed(lines, at, fence["sign"])
        body, at, is_cut = lines[at + 1 : end], end + 1, end == len(lines)
        if has_blocks and not fence["info"].startswith(("diff", "patch")):
            inner = 0
            while inner < len(body):
                is_open = is_cut and body[inner].startswith("--- ")  # a diff has no mark at its end
                found, inner, path = _marked(body, inner, path)
                edits += () if is_open else found
        elif is_cut:
            break
        elif fence["info"].startswith(("diff", "patch")):
            edits += _diffs(path, body)
        else:
            fences += _code(path, fence["info"].strip(), body)
            path = ""
    return edits or fences


def _marked(lines: Sequence[str], at: int, path: str) -> tuple[Iterator[WrittenEdit], int, str]:
    """The edits at a line, the line behind them, and the file that is named by then."""
    block = _block(lines, at)
    if block.end > at:
        path = block.path or path
        edits = (one._replace(path=one.path or path) for one in block.edits)
        return edits, block.end, path
    named = _PATH_LINE.fullmatch(lines[at][:_LONGEST_LINE])
    is_path = named is not None and _PATH.fullmatch(named[1])
    return iter(()), at + 1, named[1] if named is not None and is_path else path


def _code(path: str, language: str, body: Sequence[str]) -> Iterator[WrittenEdit]:
    """Yield the code of a fence, with the file that its first line may name."""
    above, head = _NAMED_ABOVE.fullmatch(body[0].strip()[:_LONGEST_LINE]) if body else None, ""
    if above is not None and _PATH.fullmatch(above[1]):
        path, head, body = above[1], body[0], body[1:]
    if body and (path or language not in _NO_TEXT):
        yield WrittenEdit(path, None, tuple(body), head)


def _closed(lines: Sequence[str], start: int, sign: str) -> tuple[int, bool]:
    """The line that closes a fence, else that behind the last one, and whether it has blocks.

    One in it that names a language has an end of its own, though it may have as many signs.
    """
    mark = re.compile(rf" {{0,3}}{re.escape(sign)}[`~]*\s*(?P<info>[^`]*)")
    at, depth, has_blocks = start + 1, 1, False
    while at < len(lines):
        found = mark.fullmatch(lines[at][:_LONGEST_LINE])
        depth += 0 if found is None else 1 if found["info"] else -1
        if not depth:
            break
        end = _block(lines, at).end
        has_blocks |= end > at
        at = max(end, at + 1)
    return at, has_blocks


def _diffs(path: str, lines: Sequence[str]) -> Iterator[WrittenEdit]:
    """Yield the edits of a fence that holds a diff, with the names of files or without."""
    heads = [at for at in range(len(lines) - 1) if all(map(_HEADER.match, lines[at : at + 2]))]
    yield from _hunks(path, lines[: heads[0] if heads else None])
    for at, end in pairwise([*heads, len(lines)]):
        yield from _of_file(lines[at:end])


def _path_in(info: str) -> str:
    """The file that the words behind the mark of a fence name; "" for none."""
    words = _IN_INFO.split(info.replace("{.", "{"))  # where a class is named
    return next((word for word in words if _PATH.fullmatch(word)), "")


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
    lines = [line.rstrip() for line in text.strip().split("\n")]
    begins = _FENCED.fullmatch(lines[0][:_LONGEST_LINE]) or _marked(lines, 0, "")[1:] != (1, "")
    edits = written_edits(text) if usable and begins and _ENDS.match(lines[-1]) else []
    path = next((one.path for one in edits if one.old is not None and one.path), "")
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


def _block(lines: Sequence[str], start: int) -> _MarkedEdits:
    """The edit at a line."""
    line = lines[start]
    if re.match(r"<{5,9} ?SEARCH", line):
        end = _next(lines, start, r">{5,9} ?REPLACE", line[:8])
        signs = [at for at in range(start, end) if re.fullmatch(r"={5,9}\s*", lines[at])]
        if not signs:
            return _MarkedEdits("", start)
        like = "=" * line.count("<")  # others may underline a heading
        middle = [at for at in signs if lines[at].rstrip() == like][-1:] or signs[-1:]
        old, new = lines[start + 1 : middle[0]], lines[middle[0] + 1 : end]
        return _MarkedEdits("", end + 1, (WrittenEdit("", tuple(old), tuple(new)),))
    if line.startswith("*** Begin Patch"):
        end = _next(lines, start, r"\*\*\* End Patch", "*** Begin Patch")
        edits = tuple(_patched(lines[start + 1 : end])) if end > start else ()
        return _MarkedEdits(edits[0].path, end + 1, edits) if edits else _MarkedEdits("", start)
    return _diff(lines, start)


def _patched(lines: Sequence[str]) -> Iterator[WrittenEdit]:
    """Yield the edits between the marks of a patch."""
    heads = [(at, found) for at, line in enumerate(lines) if (found := _PATCHED.match(line))]
    ends = [*(at for at, _ in heads[1:]), len(lines)]
    for (at, found), end in zip(heads, ends, strict=False):
        path, body = found["path"].strip(), lines[at + 1 : end]
        if body and (moved := _MOVED.match(body[0])):  # there is no such file to change
            path = moved["path"].strip()
        if found["what"] == "Update":
            yield from _hunks(path, body)
        else:
            yield WrittenEdit(path, (), tuple(line[1:] for line in body if line[:1] == "+"))


def _diff(lines: Sequence[str], start: int) -> _MarkedEdits:
    headers = [_HEADER.match(line) for line in lines[start : start + 2]]
    if len(headers) < 2 or not all(headers):  # noqa: PLR2004 - one of the old file, one of the new
        return _MarkedEdits("", start)
    end = start + 2
    while end < len(lines) and lines[end][:1] in {"@", "+", "-", " ", "\\", ""}:
        if lines[end].startswith("--- ") and _HEADER.match(lines[min(end + 1, len(lines) - 1)]):
            break
        end += 1
    edits = _of_file(lines[start:end])
    return _MarkedEdits(edits[0].path, end, edits) if edits else _MarkedEdits("", start)


def _of_file(lines: Sequence[str]) -> tuple[WrittenEdit, ...]:
    """The edits of a part of a diff that begins with the names of one file; maybe none."""
    headers = [_HEADER.match(line) for line in lines[:2]]
    paths = [found[1].strip() for found in headers if found]
    named = [one for one in reversed(paths) if one != _NEW_FILE]
    changes = [line for line in lines[2:] if line[:1] in {"+", "-"}]
    if not (changes and named and _PATH.fullmatch(named[0])):
        return ()
    if _NEW_FILE in paths:
        new = tuple(line[1:] for line in changes if line[:1] == "+")
        return (WrittenEdit(named[0], (), new),)
    return tuple(_hunks(named[0], lines[2:]))


def _hunks(path: str, lines: Sequence[str]) -> Iterator[WrittenEdit]:
    """Yield the hunks of a diff; their numbers of lines do not count, which are often wrong."""
    heads = [at for at, line in enumerate(lines) if _HUNK.match(line)]
    begins = heads if heads[:1] == [0] else [-1, *heads]
    for at, end in pairwise([*begins, len(lines)]):
        head = _HUNK.match(lines[at]) if at >= 0 else None
        body = [line for line in lines[at + 1 : end] if not line.startswith(("\\", "*** "))]
        while body and not body[-1].strip():
            body.pop()
        if not any(line[:1] in {"+", "-"} for line in body):
            continue
        is_bare = any(line[:1] not in {"", " ", "+", "-"} for line in body)  # no blank before it
        plain = [line if is_bare and line[:1] not in {"+", "-"} else line[1:] for line in body]
        signed = list(zip(body, plain, strict=True))
        old = tuple(text for line, text in signed if line[:1] != "+")
        new = tuple(text for line, text in signed if line[:1] != "-")
        yield WrittenEdit(path, old, new, "" if head is None else head["within"].strip())


def _next(lines: Sequence[str], start: int, pattern: str, other: str) -> int:
    """The next line behind ``start`` that matches, before one that begins another block.

    It is ``start`` when none does.
    """
    for number in range(start + 1, len(lines)):
        if re.match(pattern, lines[number]):
            return number
        if lines[number].startswith(other):
            break
    return start

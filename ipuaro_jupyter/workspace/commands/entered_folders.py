"""The folders in which the commands of a shell text may run, as ``cd`` and ``pushd`` lead there."""

import itertools
from collections.abc import Sequence

from ipuaro_jupyter.workspace.commands.plain_text import PlainCommand, PlainText

OUTSIDE = "/"
"""Stands for a folder that is not certain, or outside of where the text begins."""
_MOST = 16
_LEADING = frozenset(("cd", "pushd"))
_ENTERING = _LEADING | {"popd"}
_WRAPPING = frozenset(("command", "builtin", "time", "-p", "--"))
_HARMLESS = frozenset(("-L", "--"))  # not -P: where a link leads is not read
_GOES_ON = ("", "&&", "|", "|&")  # those of a pipe go on where it began


def folders_of(read: PlainText, start: Sequence[str]) -> list[tuple[str, ...]]:
    """The possible folders of each command, as ``""`` or ``a/b/`` relative to the first one.

    Behind ``&&`` a folder has been entered; elsewhere ``cd`` or ``pushd`` may have failed.

    Args:
        read: The text.
        start: The possible folders at its beginning.
    """
    now = tuple(start)
    found: list[tuple[str, ...]] = []
    is_certain = read.in_order
    for command in read.commands:
        if is_certain and command.after not in _GOES_ON:
            is_certain = False
            now = _all(found, now)
        found.append(now)
        if enters_folder([word.literal for word in command.words]):
            entered = [_entered(folder, command) for folder in now]
            alone = [each.pipeline for each in read.commands].count(command.pipeline) == 1
            now = _all([() if is_certain and alone else now], entered)
            now = now if len(now) <= _MOST and not read.has_loops else (OUTSIDE,)
    if read.in_order:
        return found
    return [_all(found, now)] * len(found)


def _all(found: Sequence[Sequence[str]], now: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(folder for each in (*found, now) for folder in each))


def folder_in(folder: str, to: str | None) -> str:
    """The folder that a path leads to from another one; `OUTSIDE` where that is not certain.

    Args:
        folder: As ``""`` or ``a/b/``.
        to: The path; None when it is only known at run time.
    """
    if folder == OUTSIDE or not to or to.startswith(("/", "-", "+", "~")):
        return OUTSIDE
    parts = folder.split("/")[:-1]
    for part in to.split("/"):
        if part == ".." and not parts:
            return OUTSIDE
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "".join(f"{part}/" for part in parts)


def enters_folder(words: Sequence[str | None]) -> bool:
    """Whether a command, given by its words, changes the folder of those behind it."""
    return not _ENTERING.isdisjoint(_unwrapped(words)[:1])


def _unwrapped(words: Sequence[str | None]) -> list[str | None]:
    """The words behind ``command``, ``builtin`` and ``time``, which run a builtin all the same."""
    return list(itertools.dropwhile(_WRAPPING.__contains__, words))


def _entered(folder: str, command: PlainCommand) -> str:
    """The folder that a command leads to from another one."""
    words = [word.literal for word in command.words]
    name, *rest = _unwrapped(words)
    if "time" in words[: -len(rest) - 1]:  # where it is no keyword, it enters nothing
        return OUTSIDE
    while name == "cd" and rest[:1] and rest[0] in _HARMLESS:
        rest = rest[1:]
    return folder_in(folder, rest[0] if name in _LEADING and len(rest) == 1 else None)

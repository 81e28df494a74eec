"""The folders in which the commands of a shell text may run, as ``cd`` leads there."""

from collections.abc import Sequence

from ipuaro_jupyter.workspace.commands.plain_text import PlainCommand, PlainText

OUTSIDE = "/"
"""Stands for a folder that is not certain, or outside of where the text begins."""
_MOST = 16
_GOES_ON = ("", "&&", "|", "|&")  # those of a pipe go on where it began


def folders_of(read: PlainText, start: Sequence[str]) -> list[tuple[str, ...]]:
    """The possible folders of each command, as ``""`` or ``a/b/`` relative to the first one.

    Behind ``&&`` a folder has been entered; elsewhere ``cd`` may have failed.

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
        if [word.literal for word in command.words[:1]] == ["cd"]:
            entered = [_entered(folder, command) for folder in now]
            alone = [each.pipeline for each in read.commands].count(command.pipeline) == 1
            now = _all([() if is_certain and alone else now], entered)
            now = now if len(now) <= _MOST and not read.has_loops else (OUTSIDE,)
    if read.in_order:
        return found
    return [_all(found, now)] * len(found)


def _all(found: Sequence[Sequence[str]], now: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(folder for each in (*found, now) for folder in each))


def _entered(folder: str, command: PlainCommand) -> str:
    """The folder that ``cd`` leads to from another one."""
    to = command.words[1].literal if len(command.words) == 2 else None  # noqa: PLR2004 - cd FOLDER
    if folder == OUTSIDE or not to or to.startswith(("/", "-", "~")):
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

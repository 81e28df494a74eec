"""Redaction of secrets, and protection against writing placeholders back.

detect-secrets, the existing library, is made for checking files before a commit: it takes a second
for 60 KB, takes many plain words for secrets, and has had no release since May 2024. So the forms
are a table of our own, ``records/key_forms.toml``, and a rule for names.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ipuaro_jupyter.agent.redaction.file_kinds import path_of
from ipuaro_jupyter.agent.redaction.finder import secrets_in, without_overlaps
from ipuaro_jupyter.agent.redaction.known import NOTHING, Known, known_in
from ipuaro_jupyter.agent.redaction.secret_values import kind_of
from ipuaro_jupyter.agent.redaction.shown_files import shown_files
from ipuaro_jupyter.errors import StorageError, ToolError
from ipuaro_jupyter.records.outputs import ToolFailure, ToolResult
from ipuaro_jupyter.records.terminal_codes import CODE
from ipuaro_jupyter.store.own_key import own_key
from ipuaro_jupyter.tools.tool import Project, Tool

PLACEHOLDER = re.compile(r"\[redacted:[a-z-]{2,24}:[0-9a-f]{4}\]")
_PASSES = 4
_MARKS = re.compile(f"[⟨⟩]|{CODE.pattern}")  # around the matches of a search, and of a terminal
_MARK_SIGN = re.compile(r"[⟨⟩\x08\x1b\x90-\x9f]")
_SHORTEST = 8  # characters of a name and a password together at least
_PATHS = ("path", "filepath")


class Redaction:
    """Replaces strings that look like a key or a password by placeholders.

    Equal secrets have equal placeholders. The four digits come from a key that stays on this
    machine, and are far too few to find a secret by.

    Args:
        key: Determines the digits.
        enabled: False lets everything through; earlier placeholders are still not written.
    """

    def __init__(self, key: bytes, *, enabled: bool = True) -> None:
        self._key = key
        self.enabled = enabled

    def text(self, text: str, path: str = "", known: Known = NOTHING) -> str:
        """``text`` with placeholders; lines stay lines, and redacting twice changes nothing.

        Args:
            text: The text for the model.
            path: The file it is from; "" when that is not known.
            known: Secrets of what it is a part of; see `known`.
        """
        if not self.enabled or len(text) < _SHORTEST:
            return text
        for _ in range(_PASSES):
            hidden = self._once(text, path, known)
            if hidden == text:
                break
            text = hidden
        return text

    def known(self, arguments: Mapping[str, Any], text: str, project: Project) -> Known:
        """The secrets of all that a result is a part of: its whole text, and the files it shows.

        Args:
            arguments: Those of the call.
            text: The text of the result before anything is cut.
            project: Where the files are.
        """
        if not self.enabled:
            return NOTHING
        files = shown_files(arguments, text, project)
        return known_in([*files, (_MARKS.sub("", text), path_of(arguments))])

    def value(self, value: Any, path: str = "", known: Known = NOTHING) -> Any:
        """Plain data with placeholders in its strings; names of fields are unchanged.

        Consecutive strings are read as the lines of one text.
        """
        match value:
            case str():
                return self.text(value, path, known)
            case Mapping():
                return {
                    name: self._field(name, inner, path, known) for name, inner in value.items()
                }
            case list() | tuple() if value and all(isinstance(inner, str) for inner in value):
                hidden = iter(self.text("\n".join(value), path, known).split("\n"))
                return ["\n".join(islice(hidden, inner.count("\n") + 1)) for inner in value]
            case list() | tuple():
                return [self.value(inner, path, known) for inner in value]
            case _:
                return value

    def refusal(
        self, tool: Tool | None, arguments: Mapping[str, Any], project: Project
    ) -> ToolResult | None:
        """The refusal of a call that would write a placeholder; None when it may run.

        A placeholder that already occurs in the file that the call, or one of the changes in it,
        names is ordinary text.
        """
        if tool is None or not tool.asks_first:
            return None
        missing = sorted(_not_there(arguments, "", project))
        if not missing:
            return None
        failure = ToolFailure(
            type="validation",
            message=f"{missing[0]} stands for a value that is hidden from you; it is not what is "
            "in the file, so it cannot be written, searched for or run.",
            suggestion="Leave that line as it is: edit the lines before and after it in two "
            "calls, or ask the user to change it.",
        )
        return ToolResult(tool=tool.name, error=failure)

    def _once(self, marked: str, path: str, known: Known) -> str:
        text = marked if _MARK_SIGN.search(marked) is None else _MARKS.sub("", marked)
        found = secrets_in(text, path)
        if known is not NOTHING:
            found = without_overlaps([*found, *known.within(text)])
        if not found:
            return marked
        places = range(len(text)) if text == marked else _places(marked)
        kept = [match.span() for match in PLACEHOLDER.finditer(text)]
        parts, at, place = [], 0, 0
        for secret in found:
            while place < len(kept) and kept[place][1] <= secret.start:
                place += 1
            if place < len(kept) and kept[place][0] < secret.end:
                continue
            parts += [
                marked[at : places[secret.start]],
                self._placeholder(secret.kind, text[secret.start : secret.end]),
            ]
            at = places[secret.end - 1] + 1
        return "".join([*parts, marked[at:]])

    def _field(self, name: Any, inner: Any, path: str, known: Known) -> Any:
        """A field's value; its name reveals a secret as it does in a text."""
        hidden = self.value(inner, path, known)
        if isinstance(name, str) and isinstance(hidden, str) and kind_of(name):
            shown = self.text(f'"{name}": "{hidden}"', path)
            if shown.startswith(f'"{name}": "[redacted:') and shown.endswith(']"'):
                return shown[len(name) + 5 : -1]
        return hidden

    def _placeholder(self, kind: str, secret: str) -> str:
        digest = hashlib.blake2b(secret.encode("utf-8", "replace"), key=self._key, digest_size=2)
        return f"[redacted:{kind}:{digest.hexdigest()}]"


def redaction_key(folder: Path) -> bytes:
    """This user's key, kept in ``folder``; a temporary one if it cannot be kept."""
    return own_key(folder / "redaction.key")


def _places(marked: str) -> Sequence[int]:
    """The places of a text's characters when the marks of a search or a terminal count too."""
    places: list[int] = []
    at = 0
    for mark in _MARKS.finditer(marked):
        places += range(at, mark.start())
        at = mark.end()
    return [*places, *range(at, len(marked))]


def _not_there(value: Any, path: str, project: Project) -> Iterator[str]:
    """Yield the placeholders in a value that are not in the file that it names, or ``path``."""
    match value:
        case str():
            found = PLACEHOLDER.findall(value)
            there = _content(path, project) if found else ""
            yield from (placeholder for placeholder in found if placeholder not in there)
        case Mapping():
            named = (value[name] for name in _PATHS if isinstance(value.get(name), str))
            here = next(named, path)
            for inner in value.values():
                yield from _not_there(inner, here, project)
        case list() | tuple():
            for inner in value:
                yield from _not_there(inner, path, project)


def _content(path: str, project: Project) -> str:
    """The content of a file; empty when there is none."""
    if not path:
        return ""
    try:
        return project.workspace.read(path).text
    except (ToolError, StorageError):
        return ""

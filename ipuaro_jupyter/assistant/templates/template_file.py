"""A Markdown file that holds a question: its front matter, and the places of its arguments."""

import errno
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ipuaro_jupyter.small_file import read_small

LARGEST = 32_768
"""Bytes of a file: all of it is shown when the user is asked about it."""
_MOST = 200  # files of a folder
_SKILL = "SKILL.md"
_FRONT = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?P<front>.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_PAIR = re.compile(
    r"^(?P<key>description|argument-hint):(?P<value>(?:[ \t].*)?(?:\n[ \t]+\S.*)*)", re.MULTILINE
)
_QUOTED = re.compile(r"'(?P<single>(?:[^']|'')*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\"")
_BLOCK, _COMMENT = re.compile(r"[>|][-+\d]*(?: |$)"), re.compile(r"(?:^| )#.*")
_LIST, _AROUND = re.compile(r"\[([^\[\]{}]*)\]"), " \"'"
_NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_PLACE = re.compile(r"\$(?:ARGUMENTS\b|(?P<number>[1-9])(?!\d))")
_LONGEST_SUMMARY = 200


@dataclass(frozen=True)
class QuestionTemplate:
    """A question in a file.

    Attributes:
        name: What is typed after the slash: lower case, hyphens.
        place: The file, as it is shown: from the project's folder, or absolute.
        body: The text, without the front matter.
        content: The bytes of the file.
        summary: What it is for, on one line; "" when the file does not say.
        hint: What to type after the name; "" when the file does not say.
        is_own: Whether it is the user's own, and not the project's.
        problem: Why it cannot be used; "" when it can.
    """

    name: str
    place: str
    body: str = ""
    content: bytes = b""
    summary: str = ""
    hint: str = ""
    is_own: bool = False
    problem: str = ""

    def question(self, arguments: str) -> str:
        """The text of the question.

        Args:
            arguments: What was typed after the name. It stands where the text says ``$ARGUMENTS``,
                its words where it says ``$1`` to ``$9``; in a text that says neither, below it.
        """
        words = arguments.split()

        def value(place: re.Match[str]) -> str:
            if place["number"] is None:
                return arguments
            number = int(place["number"])
            return words[number - 1] if number <= len(words) else ""

        text, places = _PLACE.subn(value, self.body)
        text = text.strip()
        if arguments and not places:
            text = f"{text}\n\n{arguments}"
        return f" {text}" if text.startswith("/") else text  # a blank: it is no command


def templates_in(folder: Path, *, inside: Path | None) -> Iterator[QuestionTemplate]:
    """Yield the questions of a folder, by name: ``NAME.md``, or ``NAME/SKILL.md``.

    Args:
        folder: One that may not exist.
        inside: The project, which a link may not lead out of; None for the user's own folder.
    """
    try:
        entries = sorted(folder.iterdir())[:_MOST]
    except OSError:
        return
    for entry in entries:
        is_skill = entry.suffix != ".md" and (entry / _SKILL).is_file()
        file = entry / _SKILL if is_skill else entry
        if is_skill or (entry.suffix == ".md" and entry.is_file()):
            name = named(entry.stem if not is_skill else entry.name)
            if name:
                yield _read(name, file, inside)


def unread_folders(folder: Path) -> Iterator[str]:
    """Yield the names of the folders in a folder whose Markdown files are no questions."""
    try:
        entries = sorted(folder.iterdir())[:_MOST]
        for entry in entries:
            is_read = entry.is_symlink() or not entry.is_dir() or (entry / _SKILL).is_file()
            if not is_read and any(one.suffix == ".md" for one in entry.iterdir()):
                yield entry.name
    except OSError:
        return


def named(name: str) -> str:
    """A name as it is typed; "" when it cannot be."""
    return name.lower().replace("_", "-") if _NAME.fullmatch(name) else ""


def _read(name: str, file: Path, inside: Path | None) -> QuestionTemplate:
    place = str(file) if inside is None else file.relative_to(inside).as_posix()
    try:
        if inside is not None and not file.resolve().is_relative_to(inside.resolve()):
            return _unusable(name, place, inside, "is a link that leads out of the project")
        content = read_small(file, largest=LARGEST)
        text = content.decode()
    except OSError as error:
        if error.errno == errno.EFBIG:
            return _unusable(name, place, inside, f"is larger than {LARGEST // 1024} KB")
        return _unusable(name, place, inside, f"cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        return _unusable(name, place, inside, "is not UTF-8 text")
    front = _FRONT.match(text)
    body = text[front.end() :] if front else text.removeprefix("\ufeff")
    if not body.strip():
        return _unusable(name, place, inside, "has no text")
    given = _front_matter(front["front"]) if front else {}
    return QuestionTemplate(
        name,
        place,
        body=body,
        content=content,
        summary=given.get("description", ""),
        hint=given.get("argument-hint", ""),
        is_own=inside is None,
    )


def _unusable(name: str, place: str, inside: Path | None, why: str) -> QuestionTemplate:
    return QuestionTemplate(name, place, is_own=inside is None, problem=f"{place} {why}.")


def _front_matter(text: str) -> dict[str, str]:
    """What the two keys above the text say, each on a short line; "" for what is no text.

    That is YAML, or nearly: a value may be in quotes, in a block or followed by a comment, and a
    hint such as ``[path]`` is a list.
    """
    return {one["key"]: _said(one["value"])[:_LONGEST_SUMMARY] for one in _PAIR.finditer(text)}


def _said(value: str) -> str:
    line = " ".join(value.split())
    if block := _BLOCK.match(line):
        return line[block.end() :]
    if quoted := _QUOTED.match(line):
        single, double = quoted["single"], quoted["double"]
        return re.sub(r"\\(.)", r"\1", double) if single is None else single.replace("''", "'")
    line = _COMMENT.sub("", line)
    if items := _LIST.fullmatch(line):
        return " ".join(f"[{one.strip(_AROUND)}]" for one in items[1].split(","))
    return "" if line.startswith(("{", "[{")) else line

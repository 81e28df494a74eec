"""Small projects in Markdown, in whose code lines say what is expected of the line above.

A case is a heading, a text, and files: each a block of code that begins with its language and path.
"""

import re
from dataclasses import dataclass
from pathlib import Path

PROJECTS = Path(__file__).parents[1] / "projects"
CASE = re.compile(r"^## (.*)\n((?:(?!## ).*\n)*)", re.MULTILINE)
FILE = re.compile(r"^```\w+ (.+)\n((?:.*\n)*?)```$", re.MULTILINE)
MARKS = re.compile(r"\s*((?:\^[!?]?\s+)+)")
MARK = re.compile(r"\^([!?]?)")
NUMBERED = re.compile(r"(\d)(?:> (.*)|\?)$")


@dataclass
class Case:
    """A project, and what is expected of it."""

    title: str
    text: str

    def split(self, note: re.Pattern[str]) -> tuple[dict[str, str], list[tuple[str, int, str]]]:
        """The files, and the lines about others: the path and number of that, and the line."""
        files, notes = {}, []
        for path, block in FILE.findall(self.text):
            code: list[str] = []
            for line in block.splitlines():
                if note.match(line):
                    notes.append((path, len(code), line))
                else:
                    code.append(line)
            files[path] = "".join(f"{line}\n" for line in code)
        return files, notes

    def uses(self) -> tuple[dict[str, str], dict[str, set[str]]]:
        """The files, and the places of symbols, each "path:line:column" with its sign.

        A caret is below each place, and after the carets come the symbols that are used there:

            use.vat(vat)
                ^   ^?  vat in tax.ts

        The question is about ``vat`` as tax.ts declares it. "?" is known by its name only, and "!"
        is a declaration.
        """
        files, notes = self.split(MARKS)
        places: dict[str, set[str]] = {}
        for path, number, line in notes:
            end = MARKS.match(line).end()
            for symbol in line[end:].split(", "):
                places.setdefault(symbol, set()).update(
                    f"{path}:{number}:{one.start() + 1}{one[1]}"
                    for one in MARK.finditer(line[:end])
                )
        return files, places

    def renamings(self) -> tuple[dict[str, str], list[tuple[list[str], dict[str, str], list[str]]]]:
        """The files, and each renaming: what, where, to what; its new lines; places by name.

        The text has them in a list, "1. `vat` in `a.ts` becomes `tax`". Below a line of code, "1> "
        and the new line say what the first one makes of it; "1?" is a place that has the name only.
        """
        files, notes = self.split(NUMBERED)
        renamings = []
        for number, asked in re.findall(r"^(\d)\. (.*)$", self.text, re.MULTILINE):
            told = [
                (f"{path}:{line}", found[2])
                for path, line, note in notes
                if (found := NUMBERED.match(note))[1] == number
            ]
            lines = {place: line for place, line in told if line is not None}
            by_name = [place for place, line in told if line is None]
            renamings.append((re.findall(r"`(.*?)`", asked), lines, by_name))
        return files, renamings


def cases(folder: Path) -> list[Case]:
    """The cases of all Markdown files of a folder; each has what stands above the first, too."""
    texts = [file.read_text() for file in sorted(folder.glob("*.md"))]
    return [
        Case(title, text.partition("\n## ")[0] + "\n" + own)
        for text in texts
        for title, own in CASE.findall(text)
    ]


def project_files(title: str) -> dict[str, str]:
    """The files of a project that tests of tools are about, by path."""
    (found,) = (one for one in cases(PROJECTS) if one.title == title)
    return dict(FILE.findall(found.text))

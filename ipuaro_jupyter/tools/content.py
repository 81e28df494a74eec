"""The text that a model gives to be written into a file, as it was meant.

Models wrap it in a Markdown fence, repeat the line numbers that they were shown, escape its line
breaks twice, and leave out the indentation of what stands around it. Whatever is put right here is
told to the user and the model.
"""

import re
from collections.abc import Callable, Sequence
from itertools import count
from textwrap import indent
from typing import NamedTuple

from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.data_errors import is_in_toml_text
from ipuaro_jupyter.languages.indentation import first_indentation, indentation, shifted
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.registry import is_code, language_for
from ipuaro_jupyter.languages.syntax import is_in_text
from ipuaro_jupyter.languages.syntax_errors import new_syntax_errors
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes.change_proposal import text_problems

_FENCE = re.compile(r" {0,3}(?P<sign>`{3,}|~{3,})(?P<info>[^`]*)$")
_NUMBER = re.compile(r"(?P<blanks> *)(?P<number>\d+)(?:\t(?P<rest>.*)|$)", re.DOTALL)
_WIDTH = 6  # of the numbers in results
_NEAR = 100
_AROUND_PATH = re.compile(r"(?:file(?:name)?|path)?[\s:*_`#\"'()/.-]*", re.IGNORECASE)
_MARKDOWN_FILES = (".md", ".mdx", ".markdown", ".qmd", ".rmd")
_MARKDOWN = {"md", "mdx", "markdown"}
_DATA = {"json", "notebook", "toml"}
_FENCED = "The content was wholly in a Markdown fence, which was left out."
_NUMBERED = "Every line of the content began with its line number; the numbers were left out."
_ESCAPED = r"The content had \n for line breaks; they were made line breaks."
_TAB = 4


class MeantText(NamedTuple):
    """A text as it was meant, with what was put right, a sentence each."""

    text: str
    notes: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """The sentences in one line."""
        return " ".join(self.notes)


class Around(NamedTuple):
    """The lines that a text replaces, and those before and after it in the file.

    ``at`` is the place in bytes; None for the beginning of a line.
    """

    replaced: Sequence[str] = ()
    above: Sequence[str] = ()
    below: Sequence[str] = ()
    at: int | None = None

    @classmethod
    def of(cls, lines: Sequence[str], start: int, end: int) -> "Around":
        """The place of the lines ``start`` to ``end``, 1-based, in a file's lines."""
        return cls(lines[start - 1 : end], lines[: start - 1], lines[end:])

    @property
    def near(self) -> Sequence[str]:
        """The replaced lines; where there are none, the two beside the place."""
        return self.replaced or (*self.above[-1:], *self.below[:1])

    def lines(self, *, is_new: bool) -> range:
        """The numbers that the first line may have had in a result; earlier edits moved it."""
        line = len(self.above) + 1
        return range(line, line + 1) if is_new else range(line - _NEAR, line + _NEAR + 1)


def meant(
    path: str,
    before: bytes | None,
    content: str,
    *,
    around: Around,
    make: Callable[[str], bytes],
) -> MeantText:
    """The content without a fence and line numbers around it and, in Python, well indented.

    Args:
        path: The file.
        before: Its content; None when it does not exist yet.
        content: The given text.
        around: The place in the file.
        make: Returns the new content of the file for a text.

    Raises:
        ToolError: As ``make`` does.
    """
    found = unwrapped(path, before, content, around)
    moved = indented(path, before, found.text, around=around, make=make)
    if moved is None:
        return found
    return MeantText(moved.text, (*found.notes, *moved.notes))


def unwrapped(
    path: str, before: bytes | None, content: str, around: Around, *, lines: range | None = None
) -> MeantText:
    """The content without a Markdown fence, our line numbers and escaped line breaks.

    Fence and numbers are left out where all of the content has them, and stay where the text around
    the place is so itself. A fence is left out of code, JSON and TOML, if not in strings and
    comments, and from around a whole new file of Markdown. Numbers are, outside of code, only those
    that the lines of the place have in results, or ``lines``.
    """
    text, notes = content, []
    inner = _unfenced(path, text, is_new=before is None)
    if inner is not None and not _is_text(path, before, around):
        text = inner
        notes.append(_FENCED)
    bare = unnumbered(path, text, lines=lines or around.lines(is_new=before is None))
    if bare is not None and not any(_NUMBER.fullmatch(line) for line in around.near):
        text = bare
        notes.append(_NUMBERED)
    if (broken := _unescaped(path, text, around)) is not None:
        text = broken
        notes.append(_ESCAPED)
    return MeantText(text, tuple(notes))


def _unescaped(path: str, content: str, around: Around) -> str | None:
    r"""One line of code with a line break for each ``\n``; None where it may be meant as it is.

    It is meant so where it can be read as it is, or cannot be read with line breaks either, as when
    a string holds a ``\n``.
    """
    if r"\n" not in content or "\n" in content.rstrip("\n") or around.at is not None:
        return None
    before = "\n".join([*around.above, *around.replaced, *around.below]).encode()

    def fits(text: str) -> bool:
        moved = (indent(text, pad) for pad in {"", first_indentation("\n".join(around.near)) or ""})
        made = ("\n".join([*around.above, one, *around.below]).encode() for one in moved)
        return not all(new_syntax_errors(path, before, one) for one in made)

    broken = content.replace(r"\n", "\n")
    likely = (broken, broken.replace(r"\"", '"'))
    return None if fits(content) else next(filter(fits, likely), None)


def _is_text(path: str, before: bytes | None, around: Around) -> bool:
    """Whether a fence may be meant where it is to be written."""
    if any(_FENCE.match(line) for line in around.near):
        return True
    language = language_for(path)
    at = _offset(before or b"", len(around.above) + 1) if around.at is None else around.at
    if before is None or language is None or at is None:
        return False
    if language.name == "toml":
        return is_in_toml_text(before, at)
    try:
        return language.grammar is not None and is_in_text(language, before, at)
    except ParsingTooSlow:
        return False


def _offset(data: bytes, line: int) -> int | None:
    """The first byte of a line, 1-based; None when there is no such line."""
    at = 0
    for _ in range(line - 1):
        at = data.find(b"\n", at) + 1
        if not at:
            return None
    return at


def _may_be_fenced(path: str, info: str, *, is_new: bool) -> bool:
    """Whether a fence around a text for a file can be anything but a part of it."""
    if path.lower().endswith(_MARKDOWN_FILES):
        return is_new and info in _MARKDOWN
    language = language_for(path)
    return language is not None and (language.grammar is not None or language.name in _DATA)


def _unfenced(path: str, content: str, *, is_new: bool) -> str | None:
    """The text in a fence that is around all of ``content``; None when there is no such fence."""
    lines = content.replace("\r\n", "\n").strip("\n").split("\n")
    if _names(lines[0], path):
        lines = "\n".join(lines[1:]).strip("\n").split("\n")
    opening, closing = _FENCE.fullmatch(lines[0]), _FENCE.fullmatch(lines[-1].rstrip())
    if opening is None or closing is None or len(lines) == 1 or closing["info"].strip():
        return None
    if not closing["sign"].startswith(opening["sign"]):
        return None
    if not _may_be_fenced(path, opening["info"].strip().lower(), is_new=is_new):
        return None
    inner = lines[1:-1]
    if _closes_within(inner, opening["sign"]):
        return None
    if inner and inner[0].strip() == path:
        inner = inner[1:]
    return "".join(f"{line}\n" for line in inner)


def _closes_within(lines: Sequence[str], sign: str) -> bool:
    """Whether a fence that was opened before these lines is closed in them."""
    is_open = False
    for line in lines:
        found = _FENCE.fullmatch(line.rstrip())
        if found is None or not found["sign"].startswith(sign):
            continue
        if not is_open and not found["info"].strip():
            return True
        is_open = not is_open
    return is_open


def _names(line: str, path: str) -> bool:
    """Whether a line has the path, or the name of the file, and nothing else but signs."""
    name = path.rpartition("/")[2]
    found = next((one for one in (path, name) if one in line), None)
    if found is None or _FENCE.match(line):
        return False
    before, _, after = line.partition(found)
    return all(_AROUND_PATH.fullmatch(part.strip()) for part in (before, after))


def unnumbered(path: str, content: str, *, lines: range) -> str | None:
    """The text without line numbers as results have them; None when not every line has one.

    The first line may have lost its blanks, and a line its tab when nothing follows it. In code, no
    blanks are needed at all.

    Args:
        path: The file.
        content: The text.
        lines: What the first number may be where the file is not code.
    """
    given = content.replace("\r\n", "\n").split("\n")
    has_end = len(given) > 1 and not given[-1]
    if has_end:
        given.pop()
    found = [_NUMBER.fullmatch(line) for line in given]
    first = int(found[0]["number"]) if found[0] else 0
    bare, exact = [], 0
    for one, number in zip(found, count(first), strict=False):
        if one is None or int(one["number"]) != number:
            return None
        exact += one["blanks"] + one["number"] == f"{number:{_WIDTH}d}"
        bare.append(one["rest"] or "")
    has_text = any(line.strip() for line in bare)
    is_ours = first in lines and exact >= max(1, len(given) - 1)
    if not has_text or not (is_ours or is_code(path)):
        return None
    return "\n".join([*bare, ""] if has_end else bare)


def indented(
    path: str,
    before: bytes | None,
    content: str,
    *,
    around: Around,
    make: Callable[[str], bytes],
) -> MeantText | None:
    """Python that can be read after all its lines are moved alike; None when nothing is to do."""
    language = language_for(path)
    first = first_indentation(content)
    if language is None or language.reader != "python" or first is None:
        return None
    if not new_syntax_errors(path, before, make(content)):
        return None
    own, others = _wanted(around)
    fitting = []
    for wanted in (*own, *others):
        text = None if wanted == first else shifted(content, wanted, language)
        if text is not None and not new_syntax_errors(path, before, make(text)):
            fitting.append(MeantText(text, (_told(first, wanted),)))
            if wanted in own:
                return fitting[0]
    return fitting[0] if len(fitting) == 1 else None


class GivenText(NamedTuple):
    """A text, and its place in the file."""

    text: str
    around: Around


def indented_together(
    path: str,
    before: bytes | None,
    parts: Sequence[GivenText],
    *,
    make: Callable[[Sequence[str]], bytes],
) -> list[MeantText]:
    """The texts of one file's changes, moved where that makes Python that can be read.

    One that is off is moved as `indented` does it. Several are moved together, and only when they
    are off by the same amount: one alone might make code that can be read and is not meant.
    """
    texts = [part.text for part in parts]
    off = [number for number, part in enumerate(parts) if len(parts) == 1 or _is_off(part)]
    as_given = [MeantText(text) for text in texts]
    language = language_for(path)
    if not off or language is None or language.reader != "python":
        return as_given
    if len(off) > 1:
        together = _moved_alike(parts, off, language)
        if together is None or not new_syntax_errors(path, before, make(texts)):
            return as_given
        is_mended = not new_syntax_errors(path, before, make([one.text for one in together]))
        return together if is_mended else as_given
    (number,) = off

    def with_one(text: str) -> bytes:
        return make([*texts[:number], text, *texts[number + 1 :]])

    around = parts[number].around
    moved = indented(path, before, texts[number], around=around, make=with_one)
    as_given[number] = moved or as_given[number]
    return as_given


def _moved_alike(
    parts: Sequence[GivenText], off: Sequence[int], language: Language
) -> list[MeantText] | None:
    """The texts with some of them moved to what they replace; None when that differs."""
    made = [MeantText(part.text) for part in parts]
    for number in off:
        text, around = parts[number]
        wanted = first_indentation("\n".join(around.replaced))
        moved = None if wanted is None else shifted(text, wanted, language)
        if wanted is None or moved is None:
            return None
        made[number] = MeantText(moved, (_told(_first(text), wanted),))
    notes = {made[number].notes for number in off}
    return made if len(notes) == 1 else None


def _is_off(part: GivenText) -> bool:
    """Whether a text begins with another indentation than what it replaces or is put below."""
    first = first_indentation(part.text)
    own = first_indentation("\n".join(part.around.replaced))
    if first is None or own is not None:
        return first is not None and first != own
    above = next((line for line in reversed(part.around.above) if line.strip()), "")
    if above.rstrip().endswith(":"):
        return len(first) <= len(indentation(above))
    return first != indentation(above)


def _first(text: str) -> str:
    return first_indentation(text) or ""


def _wanted(around: Around) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The indentation of the replaced lines, and the others that may be meant."""
    own = first_indentation("\n".join(around.replaced))
    above = next((line for line in reversed(around.above) if line.strip()), "")
    below = next((line for line in around.below if line.strip()), "")
    others = [indentation(above), indentation(below)]
    if above.rstrip().endswith(":"):
        unit = "\t" if indentation(above).startswith("\t") else " " * _TAB
        others.append(indentation(above) + unit)
    known = () if own is None else (own,)
    return known, tuple(dict.fromkeys(one for one in others if one not in known))


def _told(first: str, wanted: str) -> str:
    size = len(wanted.expandtabs(_TAB)) - len(first.expandtabs(_TAB))
    side = "right" if size > 0 else "left"
    moved = f"{abs(size)} column{'' if abs(size) == 1 else 's'} to the {side}" if size else "alike"
    return f"The content was indented wrongly for its place; all its lines were moved {moved}."


def added_problems(written: Change) -> tuple[str, ...]:
    """What speaks against the text that was written, such as new syntax errors, a line each."""
    return text_problems(written)


def told_problems(problems: Sequence[str]) -> list[str]:
    """The problems of a change, as its result tells them to the model."""
    if not problems:
        return []
    is_syntax = all("syntax error" in problem for problem in problems)
    what = "new syntax errors" if is_syntax else "problems"
    return [f"It was applied with {what}; mend them:", *(f"- {p}" for p in problems)]

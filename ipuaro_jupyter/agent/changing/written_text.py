"""The text of one declaration in a reply: found, cut out, or refused."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from ipuaro_jupyter.index.declared_lines import Declarations, DeclaredLines
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.languages.syntax_errors import new_syntax_errors
from ipuaro_jupyter.tools.replace_symbol import replacement
from ipuaro_jupyter.workspace.files.text_file import TextFile

_FENCE = re.compile(
    r"^ {0,3}(?P<sign>`{3,}|~{3,})[^\n`]*\n(?P<code>.*?)(?:^ {0,3}(?P=sign)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_SIGN = r"(?:\#|//|/\*+|\*|\{/\*)"
_LEFT_OUT = re.compile(
    rf"(?:{_SIGN}[ \t]*(?:\.{{3}}|…).*|(?:\.{{3}}|…)"
    rf"|{_SIGN}[ \t(\[<]*(?:the |all |keep )*"
    r"(?:rest|remainder|remaining|existing|original|previous|unchanged|other|same)\b.{0,60}"
    r"\b(?:code|unchanged|same|function|method|class|body|implementation|logic|lines|stays?"
    r"|remains?|here|as (?:is|before|above))\b.{0,30})",
    re.IGNORECASE,
)
ECMASCRIPT_FRAMES = (("", ""), ("class A {\n", "\n}"), ("const A = {\n", "\n}"))
"""What a part of a class or of an object may have to stand in to be read."""


class WrittenText(NamedTuple):
    """What a reply holds of a declaration.

    Attributes:
        text: The declaration; "" where there is a problem.
        code: All of the code around it in the reply; "" where the reply does not hold it.
        problem: Why it cannot be used, for the model; "" when it can.
    """

    text: str = ""
    code: str = ""
    problem: str = ""


class _CutOut(NamedTuple):
    """The lines of a declaration in a text, and what else that declares.

    Attributes:
        lines: All of the text.
        found: The declaration in it.
        others: The others, by name.
    """

    lines: Sequence[str]
    found: DeclaredLines
    others: Mapping[str, DeclaredLines]


def written_text(
    reply: str,
    file: TextFile,
    found: DeclaredLines,
    *,
    may_export: bool = False,
    is_alone: bool = True,
) -> WrittenText:
    """The declaration as a reply holds it, whatever stands around it there.

    Args:
        reply: The text of the reply, with a fence or without one.
        file: The file as it is.
        found: The declaration in it.
        may_export: Whether the text may export what is not exported yet.
        is_alone: Whether no other declaration of the reply may change the file.
    """
    name = found.qualified
    quoted = WrittenText(problem=f"The reply does not hold {name}, whole, in one code fence.")
    for code in fenced_codes(reply):
        cut = _cut_out(code, file, found)
        if cut is None:
            continue
        text = _without_additions(cut, file, found, may_export=may_export)
        if line := left_out(text.split("\n"), file):
            told = f"`{line}` stands for a part that was left out. Write all of {name}."
            return WrittenText(code=code, problem=told)
        for other, lines in cut.others.items():
            last = other.rpartition(".")[2]
            word = re.compile(rf"(?<![\w$]){re.escape(last)}(?![\w$])")
            if not word.search(text):
                continue
            if not word.search(file.text):
                told = f"{name} uses `{last}`, which stands outside of it: put it inside of {name}."
                return WrittenText(code=code, problem=told)
            if is_alone and _is_changed(other, cut.lines[lines.start - 1 : lines.end], file):
                return WrittenText(
                    code=code, problem=f"It changes `{other}`, too: write {name} alone."
                )
        if replacement(file, text, found).after != file.data:
            return WrittenText(text, code)
        quoted = WrittenText(text, code)  # what is there, perhaps before the new text
    return quoted


def left_out(lines: Iterable[str], file: TextFile) -> str:
    """The first line that stands for lines of a file that are not repeated; "" for none."""
    known = {line.strip() for line in file.lines}
    bare = (line.strip() for line in lines)
    return next((line for line in bare if line not in known and _LEFT_OUT.fullmatch(line)), "")


def fenced_codes(reply: str) -> Iterator[str]:
    """Yield the code in the fences of a reply, or all of it where there is none."""
    fences = [found["code"] for found in _FENCE.finditer(reply)]
    yield from (code.strip("\n") for code in fences or [reply])


def _cut_out(code: str, file: TextFile, found: DeclaredLines) -> _CutOut | None:
    """The declaration in a text: under its whole name, else under its last part."""
    language = language_for(file.path)
    is_python = language is not None and language.reader == "python"
    is_mixed = language is not None and language.reader == "component"
    path = f"reply{'.ts' if is_mixed else PurePosixPath(file.path).suffix}"
    cuts: list[_CutOut] = []
    for head, tail in ECMASCRIPT_FRAMES[: 1 if is_python else None]:
        framed = f"{head}{code}{tail}"
        cut = _cut_from(path, framed, file, found)
        if cut is not None and not new_syntax_errors(path, None, framed.encode()):
            return cut
        cuts += [cut] if cut is not None else []
    return cuts[0] if cuts else None


def _cut_from(path: str, text: str, file: TextFile, found: DeclaredLines) -> _CutOut | None:
    wanted = found.qualified.split(".")
    try:
        known = Declarations(path, text.encode())
    except ParsingTooSlow:
        return None
    likely = [
        (_shared(wanted, name.split(".")), -name.count("."), name)
        for name in known.names
        if name.rpartition(".")[2] == wanted[-1]
    ]
    if not likely:
        return None
    name = max(likely)[2]
    same = [one for one in known.exactly(name) if not one.problem]
    if not same:
        return None
    at = _number_of(found, file) if len(same) > 1 else 0
    lines, own = text.split("\n"), same[min(at, len(same) - 1)]
    others = {
        other: one
        for other in known.names
        for one in known.exactly(other)[:1]
        if not (own.start <= one.start <= own.end or one.start < own.start <= one.end)
    }
    return _CutOut(lines, own, others)


def _is_changed(name: str, lines: Sequence[str], file: TextFile) -> bool:
    """Whether the file has the one declaration of a name with another text.

    A shorter one was only left out in part.
    """
    there = Declarations(file.path, file.data).exactly(name)
    if len(there) != 1:
        return False
    new = [line.strip() for line in lines]
    old = [line.strip() for line in file.lines[there[0].start - 1 : there[0].end]]
    return new != old and len(new) >= len(old)


def _shared(wanted: Sequence[str], name: Sequence[str]) -> int:
    """The number of equal parts at the end."""
    count = 0
    for one, other in zip(reversed(wanted), reversed(name), strict=False):
        if one != other:
            break
        count += 1
    return count


def _number_of(found: DeclaredLines, file: TextFile) -> int:
    """Which of the declarations of its name it is, as of a getter and a setter."""
    same = Declarations(file.path, file.data).exactly(found.qualified)
    return next((at for at, one in enumerate(same) if one.start == found.start), 0)


def _without_additions(
    cut: _CutOut, file: TextFile, found: DeclaredLines, *, may_export: bool
) -> str:
    """The text of a declaration without a remark above it, and without an export that is new.

    A comment above counts where it documents, or has a line of what was there.
    """
    own = cut.found
    comment = [line.strip() for line in cut.lines[own.comments - 1 : own.decorators - 1]]
    old = {line.strip() for line in file.lines[found.comments - 1 : found.decorators - 1]}
    is_kept = comment and (comment[0].startswith("/**") or not old.isdisjoint(comment))
    lines = list(cut.lines[(own.comments if is_kept else own.decorators) - 1 : own.end])
    if own.export and not found.export and not may_export:
        at = own.start - (own.comments if is_kept else own.decorators)
        lines[at] = lines[at].replace(own.export, "", 1)
    return "\n".join(lines)

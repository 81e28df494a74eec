"""The changes of a turn by file: the lines added and removed in total."""

from collections.abc import Sequence
from typing import NamedTuple

from ipuaro_jupyter.records.change import Change, text_of
from ipuaro_jupyter.views.hunks import differing, hunks
from ipuaro_jupyter.views.markup import counted, element, escape, visible

STYLES = ("table",)
FEW = 2
"""From this number of files on, a list of them is shown above the diffs."""


class ChangedFile(NamedTuple):
    """A file before its first change and after its last one; changes of parts are added up."""

    path: str
    word: str
    added: int
    removed: int

    @property
    def lines(self) -> str:
        """The numbers of added and removed lines: "+3 -1", with a real minus sign."""
        return f"+{self.added} \u2212{self.removed}"


def changed_files(changes: Sequence[Change]) -> list[ChangedFile]:
    """The files in the order of their first change."""
    found: dict[str, list[Change]] = {}
    for change in changes:
        found.setdefault(change.path, []).append(change)
    return [_file(path, made) for path, made in found.items()]


def total(changes: Sequence[Change]) -> str:
    """The numbers of changed files and lines: "2 files changed (+3 -1)"."""
    return _total(changed_files(changes))


def text(changes: Sequence[Change]) -> str:
    """A line for each file; "" for few."""
    files = changed_files(changes)
    if len(files) < FEW:
        return ""
    rows = [f"  {one.lines}  {visible(one.path)} ({one.word})" for one in files]
    return "\n".join([f"{_total(files)}:", *rows])


def html(changes: Sequence[Change]) -> str:
    """A row for each file; "" for few."""
    files = changed_files(changes)
    if len(files) < FEW:
        return ""
    caption = element("caption", element("strong", escape(f"{_total(files)}:")))
    rows = "".join(
        element(
            "tr",
            element("th", element("code", escape(one.path)), scope="row"),
            element("td", one.word),
            element("td", f"+{one.added}", class_="ipuaro-right ipuaro-good"),
            element("td", f"\u2212{one.removed}", class_="ipuaro-right ipuaro-bad"),
        )
        for one in files
    )
    return element("table", caption, element("tbody", rows))


def _total(files: Sequence[ChangedFile]) -> str:
    lines = ChangedFile("", "", sum(one.added for one in files), sum(one.removed for one in files))
    return f"{counted(len(files), 'file')} changed ({lines.lines})"


def _file(path: str, changes: Sequence[Change]) -> ChangedFile:
    before, after = changes[0].before, changes[-1].after
    if before == after and all(one.before != one.after for one in changes):
        return ChangedFile(path, "not there again" if after is None else "as before", 0, 0)
    parts = [one.part for one in changes if one.part is not None]
    counts = [differing(hunks(one.old, one.new)) for one in parts]
    if whole := [one for one in changes if one.part is None]:
        texts = text_of(whole[0].before), text_of(whole[-1].after)
        counts.append(differing(hunks(*texts)))
    word = "created" if before is None else "deleted" if after is None else "edited"
    return ChangedFile(path, word, *map(sum, zip(*counts, strict=True)))

"""Renames in small projects, and what they change."""

import pytest

from ipuaro_jupyter.index.binding.renaming import edited


@pytest.fixture
def rename(make_index):
    """Return a function that renames a declaration; it gives the renaming and the new lines."""

    def rename(files, path, qualified, to):
        index, _ = make_index(files)
        renaming = index.renaming(path, qualified, to)
        lines = {}
        for place, edits in renaming.certain.items():
            old = renaming.texts[place][0].decode().split("\n")
            new = edited(renaming.texts[place][0], edits).decode().split("\n")
            for number, (before, after) in enumerate(zip(old, new, strict=True), 1):
                if before != after:
                    lines[f"{place}:{number}"] = after
        return renaming, lines

    return rename


def by_name(renaming):
    return [f"{path}:{edit.line}" for path, edits in renaming.by_name.items() for edit in edits]

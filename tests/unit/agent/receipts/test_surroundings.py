"""The words around the names of an answer."""

import time

import pytest

from ipuaro_jupyter.agent.receipts.surroundings import Surroundings

NAMES = 200


@pytest.mark.parametrize(
    ("filler", "named"),
    [
        ("- x\n", "- `a.ts`\n"),
        ("  - x:\n", "- `a.ts`\n"),
        ("word ", "`a.ts` and "),
        ("It is.\n\n", "`a.ts` is.\n"),
    ],
)
def test_they_are_searched_once_for_all_names(filler, named):
    def took(before, names):
        text = before + named * names
        started = time.process_time()
        around = Surroundings(text)
        for n in range(names):
            at = len(before) + n * len(named) + named.index("`")
            assert not around.is_free(at, at + 6)
            assert not around.is_foreign(at, at + 6)
            assert around.paragraph(at)[0] <= at
        return time.process_time() - started

    took("", 1)
    assert took(filler * 5000, NAMES) < 4 * (took(filler * 5000, 1) + took("", NAMES))


@pytest.mark.parametrize(
    ("answer", "is_free"),
    [
        ("I suggest:\n\n- it is in\n  there\n- | `a.ts`", True),
        ("## New file\n1. `a.ts`", True),
        ("**New file**\n\n| `a.ts` |", True),
        ("I suggest: this\n- `a.ts`", False),
        ("I suggest:\n\nIt is here.\n- `a.ts`", False),
        ("I suggest:\n\n`a.ts`", False),
        ("I suggest :(\n- `a.ts`", True),
    ],
)
def test_the_line_above_a_list_counts(answer, is_free):
    at = answer.index("`")
    assert Surroundings(answer).is_free(at, at + 6) is is_free

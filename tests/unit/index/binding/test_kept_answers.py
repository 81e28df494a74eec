"""Answers about uses that are given again as long as the index is the same."""

import pytest

from ipuaro_jupyter.index.binding.kept_answers import KeptAnswers
from ipuaro_jupyter.index.binding.name_resolver import NameResolver
from ipuaro_jupyter.index.binding.references import ReferenceFinder
from ipuaro_jupyter.index.binding.text_cache import TextCache
from ipuaro_jupyter.index.binding.uses import Uses, UsesAnswer, UsesQuestion

SHIP = "export class Ship { sail() { return this } }\n"
FLEET = {
    "a.ts": "import { Ship } from './ship'\nnew Ship().sail(); sail; it.sail()\n",
    "ship.ts": SHIP,
    "z.ts": "import { Ship as Boat } from './ship'\nnew Boat().sail().sail()\n",
}


def _answer(size: int = 0, *, is_kept: bool = True) -> UsesAnswer:
    return UsesAnswer(Uses(0, [], {"a.ts": (b" " * size, "")}), {}, is_kept=is_kept)


def _asked(symbol: str) -> UsesQuestion:
    return UsesQuestion(symbol, None, 200, "")


def test_an_answer_is_kept_as_long_as_the_index_is_the_same():
    kept, made = KeptAnswers(), [_answer(), _answer(1)]
    first = kept.get(b"1", _asked("a"), lambda: made[0])
    assert kept.get(b"1", _asked("a"), lambda: made[1]) is first
    assert kept.get(b"2", _asked("a"), lambda: made[1]) is made[1]
    assert kept.get(b"1", _asked("a"), lambda: made[0]) is made[0]


def test_an_answer_that_may_be_wrong_is_not_kept():
    kept, good = KeptAnswers(), _answer()
    kept.get(b"1", _asked("a"), lambda: _answer(is_kept=False))
    kept.get(b"", _asked("b"), _answer)
    assert kept.get(b"1", _asked("a"), lambda: good) is good
    assert kept.get(b"", _asked("b"), lambda: good) is good


def test_the_answers_take_some_megabytes_at_most():
    kept, good = KeptAnswers(), _answer()
    for symbol in "abcd":
        kept.get(b"1", _asked(symbol), lambda: _answer(14_000_000))
    assert kept.get(b"1", _asked("a"), lambda: good) is good
    assert kept.get(b"1", _asked("d"), lambda: good) is not good
    kept.get(b"1", _asked("large"), lambda: _answer(70_000_000))
    assert kept.get(b"1", _asked("large"), lambda: good) is good


def test_the_same_question_reads_no_file_again(make_index, monkeypatch):
    index, root = make_index(FLEET)
    found = index.uses("sail", limit=3)
    found.first.clear()  # whoever asks may do so
    monkeypatch.setattr(TextCache, "of", None)
    assert [use.path for use in index.uses("sail", limit=3).first] == ["a.ts"] * 3
    monkeypatch.undo()
    (root / "a.ts").unlink()
    assert [use.path for use in index.uses("sail", limit=3).first] == ["ship.ts", "z.ts", "z.ts"]


def test_only_what_is_listed_is_resolved(make_index, monkeypatch):
    index, _ = make_index(FLEET)
    resolved = []
    of = NameResolver.of
    monkeypatch.setattr(NameResolver, "of", lambda *given: resolved.append(given[1:]) or of(*given))
    assert index.uses("sail", limit=2).total == 6
    assert {path for path, *_ in resolved} == {"a.ts"}
    assert len(resolved) <= 2


@pytest.mark.parametrize(
    ("files", "missing"),
    [
        (
            {
                "p/a.py": "from ._fast import sail\nsail()\n",
                "p/b.py": "class B:\n def sail(self): 1",
            },
            {"p/_fast.py": "sail = 1\n"},
        ),
        (
            {"a.ts": "import { sail } from './made'\nsail()\n", "b.ts": "class B { sail() {} }\n"},
            {"made.ts": "export let sail = 1\n"},
        ),
    ],
)
def test_a_file_that_an_import_names_in_vain_is_no_change(make_index, monkeypatch, files, missing):
    """As one that is compiled or generated: it is absent on the disk, and in the index, too."""
    index, root = make_index(files)
    looked = []
    of = ReferenceFinder.of
    monkeypatch.setattr(
        ReferenceFinder, "of", lambda *args, **options: looked.append(1) or of(*args, **options)
    )
    assert [index.uses("sail", limit=9).total for _ in range(2)] == [3, 3]
    assert len(looked) == 1
    [(path, text)] = missing.items()
    (root / path).write_text(text)
    assert path in {use.declared_in for use in index.uses("sail", limit=9).first}

"""Answers about frequent names, which are found before somebody asks."""

import pytest

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding import (
    frequent_uses,
    kept_answers,
    opened_files,
    reference_cache,
)
from ipuaro_jupyter.index.binding.references import ReferenceFinder
from ipuaro_jupyter.index.code_index import IndexSettings

FLEET = {
    "a.ts": "import { Ship } from './ship'\nnew Ship().sail(); sail; it.sail()\n",
    "ship.ts": "export class Ship { sail() { return this } }\n",
}


@pytest.fixture(autouse=True)
def all_frequent(monkeypatch):
    """Two places are many, and no answer counts as one that took long."""
    monkeypatch.setattr(frequent_uses, "_FEWEST_USES", 2)
    monkeypatch.setattr(kept_answers, "_LONG_S", 1e9)


def _find(index, root, generation):
    most_bytes = IndexSettings().parsed_bytes
    return frequent_uses.find(index._stored, root, most_bytes=most_bytes, generation=generation)


def test_the_most_frequent_names_come_first(make_index):
    index, _ = make_index(FLEET)
    assert frequent_uses.most_frequent(index._stored) == ["sail", "Ship"]


def test_who_asks_first_gets_the_answer_that_was_found_before(make_index, open_index, monkeypatch):
    index, root = make_index(FLEET)
    expected = index.uses("sail", limit=None)
    generation = index._sync.snapshot.generation
    assert not frequent_uses.are_found(index._stored, generation)
    assert _find(index, root, generation) == 2
    assert frequent_uses.are_found(index._stored, generation)
    monkeypatch.setattr(ReferenceFinder, "of", None)
    found = open_index(root).uses("sail", limit=frequent_uses.FIRST_USES)
    assert found._replace(texts=expected.texts, contexts={}) == expected


def test_a_file_is_parsed_once_for_all_names(make_index, monkeypatch):
    ship = "export class Ship { sail() { return this } row() { return this } }\n"
    uses = "import { Ship } from './ship'\nnew Ship().sail().row().sail().row()\n"
    index, root = make_index({"ship.ts": ship, "a.ts": uses})
    parsed = []
    read = opened_files.SourceTree
    monkeypatch.setattr(opened_files, "SourceTree", lambda *given: parsed.append(1) or read(*given))
    monkeypatch.setattr(reference_cache, "_MOST_PARSED_BYTES", len(ship + uses) // 2)
    assert _find(index, root, index._sync.snapshot.generation) > 1
    assert len(parsed) == 2


def test_a_change_makes_what_was_found_before_void(make_index, open_index):
    index, root = make_index(FLEET)
    before = index._sync.snapshot.generation
    _find(index, root, before)
    (root / "a.ts").write_text("\n" + FLEET["a.ts"])
    later = open_index(root)
    assert later.uses("sail", limit=frequent_uses.FIRST_USES).first[0].line == 3
    assert not frequent_uses.are_found(later._stored, later._sync.snapshot.generation)
    assert _find(later, root, before) == 0


def test_it_ends_when_it_has_used_its_time(make_index, monkeypatch):
    index, root = make_index(FLEET)
    monkeypatch.setattr(frequent_uses, "_MOST_PROCESSOR_S", -1.0)
    generation = index._sync.snapshot.generation
    assert _find(index, root, generation) == 0
    assert frequent_uses.are_found(index._stored, generation)


def test_it_ends_within_a_name_whose_uses_take_long(make_index, monkeypatch):
    index, root = make_index(FLEET)
    looked_up = []

    def slow(*_, **__):
        looked_up.append(True)
        monkeypatch.setattr(frequent_uses.time, "process_time", lambda: 1e9)
        checkpoint()

    monkeypatch.setattr(ReferenceFinder, "of", slow)
    generation = index._sync.snapshot.generation
    assert _find(index, root, generation) == 0
    assert looked_up == [True]
    assert frequent_uses.are_found(index._stored, generation)

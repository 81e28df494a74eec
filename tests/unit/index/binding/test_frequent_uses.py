"""Answers about frequent names, which are found before somebody asks."""

import pytest

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding import (
    frequent_uses,
    opened_files,
    reference_cache,
)
from ipuaro_jupyter.index.binding.answers import kept_answers
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


def _find(index, root):
    return frequent_uses.find(index._stored, root, most_bytes=IndexSettings().parsed_bytes)


def _are_found(index):
    return frequent_uses.are_found(index._stored, index._sync.snapshot)


def test_the_most_frequent_names_come_first(make_index):
    index, _ = make_index(FLEET)
    assert frequent_uses.most_frequent(index._stored) == ["sail", "Ship"]


def test_who_asks_first_gets_the_answer_that_was_found_before(make_index, open_index, monkeypatch):
    index, root = make_index(FLEET)
    expected = index.uses("sail", limit=None)
    assert not _are_found(index)
    assert _find(index, root) == 2
    assert _are_found(index)
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
    assert _find(index, root) > 1
    assert len(parsed) == 2


def test_only_what_a_change_makes_void_is_found_again(make_index, open_index, monkeypatch):
    index, root = make_index({**FLEET, "z.ts": "export const row = 1\nrow\n"})
    _find(index, root)
    (root / "a.ts").write_text("\n" + FLEET["a.ts"])
    later = open_index(root)
    assert later.uses("sail", limit=frequent_uses.FIRST_USES).first[0].line == 3
    assert not _are_found(later)
    looked, of = [], ReferenceFinder.of
    monkeypatch.setattr(
        ReferenceFinder, "of", lambda *args, **kw: looked.append(args[1]) or of(*args, **kw)
    )
    assert _find(later, root) == 3
    assert _are_found(later)
    assert sorted(looked) == ["Ship", "sail"]


def test_it_ends_when_it_has_used_its_time(make_index, monkeypatch):
    index, root = make_index(FLEET)
    monkeypatch.setattr(frequent_uses, "_MOST_PROCESSOR_S", -1.0)
    assert _find(index, root) == 0
    assert _are_found(index)


def test_it_ends_within_a_name_whose_uses_take_long(make_index, monkeypatch):
    index, root = make_index(FLEET)
    looked_up = []

    def slow(*_, **__):
        looked_up.append(True)
        monkeypatch.setattr(frequent_uses.time, "process_time", lambda: 1e9)
        checkpoint()

    monkeypatch.setattr(ReferenceFinder, "of", slow)
    assert _find(index, root) == 0
    assert looked_up == [True]
    assert _are_found(index)


def test_an_answer_depends_on_files_that_were_read_for_another_name(make_index, open_index):
    """The type of ``it`` is known from the first name on, but not without c.ts."""
    made = "import { Boat } from './boat'\nimport { Ship } from './ship'\n"
    made += "export function make() { return new Ship() }\n"
    boats = {
        f"{name.lower()}.ts": f"export class {name} {{ sail() {{}} row() {{}} }}\n"
        for name in ("Boat", "Ship")
    }
    uses = "import { make } from './c'\nconst it = make()\nit.sail(); it.row()\n"
    index, root = make_index({"a.ts": uses, "c.ts": made, **boats})
    _find(index, root)

    def meant():
        later = open_index(root)
        found = [later.uses(name, limit=200).first[0] for name in ("sail", "row")]
        return [(use.path, use.declared_in) for use in found]

    assert meant() == [("a.ts", "ship.ts")] * 2
    (root / "c.ts").write_text(made.replace("new Ship", "new Boat"))
    assert meant() == [("a.ts", "boat.ts")] * 2

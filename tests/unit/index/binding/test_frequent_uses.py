"""Answers about frequent names, which are found before somebody asks."""

import pytest

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding import (
    frequent_uses,
    opened_files,
    reference_cache,
)
from ipuaro_jupyter.index.binding.answers import kept_answers, stored_lines
from ipuaro_jupyter.index.binding.answers.kept_lines import LinesAround
from ipuaro_jupyter.index.binding.references import ReferenceFinder
from ipuaro_jupyter.index.code_index import IndexSettings
from ipuaro_jupyter.index.storage import stored_answers
from ipuaro_jupyter.index.storage.stored_answers import StoredAnswers

FLEET = {
    "a.ts": "import { Ship } from './ship'\nnew Ship().sail(); sail; it.sail()\n",
    "ship.ts": "export class Ship { sail() { return this } }\n",
}


@pytest.fixture(autouse=True)
def all_frequent(monkeypatch):
    """Two places are many, and no answer counts as one that took long."""
    monkeypatch.setattr(frequent_uses, "_FEWEST_USES", 2)
    monkeypatch.setattr(kept_answers, "_LONG_S", 1e9)


def _find(index, root, whole_s=0.0):
    most_bytes = IndexSettings().parsed_bytes
    return frequent_uses.find(index._stored, root, most_bytes=most_bytes, whole_s=whole_s)


def _are_found(index, *, whole=False):
    return frequent_uses.are_found(index._stored, index._sync.snapshot, whole=whole)


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
    assert found._replace(texts=expected.texts, contexts={}, lines={}) == expected


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


@pytest.fixture
def few_first(monkeypatch):
    """Two uses are listed, so that no answer about a frequent name is whole by itself."""
    monkeypatch.setattr(frequent_uses, "FIRST_USES", 2)


@pytest.mark.usefixtures("few_first")
def test_all_uses_are_found_too_and_answer_with_any_limit(make_index, open_index, monkeypatch):
    index, root = make_index(FLEET)
    expected = index.uses("sail", limit=None)
    assert len(expected.first) == 4
    _find(index, root, whole_s=60.0)
    assert _are_found(index, whole=True)
    monkeypatch.setattr(ReferenceFinder, "of", None)
    later = open_index(root)
    for limit in (None, 10_000, 4, 3, 2, 1):
        found = later.uses("sail", limit=limit)
        assert found.first == expected.first[:limit]
        assert found.total == 4
        assert found.lines.keys() == {use.path for use in found.first}


@pytest.mark.usefixtures("few_first")
def test_all_uses_hold_in_no_other_state(make_index, open_index):
    index, root = make_index(FLEET)
    _find(index, root, whole_s=60.0)
    (root / "b.ts").write_text("sail")
    later = open_index(root)
    assert [use.path for use in later.uses("sail", limit=None).first] == [
        *["a.ts"] * 3,
        "b.ts",
        "ship.ts",
    ]


@pytest.mark.usefixtures("few_first")
def test_an_answer_that_was_whole_is_not_after_a_change_elsewhere(make_index, open_index):
    """Both uses were listed, and still are the first; but then there is a third one."""
    row, passed = "export const row = 1\nrow\n", "export * from './a'\n"
    index, root = make_index({"a.ts": row, "b.ts": "export const sail = 1\n", "z.ts": passed})
    _find(index, root)
    (root / "b.ts").write_text("export const sail = 1\nvoid row\n")
    later = open_index(root)
    assert later.uses("row", limit=2).total == 3
    for limit in (None, 9):
        found = later.uses("row", limit=limit)
        assert [use.path for use in found.first] == ["a.ts", "a.ts", "b.ts"]


@pytest.mark.usefixtures("few_first")
@pytest.mark.parametrize(("bound", "value"), [("_MOST_BYTES", 0), ("_MOST_BYTES_EACH", 0)])
def test_the_server_keeps_some_megabytes_of_answers(make_index, monkeypatch, bound, value):
    index, root = make_index(FLEET)
    monkeypatch.setattr(stored_answers, bound, value)
    _find(index, root, whole_s=60.0)
    key = f"{index._stored.keys.prefix}answers"
    assert len(index._stored.store.hkeys(key)) <= 3


@pytest.mark.usefixtures("few_first")
def test_all_uses_are_found_as_long_as_there_is_time(make_index):
    index, root = make_index(FLEET)
    assert _find(index, root, whole_s=-1.0) == 2
    assert _are_found(index, whole=True)
    assert index._stored.store.hkeys(f"{index._stored.keys.prefix}answers")


@pytest.mark.usefixtures("few_first")
@pytest.mark.parametrize(("times", "is_found"), [(1.5, False), (4, True)])
def test_all_uses_leave_half_of_a_servers_memory_alone(make_index, times, is_found):
    index, root = make_index(FLEET)
    store = index._stored.store
    [(_, info)] = store.infos("memory")
    most = int(times * info["used_memory"])
    store._run("CONFIG", "SET", "maxmemory", str(most))
    try:
        _find(index, root, whole_s=60.0)
    finally:
        store._run("CONFIG", "SET", "maxmemory", "0")
    answers = StoredAnswers(index._stored)
    fields = [field.decode() for field in store.hkeys(f"{index._stored.keys.prefix}answers")]
    base = index._sync.snapshot.base
    whole = [field for field in fields if "\0sail\0\0\0" in field and answers.get(base, field)]
    assert bool(whole) == is_found


@pytest.mark.usefixtures("few_first")
def test_a_large_answer_is_compressed(make_index, open_index, monkeypatch):
    index, root = make_index({"a.ts": "const sail = 1\n" + "sail + sail\n" * 200})
    monkeypatch.setattr(stored_lines, "_LARGE_BYTES", 2000)
    _find(index, root, whole_s=60.0)
    key = f"{index._stored.keys.prefix}answers"
    sizes = [len(index._stored.store.hget(key, field)) for field in index._stored.store.hkeys(key)]
    assert 200 < max(sizes) < 4000
    monkeypatch.setattr(ReferenceFinder, "of", None)
    found = open_index(root).uses("sail", limit=None)
    assert [use.line for use in found.first] == [1, *(n // 2 for n in range(4, 404))]
    assert list(LinesAround(found.lines["a.ts"], 201)) == ["sail + sail"] * 2

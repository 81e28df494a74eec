"""Answers about uses that are given again as long as the index is the same."""

import os

import pytest

from ipuaro_jupyter.index.binding.answers import kept_answers
from ipuaro_jupyter.index.binding.answers.answers_on_server import AnswersOnServer
from ipuaro_jupyter.index.binding.answers.kept_answers import KeptAnswers
from ipuaro_jupyter.index.binding.answers.kept_lines import LinesAround
from ipuaro_jupyter.index.binding.answers.uses import Uses, UsesAnswer, UsesQuestion
from ipuaro_jupyter.index.binding.name_resolver import NameResolver
from ipuaro_jupyter.index.binding.references import ReferenceFinder
from ipuaro_jupyter.index.binding.text_cache import TextCache
from ipuaro_jupyter.index.storage.snapshots import Snapshot

SHIP = "export class Ship { sail() { return this } }\n"
FLEET = {
    "a.ts": "import { Ship } from './ship'\nnew Ship().sail(); sail; it.sail()\n",
    "ship.ts": SHIP,
    "z.ts": "import { Ship as Boat } from './ship'\nnew Boat().sail().sail()\n",
}


def _answer(size: int = 0, *, is_kept: bool = True) -> UsesAnswer:
    return UsesAnswer(Uses(0, [], {"a.ts": (b" " * size, "")}), {}, is_kept=is_kept)


def _without_lines(uses: Uses) -> Uses:
    return uses._replace(texts={}, contexts=None, lines={})


def _told(uses: Uses) -> Uses:
    """What whoever asks gets to see; how far was looked may differ."""
    return _without_lines(uses)._replace(extent=None)


def _asked(symbol: str) -> UsesQuestion:
    return UsesQuestion(symbol, None, 200, "")


def test_an_answer_is_kept_as_long_as_the_index_is_the_same():
    kept, made = KeptAnswers(), [_answer(), _answer(1)]
    first = kept.get(Snapshot(b"1"), _asked("a"), lambda: made[0])
    assert kept.get(Snapshot(b"1"), _asked("a"), lambda: made[1]) is first
    assert kept.get(Snapshot(b"2"), _asked("a"), lambda: made[1]) is made[1]
    assert kept.get(Snapshot(b"1"), _asked("a"), lambda: made[0]) is made[0]


def test_an_answer_that_may_be_wrong_is_not_kept():
    kept, good = KeptAnswers(), _answer()
    kept.get(Snapshot(b"1"), _asked("a"), lambda: _answer(is_kept=False))
    kept.get(Snapshot(b""), _asked("b"), _answer)
    assert kept.get(Snapshot(b"1"), _asked("a"), lambda: good) is good
    assert kept.get(Snapshot(b""), _asked("b"), lambda: good) is good


def test_the_answers_take_some_megabytes_at_most():
    kept, good = KeptAnswers(), _answer()
    for symbol in "abcd":
        kept.get(Snapshot(b"1"), _asked(symbol), lambda: _answer(14_000_000))
    assert kept.get(Snapshot(b"1"), _asked("a"), lambda: good) is good
    assert kept.get(Snapshot(b"1"), _asked("d"), lambda: good) is not good
    kept.get(Snapshot(b"1"), _asked("large"), lambda: _answer(70_000_000))
    assert kept.get(Snapshot(b"1"), _asked("large"), lambda: good) is good


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


@pytest.fixture
def all_long(monkeypatch):
    """Every answer counts as one that took long."""
    monkeypatch.setattr(kept_answers, "_LONG_S", 0.0)


@pytest.mark.usefixtures("all_long")
@pytest.mark.parametrize("symbol", ["sail", "Ship", "Ship.sail", "none"])
def test_the_next_kernel_gives_the_same_answer(make_index, open_index, monkeypatch, symbol):
    index, root = make_index(FLEET)
    found = index.uses(symbol, limit=3)
    monkeypatch.setattr(ReferenceFinder, "of", None)
    monkeypatch.setattr(TextCache, "of", None)  # it has the lines, so that no file is read
    again = open_index(root).uses(symbol, limit=3)
    assert _without_lines(again) == _without_lines(found)
    for use in (*again.first, *again.unresolved):
        lines = found.texts[use.path][0].decode().splitlines()
        first = max(1, use.line - 1)
        around = (first, tuple(lines[first - 1 : use.line + 1]))
        assert (first, LinesAround(again.lines[use.path], use.line)) == around


@pytest.mark.usefixtures("all_long")
def test_the_next_kernel_sees_what_has_changed_meanwhile(make_index, open_index):
    index, root = make_index(FLEET)
    assert [use.line for use in index.uses("sail", limit=1).first] == [2]
    (root / "a.ts").write_text("\n" + FLEET["a.ts"])
    assert [use.line for use in open_index(root).uses("sail", limit=1).first] == [3]
    (root / "a.ts").unlink()
    assert [use.path for use in open_index(root).uses("sail", limit=1).first] == ["ship.ts"]


@pytest.mark.usefixtures("all_long")
def test_a_kept_answer_that_is_damaged_is_found_again(make_index, open_index):
    index, root = make_index(FLEET)
    found, stored = index.uses("sail", limit=3), index._stored
    key = f"{stored.keys.prefix}answers"
    for field in stored.store.hkeys(key):
        stored.store.hset(key, {field: b"nonsense"})
    assert _without_lines(open_index(root).uses("sail", limit=3)) == _without_lines(found)


@pytest.mark.usefixtures("all_long")
def test_kept_answers_of_an_earlier_state_are_dropped(make_index, open_index):
    index, root = make_index(FLEET)
    for name in ("sail", "Ship", "none"):
        index.uses(name, limit=3)
    key = f"{index._stored.keys.prefix}answers"
    assert len(index._stored.store.hkeys(key)) == 5
    (root / "package.json").write_text("{}")
    open_index(root).uses("sail", limit=3)
    assert len(index._stored.store.hkeys(key)) == 3


@pytest.mark.usefixtures("all_long")
@pytest.mark.parametrize(
    ("path", "text", "is_held"),
    [
        ("b.ts", "export function row() {}\n", True),
        ("b.ts", "import { Ship } from './ship'\nexport const other = Ship\n", True),
        ("b.ts", "sail()\n", False),  # among the first places
        ("zz.ts", "sail()\n", True),
        ("zz.ts", "export class Boat { sail() {} }\n", False),
        ("zz.ts", "export { Ship as Boat } from './ship'\n", True),
        ("ship.ts", SHIP + "export const row = 1\n", False),
    ],
)
def test_an_answer_holds_until_something_that_it_depends_on_changes(
    make_index, open_index, monkeypatch, *, path, text, is_held
):
    index, root = make_index(FLEET)
    assert index.uses("sail", limit=4).total == 6
    (root / path).write_text(text)
    looked, of = [], ReferenceFinder.of
    monkeypatch.setattr(
        ReferenceFinder, "of", lambda *args, **options: looked.append(1) or of(*args, **options)
    )
    found = open_index(root).uses("sail", limit=4)
    assert found.total == 6 + ("sail" in text and path != "ship.ts")
    assert bool(looked) != is_held


CHAIN = {
    "a.ts": "import { sail } from './mid'\nsail\n",
    "z/index.ts": "export const sail = 1\n",
    "zy.ts": "export const sail = 2\n",
    "zx.ts": "import { hoist } from './zw'\nhoist\n",
}
PASSED_ON = "export * from './z'\n"


@pytest.mark.usefixtures("all_long")
@pytest.mark.parametrize(
    ("mid", "path", "text"),
    [
        (PASSED_ON, "mid.ts", "export * from './zy'\n"),
        (PASSED_ON, "mid.ts", f"export const sail = 3\n{PASSED_ON}"),
        (PASSED_ON, "mid.ts", "export { sail } from './zy'\n"),
        (PASSED_ON, "z.ts", "export const sail = 4\n"),
        (PASSED_ON, "zv.ts", "import { sail as s } from './z'\ns\n"),
        (PASSED_ON, "zw.ts", "import { sail as s } from './z'\nexport { s as hoist }\n"),
        (PASSED_ON, "zw.ts", "export { sail as hoist } from './z'\n"),
        (
            "import { sail } from './z'\nexport { sail }\n",
            "mid.ts",
            "export { sail } from './zy'\n",
        ),
        (
            "import { sail } from './z'\nexport { sail }\n",
            "mid.ts",
            "import { sail } from './zy'\nexport { sail }\n",
        ),
        (
            "import { sail as s } from './z'\nexport { s as sail }\n",
            "mid.ts",
            "import { sail as s } from './zy'\nexport { s as sail }\n",
        ),
    ],
)
def test_what_leads_to_something_else_without_being_opened_is_seen(
    make_index, open_index, monkeypatch, *, mid, path, text
):
    index, root = make_index({**CHAIN, "mid.ts": mid, "zw.ts": "export const hoist = 1\n"})
    before = index.uses("sail", limit=2)
    assert {use.path for use in before.first} == {"a.ts"}
    (root / path).write_text(text)
    found = open_index(root).uses("sail", limit=2)
    assert _told(found) == _found_anew(open_index(root), monkeypatch, limit=2)
    assert (found.first, found.total) != (before.first, before.total)


SHIPS = {
    "a.ts": "import { Ship } from './mid'\nnew Ship().sail()\n",
    "x/ship.ts": "export class Ship { sail() {} }\n",
    "y/boat.ts": "export class Ship { sail() {} }\n",
}
DEEP = {"a.ts": "import { sail } from './y/d'\nsail\n", "y/d.ts": "export const sail = 1\n"}
OTHER_NAME = "import { sail } from './d'\nsail\n"
UNCLEAR = "sail\nimport { x } from './b'\nx.sail\n"
IMPORTED = "import {{ Ship }} from './{}'\nexport {{ Ship }}\n"
SCRIPTS = {"f.ts": "sail\n", "g.ts": "const sail = 1\n"}
FORCED = '{"compilerOptions": {"moduleDetection": "force"}}'


@pytest.mark.usefixtures("all_long")
@pytest.mark.parametrize(
    ("files", "path", "text"),
    [
        (
            SHIPS | {"mid.ts": "export { Ship } from './x/ship'\n"},
            "mid.ts",
            "export { Ship } from './y/boat'\n",
        ),
        (SHIPS | {"mid.ts": "export * from './x/ship'\n"}, "mid.ts", "export * from './y/boat'\n"),
        (SHIPS | {"mid.ts": IMPORTED.format("x/ship")}, "mid.ts", IMPORTED.format("y/boat")),
        (
            DEEP | {"z.ts": "import { s } from './y/m'\ns\ns\n", "y/m.ts": OTHER_NAME},
            "y/m.ts",
            f"{OTHER_NAME}export {{ sail as s }}\n",
        ),
        (DEEP, "z.ts", "import { sail as s } from './y/d'\ns\ns\n"),
        ({"a.ts": UNCLEAR, "y/d.ts": DEEP["y/d.ts"]}, "z.ts", "export const sail = 2\n"),
        (SCRIPTS | {"tsconfig.json": '{"extends": "./base.jsonc"}'}, "base.jsonc", FORCED),
        (SCRIPTS | {"tsconfig.json": '{"extends": "./base"}'}, "base", FORCED),
        (SCRIPTS | {"tsconfig.json": '{"extends": "./base"}', "base": "\0\0"}, "base", FORCED),
        (SCRIPTS | {"tsconfig.json": '{"extends": "./base"}', "base": FORCED}, "base", None),
    ],
)
def test_each_part_of_the_shape_that_was_read_makes_an_answer_void(
    make_index, open_index, monkeypatch, *, files, path, text
):
    """Each case needs a part that the others do not, the last ones that of a file."""
    index, root = make_index(files)
    before = index.uses("sail", limit=1)
    if text is None:
        (root / path).unlink()
    else:
        (root / path).write_text(text)
    found = open_index(root).uses("sail", limit=1)
    assert _told(found) == _found_anew(open_index(root), monkeypatch, limit=1)
    assert (found.first, found.total) != (before.first, before.total)


@pytest.mark.usefixtures("all_long")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", None),  # touched
        ("tsconfig.json", None),
        ("other.json", "{}"),  # which nothing names
        ("data/base.jsonc", FORCED),
    ],
)
def test_files_that_no_configuration_depends_on_keep_an_answer(
    make_index, open_index, monkeypatch, path, text
):
    configs = {"package.json": "{}", "tsconfig.json": '{"extends": "./base.jsonc"}'}
    index, root = make_index(SCRIPTS | configs)
    found = index.uses("sail", limit=1)
    (root / "zz.ts").write_text("row\n")
    index.refresh()
    if text is None:
        os.utime(root / path, (1, 1))
    else:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    later = open_index(root)
    later.refresh()
    monkeypatch.setattr(ReferenceFinder, "of", None)
    assert _without_lines(later.uses("sail", limit=1)) == _without_lines(found)


def _found_anew(index, monkeypatch, *, limit):
    """What is found when nothing was kept."""
    with monkeypatch.context() as patched:
        patched.setattr(AnswersOnServer, "get", lambda *_: None)
        return _told(index.uses("sail", limit=limit))

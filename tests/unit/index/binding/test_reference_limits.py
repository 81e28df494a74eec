"""The first uses of many, and what is asked while files change or others ask."""

import itertools
import random
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

import pytest

from ipuaro_jupyter.cancellation import CancelToken, Deadline
from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.binding import text_cache
from ipuaro_jupyter.index.relations.callers import Callers
from ipuaro_jupyter.index.storage.background_refresh import BackgroundRefresh
from ipuaro_jupyter.index.storage.indexing_progress import Meter
from ipuaro_jupyter.index.storage.trial_worker import is_tried_well
from ipuaro_jupyter.languages.bounded import try_first

HARBOUR = Path(__file__).parents[3] / "projects/harbour"

TAX = "export function vat(net: number) { return net }\n"

MANY = {
    "tax.ts": TAX + "export default class Tax { pay() { return vat(1) } }\n",
    "all.ts": "export * from './tax'\nexport { vat as levy, default as Tax } from './tax'\n",
    "a.ts": "import { vat as tax } from './tax'\ntax(1); tax(2); vat\n",
    "b.ts": "import T, { vat } from './tax'\nnew T().pay(); vat(vat(1)); o.vat\n",
    "c.ts": "import { levy, Tax } from './all'\nlevy(1); new Tax().pay(); levy\n",
    "d.ts": "vat; vat; pay; Tax\n",
    "sub/e.ts": "import * as t from '../all'\nt.vat; t.levy; new t.Tax().pay()\n",
    "sub/f.py": "vat = 1\nprint(vat)\n",
}


@pytest.mark.parametrize("symbol", ["vat", "Tax", "pay", "Tax.pay", "levy", "none", "no.pay"])
def test_the_total_counts_what_lies_beyond_the_limit(make_index, symbol):
    index, _ = make_index(MANY)
    for path in (None, "sub", "b.ts", "c.ts", "none"):
        every = index.references(symbol, path=path)
        for limit in (1, 2, 5, 100):
            found = index.uses(symbol, path=path, limit=limit)
            assert found.first == every[:limit]
            assert found.total == len(every)
    assert bool(index.references(symbol)) is not symbol.startswith("no")


def test_files_beyond_the_limit_are_not_opened(make_index):
    files = {f"f{number:03}.ts": "vat(1)\n" for number in range(100)}
    index, root = make_index({**files, "tax.ts": TAX})
    found = index.uses("vat", limit=3)
    assert found.total == 101
    assert found.texts.keys() == {"f000.ts", "f001.ts", "f002.ts"}
    assert found.texts["f000.ts"][0] == (root / "f000.ts").read_bytes()


def test_beyond_the_limit_imports_alone_decide(make_index):
    index, _ = make_index(
        {
            "tax.ts": TAX,
            "use.ts": "import { vat } from './tax'\nvat()\n",
            "other.ts": "vat()\n",
        },
        parsed_bytes=0,
    )
    found = [(r.path, r.line, r.resolved) for r in index.references("vat")]
    assert found == [
        ("other.ts", 1, False),
        ("tax.ts", 1, True),
        ("use.ts", 1, True),
        ("use.ts", 2, True),
    ]


def test_what_has_to_do_with_a_member_is_looked_at_first_with_a_limit_too(make_index):
    """However many files use the name for something else, before it in the order of paths."""
    long = "// what they are about\n" * 50
    other = "export function other(it: unknown) { return it.pay() }\n" + long
    files = {f"a{number:02}.ts": other for number in range(60)}
    files["bill.ts"] = "export class Bill { pay() {} }\n"
    files["use.ts"] = "import { Bill } from './bill'\nnew Bill().pay()\n" + long
    index, _ = make_index(files, parsed_bytes=8_000)
    expected = [("bill.ts", 1, True), ("use.ts", 2, True)]
    for limit in (None, 200, 2):
        found = index.uses("Bill.pay", limit=limit).first
        assert [(r.path, r.line, r.resolved) for r in found] == expected


def test_the_first_uses_in_a_project_are_those_of_all_uses(tmp_path, open_index):
    for copy in range(12):
        shutil.copytree(HARBOUR, tmp_path / str(copy))
    index = open_index(tmp_path, parsed_bytes=5_000)
    index.refresh()
    names = sorted(index._stored.symbol_names())
    for name in random.Random(7).sample(names, 40):
        first = open_index(tmp_path, parsed_bytes=5_000).uses(name, limit=10).first
        every = open_index(tmp_path, parsed_bytes=5_000).references(name)
        assert first == every[:10], name


def test_several_threads_may_ask(make_index):
    index, _ = make_index(MANY)
    symbols = ["vat", "Tax", "pay", "Tax.pay", "levy"] * 4
    every = [index.references(symbol) for symbol in symbols]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(index.references, symbols)) == every


def test_answers_of_another_process_are_seen(make_index, open_index):
    index, root = make_index({"tax.ts": TAX, "use.ts": "import { vat } from './tax'\nvat()\n"})
    index.references("vat")
    (root / "more.ts").write_text("import { vat } from './tax'\nvat()\n")
    open_index(root).refresh()
    assert [r.path for r in index.references("vat")].count("more.ts") == 2


def test_change_of_a_file_in_the_answer_is_seen(make_index):
    index, root = make_index({"tax.ts": TAX, "use.ts": "import { vat } from './tax'\nvat()\n"})
    index.references("vat")
    (root / "use.ts").write_text("\n\nimport { vat } from './tax'\n")
    assert [(r.path, r.line) for r in index.references("vat")] == [("tax.ts", 1), ("use.ts", 3)]
    (root / "use.ts").unlink()
    assert [(r.path, r.line) for r in index.references("vat")] == [("tax.ts", 1)]


@pytest.mark.parametrize("reads", [40, 90, 200])
def test_time_that_is_up_while_files_are_read_leaves_what_was_found(make_index, monkeypatch, reads):
    index, _ = make_index({f"m{n}.ts": "export const thing = 1\nthing\n" for n in range(300)})
    deadline, left = Deadline(60.0, CancelToken()), itertools.count(reads, -1)
    read = text_cache.readable

    def read_until_the_time_is_up(root, path):
        if next(left) == 0:
            deadline.token.expire()
        return read(root, path)

    monkeypatch.setattr(text_cache, "readable", read_until_the_time_is_up)
    with deadline.running(), deadline.in_force():
        found = index.uses("thing", limit=None)
    assert found.first
    assert 0 < len(found.not_looked_at) < 300
    assert not {use.path for use in found.first} & found.not_looked_at


def test_an_index_that_is_being_taken_up_to_date_in_the_background_gives_no_old_answer(make_index):
    index, root = make_index({"a.ts": "export const a = 1\n"})
    sync, gate = index._sync, threading.Event()
    (root / "b.ts").write_text("export const later = 1\n")
    sync._background = BackgroundRefresh(lambda **_: gate.wait(30))
    sync._background.start()
    sync._scans._ended_s = -1e9
    deadline = Deadline(60.0, CancelToken())
    with deadline.running(), deadline.in_force(), sync._writer.turn(Meter(), wait_s=None):
        asking = ThreadPoolExecutor(1).submit(copy_context().run, index.definitions, "later")
        with pytest.raises(TimeUp, match="in the background"):
            asking.result(30)
    gate.set()
    sync._background.close()
    assert index.definitions("later")


IMPORTING = {
    "tax.ts": TAX,
    "use.ts": "import {\n  vat as levy,\n  vat,\n} from './tax'\nvat(1)\n",
    "all.ts": "export { vat } from './tax'\n",
    "tool.py": "def work(): ...\n",
    "job.py": "from tool import (\n    work,\n)\nwork()\n",
}


@pytest.mark.parametrize(
    ("target", "called", "refused"),
    [(("tax.ts", "vat"), ("use.ts", 5), "were"), (("tool.py", "work"), ("job.py", 4), "w")],
)
def test_imports_in_files_that_are_not_parsed_are_no_calls(make_index, target, called, refused):
    index, _ = make_index(IMPORTING, parsed_bytes=0)
    found = index.ask(lambda asked: Callers(asked).of([target], depth=2))
    assert [(site.path, site.line, site.kind) for site in found.calls] == [(*called, "unknown")]
    assert found.by_name == []
    assert any("not parsed: too much code" in note and refused in note for note in found.notes)


def test_what_one_lookup_has_no_room_for_another_parses(make_index):
    long = "// what it is about\n" * 50
    index, _ = make_index(
        {"a.ts": "export const a = 1\n" + long, "b.ts": "export const b = 1\n" + long},
        parsed_bytes=1_500,
    )

    def parsed(asked):
        asked.files.begin()
        first = [asked.files.tree(path) is not None for path in ("a.ts", "b.ts")]
        told = asked.files.refusals
        asked.files.begin()
        return first, asked.files.tree("b.ts") is not None, len(told), asked.files.refusals

    assert index.ask(parsed) == ([True, False], True, 1, [])


def test_trees_kept_in_memory_are_bounded_and_answers_stay(tmp_path, open_index):
    for copy in range(2):
        shutil.copytree(HARBOUR, tmp_path / str(copy))
    index = open_index(tmp_path)
    index.refresh()
    names = random.Random(7).sample(sorted(index._stored.symbol_names()), 12)
    every = {name: index.references(name) for name in names}

    def ask(asked):
        files = asked.files
        files._kept_bytes = 8_000
        sizes, found = [], {}
        for name in names * 2:
            found[name] = asked.references.of(name, None, limit=None).first
            files.begin()
            sizes.append(files.parsed_bytes)
            trees = [file for file in files._files.values() if file.tree is not None]
            assert sum(len(file.data) for file in trees) <= files.parsed_bytes
        assert found == every
        return sizes

    sizes = index.ask(ask)
    assert max(sizes) <= 8_000
    assert max(sizes) > 0


@pytest.mark.parametrize("broken", ["", "let = = 1\n"])
def test_a_text_that_the_index_has_parsed_without_errors_is_not_tried_again(make_index, broken):
    long = "// what they are about\n" * 200
    index, _ = make_index(
        {
            "ship.ts": "export class Ship { sail() {} }\n",
            "a.ts": f"import {{ Ship }} from './ship'\nnew Ship().sail()\n{long}",
            "b.ts": f"export function f(it: {{ sail(): 1 }}) {{ it.sail() }}\n{broken}{long}",
            "c.py": f"class Boat:\n    def sail(self): ...\n{'# what it is about' * 1000}\n",
        }
    )
    tried = set()
    try_first(lambda name, data, seconds: not tried.add(data[:9]) or bool(name and seconds))
    try:
        found = index.uses("Ship.sail", limit=None).first
    finally:
        try_first(is_tried_well)
    assert ("a.ts", 2) in {(use.path, use.line) for use in found}
    assert tried == ({b"export fu"} if broken else set())

"""A content that was indexed before is not parsed again: the way back, another path."""

import os
import random
import signal
import subprocess
import sys
import time
from functools import partial
from hashlib import blake2b

import msgspec
import pytest

import ipuaro_jupyter
from ipuaro_jupyter.cli.store_stats import store_stats, tables
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.keys import SHARED_INFO, SHARED_USED, SHARED_VALUES
from ipuaro_jupyter.store.shared_values import SharedValues, shared_counts

WHO = ("-c", "user.name=A", "-c", "user.email=a@b.c")
NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": ["def load(path):\n", "    return open(path)\n"],
        }
    ],
    "metadata": {"kernelspec": {"name": "python3", "language": "python", "display_name": "P"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
KINDS = {
    "src/api.ts": "import { pay } from './pay'\nexport class Api { go() { return pay(1) } }\n",
    "src/pay.ts": "// TODO: round\nexport const pay = (net: number) => net * 2\n",
    "src/View.vue": "<script>\nexport const title = 'a'\n</script>\n<template><p/></template>\n",
    "src/view.tsx": "export const View = () => <p>hello</p>\n",
    "lib/tool.py": "import os\n\n\ndef main(argv):\n    return os.getcwd()\n",
    "lib/broken.py": "def half(:\n    return 1\n\n\ndef whole():\n    return 2\n",
    "go/main.go": "package main\n\nfunc Run() int { return 1 }\n",
    "data.yaml": "one:\n  two: 3\n",
    "Book.ipynb": msgspec.json.encode(NOTEBOOK).decode(),
    "README.md": "# Title\n",
}


@pytest.fixture
def marked(request):
    """Give a function that makes contents which no other test has, of which some vary."""

    def mark(files, version="one"):
        word = f"m{blake2b(f'{request.node.name} {version}'.encode(), digest_size=6).hexdigest()}"
        forms = {".py": f"\n{word} = 1\n", ".go": f"\nvar {word} = 1\n", ".yaml": f"{word}: 1\n"}
        forms |= {".ts": f"export const {word} = 1\n", ".tsx": f"export const {word} = 1\n"}
        forms |= {".md": f"{word}\n", ".vue": f"<!-- {word} -->\n", ".ipynb": " " * len(word)}
        return {
            path: text.replace("open(path)", f"open({word})") + forms["." + path.rpartition(".")[2]]
            for path, text in files.items()
        }

    return mark


@pytest.fixture
def own(start_redis):
    """Give a store on a server of the user's own, to which no other test writes."""
    opened = connect(StoreSettings(url=start_redis[0]))
    yield opened
    opened.close()


@pytest.fixture
def open_index(open_index, own):
    """Give a function that opens an index which keeps what it loses."""
    return partial(open_index, shared_facts_mb=64, store=own)


def write(root, files):
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def git(root, *words):
    subprocess.run(["git", "-C", str(root), *WHO, *words], check=True, capture_output=True)


@pytest.fixture
def branches(make_project, marked):
    """Give a repository with the branches ``one`` and ``two``, in which all contents differ."""
    root = make_project(marked(KINDS, "one"), "repository")
    git(root, "init", "-q", "-b", "one")
    git(root, "add", ".")
    git(root, "commit", "-qm", "One")
    git(root, "switch", "-qc", "two")
    write(root, marked(KINDS, "two"))
    git(root, "mv", "src/api.ts", "src/service.ts")
    git(root, "add", ".")
    git(root, "commit", "-qm", "Two")
    git(root, "switch", "-q", "one")
    return root


def test_a_switch_of_branch_and_back_parses_nothing_the_second_time(branches, open_index, contents):
    index = open_index(branches)
    assert index.refresh().parsed == len(KINDS)
    first = contents(index)
    git(branches, "switch", "-q", "two")
    assert index.refresh().parsed == len(KINDS)
    second = contents(index)
    for branch, expected in (("one", first), ("two", second), ("one", first)):
        git(branches, "switch", "-q", branch)
        report = index.refresh()
        assert (report.parsed, report.known) == (0, len(KINDS))
        assert contents(index) == expected
    index.refresh(full=True)
    assert contents(index) == first


def test_what_is_known_counts_for_an_index_that_is_made_anew_in_workers(
    branches, open_index, contents
):
    index = open_index(branches)
    index.refresh()
    git(branches, "switch", "-q", "two")
    index.refresh()
    second = contents(index)
    git(branches, "switch", "-q", "one")
    index.refresh()
    git(branches, "switch", "-q", "two")
    index._stored.discard()
    other = open_index(branches, inline_bytes=0, workers=1)
    report = other.refresh()
    assert (report.parsed, report.known) == (0, len(KINDS))
    assert contents(other) == second


def test_what_another_project_parsed_in_an_update_is_known(
    branches, make_project, marked, open_index, contents
):
    index = open_index(branches)
    index.refresh()
    git(branches, "switch", "-q", "two")
    index.refresh()
    other = make_project(marked(KINDS), "other")
    there = open_index(other)
    there.refresh()
    write(other, marked(KINDS, "two"))
    report = there.refresh()
    assert (report.parsed, report.known) == (0, len(KINDS))
    before = contents(there)
    there.refresh(full=True)
    assert contents(there) == before


def test_a_moved_file_is_not_parsed(make_project, marked, open_index, contents):
    root = make_project(marked(KINDS), "moves")
    index = open_index(root)
    index.refresh()
    (root / "src").rename(root / "source")
    report = index.refresh()
    assert (report.parsed, report.known) == (0, 4)
    moved = contents(index)
    index.refresh(full=True)
    assert contents(index) == moved


def test_the_same_content_in_another_language_is_parsed(make_project, marked, open_index):
    root = make_project(marked({"src/pay.ts": KINDS["src/pay.ts"]}), "languages")
    index = open_index(root)
    index.refresh()
    (root / "src/pay.ts").rename(root / "src/pay.tsx")
    assert index.refresh().parsed == 1
    assert index.facts("src/pay.tsx").language == "tsx"


def test_all_is_parsed_when_that_is_asked_for(branches, open_index):
    index = open_index(branches)
    index.refresh()
    git(branches, "switch", "-q", "two")
    index.refresh()
    git(branches, "switch", "-q", "one")
    report = index.refresh(full=True)
    assert (report.parsed, report.known) == (len(KINDS), 0)


def test_when_it_is_off_nothing_is_kept_or_taken(branches, open_index, own):
    index = open_index(branches, shared_facts_mb=0)
    index.refresh()
    for branch in ("two", "one"):
        git(branches, "switch", "-q", branch)
        report = index.refresh()
        assert (report.parsed, report.known) == (len(KINDS), 0)
    assert not own.exists(SHARED_VALUES)


def test_a_secret_is_never_kept(make_project, open_index, own):
    root = make_project({".env": "KEY=one\n", ".env.local": "A=1\n", "a.ts": "let a = 1\n"}, "env")
    index = open_index(root)
    index.refresh()
    write(root, {".env": "KEY=two\n", ".env.local": "A=2\n", "a.ts": "let a = 2\n"})
    assert index.refresh().parsed == 3
    assert len(own.hgetall(SHARED_VALUES)) == 1


def test_of_a_file_that_lacks_a_row_nothing_is_kept(make_project, marked, open_index, own):
    index = open_index(make_project(marked(KINDS), "lacking"))
    index.refresh()
    snapshot = index._sync.snapshot
    own.hdel(index._stored.keys.meta, "lib/tool.py")
    index._sync.known_facts.keep(index._stored, snapshot, ["lib/tool.py", "README.md"])
    assert len(own.hgetall(SHARED_VALUES)) == 1


GARBLED = {
    "cut": lambda value: value[:-7],
    "turned": lambda value: value[:20] + bytes([value[20] ^ 1]) + value[21:],
    "empty": lambda _: b"",
    "of another": None,
    "false, but whole": None,
}


@pytest.mark.parametrize("kind", GARBLED)
def test_what_is_garbled_is_counted_and_parsed(
    kind, own, *, tmp_path, marked, open_index, contents
):  # fmt: skip
    files = marked({path: KINDS[path] for path in ("src/api.ts", "src/pay.ts")})
    root = tmp_path / "garbled"
    write(root, files)
    index = open_index(root)
    index.refresh()
    expected = contents(index)
    write(root, marked({path: KINDS[path] for path in files}, "two"))
    index.refresh()
    values = own.hgetall(SHARED_VALUES)
    others = [*list(values.values())[1:], next(iter(values.values()))]
    if kind == "false, but whole":  # one who may write stores the facts of something else
        shared = SharedValues(own, most_bytes=1_000_000)
        shared.drop_wrong(list(values))
        shared.put({name: other[16:] for name, other in zip(values, others, strict=True)})
    elif kind == "of another":
        own.hset(SHARED_VALUES, dict(zip(values, others, strict=True)))
    else:
        own.hset(SHARED_VALUES, {name: GARBLED[kind](value) for name, value in values.items()})
    before = shared_counts(own).wrong
    write(root, files)
    report = index.refresh()
    assert (report.parsed, report.known) == (2, 0)
    assert shared_counts(own).wrong == before + 2
    assert contents(index) == expected


def test_a_key_of_another_kind_turns_it_off(make_project, marked, open_index, own):
    own.set(SHARED_VALUES, b"not a hash")
    root = make_project(marked(KINDS), "kinds")
    index = open_index(root)
    assert index.refresh().parsed == len(KINDS)
    write(root, marked(KINDS, "two"))
    assert index.refresh().parsed == len(KINDS)


WRITER = """
import sys
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.shared_values import SharedValues
shared = SharedValues(connect(StoreSettings(url=sys.argv[1])), most_bytes=300_000)
number = 0
while True:
    shared.put({b"%d-%d" % (number, n): bytes([n]) * (97 * n) for n in range(120)})
    number += 1
    print(number, flush=True)
"""


def agrees(own):
    """Return whether what is noted of the values is so."""
    values = own.hgetall(SHARED_VALUES)
    size = sum(len(name) + len(value) for name, value in values.items())
    names = set(own.zrevrange(SHARED_USED, 0, -1))
    return names == set(values) and shared_counts(own).size_bytes == size


def test_a_killed_writer_leaves_nothing_that_is_wrong(start_redis, own):
    url, _ = start_redis
    shared = SharedValues(own, most_bytes=300_000)
    dice = random.Random(7)
    for _ in range(5):
        command = [sys.executable, "-c", WRITER, url]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE)
        writer.stdout.readline()
        time.sleep(dice.random() * 0.05)
        os.kill(writer.pid, signal.SIGKILL)
        writer.communicate(timeout=30)
        assert agrees(own)
        names = list(own.hgetall(SHARED_VALUES))
        assert len(shared.get(names)) == len(names) > 0
    assert shared_counts(own).wrong == 0


def test_readers_and_trimmers_do_not_harm_each_other(start_redis, own):
    """Two processes write more than there is room for while a third reads."""
    url, _ = start_redis
    shared = SharedValues(own, most_bytes=300_000)
    command = [sys.executable, "-c", WRITER, url]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for writer in writers:
            writer.stdout.readline()
        for number in range(30):
            wanted = [b"%d-%d" % (number, n) for n in range(120)]
            for name, value in shared.get(wanted).items():
                n = int(name.partition(b"-")[2])
                assert value == bytes([n]) * (97 * n)
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate(timeout=30)
    counts = shared_counts(own)
    assert counts.size_bytes <= 300_000
    assert counts.dropped > 0 == counts.wrong
    assert agrees(own)


def test_what_nobody_used_for_long_is_dropped(own):
    shared = SharedValues(own, most_bytes=1_000)
    shared.put({b"old": b"1", b"new": b"2"})
    own.zadd(SHARED_USED, {"old": time.time() - 31 * 86_400})
    shared.trim()
    assert shared.get([b"old", b"new"]) == {b"new": b"2"}
    assert agrees(own)


def test_stats_tell_of_it(own):
    assert tables(store_stats(own))[0].title.endswith("0.0 MB")
    shared = SharedValues(own, most_bytes=1_000_000)
    shared.put({b"a": b"1" * 200_000, b"b": b"2"})
    own.hset(SHARED_VALUES, {b"b": b"3"})
    shared.get([b"a", b"b"])
    stats = store_stats(own)
    assert stats.shared.reused == 1
    assert tables(stats)[0].title.endswith("; 0.2 MB of earlier contents, reused 1 time, 1 wrong")


def test_what_was_used_last_stays(own):
    shared = SharedValues(own, most_bytes=400)
    shared.put({b"a": b"1" * 100})
    shared.put({b"b": b"2" * 100})
    assert shared.get([b"a"])
    shared.put({b"c": b"3" * 100})
    shared.put({b"d": b"4" * 100})
    assert set(shared.get([b"a", b"b", b"c", b"d"])) == {b"a", b"c", b"d"}


@pytest.mark.parametrize("lost", [SHARED_VALUES, SHARED_USED, SHARED_INFO])
def test_a_key_that_the_server_dropped_makes_all_begin_anew(lost, own):
    shared = SharedValues(own, most_bytes=1_000)
    shared.put({b"a": b"1", b"b": b"2"})
    own.delete(lost)
    shared.put({b"c": b"3"})
    assert set(shared.get([b"a", b"b", b"c"])) == {b"c"}
    assert agrees(own)


TURNS = """
import sys
from pathlib import Path
import ipuaro_jupyter
root, versions = Path(sys.argv[1]), [Path(version) for version in sys.argv[2:]]
model, settings = ipuaro_jupyter.ScriptedModel([]), {"project": {"sharedFactsMb": 8}}
with ipuaro_jupyter.start(root, model=model, settings=settings) as assistant:
    for turn in range(6):
        for file in versions[turn % 2].glob("*"):
            (root / file.name).write_text(file.read_text())
        assistant.index_report()
    print(assistant.index_report().known)
    for file in assistant.dump():
        print(file)
"""


def test_two_processes_index_the_same_contents_at_once(make_project, marked, start_redis, own):
    """Each goes to and fro in a folder of its own; both find what is so."""
    flat = {path.replace("/", "_"): text for path, text in KINDS.items()}
    versions = [make_project(marked(flat, version), version) for version in ("one", "two")]
    roots = [make_project(marked(flat, "one"), name) for name in ("first", "second", "fresh")]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TURNS, str(root), *map(str, versions)],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"IPUARO_REDIS_URL": start_redis[0]},
        )
        for root in roots[:2]
    ]
    found = [process.communicate(timeout=120)[0].splitlines() for process in processes]
    write(roots[2], marked(flat, "two"))
    with ipuaro_jupyter.start(roots[2], model=ipuaro_jupyter.ScriptedModel([])) as assistant:
        assistant.reindex()
        expected = [str(file) for file in assistant.dump()]
    assert found[0][1:] == found[1][1:] == expected
    counts = shared_counts(own)
    assert counts.reused >= 4 * len(flat)
    assert counts.wrong == 0

"""A content that was indexed before is not parsed again: the way back, another path."""

import os
import subprocess
import sys
from hashlib import blake2b

import msgspec
import pytest

import ipuaro_jupyter
from ipuaro_jupyter.index.storage import known_facts
from ipuaro_jupyter.index.storage.known_facts import KnownFacts

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


def write(root, files):
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def known_of(index, key="known"):
    stored = index._stored
    return stored.store.hgetall(getattr(stored.keys, key))


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


def test_a_secret_is_never_kept(make_project, open_index):
    root = make_project({".env": "KEY=one\n", ".env.local": "A=1\n", "a.ts": "let a = 1\n"}, "env")
    index = open_index(root)
    index.refresh()
    write(root, {".env": "KEY=two\n", ".env.local": "A=2\n", "a.ts": "let a = 2\n"})
    assert index.refresh().parsed == 3
    assert len(known_of(index)) == 1


def test_of_a_file_that_lacks_a_row_nothing_is_kept(make_project, marked, open_index):
    index = open_index(make_project(marked(KINDS), "lacking"))
    index.refresh()
    snapshot = index._sync.snapshot
    stored = index._stored
    stored.store.hdel(stored.keys.meta, "lib/tool.py")
    KnownFacts(stored).keep(snapshot, ["lib/tool.py", "README.md"])
    assert len(known_of(index)) == 1


def test_what_one_project_knows_no_other_one_does(branches, make_project, marked, open_index):
    index = open_index(branches)
    index.refresh()
    git(branches, "switch", "-q", "two")
    index.refresh()
    other = open_index(make_project(marked(KINDS), "other"))
    report = other.refresh()
    assert (report.parsed, report.known) == (len(KINDS), 0)
    assert known_of(other) == {}


GARBLED = {
    "cut": lambda value: value[:-7],
    "turned": lambda value: value[:20] + bytes([value[20] ^ 1]) + value[21:],
    "empty": lambda _: b"",
}


@pytest.mark.parametrize("kind", [*GARBLED, "of another"])
def test_what_is_garbled_is_parsed(kind, *, tmp_path, marked, open_index, contents):
    files = marked({path: KINDS[path] for path in ("src/api.ts", "src/pay.ts")})
    root = tmp_path / "garbled"
    write(root, files)
    index = open_index(root)
    index.refresh()
    expected = contents(index)
    write(root, marked({path: KINDS[path] for path in files}, "two"))
    index.refresh()
    values = known_of(index)
    if kind == "of another":
        given = dict(zip(values, reversed(values.values()), strict=True))
    else:
        given = {name: GARBLED[kind](value) for name, value in values.items()}
    index._stored.store.hset(index._stored.keys.known, given)
    write(root, files)
    report = index.refresh()
    assert (report.parsed, report.known) == (2, 0)
    assert contents(index) == expected


@pytest.mark.parametrize("key", ["known", "known_before"])
def test_a_key_of_another_kind_is_made_anew(key, *, branches, open_index):
    index = open_index(branches)
    index.refresh()
    index._stored.store.set(getattr(index._stored.keys, key), b"not a hash")
    for branch in ("two", "one", "two"):
        git(branches, "switch", "-q", branch)
        report = index.refresh()
    assert (report.parsed, report.known) == (0, len(KINDS))


@pytest.mark.parametrize("key", ["known", "known_before"])
def test_keys_that_the_server_dropped_are_made_anew(key, *, branches, open_index, monkeypatch):
    monkeypatch.setattr(known_facts, "_MOST_BYTES", 2000)
    index = open_index(branches)
    index.refresh()
    git(branches, "switch", "-q", "two")
    index.refresh()
    index._stored.store.delete(getattr(index._stored.keys, key))
    git(branches, "switch", "-q", "one")
    assert index.refresh().parsed <= len(KINDS)
    git(branches, "switch", "-q", "two")
    assert index.refresh().known == len(KINDS)


def test_what_was_used_last_stays(make_project, open_index, monkeypatch):
    root = make_project({"a.ts": "export const first = 1\n"}, "room")
    index = open_index(root)
    index.refresh()

    def known(text):
        write(root, {"a.ts": text})
        return index.refresh().known

    texts = [f"export const {letter * 300} = 1\n" for letter in "bcdefghijklmnopqrstuvwxyz"]
    known(texts[0])
    size = index._stored.store.memory(index._stored.keys.known)[0]
    monkeypatch.setattr(known_facts, "_MOST_BYTES", 2 * 3 * size)
    index = open_index(root)
    for text in texts[1:]:
        known(text)
        assert known(texts[0]) == 1, "it is used all the time"
    assert known(texts[1]) == 0
    sizes = index._stored.store.memory(index._stored.keys.known, index._stored.keys.known_before)
    assert sum(sizes) < 3 * 3 * size


def test_what_earlier_versions_kept_goes_when_the_index_is_made(make_project, open_index):
    index = open_index(make_project({"a.ts": "let a = 1\n"}, "earlier"))
    store, keys = index._stored.store, index._stored.keys
    left = [keys.answers, "ipuaro:v1:{facts}:values", "ipuaro:v1:{facts}:used"]
    for key in left:
        store.hset(key, {"a": b"1"})
    index.refresh()
    assert not any(map(store.exists, left))


TURNS = """
import sys
from pathlib import Path
import ipuaro_jupyter
root, versions = Path(sys.argv[1]), [Path(version) for version in sys.argv[2:]]
with ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([])) as assistant:
    for turn in range(6):
        for file in versions[turn % 2].glob("*"):
            (root / file.name).write_text(file.read_text())
        assistant.index_report()
    print(assistant.index_report().known)
    for file in assistant.dump():
        print(file)
"""


def test_two_processes_index_the_same_contents_at_once(make_project, marked, start_redis):
    """They go to and fro in the same folder; both find in the end what is so."""
    flat = {path.replace("/", "_"): text for path, text in KINDS.items()}
    versions = [make_project(marked(flat, version), version) for version in ("one", "two")]
    roots = [make_project(marked(flat, "one"), name) for name in ("both", "fresh")]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TURNS, str(roots[0]), *map(str, versions)],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"IPUARO_REDIS_URL": start_redis[0]},
        )
        for _ in range(2)
    ]
    for process in processes:
        process.communicate(timeout=120)
    write(roots[0], marked(flat, "two"))
    write(roots[1], marked(flat, "two"))
    found = []
    for root in roots:
        with ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([])) as assistant:
            found.append([str(file) for file in assistant.dump()])
    assert found[0] == found[1]

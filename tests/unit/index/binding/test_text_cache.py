"""Texts that are kept are those on disk, and few."""

import os

import pytest

from ipuaro_jupyter.index.binding import text_cache
from ipuaro_jupyter.index.binding.text_cache import TextCache


@pytest.fixture
def kept(make_project, monkeypatch):
    """Return a project, what keeps its texts at once, and the paths that it has read."""
    monkeypatch.setattr("ipuaro_jupyter.workspace.files.disk._CLOCK_NS", -1_000_000_000)
    read = []
    monkeypatch.setattr(text_cache, "readable", spied(read, text_cache.readable))
    root = make_project({"a.ts": "one"})
    return root, TextCache(root), read


def spied(noted, function):
    def call(root, path):
        noted.append(path)
        return function(root, path)

    return call


def test_what_is_the_same_is_read_once(kept):
    _, texts, read = kept
    first = texts.of(["a.ts", "a.ts"])
    assert texts.of(["a.ts"]) == first
    assert first["a.ts"][0] == b"one"
    assert read == ["a.ts"]


def test_a_change_is_seen_although_size_and_time_are_the_same(kept):
    root, texts, _ = kept
    before = (root / "a.ts").stat()
    texts.of(["a.ts"])
    (root / "a.ts").write_text("two")
    os.utime(root / "a.ts", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert texts.of(["a.ts"])["a.ts"][0] == b"two"


def test_what_was_changed_a_moment_ago_is_read_again(kept, monkeypatch):
    monkeypatch.setattr("ipuaro_jupyter.workspace.files.disk._CLOCK_NS", 60_000_000_000)
    _, texts, read = kept
    texts.of(["a.ts"])
    texts.of(["a.ts"])
    assert read == ["a.ts", "a.ts"]
    assert (texts._kept, texts._size_bytes) == ({}, 0)


def test_what_cannot_be_read_is_left_out_and_forgotten(kept):
    root, texts, _ = kept
    texts.of(["a.ts"])
    (root / "a.ts").unlink()
    assert texts.of(["a.ts", "none.ts"]) == {}
    assert (texts._kept, texts._size_bytes) == ({}, 0)


def test_those_asked_about_longest_ago_are_not_kept(kept, monkeypatch):
    monkeypatch.setattr("ipuaro_jupyter.index.binding.text_cache._MOST_BYTES", 8)
    root, texts, _ = kept
    for name, text in (("b.ts", "bbbb"), ("c.ts", "cccc"), ("d.ts", "d" * 9)):
        (root / name).write_text(text)
    for path in ("a.ts", "b.ts", "a.ts", "c.ts"):
        texts.of([path])
    assert (list(texts._kept), texts._size_bytes) == (["a.ts", "c.ts"], 7)
    assert len(texts.of(["d.ts"])["d.ts"][0]) == 9
    assert (texts._kept, texts._size_bytes) == ({}, 0)


def test_a_text_is_read_once_for_definitions_and_for_references(make_index, monkeypatch):
    monkeypatch.setattr("ipuaro_jupyter.workspace.files.disk._CLOCK_NS", -1_000_000_000)
    read = []
    monkeypatch.setattr(text_cache, "readable", spied(read, text_cache.readable))
    index, _ = make_index({"a.ts": "export function vat() {}\nvat()\n"})
    texts = index.texts(["a.ts"])
    found = index.uses("vat", limit=None)
    assert [reference.line for reference in found.first] == [1, 2]
    assert found.texts == texts
    assert read == ["a.ts"]

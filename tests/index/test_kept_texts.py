"""Texts that are kept are those on disk, and few."""

from ipuaro_jupyter.index.kept_texts import KeptTexts


def hashes(found):
    return {path: hash_ for path, (_, hash_) in found.items()}


def test_what_is_as_the_index_has_it_is_not_read_again(make_project):
    root = make_project({"a.ts": "one"})
    texts = KeptTexts(root)
    known = texts.of(["a.ts"], {})
    (root / "a.ts").write_text("two")
    assert texts.of(["a.ts"], hashes(known)) == known
    assert texts.of(["a.ts"], {})["a.ts"][0] == b"two"


def test_what_is_not_as_the_index_has_it_is_read_again(make_project):
    root = make_project({"a.ts": "one"})
    texts = KeptTexts(root)
    texts.of(["a.ts"], {})
    (root / "a.ts").write_text("two")
    assert texts.of(["a.ts"], {"a.ts": "another"})["a.ts"][0] == b"two"


def test_what_cannot_be_read_is_left_out_and_forgotten(make_project):
    root = make_project({"a.ts": "one"})
    texts = KeptTexts(root)
    texts.of(["a.ts"], {})
    (root / "a.ts").unlink()
    assert texts.of(["a.ts", "none.ts"], {}) == {}
    assert (texts._kept, texts._size_bytes) == ({}, 0)


def test_those_asked_about_longest_ago_are_not_kept(make_project, monkeypatch):
    monkeypatch.setattr("ipuaro_jupyter.index.kept_texts._MOST_BYTES", 8)
    root = make_project({"a.ts": "aaaa", "b.ts": "bbbb", "c.ts": "cccc", "d.ts": "d" * 9})
    texts = KeptTexts(root)
    for path in ("a.ts", "b.ts", "a.ts", "c.ts"):
        texts.of([path], {})
    assert (list(texts._kept), texts._size_bytes) == (["a.ts", "c.ts"], 8)
    assert len(texts.of(["d.ts"], {})["d.ts"][0]) == 9
    assert (texts._kept, texts._size_bytes) == ({}, 0)

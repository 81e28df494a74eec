"""The process that finds the answers about frequent names."""

import time
from importlib.resources import files

from ipuaro_jupyter.index.answers_ahead import FEWEST_FILES
from ipuaro_jupyter.index.binding import frequent_uses
from ipuaro_jupyter.index.binding.answers import kept_answers
from ipuaro_jupyter.index.binding.answers.uses import Uses
from ipuaro_jupyter.index.binding.frequent_uses import are_found
from ipuaro_jupyter.index.binding.reference_cache import ReferenceCache
from ipuaro_jupyter.index.binding.text_cache import TextCache

FILES = {f"a{n}.ts": "export const ship = 1\n" for n in range(FEWEST_FILES)}


def test_the_answers_are_found_soon_after_opening_and_the_process_ends(make_index):
    index, _ = make_index(FILES)
    index.answer_ahead()
    assert index._ahead.ended.wait(120)
    assert are_found(index._stored, index._sync.snapshot, whole=True)
    assert index._ahead._worker is None


def test_closing_does_not_wait_for_it(make_index):
    index, _ = make_index(FILES)
    index.answer_ahead()
    index._ahead._timer.cancel()
    index._ahead._begin()
    began = time.monotonic()
    index.close()
    assert time.monotonic() - began < 5
    assert index._ahead.ended.wait(10)


def _plain(uses: Uses) -> Uses:
    """Return the answer without the lines, which are kept in one form or the other."""
    return uses._replace(texts={}, contexts=None, lines={})


def test_what_is_found_ahead_is_what_each_name_alone_gives(make_index, monkeypatch):
    """Files that were parsed for earlier names are not parsed again for later ones there."""
    app = files("ipuaro_jupyter") / "demo" / "app" / "src"
    sources = {
        f"src/{folder.name}/{file.name}": file.read_text()
        for folder in app.iterdir()
        if folder.is_dir()
        for file in folder.iterdir()
        if file.name.endswith(".ts")
    }
    index, root = make_index(sources)
    monkeypatch.setattr(frequent_uses, "_FEWEST_USES", 5)
    snapshot, bound = index._sync.snapshot, {"most_bytes": 8_000_000}
    found = frequent_uses.find(index._stored, root, **bound)
    names = frequent_uses.most_frequent(index._stored)
    assert found == len(names) > 30

    def asked(name, limit):
        with ReferenceCache(index._stored, TextCache(root), **bound).at(snapshot) as state:
            return state.uses(name, None, limit=limit)

    ahead = [_plain(asked(name, frequent_uses.FIRST_USES)) for name in names]
    monkeypatch.setattr(kept_answers.AnswersOnServer, "get", lambda *_: None)
    assert [_plain(asked(name, frequent_uses.FIRST_USES)) for name in names] == ahead
    assert any(use.resolved and "." in use.declared_as for uses in ahead for use in uses.first)

"""The process that finds the answers about frequent names."""

import time

from ipuaro_jupyter.index.answers_ahead import FEWEST_FILES
from ipuaro_jupyter.index.binding.frequent_uses import are_found

FILES = {f"a{n}.ts": "export const ship = 1\n" for n in range(FEWEST_FILES)}


def test_the_answers_are_found_soon_after_opening_and_the_process_ends(make_index):
    index, _ = make_index(FILES)
    generation = index._sync.snapshot.generation
    index.answer_ahead()
    assert index._ahead.ended.wait(120)
    assert are_found(index._stored, generation)
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

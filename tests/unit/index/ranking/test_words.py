"""The words of names, and texts that are about some of them."""

import pytest

from ipuaro_jupyter.index.extract.split_words import stem, words_in
from ipuaro_jupyter.index.ranking.words import WordIndex, words_of_name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("debounceTime", ("debounc", "tim")),
        ("HTTPServer", ("http", "serv")),
        ("tab-bar_toolbar.ts", ("tab", "bar", "toolbar", "ts")),
        ("XMLHttpRequest2", ("xml", "http", "request")),
        ("Where is the retry count?", ("retri", "count")),
        ("größeÄndern", ("größ", "ändern")),
        ("読み込み", ("読み込み",)),
        ("", ()),
    ],
)
def test_a_name_is_cut_into_words(name, words):
    assert words_in(name)[: len(words)] == words


@pytest.mark.parametrize(
    "forms",
    [
        ("retry", "retries"),
        ("complete", "completes", "completed", "completing", "completion"),
        ("triangulate", "triangulated", "triangulation"),
        ("value", "values"),
        ("serve", "server", "servers", "serving"),
    ],
)
def test_forms_of_a_word_have_one_stem(forms):
    assert len({stem(form) for form in forms}) == 1


def test_a_name_is_also_found_as_one_word():
    assert words_of_name("tab-bar") == {"tab", "bar", "tabbar"}
    assert words_in("TabBar tabbar")[-1] in words_of_name("tab-bar")


def test_rare_words_count_more_than_common_ones():
    index = WordIndex([{"file": 1, "tax": 1}, {"file": 1, "book": 1}, {"file": 1}, {"file": 1}])
    scores = index.about(["file", "tax"])
    assert max(scores, key=scores.get) == 0
    assert scores[0] > 2 * scores[1]


def test_a_word_counts_more_in_a_short_text():
    long = {f"word{n}": 1.0 for n in range(50)}
    scores = WordIndex([{"tax": 1.0, **long}, {"tax": 1.0}]).about(["tax"])
    assert scores[1] > scores[0] > 0


def test_unknown_words_and_no_texts_give_nothing():
    assert WordIndex([]).about(["tax"]) == {}
    assert WordIndex([{}]).about(["tax"]) == {}


def test_changed_texts_count_as_in_an_index_made_from_nothing():
    before = [{"tax": 1.0, "file": 2.0}, {"book": 1.0}, {"tax": 3.0}, {}]
    after = [{"tax": 1.0, "file": 2.0}, {"file": 1.0, "tax": 1.0}, {"pay": 1.0}, {"tax": 2.0}]
    words = ["tax", "file", "book", "pay"]
    index = WordIndex(before)
    changed = index.changed({1: after[1], 2: after[2], 3: after[3]})
    assert changed.about(words) == WordIndex(after).about(words)
    assert index.about(words) == WordIndex(before).about(words)

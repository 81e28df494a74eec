"""The values that were asked for last are kept."""

from ipuaro_jupyter.index.binding.lru_cache import LruCache


def test_value_is_made_once_while_it_is_kept():
    made = []

    def make():
        made.append(1)
        return len(made)

    recent = LruCache(2)
    assert [recent.get("a", make), recent.get("a", make)] == [1, 1]


def test_what_was_not_asked_for_longest_is_dropped():
    recent = LruCache(2)
    for key in ("a", "b", "a", "c"):
        recent.get(key, lambda key=key: f"{key}1")
    assert recent.get("a", lambda: "a2") == "a1"
    assert recent.get("b", lambda: "b2") == "b2"
    assert len(recent) == 2


def test_making_a_value_may_ask_for_others():
    recent = LruCache(1)
    assert recent.get("a", lambda: "a" + recent.get("b", lambda: "b")) == "ab"
    assert len(recent) == 1

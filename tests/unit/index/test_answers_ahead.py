"""When the answers about frequent names are found; the process is in the system tests."""

import pytest

from ipuaro_jupyter.index import answers_ahead
from ipuaro_jupyter.index.binding.frequent_uses import MOST_WHOLE_S, find

FILES = {"a.ts": "export const ship = 1\n"}


@pytest.fixture
def any_size(monkeypatch):
    """Find answers ahead in the smallest project, too."""
    monkeypatch.setattr(answers_ahead, "FEWEST_FILES", 1)


def _begun(index):
    index._ahead._timer.cancel()
    index._ahead._begin()
    return index._ahead


def test_nothing_is_found_ahead_when_the_settings_say_so(make_index):
    index, _ = make_index(FILES, answers_ahead=False)
    index.answer_ahead()
    assert index._ahead.ended.is_set()


def test_nothing_is_found_in_a_small_project(make_index):
    index, _ = make_index(FILES)
    index.answer_ahead()
    assert _begun(index).ended.is_set()
    assert index._ahead._worker is None


@pytest.mark.usefixtures("any_size")
def test_nothing_is_found_twice(make_index):
    index, root = make_index(FILES)
    find(index._stored, root, most_bytes=0, whole_s=60.0)
    index.answer_ahead()
    assert _begun(index).ended.is_set()


@pytest.mark.usefixtures("any_size")
def test_all_uses_are_found_at_opening_and_not_again_after_changes(make_index, monkeypatch):
    index, _ = make_index(FILES)
    given = []
    monkeypatch.setattr(answers_ahead.ParseExecutor, "submit", lambda *all_: given.append(all_))
    index.answer_ahead()
    with pytest.raises(AttributeError):
        _begun(index)
    monkeypatch.setattr(index._ahead, "_again_s", 0.0)
    index.uses("ship", limit=1)
    with pytest.raises(AttributeError):
        _begun(index)
    assert [one[-1] for one in given] == [MOST_WHOLE_S, 0.0]


@pytest.mark.usefixtures("any_size")
def test_what_has_changed_is_found_again_later_when_somebody_asks(make_index, monkeypatch):
    index, _ = make_index(FILES)
    begun = []
    monkeypatch.setattr(answers_ahead.AnswersAhead, "_is_begun", lambda _: begun.append(1))
    index.uses("ship", limit=1)  # never begun
    assert index._ahead._timer is None
    index.answer_ahead()
    first = index._ahead._timer
    _begun(index)
    index.uses("ship", limit=1)  # not long ago
    assert index._ahead._timer is first
    monkeypatch.setattr(index._ahead, "_again_s", 0.0)
    index.uses("ship", limit=1)
    second = index._ahead._timer
    assert second is not first
    monkeypatch.setattr(index._ahead, "_again_s", 0.0)
    index.uses("ship", limit=1)  # the second has not ended
    assert index._ahead._timer is second
    _begun(index)
    assert begun == [1, 1]
    index.close()
    index.uses("ship", limit=1)
    assert begun == [1, 1]


@pytest.mark.usefixtures("any_size")
def test_nothing_is_found_once_the_index_is_closed(make_index):
    index, _ = make_index(FILES)
    index.answer_ahead()
    index.close()
    assert _begun(index).ended.is_set()
    assert index._ahead._worker is None


@pytest.mark.usefixtures("any_size")
def test_it_has_ended_when_it_could_not_begin(make_index, monkeypatch):
    index, _ = make_index(FILES)
    monkeypatch.setattr(answers_ahead, "ParseExecutor", None)
    index.answer_ahead()
    with pytest.raises(TypeError):
        _begun(index)
    assert index._ahead.ended.is_set()


@pytest.mark.usefixtures("any_size")
def test_closing_ends_the_process(make_index, monkeypatch):
    index, _ = make_index(FILES)
    ended = []
    monkeypatch.setattr(answers_ahead.ParseExecutor, "submit", lambda *_: _Waiting())
    monkeypatch.setattr(answers_ahead.ParseExecutor, "shutdown", lambda _, **how: ended.append(how))
    index.answer_ahead()
    assert not _begun(index).ended.is_set()
    index.close()
    assert index._ahead.ended.is_set()
    assert ended == [{"wait": False, "cancel_futures": True}]


class _Waiting:
    """A future that never ends."""

    def add_done_callback(self, _):
        """Forget it."""

"""The events of folders: on Linux all that happened before they are read."""

import threading

import pytest

from ipuaro_jupyter.workspace.files.folder_events import (
    InotifyEvents,
    NotifyEvents,
    folder_events,
)

SOON_MS = 20_000


@pytest.fixture
def events(tmp_path):
    """The events of a folder with the folder ``in`` in it."""
    (tmp_path / "in").mkdir()
    found = folder_events(50, 1)
    assert found.cover([str(tmp_path), f"{tmp_path}/in"]) == {str(tmp_path), f"{tmp_path}/in"}
    yield found
    found.close()


def test_every_change_is_known_at_once(events, tmp_path):
    for number in range(300):
        place = tmp_path / "in" / f"{number}.ts"
        place.write_text("1")
        assert events.read() == ({str(place)}, False, False)
        place.rename(tmp_path / f"{number}.ts")
        assert events.read().paths == {str(place), f"{tmp_path}/{number}.ts"}
        (tmp_path / f"{number}.ts").unlink()
        assert events.read().paths == {f"{tmp_path}/{number}.ts"}
    assert events.read() == (set(), False, False)


@pytest.mark.parametrize("act", ["rename", "rmdir"])
def test_a_folder_that_moves_or_goes_makes_the_watch_outdated(events, tmp_path, act):
    (tmp_path / "in").rename(tmp_path / "on") if act == "rename" else (tmp_path / "in").rmdir()
    assert events.read().is_outdated


def test_a_folder_under_another_name_is_watched_under_that(events, tmp_path):
    (tmp_path / "in").rename(tmp_path / "on")
    events.cover([str(tmp_path), f"{tmp_path}/on"])
    events.read()
    (tmp_path / "on/a.ts").touch()
    assert events.read() == ({f"{tmp_path}/on/a.ts"}, False, False)


def test_folders_that_are_gone_or_closed_are_not_covered(events, tmp_path):
    (tmp_path / "file").touch()
    wanted = [str(tmp_path), f"{tmp_path}/none", f"{tmp_path}/file"]
    assert events.cover(wanted) == {str(tmp_path)}
    events.read()
    (tmp_path / "in/a.ts").touch()
    assert events.read() == (set(), False, False)


def test_an_overflow_of_the_queue_is_told(events, tmp_path):
    with open("/proc/sys/fs/inotify/max_queued_events") as file:  # noqa: PTH123 - a small file
        most = int(file.read())
    for _ in range(most // 2 + 2):  # same events in a row are one
        (tmp_path / "a").touch()
        (tmp_path / "b").touch()
    assert events.read().is_lost


def test_a_folder_that_has_gone_before_it_is_dropped_is_no_error(events, tmp_path):
    (tmp_path / "in").rmdir()
    assert events.cover([str(tmp_path)]) == {str(tmp_path)}


@pytest.mark.parametrize("make", [InotifyEvents, lambda: NotifyEvents(50, 1)])
def test_a_wait_ends_with_a_change_or_a_wake(make, tmp_path):
    found = make()
    found.cover([str(tmp_path)])
    (tmp_path / "a.ts").touch()
    found.wait(SOON_MS)
    assert f"{tmp_path}/a.ts" in found.read().paths
    thread = threading.Thread(target=found.wait, args=(SOON_MS,))
    thread.start()
    found.wake()
    thread.join(SOON_MS / 1000)
    assert not thread.is_alive()
    found.close()


def test_a_wake_counts_once(events):
    events.wake()
    events.wait(SOON_MS)
    events.wait(1)
    assert events.read() == (set(), False, False)


def test_events_of_other_systems_come_later(tmp_path):
    found = NotifyEvents(50, 1)
    assert not found.is_complete
    found.wait(1)
    assert found.read() == (set(), False, False)
    assert found.cover([str(tmp_path)]) == {str(tmp_path)}
    found.wait(1)
    found.close()
    found.close()

"""Projects on a server."""

import socket
import time
from pathlib import Path

import pytest

from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import PROJECTS, Keys, project_id
from ipuaro_jupyter.store.projects import (
    drop_unless_opened,
    folder_state,
    forget,
    note_opened,
    opened_mark,
    size_bytes,
    stored_project,
    stored_projects,
    unlist,
)


def test_projects_are_listed_last_opened_first(store: Store, tmp_path: Path) -> None:
    for name in ("a", "b", "a"):
        note_opened(store, tmp_path / name)
    found = stored_projects(store)
    assert [Path(project.root).name for project in found] == ["a", "b"]
    assert found[0].project_id == project_id(tmp_path / "a")
    assert abs(found[0].opened_at - time.time()) < 60


def test_forget_drops_one_project_and_no_other(store: Store, tmp_path: Path) -> None:
    one, two = project_id(tmp_path / "a"), project_id(tmp_path / "b")
    note_opened(store, tmp_path / "a")
    note_opened(store, tmp_path / "b")
    for identity in (one, two):
        store.hset(Keys(identity).files, {"x.ts": b"1" * 1000})
        store.rpush(Keys(identity).messages("s"), b"hello")
    assert size_bytes(store, one) > 1000
    assert forget(store, one) == 3
    assert size_bytes(store, one) == 0
    assert [project.project_id for project in stored_projects(store)] == [two]
    assert len(store.hkeys(Keys(two).files)) == 1


@pytest.fixture
def opened(store: Store, tmp_path: Path) -> Keys:
    """Give the keys of a project that was opened and has an index."""
    note_opened(store, tmp_path)
    keys = Keys(project_id(tmp_path))
    store.hset(keys.files, {"x.ts": b"1"})
    return keys


def test_keys_are_dropped_unless_the_project_was_opened_since(
    store: Store, opened: Keys, tmp_path: Path
) -> None:
    mark = opened_mark(store, opened.project_id)
    note_opened(store, tmp_path)
    assert not drop_unless_opened(store, opened.project_id, [opened.files], mark)
    assert store.exists(opened.files)
    mark = opened_mark(store, opened.project_id)
    assert drop_unless_opened(store, opened.project_id, [opened.files], mark)
    assert not store.exists(opened.files)
    assert store.exists(opened.info)


def test_keys_are_not_dropped_while_the_index_is_written(store: Store, opened: Keys) -> None:
    mark = opened_mark(store, opened.project_id)
    store.set(opened.lock, b"a writer", ex_s=60)
    assert not drop_unless_opened(store, opened.project_id, [opened.files], mark)
    store.delete(opened.lock)
    assert drop_unless_opened(store, opened.project_id, [opened.files], mark)


def test_a_project_of_an_older_version_has_no_mark(store: Store, opened: Keys) -> None:
    store.hdel(opened.info, "opened_at", "host")
    assert opened_mark(store, opened.project_id) == b""
    assert stored_project(store, opened.project_id).host == ""
    assert drop_unless_opened(store, opened.project_id, [opened.files], b"")


def test_a_project_is_no_longer_listed_unless_it_was_opened_since(
    store: Store, opened: Keys, tmp_path: Path
) -> None:
    unlist(store, opened.project_id, b"another mark")
    assert [one.project_id for one in stored_projects(store)] == [opened.project_id]
    unlist(store, opened.project_id, opened_mark(store, opened.project_id))
    assert stored_projects(store) == []
    assert stored_project(store, opened.project_id).root == ""
    note_opened(store, tmp_path)
    store.zrem(PROJECTS, opened.project_id)
    assert time.time() - stored_project(store, opened.project_id).opened_at < 60


@pytest.mark.parametrize("score", [9e99, float("inf"), -1.0])
def test_a_time_that_no_calendar_knows_is_none(store: Store, opened: Keys, score: float) -> None:
    store.zadd(PROJECTS, {opened.project_id: score})
    assert stored_project(store, opened.project_id).opened_at == 0.0


def test_a_folder_is_known_to_be_gone_on_the_machine_where_it_was(
    store: Store, opened: Keys, tmp_path: Path
) -> None:
    def state() -> str:
        return folder_state(store, stored_project(store, opened.project_id))

    assert stored_project(store, opened.project_id).host == socket.gethostname()
    assert state() == "there"
    store.hset(opened.info, {"root": bytes(tmp_path / "none" / "at all")})
    assert state() == "gone"
    (tmp_path / "file").write_text("")
    store.hset(opened.info, {"root": bytes(tmp_path / "file" / "below")})
    assert state() == "gone"
    store.hset(opened.info, {"root": bytes(tmp_path / ("x" * 300))})
    assert state() == "there", "what cannot be looked for may be there"
    store.hset(opened.info, {"root": bytes(tmp_path / "none"), "host": b"another"})
    assert state() == "elsewhere"
    store.hset(opened.info, {"root": bytes(tmp_path) + b"/\xff", "host": b""})
    assert state() == "elsewhere"

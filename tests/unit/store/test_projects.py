"""Projects on a server."""

import time
from pathlib import Path

from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import PROJECTS, Keys, project_id
from ipuaro_jupyter.store.projects import (
    forget,
    forget_unused,
    note_opened,
    size_bytes,
    stored_projects,
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


def test_projects_that_nobody_opened_for_long_are_dropped(store: Store, tmp_path: Path) -> None:
    note_opened(store, tmp_path / "a")
    note_opened(store, tmp_path / "b")
    old = project_id(tmp_path / "a")
    store.zadd(PROJECTS, {old: time.time() - 91 * 86_400})
    assert [project.project_id for project in forget_unused(store, days=90)] == [old]
    assert not store.exists(Keys(old).info)
    assert len(stored_projects(store)) == 1

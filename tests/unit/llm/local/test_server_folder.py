"""What is known of a server of ours."""

import os
import stat
from pathlib import Path

import pytest

from ipuaro_jupyter.llm.local.server_folder import ServerFolder
from ipuaro_jupyter.store.locks import grab


@pytest.fixture
def folder(tmp_path: Path) -> ServerFolder:
    return ServerFolder(tmp_path)


def test_server_that_is_alive_and_ready_is_found(folder: ServerFolder) -> None:
    alive = grab(folder.server_lock)
    assert alive is not None
    folder.begin("key")
    assert folder.running is None
    folder.say_started(os.getpid())
    folder.say_ready("http://127.0.0.1:1", 4096)
    assert folder.running == ("http://127.0.0.1:1", "key", 4096, os.getpid())
    os.close(alive)
    assert folder.running is None, "it has died"
    assert folder.pid is None


def test_files_are_the_users_alone(folder: ServerFolder) -> None:
    folder.begin("key")
    folder.say_ready("http://127.0.0.1:1", 4096)
    for path in folder.path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name


def test_next_server_knows_nothing_of_the_last(folder: ServerFolder) -> None:
    folder.say_failure("out of luck")
    folder.head = "head"
    folder.begin("key")
    assert (folder.failure, folder.head) == ("", "")


def test_clients_are_counted_for_as_long_as_they_are_there(folder: ServerFolder) -> None:
    assert not folder.attended
    first, second = folder.attend(), folder.attend()
    os.close(first)
    assert folder.attended
    os.close(second)
    assert not folder.attended


def test_damaged_record_is_no_server(folder: ServerFolder) -> None:
    alive = grab(folder.server_lock)
    assert alive is not None
    folder.begin("key")
    for text in ("", "{}", "[]", '{"address": 1}'):
        (folder.path / "ready.json").write_text(text)
        assert folder.running is None
    os.close(alive)

"""The heads that are kept on disk."""

import os
import time
from pathlib import Path

import pytest
from gguf_files import write_gguf

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm.local.saved_heads import SavedHeads, trim
from ipuaro_jupyter.llm.local.server_folder import Running
from ipuaro_jupyter.records.chat import Message, ToolSchema

SYSTEM = Message(role="system", content="Be brief.")
TOOL = ToolSchema(name="t", description="d", parameters={})


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "a.gguf")


def test_name_is_that_of_the_head_and_not_of_the_question(weights: Path, tmp_path: Path) -> None:
    heads = SavedHeads(weights, tmp_path)
    first = heads.name([SYSTEM, Message(role="user", content="one")], [TOOL])
    assert heads.name([SYSTEM, Message(role="user", content="two")], [TOOL]) == first
    assert heads.name([SYSTEM], []) != first
    assert heads.name([Message(role="system", content="Be long.")], [TOOL]) != first


def test_name_differs_for_other_weights(weights: Path, tmp_path: Path) -> None:
    first = SavedHeads(weights, tmp_path).name([SYSTEM], [])
    other = write_gguf(tmp_path / "b.gguf", size_bytes=weights.stat().st_size + 1)
    assert SavedHeads(other, tmp_path).name([SYSTEM], []) != first


def test_head_that_was_never_kept_is_not_asked_for(weights: Path, tmp_path: Path) -> None:
    nobody = Running("http://127.0.0.1:9", "key", 1, 1)
    assert not SavedHeads(weights, tmp_path).restore("none", nobody, CancelToken())


def test_head_that_the_server_does_not_take_is_removed(weights: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.bin").write_bytes(b"?")
    nobody = Running("http://127.0.0.1:9", "key", 1, 1)
    assert not SavedHeads(weights, tmp_path).restore("bad", nobody, CancelToken())
    assert not (tmp_path / "bad.bin").exists()


def test_only_the_heads_used_last_are_kept(tmp_path: Path) -> None:
    now = time.time()
    for number in range(12):
        path = tmp_path / f"model{number % 3}" / f"{number}.bin"
        path.parent.mkdir(exist_ok=True)
        path.touch()
        os.utime(path, (now - number, now - number))
    old = tmp_path / "model0" / "x.1.part"
    old.touch()
    os.utime(old, (now - 7200, now - 7200))
    (tmp_path / "model0" / "y.1.part").touch()
    trim(tmp_path)
    left = sorted(int(path.stem) for path in tmp_path.glob("*/*.bin"))
    assert left == list(range(8))
    assert [path.name for path in tmp_path.glob("*/*.part")] == ["y.1.part"]


def test_heads_take_two_gigabytes_at_most(tmp_path: Path) -> None:
    for number in range(3):
        path = tmp_path / "model" / f"{number}.bin"
        path.parent.mkdir(exist_ok=True)
        with path.open("wb") as file:
            file.truncate(900_000_000)
        os.utime(path, (number, number))
    trim(tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*/*.bin")) == ["1.bin", "2.bin"]

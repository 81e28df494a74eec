"""Who else can change a file."""

import os
from pathlib import Path

import pytest

from ipuaro_jupyter.store.changeable import changeable_by_others


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "folder/file"
    file.parent.mkdir()
    file.write_text("")
    return file


def test_a_file_of_ones_own_is_safe(file: Path) -> None:
    assert changeable_by_others(file) is None


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_what_others_can_write_is_not(file: Path, mode: int) -> None:
    file.chmod(mode)
    assert changeable_by_others(file) == file.resolve()


def test_a_folder_above_counts(file: Path) -> None:
    file.parent.chmod(0o777)
    assert changeable_by_others(file) == file.parent.resolve()
    file.parent.chmod(0o1777)  # as /tmp
    assert changeable_by_others(file) is None


def test_a_link_counts_as_what_it_leads_to(file: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(file)
    file.chmod(0o666)
    assert changeable_by_others(tmp_path / "link") == file.resolve()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_belongs_to_another_user_is_not_safe(file: Path) -> None:
    os.chown(file, 1234, 1234)
    assert changeable_by_others(file) == file.resolve()


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        changeable_by_others(tmp_path / "missing")

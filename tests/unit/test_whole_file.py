"""Files outside the project are whole, whatever happens."""

import os
import resource
import stat

import pytest

from ipuaro_jupyter.whole_file import write_whole


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_the_parts_are_the_content_as_utf8(tmp_path):
    place = tmp_path / "a.jsonl"
    write_whole(place, (f"{line}\n" for line in ("é", "中", "\r")))
    assert place.read_bytes() == "é\n中\n\r\n".encode()
    write_whole(place, [])
    assert place.read_bytes() == b""


@pytest.mark.parametrize("umask", [0o002, 0o022, 0o077])
def test_a_new_file_gets_what_the_umask_leaves(tmp_path, umask):
    old = os.umask(umask)
    try:
        write_whole(tmp_path / "a", ["x"])
    finally:
        os.umask(old)
    assert mode(tmp_path / "a") == 0o666 & ~umask


def test_an_older_file_keeps_its_permissions(tmp_path):
    place = tmp_path / "a"
    place.write_text("old")
    place.chmod(0o640)
    write_whole(place, ["new"])
    assert (place.read_text(), mode(place)) == ("new", 0o640)


def test_a_link_stays_and_its_target_is_written(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder/a", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, ["new"])
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_name_of_the_greatest_length(tmp_path):
    place = tmp_path / ("x" * 255)
    write_whole(place, ["new"])
    assert place.read_text() == "new"


def parts_that_fail():
    yield "some"
    raise ValueError("no more")


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    place = tmp_path / "a"
    place.write_text("old")
    with pytest.raises(ValueError, match="no more"):
        write_whole(place, parts_that_fail())
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            write_whole(place, ["x" * 1000])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert place.read_text() == "old"
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize("path", ["nowhere/a", "."])
def test_what_cannot_be_written_is_an_error(tmp_path, path):
    with pytest.raises(OSError, match=r"."):
        write_whole(tmp_path / path, ["x"])
    assert list(tmp_path.iterdir()) == []

"""What a project brings along is read without waiting, and without an end to its size."""

import errno
import os
import socket
import subprocess

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.branch import branch
from ipuaro_jupyter.settings.settings import read_settings
from ipuaro_jupyter.small_file import read_small, read_small_text
from ipuaro_jupyter.workspace.files.listing import list_files
from ipuaro_jupyter.workspace.permission import script_text

pytestmark = pytest.mark.timeout(20)


def device(place):
    place.symlink_to("/dev/zero")


def pipe(place):
    os.mkfifo(place)


def huge(place):
    with place.open("wb") as file:
        file.truncate(9_000_000_000)


ODD = [device, pipe, huge]


def test_a_file_is_read_whole_and_through_a_link(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfx\r\ny")
    (tmp_path / "b").symlink_to("a")
    assert read_small(tmp_path / "b") == b"\xef\xbb\xbfx\r\ny"
    assert read_small_text(tmp_path / "b") == "x\ny"
    assert read_small(tmp_path / "b", largest=7) == b"\xef\xbb\xbfx\r\ny"


@pytest.mark.parametrize("make", ODD)
def test_what_is_no_small_regular_file_is_an_error(tmp_path, make):
    make(tmp_path / "odd")
    with pytest.raises(OSError, match="odd"):
        read_small(tmp_path / "odd")


def test_a_socket_a_folder_and_no_name_are_errors(tmp_path):
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "s"))
        for place in (tmp_path / "s", tmp_path, tmp_path / "none", "a\0b"):
            with pytest.raises(OSError, match=r"\w"):
                read_small(place)


def test_one_byte_too_many_is_an_error(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert read_small(tmp_path / "a", largest=5) == b"12345"
    with pytest.raises(OSError, match="more than 4 bytes") as caught:
        read_small(tmp_path / "a", largest=4)
    assert caught.value.errno == errno.EFBIG


@pytest.mark.parametrize("make", ODD)
def test_settings_say_what_is_wrong(tmp_path, make):
    make(tmp_path / ".ipuaro.json")
    with pytest.raises(SettingsError, match="cannot be read"):
        read_settings(tmp_path / ".ipuaro.json")


@pytest.mark.parametrize("make", ODD)
def test_odd_files_of_a_project_delay_nothing(tmp_path, make):
    for name in ("package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", ".gitignore"):
        make(tmp_path / name)
    (tmp_path / "inner" / ".git").mkdir(parents=True)
    make(tmp_path / "inner" / ".git" / "HEAD")
    (tmp_path / "a.ts").write_text("")
    assert script_text(tmp_path, tmp_path, "test") is None
    assert branch(tmp_path / "inner") == ""
    assert "a.ts" in list_files(tmp_path).files


@pytest.mark.parametrize("name", ["config", "index", "HEAD", "info/exclude", "packed-refs"])
def test_a_pipe_in_gits_data_delays_nothing(tmp_path, name):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "a.ts").write_text("")
    (tmp_path / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / ".git" / name)
    assert "a.ts" in list_files(tmp_path).files

"""Files are read whole, whatever the system says of their size."""

import sys
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace import disk


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_file_that_is_said_to_be_empty_and_is_not_is_read_whole():
    content = disk.read(Path("/proc"), "meminfo")
    assert content.data.startswith(b"MemTotal:")
    assert content.data.endswith(b"\n")


def test_empty_file_is_read(tmp_path):
    (tmp_path / "a").touch()
    assert disk.read(tmp_path, "a").data == b""


def test_file_that_is_too_large_is_refused(tmp_path):
    with (tmp_path / "a").open("wb") as file:
        file.truncate(disk.LARGEST_BYTES + 1)
    with pytest.raises(ToolError, match="neither read nor changed"):
        disk.read(tmp_path, "a")

"""File systems of which the kernel does not see every change."""

import pytest

from ipuaro_jupyter.workspace.files import watch
from ipuaro_jupyter.workspace.files.watch import foreign_file_system, mounts_of

MOUNTS = """\
1 0 254:0 / / rw - ext4 /dev/vda rw
2 1 0:40 / /home rw - xfs /dev/vdb rw
3 2 0:41 / /home/me/far rw,relatime shared:1 - nfs4 server:/export rw
4 2 0:42 / /home/me/two\\040words rw - fuse.sshfs me@there: rw
5 1 0:43 / /work rw - tmpfs none rw
6 1 0:44 / /work rw - 9p host rw
7 1 0:45 / / rw - ext4 /dev/vdc rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/srv/p", ""),
        ("/", "nfs4"),
        ("/home/me/near", ""),
        ("/home/me", "nfs4"),
        ("/home/me/far", "nfs4"),
        ("/home/me/far/p", "nfs4"),
        ("/home/me/farther", ""),
        ("/home/me/two words/p", "fuse.sshfs"),
        ("/work/p", "9p"),
    ],
)
def test_the_disk_of_a_folder_and_of_those_in_it_counts(folder, kind):
    assert foreign_file_system(folder, MOUNTS) == kind


def test_without_mounts_nothing_is_known(tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "_MOUNTS", tmp_path / "none")
    assert foreign_file_system(str(tmp_path)) == "unknown"
    (tmp_path / "none").write_text(MOUNTS)
    assert foreign_file_system("/srv") == ""


def test_the_mounts_of_a_folder_are_those_at_above_and_in_it():
    lines = MOUNTS.splitlines()
    assert mounts_of("/work/p", MOUNTS) == (lines[0], *lines[4:])
    assert mounts_of("/home/me/two words", MOUNTS) == (*lines[:2], lines[3], lines[6])
    assert mounts_of("/home/me/fart", MOUNTS) == (*lines[:2], lines[6])

from pathlib import Path

from ipuaro_jupyter.workspace.processes.environment import upwards


def test_folders_above_end_at_the_root():
    assert list(upwards(Path("/a/b/c"), Path("/a"))) == [Path("/a/b/c"), Path("/a/b"), Path("/a")]
    assert list(upwards(Path("/a"), Path("/a"))) == [Path("/a")]


def test_a_folder_outside_has_all_those_above_it():
    assert list(upwards(Path("/b/c"), Path("/a"))) == [Path("/b/c"), Path("/b"), Path("/")]

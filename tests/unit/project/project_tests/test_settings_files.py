"""Settings files are read as they are, or as a change would make them."""

from ipuaro_jupyter.project.project_tests.settings_files import (
    as_proposed,
    is_file,
    json_of,
    names_in,
    text_of,
    toml_of,
)
from ipuaro_jupyter.records.change import Change


def test_files_are_seen_as_they_are_proposed(tmp_path):
    (tmp_path / "package.json").write_text('{"name": "old"}')
    (tmp_path / "gone.ini").write_text("x")
    changes = [
        Change(path="package.json", before=b"", after=b'{"name": "new"}'),
        Change(path="gone.ini", before=b"x", after=None),
        Change(path="new/pyproject.toml", before=None, after=b"[tool]\n"),
    ]
    with as_proposed(tmp_path, changes):
        assert json_of(tmp_path / "package.json") == {"name": "new"}
        assert names_in(tmp_path) == {"package.json"}
        assert names_in(tmp_path / "new") == {"pyproject.toml"}
        assert is_file(tmp_path / "new/pyproject.toml")
        assert toml_of(tmp_path / "new/pyproject.toml") == {"tool": {}}
        assert not is_file(tmp_path / "gone.ini")
        assert text_of(tmp_path / "gone.ini") == ""
    assert json_of(tmp_path / "package.json") == {"name": "old"}
    assert text_of(tmp_path / "gone.ini") == "x"
    assert names_in(tmp_path / "new") == set()

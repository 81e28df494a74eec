import pytest

from ipuaro_jupyter.store.own_key import own_key


def test_a_key_is_made_once_for_the_user_alone(tmp_path):
    path = tmp_path / "home" / "some.key"
    key = own_key(path)
    assert len(key) == 32
    assert own_key(path) == key
    assert path.stat().st_mode & 0o077 == 0
    assert [file.name for file in path.parent.iterdir()] == ["some.key"]
    assert own_key(tmp_path / "other.key") != key


@pytest.mark.parametrize("content", [b"", b"short"])
def test_a_broken_key_is_not_used_and_not_overwritten(tmp_path, content):
    (tmp_path / "some.key").write_bytes(content)
    assert len(own_key(tmp_path / "some.key")) == 32
    assert (tmp_path / "some.key").read_bytes() == content


def test_without_a_folder_the_key_is_one_of_this_process(tmp_path):
    (tmp_path / "file").write_text("")
    assert len(own_key(tmp_path / "file" / "some.key")) == 32

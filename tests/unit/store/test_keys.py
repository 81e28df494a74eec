"""Names in Redis."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.store.keys import Keys, project_id


def test_project_id_is_readable_and_unique_by_path(tmp_path: Path) -> None:
    one, two = tmp_path / "a" / "shop", tmp_path / "b" / "shop"
    assert project_id(one).startswith("shop-")
    assert project_id(one) != project_id(two)


def test_project_id_follows_links(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    assert project_id(tmp_path / "link") == project_id(real)
    assert project_id(tmp_path / "link" / ".." / "real") == project_id(real)


@given(st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=60))
def test_project_id_of_any_name_is_safe_in_keys_and_patterns(name: str) -> None:
    identity = project_id(Path("/nowhere", name))
    assert not set(identity) & set("{}*?[]\\ \n:")
    identity.encode()


def test_project_id_of_a_name_that_is_no_unicode() -> None:
    assert project_id(Path("/nowhere/caf\udce9")).startswith("caf-")


def test_project_id_of_the_root_folder() -> None:
    assert project_id(Path("/")).startswith("root-")


def test_keys_share_one_hash_tag_under_the_schema_version() -> None:
    keys = Keys("shop-1")
    named = [value for name, value in vars(keys).items() if name not in {"project_id", "prefix"}]
    named += keys.session_keys("s1")
    assert len(set(named)) == len(named) >= 19
    assert all(key.startswith("ipuaro:v1:project:{shop-1}:") for key in named)
    assert keys.files == "ipuaro:v1:project:{shop-1}:files"


def test_staging_is_beside_the_key_in_the_same_slot() -> None:
    keys = Keys("shop-1")
    assert keys.staging(keys.files) == "ipuaro:v1:project:{shop-1}:files:new"


def test_staging_refuses_what_is_not_a_key_of_the_project() -> None:
    with pytest.raises(ValueError, match="not a key of project 'shop-1': 'files'"):
        Keys("shop-1").staging("files")

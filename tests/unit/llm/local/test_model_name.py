"""What names of files of weights stand for."""

from pathlib import Path

import pytest

from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm.local.model_name import (
    PulledName,
    is_weights_path,
    pulled_names,
    split_files,
    weights_path,
)


@pytest.mark.parametrize(
    ("name", "repository", "file"),
    [
        ("gguf:Qwen/Q-GGUF/q4.gguf", "Qwen/Q-GGUF", "q4.gguf"),
        ("Qwen/Q-GGUF/a/b/q4_k_m.GGUF", "Qwen/Q-GGUF", "a/b/q4_k_m.GGUF"),
        ("gguf:o/r.v1/m-00001-of-00002.gguf", "o/r.v1", "m-00001-of-00002.gguf"),
    ],
)
def test_three_parts_are_a_file_of_a_repository(name: str, repository: str, file: str) -> None:
    found = PulledName.of(name)
    assert found == (repository, file)
    assert str(found) == f"gguf:{repository}/{file}"


@pytest.mark.parametrize("path", ["/a/b/c.gguf", "./a/b/c.gguf", "~/a/b.gguf", "a/b.gguf", "c"])
def test_what_begins_like_a_path_or_is_short_is_a_path(path: str) -> None:
    assert PulledName.of(f"gguf:{path}") is None
    assert is_weights_path(f"gguf:{path}")


@pytest.mark.parametrize(
    "name",
    [
        "a/../../etc/x.gguf",
        "a/b/../x.gguf",
        "a/b/./x.gguf",
        "a//b/x.gguf",
        "a/b/x.gguf/",
        "a/b/x.bin",
        "a/b/-x.gguf",
        "a/b/x\n.gguf",
        "a/b/x\0.gguf",
        "a\\b/c/d/..\\x.gguf",
        "a/b/%2e%2e/x.gguf",
        "a/b/" + "x" * 300 + ".gguf",
    ],
)
def test_name_that_would_leave_the_folder_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match="is no file on Hugging Face"):
        PulledName.of(f"gguf:{name}")
    assert is_weights_path(f"gguf:{name}"), "a project's file may not name it"


def test_pulled_file_lies_below_the_users_home(home: Path) -> None:
    name = PulledName.of("gguf:Qwen/Q-GGUF/a/q4.gguf")
    assert name is not None
    assert name.path == home / "models" / "Qwen" / "Q-GGUF" / "a" / "q4.gguf"
    assert not is_weights_path(str(name))


def test_path_is_relative_to_the_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert weights_path("gguf:a/b.gguf", tmp_path) == tmp_path / "a/b.gguf"
    assert weights_path("gguf:/x/b.gguf", tmp_path) == Path("/x/b.gguf")
    assert weights_path("gguf:~/b.gguf", tmp_path) == tmp_path / "me" / "b.gguf"


@pytest.mark.parametrize("name", ["gguf:", "gguf:~nobody-at-all/x.gguf", "gguf:a\0b"])
def test_name_without_a_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="names no file"):
        weights_path(name, tmp_path)


def test_pulled_files_are_listed_without_parts_and_other_files(home: Path) -> None:
    folder = home / "models" / "o" / "r"
    (folder / "sub").mkdir(parents=True)
    for name in ("b.gguf", "sub/a.gguf", ".b.gguf.0123.part", "notes.txt"):
        (folder / name).touch()
    assert pulled_names() == ("gguf:o/r/b.gguf", "gguf:o/r/sub/a.gguf")


def test_nothing_pulled_is_an_empty_list() -> None:
    assert pulled_names() == ()


def test_split_weights_are_all_their_files(home: Path, tmp_path: Path) -> None:
    name = PulledName.of("gguf:o/r/q4/m-00002-of-00003.gguf")
    assert name is not None
    assert [each.file for each in name.files] == [
        f"q4/m-0000{number}-of-00003.gguf" for number in (1, 2, 3)
    ]
    first = home / "models" / "o" / "r" / "q4" / "m-00001-of-00003.gguf"
    assert weights_path(str(name), tmp_path) == first
    assert weights_path("gguf:./m-00002-of-00002.gguf", tmp_path).name == "m-00001-of-00002.gguf"
    for each in name.files:
        each.path.parent.mkdir(parents=True, exist_ok=True)
        each.path.touch()
    assert pulled_names() == ("gguf:o/r/q4/m-00001-of-00003.gguf",)


@pytest.mark.parametrize("file", ["m.gguf", "m-1-of-2.gguf", "m-00001-of-00000.gguf"])
def test_other_names_stand_alone(file: str) -> None:
    assert split_files(file) == (file,)

"""An index that was exported to a file is what another user's index begins with."""

import json
import re
import shutil

import pytest

import ipuaro_jupyter
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.index.storage.shared_index import export_index
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.store.keys import Keys, project_id

FILES = {f"src/part{n}/m{n}.ts": f"export function f{n}() {{ return {n} }}\n" for n in range(20)}
FILES["src/all.ts"] = "".join(f"import {{ f{n} }} from './part{n}/m{n}'\n" for n in range(20))


@pytest.fixture
def shared(tmp_path):
    folder = tmp_path / "indexes"
    folder.mkdir()
    return folder


@pytest.fixture
def exported(make_project, open_index, store, shared, tmp_path):
    """Give a copy of a project, and the file with the index of the project."""
    root = make_project(FILES, "first")
    open_index(root).refresh()
    file = shared / "app.ipuaro-index"
    export_index(StoredIndex(store, Keys(project_id(root))), file)
    copy = tmp_path / "second"
    shutil.copytree(root, copy)
    return copy, file


def test_what_is_the_same_is_not_parsed(exported, open_index, contents):
    root, file = exported
    (root / "src/part1/m1.ts").write_text("export function one() { return 1 }\n")
    (root / "src/part2/m2.ts").unlink()
    (root / "src/new.ts").write_text("import { f3 } from './part3/m3'\n")
    index = open_index(root, shared_indexes=str(file.parent))
    report = index.refresh()
    assert (report.parsed, report.notice) == (2, "")
    assert index.facts("src/part1/m1.ts").functions[0].name == "one"
    before = contents(index)
    assert index.refresh(full=True).parsed == len(FILES)
    assert contents(index) == before, "it is what parsing gives"


def test_an_export_follows_no_other_project(exported, make_project, open_index):
    _, file = exported
    other = make_project({f"lib/x{n}.ts": "export const x = 1\n" for n in range(20)}, "other")
    report = open_index(other, shared_indexes=str(file.parent)).refresh()
    assert (report.parsed, report.notice) == (20, "")


def cut(file):
    file.write_bytes(file.read_bytes()[:-40])


def flip(file):
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def of_another_version(file):
    head, _, rest = file.read_bytes().partition(b"\n")
    file.write_bytes(json.dumps({**json.loads(head), "format": "older"}).encode() + b"\n" + rest)


def without_a_head(file):
    file.write_bytes(b"{}\n" + file.read_bytes().partition(b"\n")[2])


def with_negative_lengths(file):
    head, _, rest = file.read_bytes().partition(b"\n")
    changed = {**json.loads(head), "lengths": [-1] * 14}
    file.write_bytes(json.dumps(changed).encode() + b"\n" + rest)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (cut, "damaged|the server refused it"),
        (flip, "damaged|the server refused it"),
        (of_another_version, "another version of this package made it"),
        (without_a_head, "damaged, so export it again"),
        (with_negative_lengths, "damaged, so export it again"),
        (lambda file: file.chmod(0o666), r"others than root and you can change '.*app\.ipuaro"),
        (lambda file: file.parent.chmod(0o777), "others than root and you can change '.*indexes'"),
    ],
)
def test_what_cannot_be_believed_is_told_and_not_used(exported, open_index, contents, spoil, told):
    root, file = exported
    spoil(file)
    index = open_index(root, shared_indexes=str(file.parent))
    report = index.refresh()
    assert report.parsed == len(FILES)
    assert re.match(rf"The shared index '{file}' is not used: .*({told})", report.notice)
    before = contents(index)
    index.refresh(full=True)
    assert contents(index) == before


def test_nothing_is_left_of_an_attempt(exported, open_index, store):
    root, file = exported
    cut(file)
    open_index(root, shared_indexes=str(file.parent)).refresh()
    keys = Keys(project_id(root))
    assert not [key for key in store.scan(keys.pattern) if b":new" in key]


@pytest.mark.usefixtures("permissions_count")
def test_a_file_that_cannot_be_read_is_told(exported, open_index):
    root, file = exported
    file.chmod(0)
    report = open_index(root, shared_indexes=str(file.parent)).refresh()
    assert report.parsed == len(FILES)
    assert f"{str(file)!r} cannot be read: Permission denied." in report.notice


def test_a_missing_folder_is_as_an_empty_one(exported, open_index, tmp_path):
    root, _ = exported
    assert open_index(root, shared_indexes=str(tmp_path / "x")).refresh().parsed == len(FILES)


def test_an_export_has_a_name_by_which_it_is_found(exported, store):
    root, file = exported
    with pytest.raises(SettingsError, match=r"ends with \.ipuaro-index, not 'app\.txt'"):
        export_index(StoredIndex(store, Keys(project_id(root))), file.with_suffix(".txt"))


def test_a_project_does_not_choose_what_it_is_believed_by(exported, home):
    root, file = exported
    del home
    settings = {"project": {"sharedIndexes": str(file.parent)}}
    (root / ".ipuaro.json").write_text(json.dumps(settings))
    with ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([])) as assistant:
        assert assistant.index_report().parsed >= len(FILES)
        assert any("sharedIndexes of a project's file never counts" in n for n in assistant.notices)

"""A second clone, worktree or copy of a project is indexed without parsing what is the same."""

import shutil
import subprocess
from functools import partial

import pytest

import ipuaro_jupyter
from ipuaro_jupyter.index.storage import index_writer
from ipuaro_jupyter.index.storage.seals import sealed
from ipuaro_jupyter.index.storage.seeding import seed
from ipuaro_jupyter.store.projects import note_opened

FILES = {f"src/part{n}/m{n}.ts": f"export function f{n}() {{ return {n} }}\n" for n in range(60)}
FILES["src/all.ts"] = "".join(f"import {{ f{n} }} from './part{n}/m{n}'\n" for n in range(60))
FILES["package.json"] = '{"name": "many"}'


@pytest.fixture
def open_index(open_index):
    """Give a function that opens an index which may begin with a copy of another."""
    return partial(open_index, shared_facts_mb=None)


@pytest.fixture
def project(make_project, request, store):
    """Give a project that is known on the server, and the folder in it.

    No other test has such a folder, or files of these contents.
    """
    own = f"{request.node.name}/"
    mark = f"// {request.node.name}\n"
    files = {own + p: t + mark * p.endswith(".ts") for p, t in FILES.items()}
    root = make_project(
        {**files, f"{own}package.json": f'{{"name": "{request.node.name}"}}'}, "first"
    )
    note_opened(store, root)
    return root, own


@pytest.fixture
def copied(project, open_index, tmp_path):
    """Give an indexed project, a copy of its folder, and where its files are in both."""
    root, own = project
    index = open_index(root)
    assert index.refresh().files == len(FILES)
    copy = tmp_path / "somewhere" / "second"
    shutil.copytree(root, copy)
    return index, copy, copy / own


def same_as_parsed(index, contents):
    """Return whether an index is what it is when every file is parsed anew."""
    before = contents(index)
    parsed = index.refresh(full=True).parsed
    return parsed >= len(FILES) - 1 and contents(index) == before


def test_a_copy_is_not_parsed(copied, open_index, contents):
    _, copy, place = copied
    index = open_index(copy)
    assert index.refresh().parsed == 0
    assert index.facts(f"{place.name}/src/part7/m7.ts").functions[0].name == "f7"
    assert same_as_parsed(index, contents)


def test_only_what_differs_is_parsed(copied, open_index, contents):
    _, copy, place = copied
    (place / "src/part1/m1.ts").write_text("export function f1() { return 'one' }\n")
    (place / "src/part2/m2.ts").unlink()
    (place / "src/new.ts").write_text("import { f3 } from './part3/m3'\n")
    index = open_index(copy)
    assert index.refresh().parsed == 2
    assert same_as_parsed(index, contents)


def test_the_other_stays_as_it_is(copied, open_index, contents):
    first, copy, place = copied
    before = contents(first)
    (place / "src/part1/m1.ts").write_text("export function other() {}\n")
    open_index(copy).refresh()
    assert contents(first) == before
    assert first.refresh().parsed == 0


def test_a_worktree_on_another_branch(project, open_index, contents, tmp_path):
    root, own = project
    who = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    other = tmp_path / "tree"
    for words in (
        ("init", "-q"),
        ("add", "."),
        (*who, "commit", "-qm", "All"),
        ("worktree", "add", "-qb", "branch", str(other)),
    ):
        subprocess.run(["git", "-C", str(root), *words], check=True)
    open_index(root).refresh()
    (other / own / "src/part5/m5.ts").write_text("export class Five {}\n")
    index = open_index(other)
    assert index.refresh().parsed == 1
    assert same_as_parsed(index, contents)


def test_all_is_parsed_when_that_is_asked_for(copied, open_index):
    _, copy, _ = copied
    assert open_index(copy).refresh(full=True).parsed == len(FILES)


def test_of_another_format_nothing_is_taken(copied, open_index):
    first, copy, _ = copied
    stored = first._stored
    stored.store.hset(stored.keys.index_info, {"format": sealed("format", b"of long ago")})
    assert open_index(copy).refresh().parsed == len(FILES)


def test_of_an_index_that_lacks_something_nothing_is_taken(copied, open_index):
    first, copy, place = copied
    first._stored.store.hdel(first._stored.keys.ast, f"{place.name}/src/all.ts")
    assert open_index(copy).refresh().parsed == len(FILES)


@pytest.mark.parametrize("part", ["tokens", "ast", "index_info"])
def test_a_part_that_the_server_drops_of_the_copy_is_made_anew(
    copied, open_index, monkeypatch, part
):
    """As servers do whose maxmemory-policy evicts keys."""
    _, copy, place = copied
    index = open_index(copy)
    store, keys = index._stored.store, index._stored.keys

    def drop(stored, listing, lease):
        is_copied = seed(stored, listing, lease)
        store.delete(getattr(keys, part))
        return is_copied

    monkeypatch.setattr(index_writer, "seed", drop)
    index.refresh()
    assert len(index.definitions("f7")) == 1
    assert len(index.references("f7")) >= 1
    assert index.facts(f"{place.name}/src/part7/m7.ts").functions[0].name == "f7"


def test_what_is_damaged_in_the_other_is_made_anew(copied, open_index, contents):
    first, copy, place = copied
    path = f"{place.name}/src/part7/m7.ts"
    first._stored.store.hset(first._stored.keys.ast, {path: b"garbled"})
    index = open_index(copy)
    index.refresh()
    assert index.facts(path).functions[0].name == "f7"
    assert same_as_parsed(index, contents)


def test_an_unlike_project_is_parsed(copied, open_index):
    _, copy, place = copied
    for number in range(20):
        (place / f"src/part{number}/m{number}.ts").write_text(f"export const other = {number}\n")
    assert open_index(copy).refresh().parsed == len(FILES)


def test_on_a_server_of_the_users_own_nothing_is_taken(project, start_redis, tmp_path, monkeypatch):
    root, _ = project
    monkeypatch.setenv("IPUARO_REDIS_URL", start_redis[0])
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    for folder in (root, copy):
        model = ipuaro_jupyter.ScriptedModel([])
        with ipuaro_jupyter.start(folder, model=model) as assistant:
            assert assistant.index_report().parsed == len(FILES)


def test_a_colleague_on_the_same_server_parses_what_differs(
    project, start_redis, tmp_path, monkeypatch
):
    """Each has a home of their own, and has said that facts are shared."""
    root, own = project
    monkeypatch.setenv("IPUARO_REDIS_URL", start_redis[0])
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    (copy / own / "src/part1/m1.ts").write_text(f"export const m = '{own}'\n")
    reports = []
    for name, folder in (("mine", root), ("theirs", copy)):
        monkeypatch.setenv("IPUARO_HOME", str(tmp_path / name))
        settings = {"project": {"sharedFactsMb": 8}}
        model = ipuaro_jupyter.ScriptedModel([])
        with ipuaro_jupyter.start(folder, model=model, settings=settings) as assistant:
            reports.append(assistant.index_report())
    assert [report.parsed for report in reports] == [len(FILES), 1]
    assert [report.known for report in reports] == [0, len(FILES) - 1]

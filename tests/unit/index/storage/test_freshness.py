"""An answer is true for the disk as it was when the question came, or says what it may lack."""

import os
import shutil
import subprocess
import threading
import time

import pytest
from waiting import until

from ipuaro_jupyter import cancellation
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, StorageError
from ipuaro_jupyter.index.storage import sync
from ipuaro_jupyter.index.storage.indexing_progress import Meter
from ipuaro_jupyter.index.storage.questions import IndexQuestion, asking
from ipuaro_jupyter.store.lease import Lease
from ipuaro_jupyter.workspace.files import watch as watching
from ipuaro_jupyter.workspace.files.watch import WatchSettings

WAIT_S = 60
NO_SCANS = {"scan_interval_s": 3600}
ROUNDS = 20


@pytest.fixture
def watched(make_index):
    """Return a function that makes an index whose watch is all that tells of changes."""

    def make(files):
        index, root = make_index(files, **NO_SCANS)
        index.watch(WatchSettings(debounce_ms=10_000))
        until(lambda: index._sync.watch.is_ready)
        index.paths()
        return index, root

    return make


def ask(index, name):
    """Return the files that declare a name, and the doubts."""
    question = IndexQuestion()
    with asking(question):
        return [place.path for place in index.definitions(name)], question.doubts


def refuse(*_):
    raise StorageError("The server has gone.")


def text(name):
    return f"export const {name} = 1\n"


def test_every_change_is_in_the_next_answer(watched):
    index, root = watched({"src/a.ts": text("a")})
    for turn in range(ROUNDS):
        (root / "src/a.ts").write_text(text(f"a{turn}"))
        assert ask(index, f"a{turn}") == (["src/a.ts"], [])
        (root / f"src/n{turn}.ts").write_text(text(f"n{turn}"))
        assert ask(index, f"n{turn}") == ([f"src/n{turn}.ts"], [])
        (root / f"src/n{turn}.ts").rename(root / f"m{turn}.ts")
        assert ask(index, f"n{turn}") == ([f"m{turn}.ts"], [])
        (root / f"m{turn}.ts").unlink()
        assert ask(index, f"n{turn}") == ([], [])


def test_files_of_new_and_swapped_folders_are_in_the_next_answer(watched):
    index, root = watched({"src/a.ts": text("a"), "other/a.ts": text("b")})
    for turn in range(ROUNDS):
        (root / f"new{turn}/deep").mkdir(parents=True)
        assert ask(index, "a")[0]
        (root / f"new{turn}/deep/n.ts").write_text(text(f"n{turn}"))
        assert ask(index, f"n{turn}") == ([f"new{turn}/deep/n.ts"], [])
        (root / "src").rename(root / "aside")
        (root / "other").rename(root / "src")
        (root / "aside").rename(root / "other")
        assert ask(index, "a")[0] == [f"{'src' if turn % 2 else 'other'}/a.ts"]
        shutil.rmtree(root / f"new{turn}")


def test_a_folder_that_is_made_again_is_watched_again(watched):
    index, root = watched({"src/a.ts": text("a")})
    for turn in range(ROUNDS):
        shutil.rmtree(root / "src")
        (root / "src").mkdir()
        (root / "src/a.ts").write_text(text("a"))
        until(lambda: index._sync.watch.take().is_complete)
        assert ask(index, "a") == (["src/a.ts"], [])
        (root / "src/b.ts").write_text(text(f"b{turn}"))
        assert ask(index, f"b{turn}") == (["src/b.ts"], [])


def test_a_project_that_is_replaced_is_compared(watched, make_project):
    index, root = watched({"a.ts": text("a")})
    other = make_project({"a.ts": text("b")}, "another")
    root.rename(f"{root}-before")
    other.rename(root)
    assert ask(index, "b") == (["a.ts"], [])


def test_what_git_excludes_elsewhere_is_in_the_next_answer(watched):
    index, root = watched({"src/a.ts": text("a"), "made/b.ts": text("b")})
    subprocess.run(["git", "init", "-q", root], check=True)
    assert ask(index, "b")[0]
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("made/\n")
    assert ask(index, "b") == ([], [])
    (root / ".git/info/exclude").write_text("")
    (root / "made/c.ts").write_text(text("c"))
    assert ask(index, "c") == (["made/c.ts"], [])


def test_a_file_that_is_changed_by_another_of_its_names_is_in_the_next_answer(watched):
    index, root = watched({"src/a.ts": text("a"), "src/c.ts": text("c")})
    os.link(root / "src/a.ts", root / "src/b.ts")
    assert ask(index, "a") == (["src/a.ts", "src/b.ts"], [])
    (root / "src/b.ts").write_text(text("both"))
    assert ask(index, "both") == (["src/a.ts", "src/b.ts"], [])
    assert ask(index, "a") == ([], [])


def test_a_question_that_is_stopped_loses_no_change(watched):
    index, root = watched({"a.ts": text("a"), "b.ts": text("b")})
    os.link(root / "a.ts", root / "c.ts")
    assert ask(index, "a") == (["a.ts", "c.ts"], [])
    (root / "b.ts").write_text(text("later"))
    stopped = CancelToken()
    stopped.cancel()
    with cancellation.watching(stopped), pytest.raises(Cancelled):
        ask(index, "later")
    assert ask(index, "later") == (["b.ts"], [])


def test_a_question_without_a_server_loses_no_change(watched, monkeypatch):
    index, root = watched({"b.ts": text("b")})
    (root / "b.ts").write_text(text("later"))
    with monkeypatch.context() as patched:
        patched.setattr(index._stored.store, "have_counts", refuse)
        with pytest.raises(StorageError):
            ask(index, "later")
    assert ask(index, "later") == (["b.ts"], [])


def test_what_a_repository_inside_tracks_and_excludes_is_in_the_next_answer(watched):
    index, root = watched({"inner/x.ts": text("x"), "inner/.gitignore": "made.ts\n"})
    os.system(f"git init -q {root} && git init -q {root}/inner")
    (root / "inner/made.ts").write_text(text("made"))
    assert ask(index, "made") == ([], [])
    os.system(f"git -C {root}/inner add -f made.ts")
    assert ask(index, "made") == (["inner/made.ts"], [])
    (root / "inner/.git/info/exclude").write_text("x.ts\n")
    assert ask(index, "x") == ([], [])


def test_what_git_s_settings_exclude_is_in_the_next_answer(watched, tmp_path):
    index, root = watched({"a.ts": text("a"), "b.ts": text("b")})
    os.system(f"git init -q {root}")
    (rules := tmp_path / "rules").write_text("a.ts\n")
    assert ask(index, "a") == (["a.ts"], [])
    os.system(f"git -C {root} config core.excludesFile {rules}")
    assert ask(index, "a") == ([], [])
    rules.write_text("b.ts\n")
    assert [ask(index, name)[0] for name in "ab"] == [["a.ts"], []]


def test_a_file_that_is_left_out_is_so_until_it_has_gone_and_when_it_is_back(watched):
    index, root = watched({"a.ts": text("a")})
    for name, shown in (("\udcff.ts", r"\xff.ts"), ("a.png", "a.png")):
        for is_there in (True, False, True):
            if is_there:
                (root / name).touch()
            else:
                (root / name).unlink()
            with asking(IndexQuestion()):
                assert (shown in index.summary().skipped) == is_there


def listed(index):
    listing = index.listing()
    return None if listing is None else sorted(listing.files)


def test_a_watched_project_is_listed_without_a_look_at_its_folders(watched, monkeypatch):
    index, root = watched({"src/a.ts": text("a"), "b.txt": "b\n", ".gitignore": "*.log\n"})
    monkeypatch.setattr(index._sync._scans, "listing", None)
    before = [".gitignore", "b.txt", "src/a.ts"]
    for turn in range(ROUNDS):
        assert listed(index) == before
        (root / f"src/{turn}.md").write_text("n\n")
        (root / f"src/{turn}.log").write_text("n\n")
        (root / "b.txt").write_text("b\n" * turn)
        assert listed(index) == sorted([*before, f"src/{turn}.md"])
        assert index.listing().files["b.txt"].size == 2 * turn
        (root / f"src/{turn}.md").unlink()
    assert index.listing() is index.listing()


def test_what_only_a_listing_tells_is_never_listed_wrong(watched):
    """A listing that is not known is None, until somebody has looked."""
    index, root = watched({"src/a.ts": text("a"), "b.txt": "b\n"})

    def check(*files):
        assert listed(index) in (None, sorted(files))
        index.paths()
        assert listed(index) in (None, sorted(files))

    subprocess.run(["git", "init", "-q", root], check=True)
    check("b.txt", "src/a.ts")
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("*.txt\n")
    check("src/a.ts")
    (root / ".gitignore").write_text("src/\n")
    check(".gitignore")
    (root / ".gitignore").unlink()
    (root / "src").rename(root / "lib")
    check("lib/a.ts")
    for number in range(3):
        (root / f"new{number}/deep").mkdir(parents=True)
        (root / f"new{number}/deep/n.md").write_text("n\n")
    check("lib/a.ts", *(f"new{number}/deep/n.md" for number in range(3)))
    for number in range(150):
        (root / f"lib/{number}.md").write_text("n\n")
    many = [f"lib/{number}.md" for number in range(150)]
    check("lib/a.ts", *many, *(f"new{number}/deep/n.md" for number in range(3)))


def test_a_listing_that_is_due_is_made_and_compared(watched, monkeypatch):
    index, root = watched({"a.ts": text("a")})
    monkeypatch.setattr(index._sync._scans, "is_due", lambda **_: True)
    assert listed(index) == ["a.ts"]
    (root / "b.ts").write_text(text("b"))
    assert listed(index) == ["a.ts", "b.ts"]
    monkeypatch.undo()
    assert ask(index, "b") == (["b.ts"], [])


def test_without_a_watch_or_a_whole_index_there_is_no_listing(make_index, watched):
    index, _ = make_index({"a.ts": text("a")})
    assert index.listing() is None
    other, _ = watched({"b.ts": text("b")})
    assert listed(other) == ["b.ts"]
    other._stored.discard()
    assert other.listing() is None
    assert ask(other, "b")[0] == ["b.ts"]


def test_a_listing_does_not_wait_for_another_writer(watched):
    index, root = watched({"a.ts": text("a")})
    with index._sync._writer.turn(Meter(), wait_s=1):
        assert listed(index) == ["a.ts"]
        (root / "b.ts").write_text(text("b"))
        assert index.listing() is None
    assert listed(index) == ["a.ts", "b.ts"]


def test_a_changed_file_of_the_same_size_and_time_is_seen(make_index, open_index):
    index, root = make_index({"a.ts": text("one")})
    time.sleep(0.1)
    index.refresh()
    before = (root / "a.ts").stat()
    (root / "b.ts").write_text(text("two"))
    os.utime(root / "b.ts", ns=(before.st_atime_ns, before.st_mtime_ns))
    (root / "b.ts").replace(root / "a.ts")
    open_index(root).refresh()
    assert ask(index, "two")[0] == ["a.ts"]


def test_where_watches_are_used_up_each_question_compares(make_index, monkeypatch):
    def none_left(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(watching, "folder_events", none_left)
    monkeypatch.setattr(watching, "_RETRY_S", 0)
    index, root = make_index({"a.ts": text("a")})
    index.watch(WatchSettings(poll_ms=60_000))
    until(lambda: index._sync.watch.problem)
    for turn in range(ROUNDS):
        (root / "a.ts").write_text(text(f"a{turn}"))
        assert ask(index, f"a{turn}") == (["a.ts"], [])
    assert "max_user_watches" in index.summary().notice


def test_only_the_first_question_waits_for_a_watch_that_is_long_in_beginning(
    make_index, monkeypatch
):
    may_go_on, folders = threading.Event(), watching.watched_folders
    monkeypatch.setattr(
        watching, "watched_folders", lambda *given: may_go_on.wait(WAIT_S) and folders(*given)
    )
    monkeypatch.setattr(sync, "_BEGIN_S", 0.1)
    index, _ = make_index({"a.ts": text("a")})
    index.watch(WatchSettings())
    waits, watch = [], index._sync.watch
    wait = watch.wait_for_begin
    watch.wait_for_begin = lambda wait_s: waits.append(wait_s) or wait(wait_s)  # a look inside
    try:
        assert ask(index, "a") == (["a.ts"], [])
        assert waits
        waits.clear()
        assert ask(index, "a") == (["a.ts"], [])
        assert not waits
    finally:
        may_go_on.set()


@pytest.mark.parametrize("is_watched", [False, True])
def test_while_another_process_writes_an_answer_says_what_it_may_lack(
    make_index, watched, store, is_watched
):
    index, root = (watched if is_watched else make_index)({"a.ts": text("a")})
    time.sleep(0.1)
    index.refresh()  # once more when the clock has moved on
    lease = Lease(store, index._stored.keys.lock, life_s=600)
    assert lease.take()
    assert ask(index, "a") == (["a.ts"], [])
    (root / "b.ts").write_text(text("b"))
    found, doubts = ask(index, "b")
    assert found == []
    assert "Another process is writing the index: changes since" in doubts[0]
    assert ("Changed since: b.ts" in doubts[0]) is is_watched
    lease.release()
    assert ask(index, "b") == (["b.ts"], [])


def test_names_that_are_not_utf8_do_no_harm(watched, store):
    index, root = watched({"a.ts": text("a")})
    (root / os.fsdecode(b"caf\xe9")).mkdir()
    (root / os.fsdecode(b"caf\xe9/d\xe9.ts")).write_text(text("b"))
    (root / "c.ts").write_text(text("c"))
    assert ask(index, "c") == (["c.ts"], [])
    lease = Lease(store, index._stored.keys.lock, life_s=600)
    assert lease.take()
    (root / os.fsdecode(b"caf\xe9/d\xe9.ts")).write_text(text("d"))
    (root / "c.ts").write_text(text("e"))
    assert "".join(ask(index, "e")[1]).isprintable()
    lease.release()
    assert ask(index, "e") == (["c.ts"], [])
    assert index._sync.watch.is_ready


def test_an_interval_between_comparisons_is_told(make_index):
    index, root = make_index({"a.ts": text("a")}, scan_interval_s=60)
    index.paths()
    (root / "b.ts").write_text(text("b"))
    found, doubts = ask(index, "b")
    assert found == []
    assert "not compared at each question" in doubts[0]


def test_what_another_kernel_forgets_is_found_again(watched, open_index):
    """It may have listed the files before one was made that this kernel knows of."""
    index, root = watched({"a.ts": text("a")})
    other = open_index(root)
    (root / "b.ts").write_text(text("b"))
    assert ask(index, "b")[0] == ["b.ts"]
    (root / "b.ts").rename(root.parent / "kept.ts")
    other.refresh()
    (root.parent / "kept.ts").rename(root / "b.ts")
    assert ask(index, "b")[0] == ["b.ts"]


def test_one_question_looks_at_the_disk_once(make_index):
    index, root = make_index({"a.ts": text("a")})
    with asking(IndexQuestion()):
        assert index.definitions("a")
        (root / "b.ts").write_text(text("b"))
        assert not index.definitions("b")
    with asking(IndexQuestion(changes=True)):
        assert index.definitions("b")
        (root / "c.ts").write_text(text("c"))
        assert index.definitions("c")


def never_settled(index, root, monkeypatch):
    """Change a file after each look at the disk."""
    index._sync.catch_up()
    real, turns = index._sync.stale, iter(range(1, 1000))

    def stale(paths, *given):
        (root / "a.ts").write_text(text("a") + "a\n" * next(turns))
        return real(paths, *given)

    monkeypatch.setattr(index._sync, "stale", stale)


@pytest.mark.parametrize(
    "read",
    [
        lambda index: index.uses("a", limit=None),
        lambda index: index.ask(lambda asked: asked.uses("a", None, limit=None)),
        lambda index: index.renaming("a.ts", "a", "b"),
        lambda index: index.definitions("a"),
    ],
)
def test_an_answer_that_never_settled_says_so(make_index, monkeypatch, read):
    index, root = make_index({"a.ts": text("a")}, **NO_SCANS)
    never_settled(index, root, monkeypatch)
    question = IndexQuestion()
    with asking(question):
        read(index)
    assert any("Files change while they are read" in doubt for doubt in question.doubts)
    assert "a.ts" in str(question.doubts)


def test_a_package_that_is_linked_or_removed_is_known_at_once(watched):
    files = {
        "package.json": "{}",
        "lib/index.ts": "export const f = 1\n",
        "app/a.ts": "import { f } from 'lib'\n",
        ".gitignore": "node_modules\n",
    }
    index, root = watched(files)

    def importers():
        return [one.path for one in index.imports.dependents("lib/index.ts")]

    assert importers() == []
    link = root / "node_modules/lib"
    link.parent.mkdir()
    link.symlink_to("../lib")
    assert importers() == ["app/a.ts"]
    link.unlink()
    assert importers() == []
    near = root / "app/node_modules/lib"
    near.parent.mkdir()
    near.symlink_to("../../lib")
    assert importers() == []  # npm does not install there
    (root / "app/package.json").write_text("{}")
    assert importers() == ["app/a.ts"]

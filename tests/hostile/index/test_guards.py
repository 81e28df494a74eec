"""Whatever lies in a folder, the rest of it is indexed, and the report says what is not."""

import json
import os
import tempfile
import threading
import time
from pathlib import Path

import psutil
import pytest

from ipuaro_jupyter.index.storage.project_reader import MOST_INLINE_BYTES

GOOD = "export function good() { return 1 }\n"
QUADRATIC = "a\n <B,\n"

HOSTILE = {
    "bundle.js": b"var a = 1;\n" * 820_000,
    "minified.js": b"function f(){return 1};" * 2000,
    "brackets.ts": (b"[" * 100 + b"\n") * 500,
    "nul.ts": b"const a = 1\0\0\n",
    "late-nul.ts": b"// a\n" * 4000 + b"\0\n",
    "wide.ts": "const wide = 1\n".encode("utf-16"),
    "wide-no-mark.ts": "const wide = 1\n".encode("utf-16-le"),
    "latin.ts": "const é = 1\n".encode("latin-1"),
    "picture.png": b"\x89PNG",
    "comments.ts": (b"/* " * 40 + b"\n") * 1000,
    "sound.mp3": b"ID3",
}
ODD_NAMES = ("a b.ts", "it's.ts", 'say "hi".ts', "two\nlines.ts", "tab\t.ts", "[x](y).ts", "-rf.ts")


@pytest.fixture
def hostile(make_index):
    """An index of a project with everything that is hard, and its folder."""
    return make_index({**HOSTILE, "src/good.ts": GOOD})


def test_every_file_that_is_not_analysed_is_reported_with_the_reason(hostile):
    index, _ = hostile
    report = index.summary()
    assert {path: " ".join(why.split()[2:5]) for path, why in report.not_analysed.items()} == {
        "brackets.ts": "brackets are nested",
        "bundle.js": "larger than 1",
        "comments.ts": "comments are opened",
        "minified.js": "the file is",
    }
    assert report.skipped.keys() == HOSTILE.keys() - report.not_analysed.keys() - {"late-nul.ts"}
    assert "UTF-16" in report.skipped["wide.ts"]
    assert "binary" in report.skipped["wide-no-mark.ts"]
    assert "0xe9" in report.skipped["latin.ts"]
    assert report.files == 6
    assert [s.path for s in index.definitions("good")] == ["src/good.ts"]
    assert json.loads(json.dumps(report.to_dict()))["notAnalysed"]["bundle.js"]


def test_the_report_is_kept_and_the_same_for_the_next_kernel(hostile, open_index):
    index, root = hostile
    report = open_index(root).refresh()
    assert report.parsed == 0
    same = {"parsed": 0, "seconds": 0.0}
    assert report.model_copy(update=same) == index.summary().model_copy(update=same)


def test_the_report_says_it_in_a_few_lines(hostile):
    index, _ = hostile
    lines = str(index.summary()).splitlines()
    assert lines[0].startswith("Index: 6 files, ")
    assert "Not indexed: latin.ts (not UTF-8 text (byte 6 is 0xe9))" in lines
    assert "Not indexed: 1 more, see Assistant.index_report().skipped" in lines
    assert "Only its lines are known: bundle.js (larger than 1 MB)" in lines


def test_byte_order_marks_and_windows_line_ends_are_no_problem(make_index):
    index, _ = make_index(
        {"bom.ts": b"\xef\xbb\xbf" + GOOD.encode(), "dos.ts": b"\r\n" + GOOD.encode() + b"\r\n"}
    )
    assert [(s.path, s.line) for s in index.definitions("good")] == [("bom.ts", 1), ("dos.ts", 2)]
    report = index.summary()
    assert (report.not_analysed, report.skipped) == ({}, {})


def test_symlinks_are_reported_and_lead_nowhere(make_index, make_project):
    outside = make_project({"secret.ts": "export const secret = 1\n"}, "outside")
    index, root = make_index({"src/good.ts": GOOD})
    (root / "src/loop").symlink_to("..")
    (root / "src/self").symlink_to("self")
    (root / "out").symlink_to(outside)
    (root / "away.ts").symlink_to(outside / "secret.ts")
    (root / "dangling.ts").symlink_to("none.ts")
    report = index.refresh()
    assert report.symlinks == {
        "away.ts": str(outside / "secret.ts"),
        "dangling.ts": "none.ts",
        "out": str(outside),
        "src/loop": "..",
        "src/self": "self",
    }
    assert index.paths() == ["src/good.ts"]
    assert index.definitions("secret") == []


@pytest.mark.usefixtures("permissions_count")
def test_folders_and_files_that_cannot_be_read_are_reported(make_index):
    index, root = make_index({"src/good.ts": GOOD, "closed/a.ts": GOOD, "locked.ts": GOOD})
    (root / "closed").chmod(0)
    (root / "locked.ts").chmod(0)
    try:
        report = index.refresh(full=True)
        assert report.skipped.keys() == {"closed", "locked.ts"}
        assert "ermission" in report.skipped["closed"]
        assert index.paths() == ["src/good.ts"]
    finally:
        (root / "closed").chmod(0o700)
        (root / "locked.ts").chmod(0o600)
    assert index.refresh().skipped == {}
    assert len(index.paths()) == 3


def test_file_that_vanishes_during_the_scan_is_left_out(make_project, open_index):
    root = make_project({f"f{i}.ts": GOOD for i in range(50)})
    index = open_index(root)

    def vanish(progress):
        if progress.phase == "parsing" and not progress.done:
            for path in list(root.iterdir())[:20]:
                path.unlink()

    report = index.refresh(progress=vanish)
    assert report.files == len(list(root.iterdir()))
    assert report.skipped == {}
    assert index.refresh().parsed == 0


def test_worker_that_is_killed_in_the_middle_costs_nothing(make_project, open_index):
    """As by a system that needs memory: the batch is parsed again by another one."""
    big = "".join(f"export function f{i}(a: number) {{ return a + {i} }}\n" for i in range(4000))
    root = make_project({f"big{i}.ts": big for i in range(6)})
    index = open_index(root, inline_bytes=0, workers=1)
    me, ended = psutil.Process(), threading.Event()

    def kill_one():
        while not ended.wait(0.005):
            for child in me.children():
                if "ipuaro_jupyter.index.storage.worker" in child.cmdline():
                    child.kill()
                    return

    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        report = index.refresh()
    finally:
        ended.set()
        killer.join()
    assert (report.files, report.parsed, report.not_analysed) == (6, 6, {})


def test_file_that_kills_every_worker_is_reported(make_project, open_index, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(
        "import os\n"
        "from ipuaro_jupyter.index.extract import parse\n"
        "real = parse.parse_file\n"
        "parse.parse_file = lambda p, d: os._exit(9) if p == 'dies.ts' else real(p, d)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    files = {"a.ts": GOOD, "dies.ts": GOOD, "b.ts": GOOD}
    index = open_index(make_project(files), inline_bytes=0, workers=1)
    report = index.refresh()
    assert report.not_analysed == {"dies.ts": "Not analysed: the parser died (exit status 9)."}
    assert [s.path for s in index.definitions("good")] == ["a.ts", "b.ts"]


def test_file_that_makes_the_parser_quadratic_does_not_hold_the_kernel_up(make_index):
    """It takes seconds and gigabytes, in a process that has neither."""
    bad = QUADRATIC * (100_000 // len(QUADRATIC))
    assert len(bad) > MOST_INLINE_BYTES
    index, root = make_index({"bad.tsx": bad, "src/good.ts": GOOD})
    report = index.summary()
    assert "bad.tsx" in report.not_analysed
    began = time.thread_time()
    (root / "bad.tsx").write_text("good\n" + bad)
    assert index.facts("bad.tsx").lines == bad.count("\n") + 1
    assert [r.path for r in index.references("good")] == ["src/good.ts"]
    assert time.thread_time() - began < 1.0, "the kernel's own thread did the parsing"


@pytest.mark.parametrize("git", [False, True])
def test_odd_names_are_names(make_index, open_index, git):
    files = dict.fromkeys(ODD_NAMES, GOOD)
    index, root = make_index({**files, "src/use.ts": "import '../a b'\nimport '../it\\'s'\n"})
    if git:
        os.system(f"git init -q {root}")
        index = open_index(root)
    Path(os.fsdecode(os.fsencode(root) + b"/bad\xff.ts")).touch()
    report = index.refresh()
    assert set(index.paths()) == {*ODD_NAMES, "src/use.ts"}
    assert report.skipped == {"bad\\xff.ts": "its name is not UTF-8"}
    assert [d.path for d in index.imports.dependencies("src/use.ts") if d.exists][:1] == ["a b.ts"]
    (root / "two\nlines.ts").write_text("export const other = 1\n")
    index.refresh()
    assert [s.path for s in index.definitions("other")] == ["two\nlines.ts"]


@pytest.fixture
def in_memory(tmp_path):
    """A folder on a file system that makes many files fast, if there is one."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="ipuaro-test-", dir=memory) as folder:
        yield Path(folder)


def test_twenty_thousand_files_are_indexed_with_a_notice(in_memory, open_index):
    root = in_memory / "many"
    for folder in range(200):
        (root / str(folder)).mkdir(parents=True)
        for number in range(100):
            (root / str(folder) / f"{number}.txt").touch()
    (root / "good.ts").write_text(GOOD)
    index = open_index(root)
    report = index.refresh()
    assert report.files == 20_001
    assert "20001 files" in report.notice
    assert index.imports.node("good.ts").exists

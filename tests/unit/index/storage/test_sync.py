"""The index is equal to the disk, whatever happens there."""

import os
import shutil
import time

import pytest

from ipuaro_jupyter.records.code import FileFacts


def test_refresh_reports_what_the_index_holds(make_index, money):
    index, root = make_index({**money, "logo.txt": b"\0\1", "latin.ts": b"// \xe9"})
    (root / "link.ts").symlink_to("src/tax.ts")
    report = index.refresh()
    assert report.files == 5
    assert report.languages == {"json": 1, "markdown": 1, "typescript": 3}
    assert set(report.skipped) == {"logo.txt", "latin.ts"}
    assert report.symlinks == {"link.ts": "src/tax.ts"}
    assert (report.edges, report.symbols) == (2, 5)
    assert index.summary().files == 5


def test_unchanged_project_is_not_read_again(make_index, open_index, money):
    index, root = make_index(money)
    time.sleep(0.1)  # a change within the same tick of the clock might not be seen
    index.refresh()
    before = index._stored.info("generation")
    phases = []
    report = open_index(root).refresh(progress=lambda progress: phases.append(progress.phase))
    assert (report.parsed, phases) == (0, ["scanning"])
    assert index._stored.info("generation") == before


def test_same_size_at_the_same_time_is_seen_when_it_was_just_written(make_index):
    index, root = make_index({"a.ts": "const one = 1\n"})
    stat = (root / "a.ts").stat()
    (root / "a.ts").write_text("const two = 1\n")
    os.utime(root / "a.ts", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    index.refresh()
    assert index.definitions("two")
    assert not index.definitions("one")


def test_facts_are_those_of_the_disk_now(make_index, money):
    index, root = make_index(money)
    assert [f.name for f in index.facts("src/tax.ts").functions] == ["vat"]
    (root / "src/tax.ts").write_text("export function levy() {}\n")
    facts = index.facts("src/tax.ts")
    assert isinstance(facts, FileFacts)
    assert [f.name for f in facts.functions] == ["levy"]
    (root / "src/tax.ts").unlink()
    assert index.facts("src/tax.ts") is None
    assert "src/tax.ts" not in index.paths()


def test_facts_of_an_ignored_file_are_parsed_on_demand(make_index):
    index, root = make_index({".gitignore": "made/\n", "made/a.ts": "export const k = 1\n"})
    assert index.paths() == [".gitignore"]
    assert [v.name for v in index.facts("made/a.ts").variables] == ["k"]
    assert index.metrics("made/a.ts")["made/a.ts"].loc == 1
    (root / "made/b.ts").write_text("import './a'\nimport './c'\n")
    found = [(d.path, d.exists) for d in index.imports.dependencies("made/b.ts")]
    assert found == [("made/a.ts", True), ("made/c", False)]


@pytest.mark.parametrize("path", ["none.ts", "README.md", "src", "binary.ts"])
def test_facts_of_what_is_not_parsed_are_none(make_index, path, money):
    index, _ = make_index({**money, "binary.ts": b"\0"})
    assert index.facts(path) is None


def test_created_and_deleted_files_are_seen_by_the_next_question(make_index, money):
    index, root = make_index(money)
    (root / "src/new.ts").write_text("import './tax'\nexport const fresh = 1\n")
    assert [s.path for s in index.definitions("fresh")] == ["src/new.ts"]
    assert "src/new.ts" in index.paths("src")
    assert "src/new.ts" in [node.path for node in index.imports.dependents("src/tax.ts")]
    (root / "src/new.ts").unlink()
    assert index.definitions("fresh") == []
    assert "src/new.ts" not in [node.path for node in index.imports.dependents("src/tax.ts")]


def test_scan_waits_a_moment_but_files_in_the_answer_are_exact(make_index, money):
    index, root = make_index(money, scan_interval_s=60)
    index.paths()
    (root / "src/new.ts").write_text("export const fresh = 1\n")
    assert index.definitions("fresh") == []
    (root / "src/tax.ts").write_text("\n\nexport function vat() {}\n")
    assert [s.line for s in index.definitions("vat")] == [3]


def test_changed_tsconfig_leads_imports_elsewhere(make_index):
    files = {
        "base.json": '{"compilerOptions": {"paths": {"@/*": ["./one/*"]}}}',
        "tsconfig.json": '{"extends": "./base.json"}',
        "one/a.ts": "",
        "two/a.ts": "",
        "use.ts": "import '@/a'\n",
    }
    index, root = make_index(files)
    assert [d.path for d in index.imports.dependencies("use.ts")] == ["one/a.ts"]
    (root / "base.json").write_text(files["base.json"].replace("one", "two"))
    assert [d.path for d in index.imports.dependencies("use.ts")] == ["two/a.ts"]
    assert index.imports.node("one/a.ts").dependents == 0
    assert [d.path for d in index.imports.dependents("two/a.ts")] == ["use.ts"]


def test_file_that_cannot_be_read_is_skipped_until_it_can(make_index, money):
    index, root = make_index(money)
    os.truncate(root / "src/tax.ts", 40_000_000)
    assert "40 MB" in index.refresh().skipped["src/tax.ts"]
    assert index.facts("src/tax.ts") is None
    assert [d.path for d in index.imports.dependencies("src/gone.ts") if d.exists] == ["src/tax.ts"]
    (root / "src/tax.ts").write_text(money["src/tax.ts"])
    assert "src/tax.ts" not in index.refresh().skipped
    assert index.definitions("vat")


def test_file_that_vanishes_while_others_are_read_is_left_out(make_project, open_index, money):
    root = make_project({**money, "zzz.ts": "export const last = 1\n"})
    index = open_index(root)

    def vanish(progress):
        if progress.phase == "parsing":
            (root / "zzz.ts").unlink(missing_ok=True)

    report = index.refresh(progress=vanish)
    assert report.files == len(money)
    assert index.definitions("last") == []


def test_touching_a_folder_takes_up_everything_in_it(make_index, money, change_disk):
    index, root = make_index(money)
    shutil.rmtree(root / "src")
    index.touch(["src"])
    assert index.paths() == ["README.md", "package.json"]
    assert index.definitions("vat") == []
    change_disk(root, "src/a.ts", "export const back = 1\n")
    index.touch(["src"])
    assert index.paths("src") == ["src/a.ts"]


def test_what_was_just_written_is_indexed_unread_and_compared_when_it_is_asked_about(make_index):
    index, root = make_index({"a.ts": "export const one = 1\n"}, scan_interval_s=60)
    (root / "a.ts").write_text("export const two = 1\n")
    index.touch(["a.ts"], written={"a.ts": b"export const six = 1\n"})
    assert index.known_symbols("", limit=9) == ["six"]
    assert [location.name for location in index.definitions("six")] == []
    assert [location.name for location in index.definitions("two")] == ["two"]


def test_what_cannot_be_what_was_written_is_read(make_index):
    index, root = make_index({"a.ts": "export const one = 1\n"}, scan_interval_s=60)
    (root / "a.ts").write_text("export const eleven = 11\n")
    index.touch(["a.ts"], written={"a.ts": b"export const six = 1\n"})
    assert index.known_symbols("", limit=9) == ["eleven"]


def test_ignored_file_is_not_taken_up(make_index, change_disk):
    index, root = make_index({".gitignore": "made.ts\n"})
    change_disk(root, "made.ts", "export const made = 1\n")
    index.touch(["made.ts"])
    assert index.definitions("made") == []
    change_disk(root, ".gitignore", "")
    index.touch([".gitignore"])
    assert index.definitions("made")

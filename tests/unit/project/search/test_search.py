"""The same answer whoever finds the files, in bounded time, whatever the pattern."""

import os
import re
import threading

import pytest
from searches import PATIENT, places

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.project.search import ripgrep, search
from ipuaro_jupyter.project.search.files_in import text_files_in
from ipuaro_jupyter.project.search.search_result import Query

STRATEGIES = ("python", "ripgrep", "hybrid", "smart")
BOMB = "(a+)+$"


def test_matches_come_with_the_lines_around_them_by_path_and_line(opened, find):
    opened.write("b.ts", "one\ntwo hit\nthree\nfour\n")
    opened.write("a.ts", "hit\nlast HIT hit")
    found = find("hit", context_lines=1)
    assert places(found) == [("a.ts", 1), ("a.ts", 2), ("b.ts", 2)]
    first, second, third = found.matches
    assert (first.before, first.after) == ((), ("last HIT hit",))
    assert second.spans == ((5, 8), (9, 12))
    assert (third.before, third.text, third.after) == (("one",), "two hit", ("three",))
    assert (found.total, found.is_total) == (3, True)


@pytest.mark.parametrize(
    ("pattern", "options", "lines"),
    [
        ("straße", {}, [1, 2]),
        ("straße", {"case_sensitive": True}, [1]),
        ("ΔΣ", {}, [3, 4]),
        ("istanbul", {}, [5, 6]),
        ("q.b", {}, [7]),
        ("q.b", {"use_regex": True}, [7, 8]),
        ("^x$", {"use_regex": True}, [9, 10]),
        ("\t", {}, [11]),
        (r"\s\s", {"use_regex": True}, [11]),
        ("\u2028", {}, [12]),
        (r"\bnaïve\b", {"use_regex": True}, [13]),
        ("🙂", {}, [14]),
        (r"(?<!\w)\w{5}(?=🙂)", {"use_regex": True}, [14]),
        (r"\r", {"use_regex": True}, [15]),
        ("\r", {}, [15]),
        ("n (?i)", {}, [16]),
        (r"(?i)N \(", {"use_regex": True, "case_sensitive": True}, [16]),
    ],
)
def test_lines_are_found_as_python_reads_them(opened, find, pattern, options, lines):
    opened.write(
        "a.txt",
        "\ufeffstraße\nSTRAßE\nδς\nΔΣ\nistanbul\nİSTANBUL\nq.b\nqxb\nx\nx\r\n\t  tab\n"
        "a\u2028b\nso naïve!\nsmile🙂\none\rtwo\r\nn (?i)\n",
    )
    for strategy in ("python", "ripgrep"):
        found = find(pattern, strategy=strategy, **options)
        assert [match.line for match in found.matches] == lines


def test_an_empty_match_counts_and_marks_nothing(opened, find):
    opened.write("a.txt", "x\n\naa\n")
    opened.write("empty.txt", "")
    found = find("a*", use_regex=True)
    assert places(found) == [("a.txt", 1), ("a.txt", 2), ("a.txt", 3)]
    assert [match.spans for match in found.matches] == [(), (), ((0, 2),)]


def test_binary_and_foreign_files_are_passed_over(opened, find):
    opened.write("nul.txt", b"needle\0\n")
    opened.write("latin.txt", b"needle \xe4\n")
    opened.write("wide.txt", "needle\n".encode("utf-16"))
    opened.write("picture.png", b"needle\n")
    opened.write("text.txt", "needle\n")
    opened.write("node_modules/x.js", "needle\n")
    opened.write(".gitignore", "ignored.txt\n")
    opened.write("ignored.txt", "needle\n")
    for strategy in STRATEGIES:
        assert places(find("needle", strategy=strategy)) == [("text.txt", 1)]


def test_a_long_line_is_cut_to_what_is_around_the_match(opened, find):
    opened.write("a.js", f"{'x' * 500_000}needle{'y' * 500_000}\n")
    (match,) = find("needle").matches
    ((start, end),) = match.spans
    assert match.text[start:end] == "needle"
    assert len(match.text) < 400
    assert match.text.startswith("…x")
    assert match.text.endswith("y…")


def test_a_file_that_is_too_large_is_named(opened, find, monkeypatch):
    monkeypatch.setattr(search, "LARGEST_BYTES", 20)
    opened.write("large.txt", "needle\n" * 10)
    opened.write("a.txt", "needle\n")
    found = find("needle")
    assert places(found) == [("a.txt", 1)]
    assert "large.txt" in " ".join(found.notes)


@pytest.fixture
def five(opened, monkeypatch):
    """Five files that all match, where Python searches only three and none is few."""
    monkeypatch.setattr(search, "MOST_FILES", 3)
    monkeypatch.setattr(search, "_FEW_FILES", 1)
    for number in range(5):
        opened.write(f"{number}.txt", "needle\n")
    return [(f"{number}.txt", 1) for number in range(5)]


def test_python_searches_only_so_many_files_and_the_answer_says_so(find, five):
    found = find("needle", strategy="python")
    assert places(found) == five[:3]
    assert found.notes == ("only the first 3 of 5 files were searched",)


@pytest.mark.parametrize("strategy", ["ripgrep", "hybrid", "smart"])
def test_ripgrep_searches_all_files(find, five, strategy):
    if not ripgrep.is_there():
        pytest.skip("ripgrep is not installed")
    found = find("needle", strategy=strategy)
    assert (places(found), found.notes) == (five, ())


def test_files_that_are_read_otherwise_are_not_left_to_ripgrep(opened):
    """Asked for no file, ripgrep would search all."""
    opened.write("a.ts", "needle\n")
    (opened.root / os.fsdecode(b"caf\xe9.txt")).write_text("needle\n")
    files = text_files_in(opened.workspace, ".").files
    query = Query("needle", strategy="ripgrep", **PATIENT)
    found = search.search(
        opened.workspace, files, query, CancelToken(), read_as=lambda _: bytes.upper
    )
    assert places(found) == [("a.ts", 1)]
    assert ripgrep.may_match(opened.root, [], "needle", timeout_s=9) == []


def test_a_pattern_that_ripgrep_does_not_know_is_searched_by_its_text(find, five):
    if not ripgrep.is_there():
        pytest.skip("ripgrep is not installed")
    found = find("(?<!x)NEED(?=L)le", use_regex=True)
    assert (places(found), found.strategy) == (five, "ripgrep")


def test_why_not_all_files_are_searched_is_told(find, five, monkeypatch, tmp_path):
    limited = "only the first 3 of 5 files were searched"
    found = find(r"(.)\1", use_regex=True)
    assert (places(found), found.notes[-1]) == (five[:3], limited)
    assert "does not know" in found.notes[0]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find("needle").notes == ("ripgrep is not installed", limited)


def test_whole_words_and_the_case_as_written_are_the_best(opened, find):
    opened.write("a.ts", "idle\nIDLE x\nvalid\nid\nID\n")
    assert [m.line for m in find("id", max_results=2).matches] == [4, 5]
    assert [m.line for m in find("id", max_results=3).matches] == [1, 4, 5]
    found = find("id", max_results=3)
    assert (found.total, found.is_total) == (5, True)


def test_of_very_many_lines_the_first_are_looked_at(opened, find):
    opened.write("a.ts", "hit\n" * 800)
    opened.write("b.ts", "hit\n" * 800)
    for use_regex in (False, True):
        found = find("hit", use_regex=use_regex)
        assert (len(found.matches), found.total, found.is_total) == (50, 1000, False)


@pytest.mark.parametrize(
    "pattern", ["(", "[a", "a**", "(?P<x>a)(?P<x>b)", "a{99999999999}", r"\p{L}"]
)
def test_what_is_no_regular_expression_is_told(opened, find, pattern):
    opened.write("a.ts", "a\n")
    with pytest.raises(ToolError, match=re.escape(repr(pattern))) as raised:
        find(pattern, use_regex=True)
    assert raised.value.type == "validation"
    assert raised.value.suggestion


def test_a_wrong_expression_is_told_when_there_is_nothing_to_search(find):
    with pytest.raises(ToolError):
        find("(", use_regex=True)


@pytest.mark.parametrize("pattern", ["a\nb", "\ud800", "[[:alpha:]]+"])
def test_a_pattern_that_can_match_nothing_is_an_error(opened, find, pattern):
    opened.write("a.ts", "a\n")
    with pytest.raises(ToolError) as raised:
        find(pattern, use_regex=True)
    assert raised.value.type == "validation"


def test_a_line_that_takes_too_long_is_left_out_and_named(opened, find):
    opened.write("a.ts", f"{'a' * 40}!\nx\nba\n")
    opened.write("b.ts", "aa\n")
    found = find(BOMB, use_regex=True)
    assert places(found) == [("a.ts", 3), ("b.ts", 1)]
    assert "a.ts:1" in " ".join(found.notes)


def test_no_time_at_all_is_an_error_for_text_too(opened, find):
    opened.write("a.ts", "a\n")
    with pytest.raises(ToolError, match="too broad"):
        find("needle", first_match_s=0.0, total_s=0.0)


def test_stop_ends_a_search_inside_one_match(opened, find):
    opened.write("a.ts", f"{'a' * 40}!\n" * 1000)
    cancel = CancelToken()
    threading.Timer(1.0, cancel.cancel).start()
    with pytest.raises(Cancelled):
        find(BOMB, use_regex=True, strategy="python", cancel=cancel)


@pytest.mark.parametrize("use_regex", [False, True])
def test_stop_ends_every_search(opened, find, use_regex):
    opened.write("a.ts", "a\n")
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        find("a", use_regex=use_regex, cancel=cancel)


def test_an_empty_pattern_is_an_error(find):
    with pytest.raises(ToolError, match="The pattern is empty"):
        find("")


def test_a_file_outside_is_not_read_through_a_link(opened, find):
    (opened.root / "link.txt").symlink_to(opened.root.parent / "outside/secret.txt")
    (opened.root / "folder").symlink_to(opened.root.parent / "outside")
    for strategy in STRATEGIES:
        assert not find("TOPSECRET", strategy=strategy).matches


def test_without_ripgrep_the_answer_is_the_same(opened, find, monkeypatch, tmp_path):
    opened.write("a.ts", "needle\n")
    wanted = find("needle", strategy="python").matches
    monkeypatch.setenv("PATH", str(tmp_path))
    found = find("needle", strategy="ripgrep")
    assert (found.matches, found.strategy) == (wanted, "python")
    assert "not installed" in " ".join(found.notes)


def test_few_files_are_searched_the_same_without_ripgrep(opened, find, monkeypatch, tmp_path):
    """Nobody has asked for ripgrep, so nobody is told that it is missing."""
    opened.write("a.ts", "needle\n")
    monkeypatch.setattr(search, "_FEW_FILES", 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = find("needle")
    assert places(found) == [("a.ts", 1)]
    assert (found.strategy, found.notes) == ("python", ())


def test_what_is_everywhere_needs_no_other_files(opened, find, monkeypatch):
    monkeypatch.setattr(search, "_FEW_FILES", 1)
    opened.write("a.ts", "hit\n" * 2000)
    opened.write("b.ts", "hit\n")
    found = find("hit", strategy="hybrid")
    assert (found.total, found.is_total) == (1000, False)


def test_large_projects_are_searched_in_batches(opened, find, monkeypatch):
    monkeypatch.setattr(search, "_BATCH_FILES", 2)
    for name in "abcde":
        opened.write(f"{name}.ts", "hit\n")
    assert len(find("hit", use_regex=True).matches) == 5


def test_files_that_have_gone_since_are_passed_over(opened):
    opened.write("a.ts", "hit\n")
    opened.write("b.ts", "hit\n")
    opened.write("c.ts", "hit\n")
    files = text_files_in(opened.workspace, ".").files
    (opened.root / "a.ts").unlink()
    (opened.root / "b.ts").unlink()
    (opened.root / "b.ts").mkdir()
    for strategy in STRATEGIES:
        query = Query("hit", **(PATIENT | {"strategy": strategy}))
        found = search.search(opened.workspace, files, query, CancelToken())
        assert places(found) == [("c.ts", 1)]


def test_time_that_ripgrep_has_used_up_is_an_error(opened, find, monkeypatch):
    opened.write("a.ts", "hit\n")

    def late(*_arguments, **_options):
        raise ToolError("timeout", "rg took too long.")

    monkeypatch.setattr(ripgrep, "run", late)
    with pytest.raises(ToolError, match="too broad"):
        find("hit", strategy="ripgrep")


def test_how_far_a_search_came_is_told(opened, find, monkeypatch):
    monkeypatch.setattr(search, "_FEW_FILES", 1)
    for name in "abc":
        opened.write(f"{name}.ts", "hit\n")

    def late(*_arguments, **_options):
        raise ToolError("timeout", "rg took too long.")

    monkeypatch.setattr(ripgrep, "run", late)
    with pytest.raises(ToolError, match="in the first 1 of 3 files"):
        find("needle", strategy="hybrid")
    found = find("hit", strategy="hybrid", total_s=5.0)
    assert places(found) == [("a.ts", 1)]
    assert found.notes == ("stopped after 5 s and the first 1 of 3 files, there may be more",)


def test_ripgrep_that_fails_is_done_without(opened, find, monkeypatch):
    opened.write("a.ts", "hit\n")

    def broken(*_arguments, **_options):
        raise ToolError("command", "rg is broken.")

    monkeypatch.setattr(ripgrep, "run", broken)
    assert places(find("hit", strategy="ripgrep")) == [("a.ts", 1)]

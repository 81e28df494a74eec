"""Records say what they are: in a terminal, as plain data, and what follows from their fields."""

import pytest

from ipuaro_jupyter.assistant.undone import skipped_output, undone_output
from ipuaro_jupyter.records import record
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.chat import Answer, ToolCall, Usage
from ipuaro_jupyter.records.code import Metrics
from ipuaro_jupyter.records.evaluation import Evaluation, Finding
from ipuaro_jupyter.records.index_report import IndexReport
from ipuaro_jupyter.records.outputs import Diff, Table
from ipuaro_jupyter.records.replayed import ReplayedCall, ReplayReport
from ipuaro_jupyter.records.transcript import Transcript
from ipuaro_jupyter.records.trouble import Remedy, Trouble, remedied
from ipuaro_jupyter.workspace.changes.undo_stack import UndoEntry

CREATED = Change(path="a.ts", before=None, after=b"new")
EDITED = Change(path="b.ts", before=b"old", after=b"new", mode=0o640)
DELETED = Change(path="c.ts", before=b"old", after=None, mode=0o644)
REPORT = {
    "languages": {},
    "skipped": {},
    "not_analysed": {},
    "symlinks": {},
    "edges": 0,
    "symbols": 0,
    "size_bytes": 0,
    "seconds": 0.25,
}


def test_a_change_and_its_inverse():
    assert [change.kind for change in (CREATED, EDITED, DELETED)] == ["create", "edit", "delete"]
    assert CREATED.inverse().kind == "delete"
    assert EDITED.inverse() == Change(path="b.ts", before=b"new", after=b"old", mode=0o640)
    assert DELETED.inverse().inverse() == DELETED


def test_usage_adds_up_and_stays_estimated():
    one = Usage(prompt_tokens=1, completion_tokens=2, duration_ms=3)
    assert one + one == Usage(prompt_tokens=2, completion_tokens=4, duration_ms=6)
    assert (one + Usage(estimated=True)).estimated


def test_an_answer_reads_as_its_text_else_as_why_there_is_none():
    assert str(Answer(question="?", text="said", notice="why")) == "said"
    assert str(Answer(question="?", notice="why")) == "why"


def test_a_printed_answer_cannot_draw_on_the_terminal():
    assert str(Answer(question="?", text="\x1b[2J gone")) == "[U+001B][2J gone"


def test_value_that_nobody_draws_is_its_text(monkeypatch):
    answer = Answer(question="?", text="said")
    monkeypatch.setattr(record, "_drawing", [])
    assert answer._repr_mimebundle_() == {"text/plain": "said"}
    record.draw_with(lambda value: {"text/html": f"<p>{value}</p>"})
    assert answer._repr_mimebundle_() == {"text/html": "<p>said</p>"}


def test_the_score_of_a_file_is_at_most_100():
    small = Metrics(loc=10, nesting_depth=1, cyclomatic_complexity=2)
    assert small.score == small.raw_score == 39
    large = Metrics(loc=1000, nesting_depth=5, cyclomatic_complexity=50)
    assert (large.score, large.raw_score) == (100, 975)


def test_an_evaluation_lists_what_is_wrong_first():
    findings = (
        Finding(named="a.ts", kind="place", verdict="ok", detail="is there"),
        Finding(named="lib", kind="symbol", verdict="unknown", detail="of a library"),
        Finding(
            named="b.tsx", kind="place", verdict="wrong", detail="is not", closest=("b.ts", "c.ts")
        ),
    )
    checked = Evaluation(findings=findings, review="Good.", notice="No model.")
    assert str(checked).splitlines() == [
        "Named in the answer: 1 ok, 1 unknown, 1 wrong",
        "b.tsx  wrong  is not; closest: b.ts, c.ts",
        "lib  unknown  of a library",
        "a.ts  ok  is there",
        "Good.",
        "No model.",
    ]


def test_an_evaluation_without_findings_says_so():
    assert str(Evaluation()) == "Named in the answer: nothing that can be checked"


def test_an_index_report_counts_and_names_what_lacks_something():
    shown = IndexReport(
        **REPORT
        | {
            "files": 2,
            "parsed": 1,
            "languages": {"typescript": 1, "json": 1},
            "skipped": {"a.bin": "binary."},
            "not_analysed": {"b.ts": "Not analysed: minified."},
            "symlinks": {"l": "a.bin"},
            "symbols": 1,
            "notice": "Redis was new.",
        }
    )
    assert str(shown).splitlines() == [
        "Index: 2 files, 1 symbol, 1 symlink; 1 parsed in 0.25 s",
        "Languages: typescript 1, json 1",
        "Redis was new.",
        "Not indexed: a.bin (binary)",
        "Only its lines are known: b.ts (minified)",
    ]


def test_an_index_report_groups_thousands():
    report = IndexReport(
        files=1234,
        parsed=1200,
        languages={"typescript": 1230},
        skipped={f"{n}.bin": "binary" for n in range(1010)},
        not_analysed={},
        symlinks={},
        edges=5678,
        symbols=98765,
        size_bytes=10**7,
        seconds=1.5,
    )
    told = str(report)
    assert "1,234 files, 98,765 symbols, 5,678 imports; 1,200 parsed" in told
    assert "typescript 1,230" in told
    assert "1,005 more" in told
    assert report.to_dict()["files"] == 1234


def test_an_index_report_names_only_the_first_few():
    shown = IndexReport(**REPORT | {"files": 0, "skipped": {f"{n}.bin": "binary" for n in "abc"}})
    assert str(shown).splitlines()[0] == "Index: 0 files; 0 parsed in 0.25 s"
    assert list(shown.remarks(1)) == [
        "Not indexed: a.bin (binary)",
        "Not indexed: 2 more, see Assistant.index_report().skipped",
    ]


@pytest.mark.parametrize(
    ("outcomes", "endings", "told"),
    [
        (("same", "not compared"), (), "no difference"),
        (("same", "differs"), (), "1 difference"),
        (("missing", "added"), ("turn 1 stopped",), "3 differences"),
    ],
)
def test_a_replay_counts_what_differs(outcomes, endings, told):
    calls = tuple(
        ReplayedCall(turn=1, number=n, call=ToolCall(name="glob", arguments={}), outcome=outcome)
        for n, outcome in enumerate(outcomes, 1)
    )
    report = ReplayReport(
        notebook="n.ipynb", project="p", in_place=False, messages=1, calls=calls, endings=endings
    )
    assert str(report) == f"n.ipynb: {told}"
    assert report.to_dict()["differences"] == report.differences


def test_a_transcript_is_read_from_the_first_question():
    turns = (Answer(question="one?", text="1"), Answer(question="two?", notice="Stopped."))
    assert str(Transcript(title="Session", turns=turns)) == (
        "Session\n\none?\n\n1\n\ntwo?\n\nStopped."
    )


TROUBLE = Trouble(kind="limit", message="Too many calls.", options=("retry", "abort"))


def test_nobody_to_ask_aborts():
    assert remedied(None, TROUBLE) == Remedy(action="abort", by="nobody")


def test_an_answer_is_a_word_or_a_remedy():
    assert remedied(lambda _: "retry", TROUBLE) == Remedy(action="retry")
    said = Remedy(action="retry", reason="go on")
    assert remedied(lambda _: said, TROUBLE) == said


@pytest.mark.parametrize("said", ["skip", Remedy(action="skip"), None])
def test_what_is_no_answer_here_aborts(said):
    remedy = remedied(lambda _: said, TROUBLE)
    assert (remedy.action, remedy.by) == ("abort", "user")
    assert repr(said) in remedy.reason


def test_one_undone_change_is_a_diff():
    told = undone_output([DELETED.inverse()])
    assert told.text() == "Undone: c.ts was restored."
    assert told.shape() == Diff(title="Undone: c.ts", path="c.ts", old=None, new="old")


def test_several_undone_changes_are_a_table():
    told = undone_output([CREATED.inverse(), EDITED.inverse()])
    assert told.text() == ("Undone: 2 files:\n  - a.ts was removed\n  - b.ts was changed back")
    assert isinstance(told.shape(), Table)
    assert told.shape().rows == (("a.ts", "removed"), ("b.ts", "changed back"))


def test_undone_changes_that_came_to_nothing():
    assert "no file is different" in undone_output([]).text()


def test_change_that_cannot_be_undone_is_named_with_the_reason():
    told = skipped_output(UndoEntry(change=EDITED), "b.ts has been changed since.").text()
    assert told.startswith("Forgotten: the edit of b.ts, which cannot be taken back: b.ts has been")
    both = UndoEntry(change=EDITED, others=(DELETED,))
    assert "Forgotten: the change of 2 files, which" in skipped_output(both, "why").text()

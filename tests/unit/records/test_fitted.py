"""The report of a model that was tried."""

import pytest

from ipuaro_jupyter.records.fitted import FitReport, FitRow, Tried, Way

LOOP = Way(by="loop", form="text")
CALLS = Way(by="call", form="constrained")


def row(way, *, right, of=12, false_names=0, seconds=1.0):
    tried = Tried(question="?", tokens=way.tokens or 4000, seconds=seconds)
    attempts = [tried.model_copy(update={"is_right": number < right}) for number in range(of)]
    attempts[0] = attempts[0].model_copy(update={"false_names": false_names})
    return FitRow(way=way, attempts=tuple(attempts), reading_s=seconds if way.tokens else 0.0)


def by_evidence(tokens, **counts):
    return row(Way(by="evidence", tokens=tokens), **counts)


def test_a_report_without_a_task_is_a_text():
    report = FitReport(model="small:1b", rows=(), notices=("Left out: schemas.",))
    assert report.best is None
    assert "small:1b: questions and tasks about the demo" in str(report)
    assert "Nothing was asked." in str(report)
    assert "Left out: schemas." in str(report)


def test_the_advice_compares_the_ways_to_ask_questions():
    rows = (
        row(CALLS, right=12),
        by_evidence(800, right=6, seconds=9.04),
        by_evidence(1500, right=9, seconds=14.0),
        row(LOOP, right=2),
    )
    report = FitReport(model="m", rows=rows)
    assert report.advice == (
        "Ask by evidence, 1,500 tokens: 9 of 12 right, first word 14 s; by evidence, 800 tokens: "
        "6 of 12 right, first word 9 s; by the loop, calls as text: 2 of 12 right."
    )
    assert report.table().rows[-1][0] == "tasks, calls constrained"
    calls = {"useNativeTools": False, "constrainCalls": "always"}
    assert report.settings() == {"llm": {"model": "m", "way": "evidence", **calls}}


@pytest.mark.parametrize(("seconds", "told"), [(12.34, 12.3), (0.2, 5.0)])
def test_smaller_evidence_that_is_as_good_shortens_the_wait(seconds, told):
    rows = (by_evidence(800, right=9, seconds=seconds), by_evidence(1500, right=9, seconds=20.0))
    settings = FitReport(model="m", rows=rows).settings()
    assert settings == {"llm": {"model": "m", "way": "evidence", "firstWordS": told}}


def test_fewer_false_names_count_before_seconds():
    rows = (by_evidence(800, right=9, false_names=3), by_evidence(1500, right=9, seconds=20.0))
    assert FitReport(model="m", rows=rows).best == rows[1]


def test_of_equals_that_which_reads_least_is_the_best():
    rows = (row(LOOP, right=9), by_evidence(800, right=9, seconds=2.0), by_evidence(1500, right=9))
    assert FitReport(model="m", rows=rows).best == rows[1]


def test_a_way_that_was_stopped_early_is_not_the_best():
    rows = (by_evidence(800, right=5), by_evidence(1500, right=6, of=6))
    assert FitReport(model="m", rows=rows, stopped=True).best == rows[0]


def test_without_a_right_answer_nothing_is_advised():
    report = FitReport(model="m", rows=(by_evidence(800, right=0), row(CALLS, right=12)))
    assert report.advice == "No answer was right: take another model."
    assert report.settings() == {}

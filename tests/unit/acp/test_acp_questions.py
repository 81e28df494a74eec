"""Questions as requests for permission, and what their answers decide."""

import pytest
from acp.schema import AllowedOutcome, DeniedOutcome

from ipuaro_jupyter.acp.acp_questions import (
    choices_of,
    decision_of,
    remedies_of,
    remedy_of,
)
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.trouble import Remedy, Trouble

EDIT = Proposal(id="1", kind="edit", tool="edit_lines", title="Edit", path="a.ts")
TROUBLE = Trouble(kind="model", message="It does not answer.", options=("retry", "abort"))


def selected(option):
    return AllowedOutcome(outcome="selected", option_id=option)


@pytest.mark.parametrize(
    ("fields", "ids"),
    [
        ({}, ["apply", "reject"]),
        ({"pattern": "src/*"}, ["apply", "always", "reject"]),
        ({"check": ("tsc",)}, ["apply", "check", "reject"]),
    ],
)
def test_a_question_has_the_choices_that_it_allows(fields, ids):
    assert [one.option_id for one in choices_of(EDIT.model_copy(update=fields))] == ids


def test_what_would_be_remembered_is_named_with_its_hidden_characters():
    hiding = EDIT.model_copy(update={"pattern": "src/\u200b*"})
    assert choices_of(hiding)[1].name == "Apply and don't ask again for edit_lines src/[U+200B]*"


@pytest.mark.parametrize(
    ("outcome", "decision"),
    [
        (selected("apply"), Decision(action="apply")),
        (selected("always"), Decision(action="apply", remember=True)),
        (selected("check"), Decision(action="check")),
        (selected("reject"), Decision(action="reject")),
        (selected("anything"), Decision(action="reject")),
        (
            DeniedOutcome(outcome="cancelled"),
            Decision(action="reject", reason="the question was dismissed"),
        ),
    ],
)
def test_only_a_choice_to_apply_applies(outcome, decision):
    assert decision_of(outcome) == decision


def test_an_error_has_its_ways_to_go_on():
    assert [(one.option_id, one.kind) for one in remedies_of(TROUBLE)] == [
        ("retry", "allow_once"),
        ("abort", "reject_once"),
    ]
    assert remedy_of(TROUBLE, selected("retry")) == Remedy(action="retry")
    assert remedy_of(TROUBLE, selected("skip")).action == "abort"
    assert remedy_of(TROUBLE, DeniedOutcome(outcome="cancelled")).action == "abort"

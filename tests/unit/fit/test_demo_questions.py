"""The questions about the demo, held against its code as it is."""

import pytest
from fit_models import ANSWERS

from ipuaro_jupyter.agent.questions.message_kind import kind_of
from ipuaro_jupyter.fit.demo_questions import questions
from ipuaro_jupyter.fit.run_fit import TASKS
from ipuaro_jupyter.index.declared_lines import Declarations

QUESTIONS = questions()
each_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.text)


def test_there_are_as_many_questions_as_tasks():
    assert len({question.text for question in QUESTIONS}) == TASKS


@each_question
def test_what_a_right_answer_holds_stands_in_the_declaration(demo, question):
    path, name = question.of.split(":")
    assert path in {one.path for one in demo.project().index.definitions(name)}
    data = (demo.root / path).read_bytes()
    [at] = Declarations(path, data).named(name)
    lines = data.decode().splitlines()[at.start - 1 : at.end]
    assert question.is_answered_by("\n".join(lines))


@each_question
def test_a_model_has_to_answer_and_can(demo, question):
    """The index alone does not answer it, and the larger evidence holds the answer."""
    path, _ = question.of.split(":")
    assert kind_of(question.text).kind == "explanation"
    evidence = demo.evidence(question.text, tokens=1500)
    assert path in {one.symbol.path for one in evidence.excerpts}
    assert question.is_answered_by(evidence.text)


def test_an_answer_in_words_is_right_and_one_to_another_question_is_not():
    for question, answer in zip(QUESTIONS, ANSWERS, strict=True):
        assert question.is_answered_by(answer)
        assert not question.is_answered_by("`Notifier` tells every channel.")

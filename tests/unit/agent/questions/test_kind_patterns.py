"""The rules of each language."""

import re
from typing import get_args

import pytest

from ipuaro_jupyter.agent.questions.kind_patterns import languages
from ipuaro_jupyter.agent.questions.message_kind import Asks
from ipuaro_jupyter.records.evidence import QuestionKind

NAMES = ["en", "de", "es", "fr", "ru", "zh"]
EACH = pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)


def test_languages_are_six_with_english_first():
    assert [language.name for language in languages()] == NAMES


@EACH
def test_rules_of_a_language_say_what_a_sentence_may_be(language):
    told = {*get_args(QuestionKind), "assent", "decline", "fault", "steps", "unsure"}
    assert {rule.sentence for rule in language.rules} <= told
    assert {*get_args(QuestionKind)} <= {rule.sentence for rule in language.rules}


@EACH
def test_rules_of_a_language_ask_all_that_the_index_knows(language):
    structural = {rule.asks for rule in language.rules if rule.sentence == "structural"}
    assert structural == {*get_args(Asks)}


@EACH
def test_patterns_of_a_language_have_the_apostrophe_of_sentences(language):
    patterns = [
        rule.compiled(p).pattern for rule in language.rules for p in (*rule.match, *rule.unless)
    ]
    assert not [pattern for pattern in patterns if "'" in pattern]


@EACH
def test_patterns_of_a_language_find_nothing_in_nothing(language):
    patterns = [rule.compiled(p) for rule in language.rules for p in rule.match]
    assert not [pattern for pattern in patterns if pattern.search("")]


@pytest.mark.parametrize(
    ("sentence", "core"),
    [
        ("ok, can you please fix it?", "fix it"),
        ("Could you explain it?", "explain it"),
        ("please", "please"),
        ("how do I fix it?", "how do I fix it?"),
    ],
)
def test_core_is_what_a_sentence_says(sentence, core):
    assert languages()[0].core(sentence) == core


def test_hits_count_the_words_of_a_language():
    english, german, *_ = languages()
    assert english.hits("Where is the parser?") > german.hits("Where is the parser?")
    assert german.hits("Wo ist der Parser?") > english.hits("Wo ist der Parser?")


def test_a_rule_holds_unless_another_pattern_finds_something():
    rule = next(rule for rule in languages()[0].rules if rule.unless)
    assert isinstance(rule.compiled(rule.unless[0]), re.Pattern)
    assert rule.reads("") is None

"""The rules of each language."""

import re
from typing import get_args

import pytest

from ipuaro_jupyter.agent.questions.kind_patterns import languages
from ipuaro_jupyter.agent.questions.message_kind import Asks
from ipuaro_jupyter.records.evidence import QuestionKind

NAMES = ["en", "de", "es", "fr", "ru", "zh"]
EACH = pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
SENTENCES = [
    "how is a connection opened again after an error?",
    "find the cause and fix it",
    "what breaks if I rename \ue0000\ue001?",
    "add a test for the retry, please",
    "wo wird \ue0000\ue001 aufgerufen?",
    "explique pourquoi le test ne passe pas, puis corrige-le",
    "\u0434\u043e\u0431\u0430\u0432\u044c \u0442\u0435\u0441\u0442",
]


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


@EACH
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_pattern_finds_the_same_with_its_beginnings_looked_for_first(language, sentence):
    for rule in language.rules:
        found = [one for one in rule.match if rule.compiled(one).search(sentence)]
        barred = any(rule.compiled(one).search(sentence) for one in rule.unless)
        assert (rule.reads(sentence) is not None) == (bool(found) and not barred)

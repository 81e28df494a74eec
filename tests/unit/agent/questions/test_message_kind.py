"""The kind of a message, told by rules."""

import tomllib
from pathlib import Path

import pytest

from ipuaro_jupyter.agent.questions.message_kind import MessageKind, kind_of

HERE = Path(__file__).parent
SENTENCES = [
    (language, kind, text)
    for language, kinds in tomllib.loads(HERE.joinpath("sentences.toml").read_text("utf-8")).items()
    for kind, texts in kinds.items()
    for text in texts
]
LABELLED = HERE.parents[2] / "support" / "labelled_messages.tsv"


@pytest.mark.parametrize(("language", "kind", "text"), SENTENCES)
def test_kind_of_tells_what_a_message_asks_for(language, kind, text):
    assert kind_of(text).kind == kind, language


def test_kind_of_keeps_changes_and_explanations_of_labelled_messages_apart():
    rows = [line.split("\t") for line in LABELLED.read_text("utf-8").splitlines()]
    told = [
        (kind == "change", kind_of(text).kind == "change")
        for *_, kind, text in (row for row in rows if len(row) == 4)
        if text and kind in {"change", "explanation"}
    ]
    right = sum(label == found for label, found in told)
    assert len(told) > 70
    assert right / len(told) >= 0.97


@pytest.mark.parametrize(
    "text",
    [
        *("yes", "Yes, do it.", "ok", "go ahead", "Sure, please.", "sounds good", "do it"),
        *("ja, mach das", "Ja bitte", "oui, vas-y", "d'accord", "sí, hazlo", "adelante"),
        *("да, давай", "сделай", "好的", "就这么做吧", "可以"),
    ],
)
def test_kind_of_takes_an_assent_for_a_change_after_an_offer_only(text):
    assert kind_of(text, after_offer=True).kind == "change"
    assert kind_of(text).kind != "change"


@pytest.mark.parametrize("text", ["Yes, but why?", "no, don't change anything", "thanks!"])
def test_kind_of_takes_other_answers_to_an_offer_as_they_are(text):
    assert kind_of(text, after_offer=True).kind != "change"


@pytest.mark.parametrize("text", ["", "```python\nfix(it)\n```", "the parser", "Sum pretty print"])
def test_kind_of_marks_what_no_rule_reads(text):
    assert kind_of(text) == MessageKind("explanation", is_sure=False)


def test_kind_of_is_sure_of_an_error_that_a_program_printed():
    trace = (
        'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    f()\nValueError: x'
    )
    assert kind_of(trace) == MessageKind("explanation")


@pytest.mark.parametrize(
    ("text", "asks", "names"),
    [
        ("Where is `Foo.bar` defined?", "definition", ("Foo.bar",)),
        ("where is parse", "definition", ("parse",)),
        ("Where is load in src/app.py?", "definition", ("load", "src/app.py")),
        ("Where is the class that reads the settings defined?", "definition", ()),
        ("Who calls load_config()?", "callers", ("load_config",)),
        ("find all usages of the function parse", "users", ("parse",)),
        ("What imports @src/app.py?", "dependents", ("src/app.py",)),
        ("What does src/app.py import?", "dependencies", ("src/app.py",)),
        ("What breaks if I rename the parameter b of merge_all?", "impact", ("merge_all",)),
        ("What happens if I remove Foo?", "impact", ("Foo",)),
        ("How complex is `evaluate`?", "complexity", ("evaluate",)),
        ("What are the most complex functions?", "complexity", ()),
        ("Are there any TODOs in src/app.py?", "todos", ("src/app.py",)),
        ("Which files handle the login?", "files", ()),
        ("Wer ruft load_config auf?", "callers", ("load_config",)),
        ("Où est utilisée la fonction parse ?", "users", ("parse",)),
        ("¿Qué archivos importan utils?", "dependents", ("utils",)),
        ("Где определена функция parse?", "definition", ("parse",)),
        ("getUser在哪里被调用", "callers", ("getUser",)),
    ],
)
def test_kind_of_tells_what_a_structural_question_asks_about_which_names(text, asks, names):
    assert kind_of(text) == MessageKind("structural", asks=asks, names=names)


def test_kind_of_lets_a_change_in_any_sentence_count():
    assert kind_of("The build is broken.\n\n- fix the import\n- who calls `f`?").kind == "change"


def test_kind_of_lets_nothing_count_as_a_change_when_none_is_wanted():
    assert kind_of("Rename foo to bar. No, don't change anything yet.").kind != "change"

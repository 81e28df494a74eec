"""The sentences of a message, without code, output and quotations."""

import pytest

from ipuaro_jupyter.agent.questions.message_sentences import message_text


def sentences(message):
    text = message_text(message)
    return [text.restored(sentence.text) for sentence in text.sentences]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("It fails. Why?", ["It fails", "Why?"]),
        ("See app.py and v1.2. Then go on!", ["See app.py and v1.2", "Then go on"]),
        ("Errors, e.g. typos, are lost.", ["Errors, typos, are lost"]),
        ("它坏了。为什么\uff1f", ["它坏了", "为什么?"]),
        ("## Title\n- **one**\n2. two", ["Title", "one", "two"]),
        ("¿Por qué?", ["Por qué?"]),
        (f"{'a long line that was wrapped ' * 3}here\nand goes on", None),
    ],
)
def test_message_text_splits_sentences(message, expected):
    found = sentences(message)
    assert found == expected if expected else len(found) == 1


@pytest.mark.parametrize(
    "code",
    [
        "```\nremove it. Now.\n```",
        "~~~py\nfix the bug\n~~~",
        "> please fix it",
        "    fix(it)",
        "import os",
        "x = remove(y)",
        "delete(it)",
        "In [3]: fix it",
        "$ remove it",
        "<!-- fix\nit -->",
        "ValueError: fix the value",
        '  File "a.py", line 3, in fix\n    remove()',
        "    at fix (a.js:3:4)",
    ],
)
def test_message_text_leaves_out_what_is_no_sentence(code):
    assert sentences(f"Why is that?\n{code}\nIt fails.") == ["Why is that?", "It fails"]


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Is `a b` or 'c' in use?", ["a b", "c"]),
        ("See src/app.py, ./b and @Foo", ["src/app.py", "./b", "Foo"]),
        ("call load_config() or parse(x, y) or getUser of HttpClient", None),
        ("where is os.path.join", ["os.path.join"]),
        ("Plain words, don't count", []),
    ],
)
def test_message_text_finds_the_names_in_a_sentence(sentence, names):
    text = message_text(sentence)
    expected = ["load_config", "parse", "getUser", "HttpClient"] if names is None else names
    assert text.names_in(text.sentences[0].text) == expected


def test_message_text_is_not_misled_by_its_own_signs_of_places():
    assert sentences("Fix \ue0007\ue001") == ["Fix 7"]


def test_message_text_tells_items_of_a_list():
    told = [(one.text, one.is_item) for one in message_text("Do:\n1. add\n- cut\nend").sentences]
    assert told == [("Do", False), ("add", True), ("cut", True), ("end", False)]


def test_message_text_keeps_the_ends_of_a_long_message():
    found = sentences("First. " + "word " * 10_000 + "\n\n" + "Middle. " * 2000 + "Last?")
    assert found[0] == "First"
    assert found[-1] == "Last?"
    assert len(found) <= 60


def test_message_text_cuts_a_long_sentence_and_keeps_its_question_mark():
    (found,) = sentences("Is " + "word " * 200 + "right?")
    assert len(found) == 401
    assert found.endswith("?")

"""What a question says: its words, and what it names."""

import pytest

from ipuaro_jupyter.index.retrieval.asked import asked, looks_like_code, share_told

REPORT = """Retry loses its delay
The `delayOf` option of src/retry.ts is ignored, see `http.Client.send`.

```ts
client.send(request)
```

  File "lib/retry.py", line 12, in wait_for
    at Client.send (src/http/client.ts:30:5)
"""


def test_words_of_the_first_line_count_most():
    said = asked(REPORT)
    assert said.words["retri"] > said.words["ignor"] > 0
    assert said.written["ignor"] == "ignored"


def test_what_is_written_as_code_is_a_name():
    names = asked(REPORT).names
    assert {"delayOf", "http.Client.send", "Client", "send"} <= names.keys()
    assert "delay" not in names


def test_paths_and_frames_are_found():
    said = asked(REPORT)
    assert "src/retry.ts" in said.paths
    assert [(f.path, f.line, f.name) for f in said.frames] == [
        ("lib/retry.py", 12, "wait_for"),
        ("src/http/client.ts", 30, "send"),
    ]


@pytest.mark.parametrize("question", ["", "  \n ", "?!", "```\n```"])
def test_a_question_without_words_says_nothing(question):
    said = asked(question)
    assert not said.words
    assert not said.names


@pytest.mark.parametrize(
    ("name", "is_code"),
    [
        ("retryCount", True),
        ("retry_count", True),
        ("_wait", True),
        ("Retry", False),
        ("URL", False),
    ],
)
def test_names_of_code_are_told_from_words(name, is_code):
    assert looks_like_code(name) == is_code


def test_only_a_question_about_tests_wants_tests():
    assert asked("Which test covers retry?").wants_tests
    assert not asked("Where is the latest contest?").wants_tests


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("def login(name): check(name)", 1.0),
        ("def check(order): ...", 0.75),  # of the second sentence
        ("def shade(): ...", 0.0),
    ],
)
def test_a_text_is_about_a_question_that_has_what_a_sentence_tells(text, share):
    question = "How does the login work? Which checks are made, and in which order?"
    weights = {"login": 2.0, "check": 3.0, "mad": 1.0}
    assert share_told(question, weights, [text]) == share


def test_words_that_tell_nothing_are_no_doubt():
    assert share_told("How so?", {}, ["def login(): ..."]) == 1.0

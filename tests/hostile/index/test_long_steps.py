"""A text over which a parser takes minutes in a single step does not hold the kernel up."""

import threading
import time

import pytest

from ipuaro_jupyter.cancellation import CancelToken, watching
from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.index.storage import trial_worker
from ipuaro_jupyter.languages.bounded import ParsingTooSlow, parse
from ipuaro_jupyter.languages.registry import language_named

LONG = [
    ("java", b"a=>"),
    ("java", b"a(>"),
    ("rust", b"a(="),
    ("typescript", b"a=&"),
    ("tsx", b"a=&\n"),
]


@pytest.fixture(autouse=True)
def _index(make_index):
    """An index is open in this process."""
    make_index({"a.txt": ""})


@pytest.mark.parametrize(("name", "piece"), LONG)
def test_a_text_that_takes_one_step_long_is_refused_soon(name, piece):
    language = language_named(name)
    for size in (16_385, 60_000):
        began = time.thread_time()
        with pytest.raises(ParsingTooSlow):
            parse(language, piece * (size // len(piece)), seconds=0.5)
        assert time.thread_time() - began < 1


@pytest.mark.parametrize(
    ("name", "piece"),
    [*LONG, ("go", b"a(="), ("go", b"a<b,"), ("javascript", b"=&a"), ("python", b"a=&")],
)
def test_a_text_that_is_not_tried_takes_no_time(name, piece):
    language = language_named(name)
    text = piece * (language.safe_bytes // len(piece))
    began = time.thread_time()
    parse(language, text, seconds=0.5)
    assert time.thread_time() - began < 1


def test_stop_ends_a_trial():
    token, errors = CancelToken(), list[Exception]()

    def work():
        with watching(token):
            try:
                parse(language_named("java"), b"a=>" * 20_000, seconds=60)
            except (Cancelled, ParsingTooSlow) as error:
                errors.append(error)

    trial_worker.close()  # the next one has to start first, which takes a while
    thread = threading.Thread(target=work)
    thread.start()
    token.cancel()
    thread.join(5)
    assert [type(error) for error in errors] == [Cancelled]


def test_other_texts_are_parsed_after_one_that_was_refused():
    language = language_named("java")
    with pytest.raises(ParsingTooSlow):
        parse(language, b"a=>" * 20_000, seconds=2)
    text = b"class A { int f() { return 1; } }\n" * 1_000
    assert not parse(language, text, seconds=2).root_node.has_error


def test_a_java_file_that_takes_long_is_indexed_as_not_analysed(make_index):
    index, root = make_index({"A.java": b"a=>" * 5_000, "B.java": "class B {}\n"})
    began = time.thread_time()
    assert "A.java" in index.summary().not_analysed
    (root / "A.java").write_bytes(b"b=>" * 5_000)
    assert "took longer" in str(index.facts("A.java").parse_error)
    assert [s.path for s in index.definitions("B")] == ["B.java"]
    assert time.thread_time() - began < 2

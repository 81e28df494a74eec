"""Parsing ends, also where a text makes the parser quadratic."""

import sys
import tracemalloc

import pytest

from ipuaro_jupyter.languages.bounded import ParsingTooSlow, parse
from ipuaro_jupyter.languages.registry import language_named

QUADRATIC = b"a\n <B,\n" * 2500
SOURCE = "const é = '日本語';\nexport function f(a) { return a ? '😀' : é }\n".encode() * 3000


@pytest.mark.parametrize("data", [SOURCE, SOURCE[:3000], b"\xef\xbb\xbf" + SOURCE[:9000], b""])
def test_the_tree_is_that_of_the_plain_parser(data):
    language = language_named("typescript")
    bounded, plain = parse(language, data, seconds=60), language.parser.parse(data)
    assert bounded.root_node.has_error == plain.root_node.has_error
    assert [(n.type, n.start_byte, n.end_point) for n in bounded.root_node.children] == [
        (n.type, n.start_byte, n.end_point) for n in plain.root_node.children
    ]


def test_it_ends_and_the_next_file_is_parsed_from_its_beginning():
    language = language_named("tsx")
    for _ in range(3):
        with pytest.raises(ParsingTooSlow, match=r"longer than 0\.01 s"):
            parse(language, QUADRATIC, seconds=0.01)
        tree = parse(language, b"const a = 1\n" * 500, seconds=60)
        assert not tree.root_node.has_error
        assert len(tree.root_node.children) == 500


def test_a_text_is_not_kept_when_its_tree_is_gone():
    language = language_named("javascript")
    texts = [b"/* %s */" % (b"%d" % number * 100_000) for number in range(6)]
    parse(language, texts[0], seconds=5)
    tracemalloc.start()
    try:
        for text in texts:
            parse(language, text, seconds=5)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 2 * len(texts[0])


def test_a_text_is_not_kept_when_its_parsing_was_ended():
    language = language_named("javascript")
    text = b"f(1);\n" * 20_000
    tracemalloc.start()
    try:
        for _ in range(6):
            with pytest.raises(ParsingTooSlow):
                parse(language, text, seconds=0)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 2 * len(text)


def test_the_text_of_nodes_is_not_kept():
    tree = parse(language_named("javascript"), b"f(1);\n" * 10_000, seconds=5)
    nodes = tree.root_node.named_children[:1000]
    tracemalloc.start()
    try:
        assert {node.text for node in nodes} == {b"f(1);"}
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 100_000


def test_a_text_is_not_kept_while_something_reads_the_names_of_all_frames():
    def trace(frame, _event, _arg):
        assert frame.f_locals is not None
        return trace

    language = language_named("javascript")
    text = b"/* %s */" % (b"1" * 100_000)
    parse(language, text, seconds=5)
    tracemalloc.start()
    before = sys.gettrace()
    try:
        sys.settrace(trace)
        for _ in range(6):
            parse(language, text, seconds=5)
        sys.settrace(before)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        sys.settrace(before)
        tracemalloc.stop()
    assert kept < 2 * len(text)


def test_it_works_in_a_python_without_ctypes(monkeypatch):
    monkeypatch.setitem(sys.modules, "ctypes", None)
    tree = parse(language_named("javascript"), b"f(1);\n" * 10_000, seconds=5)
    assert len(tree.root_node.named_children) == 10_000

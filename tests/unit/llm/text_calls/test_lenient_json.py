"""JSON with the slips that models make."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.llm.text_calls.lenient_json import load_json

TEXTS = st.text(max_size=20)
PLAIN = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"]), max_size=20)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(value=VALUES, indent=st.sampled_from([None, 2]), ascii_only=st.booleans())
def test_what_is_json_is_read_the_same(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert load_json(text) == value


@given(value=st.dictionaries(PLAIN, PLAIN | st.lists(PLAIN, max_size=3), min_size=1, max_size=4))
def test_texts_of_python_are_read_the_same(value):
    assert load_json(repr(value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ("{'a': 'it\\'s \"x\"', 'b': True, 'c': None}", {"a": 'it\'s "x"', "b": True, "c": None}),
        ('{a: "x" b: -1.5e3}', {"a": "x", "b": -1500.0}),
        ('{"a": 1 // it\'s {\n, "b": /* } */ 2 # "\n}', {"a": 1, "b": 2}),
        ('{"a": {"b": [1, 2}', {"a": {"b": [1, 2]}}),
        ('{"a": "\\d+ C:\\Users \\n"}', {"a": "\\d+ C:\\Users \n"}),
        ("{\u201ca\u201d: \u201cb\u201d}", {"a": "b"}),
        ('{"a": "http://x # y",}', {"a": "http://x # y"}),
    ],
)
def test_slips_are_repaired(text, value):
    assert load_json(text) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"content": "cut in the mid',
        '{"content": "say "hi" there"}',
        "{'content': 'don't'}",
        '{"path": a.ts}',
        '{"a": }',
        '{"a": 1 "b"}',
        '{"a": 1, "a": 2,}',
        '{"a": NaN,}',
        '{"a" = 1}',
        "",
        "[" * 100_000,
    ],
)
def test_what_would_be_a_guess_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        load_json(text)


@pytest.mark.parametrize(
    "unit", ['{"a":', '"b" ', "it's ", "{a b ", ",", "}", '[{"1":{]', "//", "/*", "\\", "'\\"]
)
def test_hostile_text_takes_linear_time(unit):
    """A second is a hundred times what it takes."""
    began = time.process_time()
    with pytest.raises(ValueError, match=r"."):
        load_json('{"a": ' + unit * (60_000 // len(unit)))
    assert time.process_time() - began < 5

"""A list of objects in the forms that models write is the list that a tool takes."""

import json

import pytest

from ipuaro_jupyter.records.given_arguments import given_arguments
from ipuaro_jupyter.records.given_items import with_items

ITEMS = {
    "path": {"type": "string"},
    "start": {"type": "integer"},
    "end": {"type": "integer"},
    "content": {"type": "string"},
    "delete": {"type": "boolean"},
}
LIST = {"type": "array", "items": {"type": "object", "properties": ITEMS, "required": ["path"]}}
PARAMETERS = {"type": "object", "properties": {"changes": LIST}, "required": ["changes"]}
ONE = {"path": "a", "start": 1, "end": 2, "content": "x"}
NEW = {"path": "b", "content": "y"}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"changes": [ONE, NEW]}, [ONE, NEW]),
        ({"changes": json.dumps([ONE, NEW])}, [ONE, NEW]),
        ({"changes": [json.dumps(ONE), NEW]}, [ONE, NEW]),
        ({"changes": [[ONE], [NEW]]}, [ONE, NEW]),
        ({"changes": ONE}, [ONE]),
        ({"changes": [{"file": "a", "startLine": "1", "end_line": 2.0, "newCode": "x"}]}, [ONE]),
        ({"changes": [{"change": ONE}, {"edit": NEW}]}, [ONE, NEW]),
        ({"changes": [{**NEW, "start": None, "delete": None}]}, [NEW]),
        ({"changes": [{"path": "a", "delete": "true"}]}, [{"path": "a", "delete": True}]),
        ({"edits": [ONE]}, [ONE]),
        (
            {"files": [{"path": "a", "edits": [{k: ONE[k] for k in ("start", "end", "content")}]}]},
            [ONE],
        ),
        ([ONE, NEW], [ONE, NEW]),
        ([ONE], [ONE]),
        (ONE, [ONE]),
        (json.dumps([ONE, NEW]), [ONE, NEW]),
        ({"parameters": {"changes": [ONE]}}, [ONE]),
        ({"changes": [{**ONE, "content": '{"path": "b"}'}]}, [{**ONE, "content": '{"path": "b"}'}]),
        ({"changes": []}, []),
    ],
    ids=str,
)
def test_the_objects_are_under_the_tools_own_names(written, meant):
    found = given_arguments(PARAMETERS, written, changes=True)
    assert found.values == {"changes": meant}
    assert not found.problems


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ({"changes": "nonsense"}, "nonsense"),
        ({"changes": 3}, 3),
        ({"changes": [ONE, 3]}, [ONE, 3]),
        ({"changes": [[[[[ONE]]]]]}, [[[[[ONE]]]]]),
        ({"changes": [{**ONE, "note": {"text": "z"}}]}, [{**ONE, "note": {"text": "z"}}]),
        ({"changes": [{**ONE, "file": "b"}]}, [{**ONE, "file": "b"}]),
        ({"changes": [{**ONE, "ranges": 3}]}, [{**ONE, "ranges": 3}]),
    ],
    ids=str,
)
def test_what_cannot_be_understood_stays_as_it_is(written, kept):
    assert given_arguments(PARAMETERS, written, changes=True).values == {"changes": kept}


def test_arguments_of_other_tools_are_not_taken_for_a_list():
    other = {"type": "object", "properties": {"path": {"type": "string"}}, "required": []}
    assert given_arguments(other, {"path": "a"}).values == {"path": "a"}
    assert given_arguments(other, [{"path": "a"}, {"path": "b"}]) is None
    assert given_arguments(PARAMETERS, {"path": "a"}).values == {"path": "a"}


def test_a_schema_without_properties_is_no_list_of_objects():
    bare = {"type": "object", "properties": {"changes": {"type": "array", "items": {}}}}
    assert given_arguments(bare, {"changes": [ONE]}).values == {"changes": [ONE]}


def test_the_objects_in_a_call_are_found():
    call = {"changes": [ONE, "text", NEW], "path": "c"}
    assert list(with_items(call)) == [call, ONE, NEW]

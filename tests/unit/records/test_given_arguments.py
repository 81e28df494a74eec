"""Arguments in the names and forms that models use are those of the tool."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.records.given_arguments import given_arguments
from ipuaro_jupyter.records.parameter_names import likely_parameters, meant_parameters


def _parameters(required=(), **types):
    entries = {}
    for name, kind in types.items():
        entry = {"type": kind}
        if kind == "array":
            entry["items"] = {"type": "string"}
        entries[name] = entry
    return {"type": "object", "properties": entries, "required": list(required)}


LINES = _parameters(["path"], path="string", start="integer", end="integer")
GREP = _parameters(
    ["pattern"],
    pattern="string",
    path="string",
    use_regex="boolean",
    include_files="string",
    limit="integer",
)
EDIT = _parameters(
    ["path", "start", "end", "content"],
    path="string",
    start="integer",
    end="integer",
    content="string",
)
UPDATE = _parameters(["path", "target", "patch"], path="string", target="string", patch="string")
COMMIT = _parameters(["message"], message="string", files="array")
FUNCTION = _parameters(["path", "name"], path="string", name="string")
BASH = _parameters(["command"], command="string", cwd="string", env="object", timeout="integer")


@pytest.mark.parametrize(
    ("parameters", "written", "meant"),
    [
        (LINES, {"file": "a", "startLine": 2, "line_end": 3}, {"path": "a", "start": 2, "end": 3}),
        (LINES, {"File-Path": "a", "from": 2, "to": 3}, {"path": "a", "start": 2, "end": 3}),
        (LINES, {"filename": "a", "line": 2}, {"path": "a", "start": 2}),
        (LINES, {"path": "a", "offset": 2}, {"path": "a", "start": 2}),
        (LINES, {"path": "a", "file": "a"}, {"path": "a"}),
        (GREP, {"query": "x", "directory": "src"}, {"pattern": "x", "path": "src"}),
        (GREP, {"regex": "x"}, {"pattern": "x"}),
        (GREP, {"pattern": "x", "regex": True}, {"pattern": "x", "use_regex": True}),
        (GREP, {"glob": "*.py", "query": "x"}, {"pattern": "x", "include_files": "*.py"}),
        (GREP, {"search_term": "x", "max_results": "5"}, {"pattern": "x", "limit": 5}),
        (
            EDIT,
            {"file": "a", "start_line": 1, "end_line": 1, "new_string": "x"},
            {"path": "a", "start": 1, "end": 1, "content": "x"},
        ),
        (
            UPDATE,
            {"file_path": "a", "old_string": "1", "new_string": "2"},
            {"path": "a", "target": "1", "patch": "2"},
        ),
        (
            UPDATE,
            {"path": "a", "search": "1", "replace": "2"},
            {"path": "a", "target": "1", "patch": "2"},
        ),
        (COMMIT, {"commit_message": "x", "paths": ["a"]}, {"message": "x", "files": ["a"]}),
        (FUNCTION, {"file": "a", "function_name": "f"}, {"path": "a", "name": "f"}),
        (BASH, {"cmd": "ls", "directory": "src"}, {"command": "ls", "cwd": "src"}),
    ],
)
def test_other_usual_names_are_understood(parameters, written, meant):
    assert given_arguments(parameters, written) == (meant, ())


@pytest.mark.parametrize(
    "written",
    [
        {"parameters": {"path": "a", "start": 2}},
        {"arguments": '{"path": "a", "start": 2}'},
        {"input": {"args": {"path": "a", "start": 2}}},
        {"name": "get_lines", "arguments": {"path": "a", "start": 2}},
        {"path": "a", "kwargs": {"start": 2}},
        {"path": {"type": "string", "value": "a"}, "start": {"value": 2}},
        {"path": {"path": "a"}, "start": 2, "end": None},
        {"path": "a", "start": "2", "end": "null"},
        {"path": ["a"], "start": 2.0, "end": "None"},
        {"path": "a", "start": " 2 ", "end": ""},
        [{"path": "a", "start": 2}],
        '{"path": "a", "start": 2}',
        "{'path': 'a', 'start': 2}",
    ],
)
def test_wrapped_arguments_and_texts_are_unwrapped(written):
    assert given_arguments(LINES, written) == ({"path": "a", "start": 2}, ())


@pytest.mark.parametrize(
    ("written", "files"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        ("a,b", ["a", "b"]),
        ("a, b", ["a", "b"]),
        ("a", ["a"]),
        ("src/{a,b}.ts", ["src/{a,b}.ts"]),
        (["a,b"], ["a,b"]),
    ],
)
def test_a_text_is_a_list_where_one_is_wanted(written, files):
    values = given_arguments(COMMIT, {"message": "x", "files": written}).values
    assert values["files"] == files


def test_values_are_of_the_type_that_is_wanted():
    written = {"pattern": "7", "use_regex": "True", "limit": "3.0"}
    values = given_arguments(GREP, written).values
    assert values == {"pattern": "7", "use_regex": True, "limit": 3}
    assert values["use_regex"] is True
    env = given_arguments(BASH, {"command": "x", "env": '{"A": "b"}'}).values["env"]
    assert env == {"A": "b"}
    assert given_arguments(BASH, {"command": "x", "env": {"value": "b"}}).values["env"] == {
        "value": "b"
    }


def test_two_names_for_one_thing_with_different_values_are_a_problem():
    problems = given_arguments(LINES, {"path": "a", "file": "b"}).problems
    assert problems == ("'path' and 'file' mean the same parameter, but differ: 'a' and 'b'",)


def test_doubtful_names_are_not_guessed_for_what_changes_something():
    written = {"path": "a", "offset": 1, "end": 2, "content": "x"}
    assert given_arguments(EDIT, written, changes=True).values == written
    two = _parameters(["content", "pattern"], content="string", pattern="string")
    given = given_arguments(two, {"text": "x"}, changes=True)
    assert given == ({"text": "x"}, ("'text' could mean 'content' or 'pattern': say which",))


@pytest.mark.parametrize("written", ["a", 7, [1], ["a", "b"], [{}, {}], "[1, 2]"])
def test_what_holds_no_names_is_no_arguments(written):
    assert given_arguments(LINES, written) is None


def test_names_stay_where_the_tool_takes_any():
    open_ = {**LINES, "additionalProperties": True}
    assert given_arguments(open_, {"file": "a", "start": "2"}).values == {"file": "a", "start": 2}
    assert given_arguments(_parameters(), {"input": {}}).values == {}
    assert given_arguments(_parameters(), {"x": 1}).values == {"x": 1}


NAMES = st.sampled_from(["path", "file", "q", "text", "start", "line", "to", "regex", "x", "name"])
VALUES = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["a", "2", "null", "[]"])


@given(st.sampled_from([LINES, GREP, EDIT, UPDATE]), st.dictionaries(NAMES, VALUES))
def test_what_is_understood_once_stays(parameters, written):
    once = given_arguments(parameters, written)
    if not once.problems:
        assert given_arguments(parameters, once.values) == once


@given(st.dictionaries(NAMES, VALUES))
def test_no_argument_gets_lost_or_changes_a_parameter_given_by_its_name(written):
    known = set(LINES["properties"])
    values = given_arguments(LINES, written).values
    for name in known & written.keys():
        if isinstance(written[name], str) and name == "path":
            assert values[name] == written[name]
    unexplained = {n for n, v in written.items() if v is not None and n in {"x", "regex"}}
    assert unexplained <= values.keys()


def test_a_spelling_of_the_name_itself_comes_before_all_others():
    assert likely_parameters("start_line", ["start", "startLine"]) == ("startLine",)
    assert meant_parameters(["file", "dir"], ["file_name", "directory"]) == {}


NUMBERS = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "numbers": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["path"],
}


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ({"path": "a", "numbers": "1 and 2"}, {"path": "a", "numbers": "1 and 2"}),
        ([], {}),
        ({"input": {"args": {"params": {"path": "a"}}}}, {"path": "a"}),
        ({"file": {"x": 1}}, {"file": {"x": 1}}),
    ],
)
def test_what_is_not_understood_stays_as_it_is(written, values):
    assert given_arguments(NUMBERS, written).values == values


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (["a", "b"], "a\nb"),
        (["a\n", "b\n"], "a\nb\n"),
        (["  a", "", "b"], "  a\n\nb"),
        (["a"], "a"),
        (["a", 1], ["a", 1]),
        ([], []),
    ],
)
def test_a_list_of_lines_is_their_text(content, text):
    assert given_arguments(WRITE, {"path": "a", "content": content}).values["content"] == text


def test_a_list_of_paths_is_no_path():
    assert given_arguments(WRITE, {"path": ["a", "b"], "content": "x"}).values["path"] == ["a", "b"]


def test_arguments_may_be_a_json_text():
    written = '{"path": "a", "content": ["a", "b"]}'
    assert given_arguments(WRITE, {"arguments": written}).values == {"path": "a", "content": "a\nb"}


WRITE = _parameters(["path", "content"], path="string", content="string")

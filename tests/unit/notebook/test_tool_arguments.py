import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.tool_arguments import read_arguments

LINES = {"path": {"type": "string"}, "start": {"type": "integer"}, "all": {"type": "boolean"}}


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("", {}),
        ('{"path": "a b.ts", "start": 2}', {"path": "a b.ts", "start": 2}),
        ("path=a.ts start=2 all=true", {"path": "a.ts", "start": 2, "all": True}),
        ("a.ts 2", {"path": "a.ts", "start": 2}),
        ("a.ts all=true start=2", {"path": "a.ts", "all": True, "start": 2}),
        ("'a b.ts' all=false", {"path": "a b.ts", "all": False}),
        ("path=2", {"path": "2"}),
        ("unknown=2", {"path": "unknown=2"}),
        ("a=b 3", {"path": "a=b", "start": 3}),
        ("'strat=1' start=2", {"path": "strat=1", "start": 2}),
        ('"FOO=1 make" start=2', {"path": "FOO=1 make", "start": 2}),
        ('"x = 1"', {"path": "x = 1"}),
        ('path="a = \\"b\\""', {"path": 'a = "b"'}),
        ("a.ts two", {"path": "a.ts", "start": "two"}),
    ],
)
def test_arguments_are_read(line, arguments):
    assert read_arguments(line, LINES) == arguments


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a.ts 1 true more", "one argument too many"),
        ("{path: 1}", "no JSON object"),
        ("'a", "No closing quotation"),
        ("path=a.ts strat=1", "no argument 'strat'. Did you mean start="),
        ("path=a.ts what=1", "no argument 'what'.*There are: path, start, all"),
        ("pth=a.ts", "Did you mean path="),
        ("page=a.ts from=1", "no argument 'page'"),
        ('text="a b"', "no argument 'text'"),
        ("path=a b.ts", "'b.ts' comes after path="),
        ("start=2 a.ts", "'a.ts' comes after start="),
    ],
)
def test_what_cannot_be_read_is_said(line, message):
    with pytest.raises(SettingsError, match=message):
        read_arguments(line, LINES)


@pytest.mark.parametrize("line", ["sym=echo", "sym=echo path=src"])
def test_a_symbol_has_no_equals_sign(line):
    properties = {"symbol": {"type": "string"}, "path": {"type": "string"}}
    with pytest.raises(SettingsError, match="There is no argument 'sym'"):
        read_arguments(line, properties)
    assert read_arguments("echo a=b", properties) == {"symbol": "echo", "path": "a=b"}
    assert read_arguments("'sym=echo'", properties) == {"symbol": "sym=echo"}


COMMIT = {
    "message": {"type": "string"},
    "files": {"type": "array", "items": {"type": "string"}},
    "lines": {"type": "array", "items": {"type": "integer"}},
    "env": {"type": "object"},
}


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("files=src/a.ts", {"files": ["src/a.ts"]}),
        ("files=a.ts,b.ts", {"files": ["a.ts", "b.ts"]}),
        ("files='a b.ts, c.ts'", {"files": ["a b.ts", "c.ts"]}),
        ('files=["src/a.ts"]', {"files": ["src/a.ts"]}),
        ('files=["a b.ts", "c,d.ts"] message=m', {"files": ["a b.ts", "c,d.ts"], "message": "m"}),
        ("files='[\"a.ts\"]'", {"files": ["a.ts"]}),
        ("m a.ts", {"message": "m", "files": ["a.ts"]}),
        ('m ["a.ts"]', {"message": "m", "files": ["a.ts"]}),
        ("files=", {"files": ""}),
        ("lines=1,2", {"lines": [1, 2]}),
        ("lines=[1, 2]", {"lines": [1, 2]}),
        ('env={"A": "1 2"}', {"env": {"A": "1 2"}}),
        ('message=["x"]', {"message": "[x]"}),
    ],
)
def test_lists_are_words_with_commas_or_json(line, arguments):
    assert read_arguments(line, COMMIT) == arguments


def test_other_usual_names_of_a_parameter_are_understood():
    assert read_arguments("file=a.ts from=2", LINES) == {"path": "a.ts", "start": 2}

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
        ("start=2 a.ts", {"start": 2, "path": "a.ts"}),
        ("'a b.ts' all=false", {"path": "a b.ts", "all": False}),
        ("path=2", {"path": "2"}),
        ("unknown=2", {"path": "unknown=2"}),
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
    ],
)
def test_what_cannot_be_read_is_said(line, message):
    with pytest.raises(SettingsError, match=message):
        read_arguments(line, LINES)

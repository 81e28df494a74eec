"""Which names in quotes count as occurrences, and which strings are data."""

import tomllib
from pathlib import Path

import pytest

from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.index.extract.postings import MEMBER, UNSURE, offset_of, places, role_of

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@pytest.fixture
def quoted():
    """Return a function from a line of Python to the texts behind ``Foo`` in quotes."""

    def find(line):
        data = line.encode()
        found = places(parse_file("a.py", data)[0].postings, "Foo")
        return [data[offset_of(place) :].decode() for place in found if role_of(place) == UNSURE]

    return find


@pytest.mark.parametrize("line", CASES["a_string_in_a_place_for_a_type_has_names"])
def test_a_string_in_a_place_for_a_type_has_names(quoted, line):
    assert len(quoted(line)) == 1
    assert quoted(line)[0].startswith("Foo")


@pytest.mark.parametrize("line", CASES["all_other_strings_are_data"])
def test_all_other_strings_are_data(quoted, line):
    assert quoted(line) == []


def test_keywords_in_quotes_are_no_names():
    parsed, *_ = parse_file("a.py", b'x: "Foo | None"\n')
    assert places(parsed.postings, "None") == ()


def test_entries_of_the_list_of_exports_are_told_from_other_places():
    text = (
        "__all__ = ['Foo', 'a b'] + ['Foo']\n__all__ += ('Foo',)\n"
        "if 1:\n    __all__.extend(['Foo'])\n    __all__.append('Foo')\n"
        "__all__.index('Foo'); other = ['Foo']\n"
    )
    found = places(parse_file("a.py", text.encode())[0].postings, "Foo")
    assert [role_of(place) for place in found] == [MEMBER] * 5

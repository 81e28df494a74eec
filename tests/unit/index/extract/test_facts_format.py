"""Stored facts: what goes in comes out, without the names of the fields."""

from pathlib import Path

import pytest

from ipuaro_jupyter.index.extract.facts_format import pack_facts, unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.languages.registry import languages

SAMPLES = sorted(s for language in languages().values() for s in language.folder.glob("sample.*"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_unpacking_undoes_packing(sample):
    answer, *_ = parse_file(sample.name, sample.read_bytes())
    facts = unpack_facts(answer.facts)
    assert pack_facts(facts) == answer.facts
    assert facts["path"] == sample.name
    assert facts["hash"] == answer.hash


def test_names_of_fields_are_not_stored():
    data = Path(__file__).parents[3] / "projects" / "harbour" / "src" / "ship.ts"
    blob = parse_file("ship.ts", data.read_bytes())[0].facts
    assert b"line_start" not in blob
    assert b"is_exported" not in blob


def test_a_record_without_a_field_is_refused():
    facts = unpack_facts(parse_file("a.ts", b"function f() {}")[0].facts)
    del facts["functions"][0]["kind"]
    with pytest.raises(KeyError, match="kind"):
        pack_facts(facts)

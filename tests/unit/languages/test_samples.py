"""Every language's sample yields its expected facts."""

import json

import pytest

from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.languages.registry import languages
from ipuaro_jupyter.records.code import FileFacts


@pytest.mark.parametrize("language", languages().values(), ids=lambda language: language.name)
def test_a_sample_yields_its_expected_facts(language):
    """Where this fails for a new language, check what it prints and save it as expected.json."""
    (sample,) = language.folder.glob("sample.*")
    answer, *_ = parse_file(sample.name, sample.read_bytes())
    facts = FileFacts.model_validate(unpack_facts(answer.facts))
    assert facts.language == language.name
    found = facts.model_dump(
        mode="json", exclude_defaults=True, exclude={"path", "hash", "size", "language"}
    )
    file = language.folder / "expected.json"
    expected = json.loads(file.read_text("utf-8")) if file.exists() else None
    assert found == expected, json.dumps(found, indent=1, ensure_ascii=False)


@pytest.mark.parametrize("language", languages().values(), ids=lambda language: language.name)
def test_a_sample_shows_what_the_language_can(language):
    """A sample holds a marker; one with code functions and imports, one with data keys."""
    expected = json.loads((language.folder / "expected.json").read_text("utf-8"))
    assert expected["todos"]
    if language.is_code:
        assert expected["functions"]
        assert expected["imports"]
    elif language.is_parsed:
        assert expected["variables"]

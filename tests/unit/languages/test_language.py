"""Languages are folders: what may be in them, and what is refused."""

import os

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.languages.language import CAPTURES
from ipuaro_jupyter.languages.language_folder import load
from ipuaro_jupyter.languages.registry import language_for, language_named, languages
from ipuaro_jupyter.languages.syntax import read_syntax
from ipuaro_jupyter.languages.tables import LanguageError

TOY = """
name = "toy"
extensions = [".toy"]
grammar = "tree_sitter_bash:language"
queries = ["toy.scm"]

[comments]
line = ["#"]
"""
TOY_QUERY = """
(comment) @comment
(word) @identifier
(variable_name) @identifier
(function_definition) @function
(if_statement) @branch
(elif_clause) @decision
"""


@pytest.fixture
def toy(tmp_path):
    """A folder with a language that the package does not know."""
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / "language.toml").write_text(TOY)
    (folder / "toy.scm").write_text(TOY_QUERY)
    return folder


def test_a_folder_is_a_language(toy):
    language = load(toy)
    assert (language.name, language.extensions, language.is_parsed) == ("toy", (".toy",), True)
    syntax = read_syntax(language, b"run() {\n  echo hi # TODO: louder\n}\n")
    assert [node.type for node in syntax.captures["function"]] == ["function_definition"]


def test_a_folder_on_the_search_path_is_indexed_like_any_other(toy, monkeypatch):
    monkeypatch.setenv("IPUARO_LANGUAGES", str(toy.parent))
    found = language_for("src/a.toy")
    assert found is not None
    source = b"run() {\n  if true; then echo hi; fi # TODO: louder\n}\n"
    facts = unpack_facts(parse_file("src/a.toy", source)[0].facts)
    assert [(f["name"], f["line_start"], f["line_end"]) for f in facts["functions"]] == [
        ("run", 1, 3)
    ]
    assert facts["todos"] == [{"line": 2, "type": "TODO", "text": "louder"}]
    assert facts["metrics"] == {"loc": 3, "nesting_depth": 1, "cyclomatic_complexity": 2}
    assert facts["language"] == "toy"


def test_a_relative_search_path_is_refused(toy, monkeypatch):
    monkeypatch.chdir(toy.parent)
    monkeypatch.setenv("IPUARO_LANGUAGES", ".")
    with pytest.raises(SettingsError, match=r"IPUARO_LANGUAGES names '\.', .* no absolute path"):
        language_for("src/a.toy")


def test_a_search_path_that_is_missing_is_refused(toy, monkeypatch, make_project, open_assistant):
    gone = str(toy.parent / "gone")
    monkeypatch.setenv("IPUARO_LANGUAGES", f"{toy.parent}{os.pathsep}{gone}")
    with pytest.raises(SettingsError, match=f"LANGUAGES names '{gone}', which is no folder"):
        open_assistant(make_project({"src/a.toy": "run() {\n  echo hi\n}\n"}), [])


def test_the_search_path_may_begin_with_the_home(toy, monkeypatch):
    monkeypatch.setenv("HOME", str(toy.parent))
    monkeypatch.setenv("IPUARO_LANGUAGES", "~/")
    assert language_for("src/a.toy") is not None


def test_without_the_search_path_it_is_not_there():
    assert language_for("src/a.toy") is None
    assert "toy" not in languages()


def test_an_unknown_capture_is_refused_with_the_vocabulary(toy):
    (toy / "toy.scm").write_text("(word) @wordy")
    with pytest.raises(LanguageError, match=r"unknown captures wordy.*identifier"):
        load(toy).query  # noqa: B018 - compiled at its first use


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("colour = 1", "unknown keys colour"),
        ("[tables]\nkinds = []", "unknown tables kinds"),
        ("[tables.modifiers]\nloud = ['!']", "unknown tables loud"),
    ],
)
def test_an_unknown_key_is_refused(toy, line, message):
    text = TOY.replace("\n[comments]", f"\n{line}\n[comments]")
    (toy / "language.toml").write_text(text)
    with pytest.raises(LanguageError, match=message):
        load(toy)


@pytest.mark.parametrize(
    ("text", "message"),
    [("name = ", "is not valid TOML"), ("extensions = ['.x']", "name is missing")],
)
def test_a_table_that_cannot_be_used_is_refused(toy, text, message):
    (toy / "language.toml").write_text(text)
    with pytest.raises(SettingsError, match=message):
        load(toy)


def test_a_folder_without_its_table_is_refused(tmp_path):
    with pytest.raises(LanguageError, match=r"needs a language\.toml"):
        load(tmp_path)


def test_tables_are_laid_over_those_of_the_language_that_is_extended():
    javascript, tsx = language_named("javascript").tables, language_named("tsx").tables
    assert javascript.parameters.keys() < tsx.parameters.keys()
    assert "abstract_class_declaration" not in javascript.objects
    assert tsx.bound_values["variable_declarator"] > javascript.bound_values["variable_declarator"]


def test_every_capture_of_the_vocabulary_is_used_by_some_language():
    used = set()
    for language in languages().values():
        if language.grammar is not None:
            for query in filter(None, (language.query, language.details_query)):
                used |= {query.capture_name(i) for i in range(query.capture_count)}
    assert set(CAPTURES) == {name for name in used if not name.startswith("_")}


def test_each_extension_has_one_language():
    seen = [e for language in languages().values() for e in language.extensions]
    assert len(seen) == len(set(seen))

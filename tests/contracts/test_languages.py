"""A language is one folder: adding one touches nothing else, and what it may say is published."""

import json
import re
from pathlib import Path

import pytest

import ipuaro_jupyter
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.languages import language as vocabulary
from ipuaro_jupyter.languages.registry import languages
from ipuaro_jupyter.records.code import FileFacts

ROOM = Path(ipuaro_jupyter.__file__).parent / "languages"
LANGUAGE = """
name = "quay"
extensions = [".quay"]
grammar = "tree_sitter_bash:language"
queries = ["quay.scm"]

[comments]
line = ["#"]
"""
QUERY = """
(comment) @comment
[(word) (variable_name)] @identifier
(function_definition) @function
[(if_statement) (while_statement) (for_statement)] @branch
(case_statement) @branch.block
[(elif_clause) (case_item) "&&" "||"] @decision
"""
SAMPLE = """# TODO: a crane
load() {
  if test "$1" && test "$2"; then
    for ship in a b; do echo "$ship"; done
  elif true; then
    return 1
  fi
}

unload() { echo "# FIXME: no"; } # HACK(ada): slow
"""
EXPECTED = {
    "functions": [("load", 2, 8, 5, 2), ("unload", 10, 10, 1, 0)],
    "todos": [(1, "TODO", "a crane"), (10, "HACK", "slow")],
    "metrics": {"loc": 8, "nesting_depth": 2, "cyclomatic_complexity": 5},
}


@pytest.fixture
def quay(tmp_path, monkeypatch):
    """A folder with a language that the package does not know, on the search path."""
    folder = tmp_path / "languages" / "quay"
    folder.mkdir(parents=True)
    (folder / "language.toml").write_text(LANGUAGE)
    (folder / "quay.scm").write_text(QUERY)
    (folder / "sample.quay").write_text(SAMPLE)
    (folder / "expected.json").write_text(json.dumps(EXPECTED))
    monkeypatch.setenv("IPUARO_LANGUAGES", str(folder.parent))
    return folder


def test_a_folder_alone_makes_a_language(quay):
    sample = (quay / "sample.quay").read_bytes()
    answer, *_ = parse_file("docks/sample.quay", sample)
    facts = FileFacts.model_validate(unpack_facts(answer.facts))
    assert facts.language == "quay"
    found = {
        "functions": [
            (f.name, f.line_start, f.line_end, f.cyclomatic, f.nesting) for f in facts.functions
        ],
        "todos": [(t.line, t.type, t.text) for t in facts.todos],
        "metrics": facts.metrics.model_dump(),
    }
    assert json.loads(json.dumps(found)) == json.loads((quay / "expected.json").read_text())


def test_the_index_finds_what_a_new_language_declares(quay, make_project, open_assistant):
    files = {"docks/sample.quay": (quay / "sample.quay").read_text()}
    call = open_assistant(make_project(files), []).call
    (definition,) = call("find_definition", {"symbol": "unload"}).to_dict()["output"]["definitions"]
    assert (definition["path"], definition["line"]) == ("docks/sample.quay", 10)
    assert call("get_function", {"path": "docks/sample.quay", "name": "load"}).success
    (row,) = call("get_complexity", {}).to_dict()["output"]["files"]
    assert row["cyclomaticComplexity"] == EXPECTED["metrics"]["cyclomatic_complexity"]
    assert call("get_todos", {}).to_dict()["output"]["summary"]["total"] == 2


def test_every_capture_of_a_query_is_in_the_published_vocabulary():
    """What a capture means is said once, in the docstring of languages/language.py."""
    published = set(re.findall(r"[a-z]+(?:\.[a-z]+)?", vocabulary.__doc__ or ""))
    for query in sorted(ROOM.glob("*/*.scm")):
        text = re.sub(r";[^\n]*|\"(?:[^\"\\]|\\.)*\"", "", query.read_text("utf-8"))
        used = {name for name in re.findall(r"@([\w.]+)", text) if not name.startswith("_")}
        unknown = used - set(vocabulary.CAPTURES)
        assert not unknown, f"{query}: {unknown} stand not in CAPTURES of languages/language.py"
        untold = used - published
        assert not untold, f"{query}: say in languages/language.py what {untold} are"


def test_every_folder_has_what_a_language_needs():
    for language in languages().values():
        files = {path.name for path in language.folder.iterdir()}
        assert len([name for name in files if name.startswith("sample.")]) == 1, language.name
        assert {"language.toml", "expected.json"} <= files, language.name


def test_no_other_room_names_the_kinds_of_nodes_of_python():
    """They are in languages/python: what the index has to know it reads from the tables there."""
    kinds = (
        *("class_definition", "decorated_definition", "import_from_statement", "aliased_import"),
        *("typed_parameter", "list_splat_pattern", "match_statement", "case_clause"),
    )
    for path in ROOM.parent.rglob("*.py"):
        if path.is_relative_to(ROOM):
            continue
        named = {kind for kind in kinds if f'"{kind}"' in path.read_text("utf-8")}
        assert not named, f"{path} names {named}: move them to a table of language.toml"


def test_a_language_that_comes_or_goes_is_no_reason_to_change_the_files(
    quay, make_project, open_assistant, monkeypatch
):
    root = make_project({"docks/sample.quay": (quay / "sample.quay").read_text()})

    def definitions():
        with open_assistant(root, []) as assistant:
            found = assistant.call("find_definition", {"symbol": "unload"})
        return len(found.to_dict()["output"]["definitions"])

    search_path = str(quay.parent)
    counts = []
    for value in ("", search_path, ""):
        monkeypatch.setenv("IPUARO_LANGUAGES", value)
        counts.append(definitions())
    assert counts == [0, 1, 0]

"""Facts of languages that only their query describes."""

import msgspec

from ipuaro_jupyter.index.extract import postings
from ipuaro_jupyter.index.extract.parse import parse_file


def test_names_in_comments_and_strings_are_no_occurrences():
    answer, *_ = parse_file("a.go", b'package a\n// Run\nfunc Run() { b.Run("Run", `Run`) }\n')
    assert len(postings.offsets(answer.postings, "Run")) == 2
    assert msgspec.msgpack.decode(answer.definitions) == {"Run": [22]}


def test_what_a_missing_grammar_needs_is_told(read_facts, tmp_path, monkeypatch):
    folder = tmp_path / "quay"
    folder.mkdir()
    toml = 'name = "quay"\nextensions = [".quay"]\nreader = "grammar"\nmodules = "none"\n'
    comments = '[comments]\nline = ["#"]\n'
    (folder / "language.toml").write_text(
        f'{toml}grammar = "tree_sitter_quay:language"\n{comments}'
    )
    monkeypatch.setenv("IPUARO_LANGUAGES", str(tmp_path))
    facts = read_facts("load() # TODO: crane\n", "a.quay")
    assert facts.parse_error == (
        "Not analysed: the grammar of quay is not installed: pip install tree-sitter-quay."
    )
    assert [todo.text for todo in facts.todos] == ["crane"]
    (folder / "language.toml").write_text(
        f'{toml}extra = "languages"\ngrammar = "tree_sitter_quay:language"\n{comments}'
    )
    monkeypatch.setenv("IPUARO_LANGUAGES", f"{tmp_path}/")
    told = read_facts("", "a.quay").parse_error
    assert told is not None
    assert told.endswith("pip install 'ipuaro_jupyter[languages]'.")

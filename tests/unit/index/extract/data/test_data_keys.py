"""The top-level keys of data files."""

import json

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from ipuaro_jupyter.index.extract.data.data_keys import MOST_KEYS, keys_of


def keys(style, text):
    data = text if isinstance(text, bytes) else text.encode()
    return [record["name"] for record in keys_of(style, data)[0]]


def lines(style, text):
    records, _ = keys_of(style, text.encode())
    return [(r["name"], r["line_start"], r["line_end"]) for r in records]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1, "b": {"c": 2}, "d": [{"e": 3}]}', ["a", "b", "d"]),
        ('{"": 1, "x\\n\\u00e9\\"y": 2}', ["", 'x\né"y']),
        ('{ // "no": 1\n "a": 1, /* "no": 2, */ "b": "// no", }', ["a", "b"]),
        ("{a: 1, 'b\\'c': 2, $d_1: [x]}", ["a", "b'c", "$d_1"]),
        ('[{"a": 1}]', []),
        ('"a"', []),
        ("", []),
        ('{"a": 1}\n{"b": 2}\n', ["a", "b"]),
        ('{"a" 1, "b": , "c": {', ["b", "c"]),
        ('{"a": 1', ["a"]),
        ('\ufeff{"a": 1}', ["a"]),
        ('{"half \\ud800": 1}', ["half ?"]),
        ('{"open\n: 1, "b": 2}', ["open", "b"]),
    ],
)
def test_json_keys(text, found):
    assert keys("json", text) == found


def test_json_keys_have_the_lines_of_their_values():
    assert lines("json", '{\n  "a": {\n    "x": 1\n  },\n  "b": 2, "c": [\n]}\n') == [
        ("a", 2, 4),
        ("b", 5, 5),
        ("c", 5, 6),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: 1\nb:\n  c: 2\nd:\n- e: 1\n", ["a", "b", "d"]),
        ("# c: 1\n\n%YAML 1.2\n---\na: 1 # b: 2\n", ["a"]),
        ("\"x\\ty\\u00e9\": 1\n'it''s': 2\n\"\": 3\n", ["x\tyé", "it's", ""]),
        ("a: 1\n---\na: 2\nb: 3\n...\n---\nc: 1\n", ["a", "a", "b", "c"]),
        ("a: |\n  b: 1\nc: >-\n  d: 1\n", ["a", "c"]),
        ('a: "x\n  b: y\nc: z"\nd: 1\n', ["a", "d"]),
        ("a: {b: 1,\nc: 2}\nd: [\ne: 1\n]\nf: 1\n", ["a", "d", "f"]),
        ("&x a: 1\n!!str b: 2\n*x : 3\n<<: *x\n", ["a", "b", "<<"]),
        ("? a\n: 1\n? 'b'\n: 2\n", ["a", "b"]),
        ("  a: 1\n  b:\n    c: 1\n", ["a", "b"]),
        ('{a: 1, "b": {c: 2}}', ["a", "b"]),
        ("--- {a: 1}\n--- # x\nb: 2\n", ["a", "b"]),
        ("--- |\nno: 1\n", []),
        ("- a: 1\n- b: 2\n", []),
        ("http://a: 1\nb: http://c\nd:e\n", ["http://a", "b"]),
        ("a b : 1\nc:\t2\n-d: 3\n1: 2\n", ["a b", "c", "-d", "1"]),
        ("a: 1\r\nb: 2\r\n", ["a", "b"]),
        ("\ufeffa: 1\n", ["a"]),
        ("a: [unclosed\nb: 1\n", ["a", "b"]),
        ("plain text\n", []),
        ("", []),
    ],
)
def test_yaml_keys(text, found):
    assert keys("yaml", text) == found


def test_a_helm_template_has_its_keys():
    text = (
        '{{- define "x" -}}\napiVersion: {{ .Values.api }}\n{{- if .Values.on }}\nkind: Pod\n'
        '{{ else }}\nother: {{ include "y" . | indent 4 }}\n{{- end }}\n{{ .name }}: 1\n'
        "metadata:\n  {{- toYaml .Values.meta | nindent 2 }}\nspec: {{- toYaml .x | nindent 2 }}\n"
    )
    assert keys("yaml", text) == ["apiVersion", "kind", "other", "metadata", "spec"]


def test_yaml_keys_have_the_lines_of_their_values():
    text = "a: 1\n\n# of b\nb:\n  c: 1\n\n  # inside\n\nd: |\n  e\n# after\n"
    assert lines("yaml", text) == [("a", 1, 1), ("b", 4, 5), ("d", 9, 10)]


def test_there_is_a_limit_to_the_keys_of_a_file():
    text = "".join(f"k{n}: 1\n" for n in range(MOST_KEYS + 5))
    assert len(keys("yaml", text)) == MOST_KEYS


@pytest.mark.parametrize("style", ["json", "yaml"])
@pytest.mark.parametrize(
    "text",
    ['"\\' * 50_000, "{" * 100_000, '{"a' * 50_000, "/*" * 50_000, "a: [\n" * 20_000,
     'a: "\n' * 20_000, "&a " * 50_000, "---\n" * 20_000, "\\" * 100_000, "? " * 50_000,
     "'" * 99_999, "".join(" " * n + "a:\n" for n in range(500))],
    ids=lambda text: text[:6].replace("\n", " "),
)  # fmt: skip
def test_odd_files_are_read_to_the_end(style, text):
    assert len(keys(style, text)) <= MOST_KEYS


# PyYAML writes a key with breaks over several lines
names = st.text(
    st.characters(codec="utf-8", exclude_characters="\n\r\x85\u2028\u2029"), max_size=12
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
mappings = st.dictionaries(names, values, min_size=1, max_size=5)


@given(mappings, st.sampled_from([None, 1]))
def test_the_keys_of_written_json_are_found(mapping, indent):
    assert keys("json", json.dumps(mapping, indent=indent)) == list(mapping)


@given(mappings, st.booleans())
@example({":0": None}, False)  # noqa: FBT003
def test_the_keys_of_written_yaml_are_found(mapping, unicode):
    text = yaml.safe_dump(mapping, default_flow_style=False, allow_unicode=unicode, sort_keys=False)
    assert keys("yaml", text) == list(mapping)


@given(st.dictionaries(st.text("abé -_", max_size=9), st.integers(), min_size=1, max_size=5))
def test_the_keys_of_a_flow_mapping_are_found(mapping):
    text = yaml.safe_dump(mapping, default_flow_style=True, allow_unicode=True, sort_keys=False)
    assert keys("yaml", text) == list(mapping)


def test_a_key_is_found_where_no_code_has_the_name(make_index):
    files = {"package.json": '{"main": 1, "private": true}', "a.yml": "on: push\n"}
    index, _ = make_index({**files, "src/a.ts": "export function main() {}\nmain()\n"})
    assert [(d.path, d.line, d.kind) for d in index.definitions("private")] == [
        ("package.json", 1, "property")
    ]
    assert [d.path for d in index.definitions("on")] == ["a.yml"]
    assert [d.path for d in index.definitions("main")] == ["src/a.ts"]
    assert [(r.path, r.line, r.resolved) for r in index.references("main")] == [
        ("src/a.ts", 1, True),
        ("src/a.ts", 2, True),
    ]
    assert set(index.metrics()) == {"src/a.ts"}
    assert index.facts("package.json") is None

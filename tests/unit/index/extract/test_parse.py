"""What holds for every file: hash, lines, errors, guards, odd bytes."""

from hashlib import blake2b
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import count_lines, parse_file, unparsed_file
from ipuaro_jupyter.index.extract.postings import decode, names
from ipuaro_jupyter.languages.registry import languages
from ipuaro_jupyter.records.code import FileFacts

PROJECTS = Path(__file__).parents[3] / "projects"
SAMPLES = sorted(
    [
        *(s for language in languages().values() for s in language.folder.glob("sample.*")),
        *(file for file in PROJECTS.rglob("*.*") if file.suffix in {".ts", ".tsx", ".js", ".jsx"}),
    ]
)


def test_hash_size_and_lines_are_of_the_bytes(read_facts):
    data = "\ufeffconst a = 'é'\r\n\r\n".encode()
    found = read_facts(data, "src/deep/a.mts")
    assert found.path == "src/deep/a.mts"
    assert found.language == "typescript"
    assert found.hash == blake2b(data, digest_size=16).hexdigest()
    assert (found.size, found.lines) == (len(data), 2)
    assert found.parse_error is None


@pytest.mark.parametrize(
    ("data", "lines"),
    [(b"", 0), (b"\n", 1), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"a\r\nb\r\n", 2), (b"a\rb", 1)],
)
def test_a_final_newline_is_no_line(data, lines):
    assert count_lines(data) == lines


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.ts", "typescript"),
        ("a.d.ts", "typescript"),
        ("a.cts", "typescript"),
        ("a.tsx", "tsx"),
        ("a.js", "javascript"),
        ("a.JSX", "javascript"),
        ("a.mjs", "javascript"),
        ("a.cjs", "javascript"),
        ("ci/pipe.yml", "yaml"),
        ("Dockerfile", "docker"),
        ("a.unknown", "text"),
        ("ts", "text"),
    ],
)
def test_the_language_is_that_of_the_name(read_facts, path, language):
    assert read_facts("", path).language == language


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_change_no_line(read_facts, newline, mark):
    text = mark + newline.join(
        ["// TODO: é", "\tfunction f() {", "\t\treturn 'ü'", "\t}", "", "class Ä { ß() {} }"]
    )
    found = read_facts(text)
    assert [(f.line_start, f.line_end) for f in found.functions] == [(2, 4)]
    assert [(c.name, c.line_start, c.methods[0].name) for c in found.classes] == [("Ä", 6, "ß")]
    assert [(t.line, t.text) for t in found.todos] == [(1, "é")]
    assert found.metrics.loc == 4


def test_a_class_that_is_never_closed_keeps_its_members_and_what_follows(read_facts):
    found = read_facts("class A {\n  one() {}\n  two( {\n  three() {}\n}\nfunction after() {}\n")
    assert [c.name for c in found.classes] == ["A"]
    assert {m.name for m in found.classes[0].methods} >= {"one", "three"}
    assert [f.name for f in found.functions] == ["after"]


def test_an_unclosed_function_does_not_hide_what_follows(read_facts):
    found = read_facts("function a() {\n  if (x) {\n}\nfunction b() {}\nclass C {}\n")
    assert {f.name for f in found.functions} >= {"b"}
    assert [c.name for c in found.classes] == ["C"]


def test_large_files_are_parsed(read_facts):
    filler = "".join(f"export const row{i} = {i} // filler\n" for i in range(2000))
    found = read_facts(filler + "export function last(n) {\n  return n\n}\n")
    assert len(filler) > 64_000
    assert (found.functions[0].line_start, found.functions[0].line_end) == (2001, 2003)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"const a = 1\n" * 90_000, "larger than 1 MB"),
        (b"const a=1;" * 10_000, "minified"),
        (b"\0\1\2" * 100, "binary"),
        (b"const a = '\xff'\n", "not UTF-8 at byte 11"),
        ("const a = 1".encode("utf-16"), "binary"),
    ],
)
def test_what_is_not_parsed_says_why_and_keeps_hash_and_lines(read_facts, data, reason):
    found = read_facts(data)
    assert found.parse_error is not None
    assert reason in found.parse_error
    assert found.lines == count_lines(data)
    assert found.hash == blake2b(data, digest_size=16).hexdigest()
    assert not found.variables


def test_a_short_file_in_one_line_is_not_minified(read_facts):
    found = read_facts(b"const a=1;" * 1_000)
    assert found.parse_error is None
    assert len(found.variables) == 1_000


def test_deep_nesting_that_is_closed_is_code(read_facts):
    found = read_facts("const a = " + "[" * 5_000 + "]" * 5_000 + "\nfunction f() {}\n")
    assert found.parse_error is None
    assert found.functions[0].name == "f"


def test_a_union_of_thousands_is_read(read_facts):
    many = "\n | ".join(f"{{ a{n}: 1 }}" for n in range(3000))
    (found,) = read_facts(f"type A = {many}\n").types
    assert [field.name for field in found.fields] == [f"a{n}" for n in range(3000)]


def test_what_a_broken_file_made_of_a_text_is_not_taken_for_another(read_facts):
    broken = "function f(a: number, b = [1, ) { }\nfunction g(a: number): ) { }\n"
    whole = "function f(a: number, b = [1]) {}\nfunction g(a: number): void {}\n"
    alone = read_facts(whole)
    assert read_facts(broken).parse_error is not None
    assert read_facts(whole) == alone
    assert [(p.name, p.type) for p in alone.functions[1].params] == [("a", "number")]


def test_postings_hold_identifiers_and_nothing_else():
    source = (
        "import Row, { Badge as Label } from 'Row'\n"
        "// Row\n"
        "const text = 'Row' + `Row ${Row.name} Row` + /Row/\n"
        "type T = Row<Badge>\n"
        "const tag = <Row Badge={text} {...{ text }}>Row <Badge /></Row>\n"
        "class A { #row: Row; get() { return this.#row } }\n"
        "outer: for (;;) break outer\n"
    )
    found, *_ = parse_file("a.tsx", source.encode())
    assert names(found.postings) == sorted(decode(found.postings))
    lines = {
        name: [source.count("\n", 0, place) + 1 for place in places]
        for name, places in decode(found.postings).items()
    }
    assert lines["Row"] == [1, 3, 4, 5, 5, 6]
    assert lines["Badge"] == [1, 4, 5, 5]
    assert lines["text"] == [3, 5, 5]
    assert lines["#row"] == [6, 6]
    assert lines["outer"] == [7, 7]


def test_definitions_are_where_the_names_stand():
    source = (
        "@sealed\nexport class Ä { at = 1; #run() {} constructor(private key: K) {} }\n"
        "export const { one, b: two } = x, three = () => {}\n"
        "ns.four = function () {}\n"
        "enum E { five }\nnamespace A.B {}\n"
    )
    data = source.encode()
    answer, *_ = parse_file("a.ts", data)
    found = msgspec.msgpack.decode(answer.definitions)
    names_at = {
        name: [data[at:].decode().split("(")[0][: len(name.rpartition(".")[2])] for at in places]
        for name, places in found.items()
    }
    assert names_at == {
        name: [name.rpartition(".")[2]]
        for name in (
            *("Ä", "Ä.at", "Ä.#run", "Ä.constructor", "Ä.key"),
            *("one", "two", "three", "ns.four", "E", "E.five", "A.B"),
        )
    }


def test_a_refused_file_has_its_reason():
    answer = unparsed_file("a.ts", b"x\n", reason="the parser died")
    found = FileFacts.model_validate(unpack_facts(answer.facts))
    assert found.parse_error == "Not analysed: the parser died."
    assert found.lines == 1


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_facts_of_real_files_fit_the_records(sample, read_facts):
    found = read_facts(sample.read_bytes(), sample.name)
    broken = "Syntax error in cell 5 at line 2." if sample.suffix == ".ipynb" else None
    assert found.parse_error == broken


@given(
    sample=st.sampled_from([s for s in SAMPLES if s.suffix in {".ts", ".tsx", ".js", ".jsx"}]),
    cuts=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.2), st.binary(max_size=6)), max_size=5),
)
def test_mangled_files_never_fail(sample, cuts):
    data = sample.read_bytes()
    for place, length, piece in cuts:
        at = int(place * len(data))
        data = data[:at] + piece + data[at + int(length * len(data)) :]
    answer, *_ = parse_file(sample.name, data)
    found = unpack_facts(answer.facts)
    facts = FileFacts.model_validate(found)
    assert not (facts.parse_error or "").startswith("Not analysed: the parser")
    assert "Error" not in (facts.parse_error or "")
    assert decode(answer.postings).keys() == set(names(answer.postings))

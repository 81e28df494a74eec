"""What the grammars do not know: rewritten by patterns that take linear time."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ipuaro_jupyter.index.extract.facts import facts_of
from ipuaro_jupyter.languages.masking import mask
from ipuaro_jupyter.languages.mending import Mending, needs_prepatching
from ipuaro_jupyter.languages.registry import language_for, language_named
from ipuaro_jupyter.languages.syntax import SyntaxTooDeep, parse_fitting, read_syntax
from ipuaro_jupyter.languages.tables import Comments

COMMENTS = Comments(
    line=("//",), block=(("/*", "*/"),), strings=(("'", "'"), ('"', '"'), ("`", "`"))
)
PROJECTS = Path(__file__).parents[2] / "projects"
FILES = sorted(
    path for path in PROJECTS.rglob("*.*") if path.suffix in {".ts", ".tsx", ".js", ".jsx"}
)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a // b\nc", "a     \nc"),
        ("a /* b\n */ c", "a     \n    c"),
        ('a \'b\' "c\\"d" e', "a '_' \"____\" e"),
        ("it's 'x'", "it's '_'"),
        ("a `b ${c} d` e", "a `  ${c}  ` e"),
        ("`a ${`b ${c}` + {}} d` e", "`  ${`  ${c}` + {}}  ` e"),
        ("x = /['\"`]/ + 'y'", "x = /_____/ + '_'"),
        ("'open\nb 'c'", "'___n\nb '_'"),
        ("return /'/ + 'y'", "return /_/ + '_'"),
        ("unreturn /'a'/ + 'y'", "unreturn /'_'/ + '_'"),
        ("a / 'b' / c", "a / '_' / c"),
        ("/***/ 'x' /** '**/ 'y'", "      '_'          '_'"),
        ("{ `${ { a: /}/ } }b` }", "{ `${ { a: /_/ } } ` }"),
        ("`never closed ${a}\nb", "`             ${a}\nb"),
    ],
)
def test_comments_strings_and_templates_are_masked(source, expected):
    masked = mask(source.encode(), COMMENTS).text.decode()
    assert len(masked) == len(source)
    assert masked.count("\n") == source.count("\n")
    if "open" not in source and "never" not in source:
        assert masked == expected


FORMS = [
    "interface A<in out B, /* c */ out C extends D = E, in F> { a: B }",
    "interface A<\n  out B extends C.D = C.E,\n  const F\n> {}",
    "const f: {\n  <A>(a: A): B<A>\n  /** more */\n  // and\n  <A>(a: A, b: A): B<A>\n} = g",
    "type A = {\n  (a: B): C\n  <\n    D\n  >(d: D): E\n}",
    "declare const a: new <A>(args: import('./b').C<A>) => import('./d').E",
    "const x = tag<{ a: Array<string>; b: number }>`text ${y} ${`z${w}`}`",
    "type A = `a \\`b\\` ${C} \\n`",
    "export type * from 'x'",
    "export default function (): void\n",
    "export default function <T>(a: T): { b: T };",
    "export default abstract class {}",
    "export import a = require('x')",
    "class A { accessor a = 1; private accessor b: string; static accessor c }",
    "class A { declare static a: string }",
    "class A { static [key: string]: any }",
    "interface A {\n  a: string\n  in: string\n  in2?: number\n}",
    "let as = 1\nfoo(as, as.b)",
    "export { type }",
    "type A<type> = (type extends B ? 1 : 2) | (type extends C ? 3 : 4)",
    "type A = (typeof undefined | string)[]",
    "type A = [a: B, symbol: C, string?: D]",
    "import defer * as a from 'x'",
    "async function f() { for (await using a of b) {} }",
    "export { a } from 'x' with { type: 'json' }",
]


@pytest.mark.parametrize("source", FORMS)
@pytest.mark.parametrize("path", ["a.ts", "a.tsx"])
def test_what_the_grammar_lacks_is_no_error(source, path):
    found = read_syntax(language_for(path), source.encode())
    assert found.error_line is None
    assert not found.tree.root_node.has_error


@pytest.mark.parametrize(
    "source",
    [
        "class A { a = 1\n  in2 = 2 }",
        "class A {\n  a\n  *b() {}\n}",
        "import defer * as a from 'x'",
        "using.dispose()\nusing = 1",
        "import.defer('x')",
    ],
)
def test_what_the_grammar_of_javascript_lacks_is_no_error(source):
    assert read_syntax(language_named("javascript"), source.encode()).error_line is None


@pytest.mark.parametrize("source", FORMS)
def test_rewriting_keeps_length_and_lines(source):
    text, ranges = Mending(language_named("typescript"), source.encode()).everywhere()
    assert len(text) == len(source.encode())
    assert [i for i, c in enumerate(text) if c == 10] == [
        i for i, c in enumerate(source.encode()) if c == 10
    ]
    assert all(start < end for start, end in ranges)


def test_a_change_of_one_place_leaves_the_others_alone():
    """A comparison at the beginning of a line is no signature."""
    found = read_syntax(
        language_named("typescript"),
        b"const a = b\n  < c\nexport type * from 'x'\nfunction f() {}\n",
    )
    assert found.error_line is None


FORESEEN = [
    "interface A<in out B, out C> { a: B }",
    "const f: {\n  <A>(a: A): B<A>\n  // and\n  <A>(a: A, b: A): B<A>\n} = g",
    "interface F {\n    (a: B): C\n    <\n        D\n    >(d: D): E\n}\nsql<A>`${b}`\n",
]


@pytest.mark.parametrize("source", FORESEEN)
def test_a_file_that_is_rewritten_beforehand_reads_like_one_with_errors(source):
    language, data = language_named("typescript"), source.encode()
    assert needs_prepatching(language, data)
    _, tree, patched = parse_fitting(language, data)
    _, late, repatched = parse_fitting(replace(language, foreseen=()), data)
    assert patched == repatched != ()
    assert str(tree.root_node) == str(late.root_node)
    assert not tree.root_node.has_error


@pytest.mark.parametrize(
    "source",
    [
        "const a = b\n  <c>(d)\n",  # one call
        "const a = b <out \nc = d\n",  # two statements
        "class A {\n  a = b\n  <c>(d)\n}",
    ],
)
def test_what_only_looks_like_something_unknown_is_left_to_the_grammar(source):
    language, data = language_named("typescript"), source.encode()
    assert needs_prepatching(language, data)
    found = read_syntax(language, data)
    assert found.patched == ()
    assert found.error_line is None


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("interface A {\n  foo\n  <T>(x: T): void\n}", "foo"),
        ("interface A {\r\n  foo\r\n  <T>(x: T): void\r\n}", "foo"),
        ("interface A {\n  foo // a\n  /* b */\n  // c\n  <T>(x: T): void\n}", "foo"),
        ('type A = {\n  "foo"\n    <T>(x: T): void;\n}', '"foo"'),
        ("interface A {\n  1\n  <T>(x: T): void\n}", "1"),
        ("interface A {\n  [Symbol.iterator]\n  <T>(x: T): void\n}", "[Symbol.iterator]"),
        ("interface A {\n  readonly\n  <T>(x: T): void\n}", "readonly"),
        ("interface A {\n  a: string;\n  get\n  <T>(x: T): void\n}", "get"),
        ("interface A {\n  longName\n    <B extends C, D>(b: B): D;\n  a: string\n}", "longName"),
    ],
)
def test_a_method_whose_type_parameters_are_on_the_next_line_is_one(source, name):
    """The compiler of TypeScript reads these so."""
    language, data = language_named("typescript"), source.encode()
    assert needs_prepatching(language, data)
    found, late = read_syntax(language, data), read_syntax(replace(language, foreseen=()), data)
    assert found.patched == late.patched == ()
    assert str(found.tree.root_node) == str(late.tree.root_node)
    assert found.error_line is None
    assert _members(found.tree.root_node, "method_signature") == [name]
    assert _members(found.tree.root_node, "call_signature") == []


@pytest.mark.parametrize("path", ["a.ts", "a.tsx"])
@pytest.mark.parametrize(
    "rest",
    [
        "",
        "export type * from 'x'\n",  # more than is foreseen
        "const = 5\n",  # an error
    ],
)
def test_of_two_signatures_on_lines_of_their_own_only_that_without_a_name_is_parted(path, rest):
    language = language_for(path)
    data = b"interface A {\n  foo\n  <T>(x: T): void\n  a: B\n  <T>(y: T): T\n}\n" + rest.encode()
    found, late = read_syntax(language, data), read_syntax(replace(language, foreseen=()), data)
    assert found.patched == late.patched
    assert data.index(b" <T>(y") in {start for start, _ in found.patched}
    root = found.tree.root_node
    assert str(root) == str(late.tree.root_node)
    assert _members(root, "method_signature") == ["foo"]
    assert _members(root, "property_signature") == ["a"]
    assert _members(root, "call_signature") == [None]


def _members(root, kind):
    """Return the names of the nodes of a kind, in order; None for one without a name."""
    found = [_members(child, kind) for child in root.named_children]
    name = root.child_by_field_name("name")
    own = [name and name.text.decode()] if root.type == kind else []
    return own + [each for names in found for each in names]


def test_a_file_with_more_errors_than_foreseen_is_read_as_without_foresight():
    language = language_named("typescript")
    data = b"interface A<in B> { a: B }\nexport type * from 'x'\nconst = 5\nfunction f() {}\n"
    found, late = read_syntax(language, data), read_syntax(replace(language, foreseen=()), data)
    assert (found.patched, found.error_line) == (late.patched, late.error_line)
    assert str(found.tree.root_node) == str(late.tree.root_node)
    assert found.error_line == 3


@pytest.mark.parametrize("path", ["a.ts", "a.tsx"])
def test_a_template_with_types_is_no_comparison(path):
    data = b"const a = (b) => sql<{ c: string }>`d ${e} f`\nconst g = () => `h`\n"
    found = read_syntax(language_for(path), data)
    names = {data[n.start_byte : n.end_byte] for n in found.captures["identifier"]}
    assert names == {b"a", b"b", b"sql", b"e", b"g"}
    assert {n.type for n in found.captures["function.arrow"]} == {"arrow_function"}
    assert [n.end_point.row for n in found.captures["function.arrow"]] == [0, 1]


@pytest.mark.parametrize(
    "broken",
    [
        "const = 1\n",
        "foo.\n",
        "if (a\n",
        "function half(a {\n  b()\n}\n",
        "<<<<<<< HEAD\nfunction b(x) {}\n=======\nfunction b(y) {}\n>>>>>>> other\n",
    ],
)
def test_a_broken_place_leaves_what_is_around_it(broken):
    around = "function first() {}\n", "export function last() {}\nexport class Last { run() {} }\n"
    data = broken.join(around).encode()
    syntax = read_syntax(language_for("a.ts"), data)
    facts, _ = facts_of(syntax, data)
    assert syntax.error_line is not None
    assert {"first", "last"} <= {record["name"] for record in facts["functions"]}
    assert [record["name"] for record in facts["classes"]] == ["Last"]


@example(text="'\\\n;")
@given(text=st.text(alphabet="(){}[]`'\"$\\/*\n ab=;<>", max_size=200))
def test_masking_keeps_length_and_lines(text):
    data = text.encode()
    masked = mask(data, language_named("typescript").comments).text
    assert len(masked) == len(data)
    assert [at for at, byte in enumerate(masked) if byte == 10] == [
        at for at, byte in enumerate(data) if byte == 10
    ]


SIGNS = st.sampled_from([b"(", b"{", b"[", b"`", b"'", b"}", b")", b"]", b"<", b"/*", b"${", b"\n"])


@given(
    file=st.sampled_from(FILES),
    place=st.floats(0, 1),
    length=st.integers(0, 40),
    sign=st.one_of(SIGNS, st.binary(max_size=4)),
)
def test_the_error_of_a_mangled_file_is_in_one_of_its_lines(file, place, length, sign):
    data = file.read_bytes()
    at = int(place * len(data))
    data = data[:at] + sign + data[at + length :]
    try:
        syntax = read_syntax(language_for(file.name), data)
    except SyntaxTooDeep:
        return
    assert (syntax.error_line is None) or syntax.error_line <= data.count(b"\n") + 1

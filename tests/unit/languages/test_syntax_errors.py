"""The new syntax errors of a change, by the grammar, by Python's compiler, by the data parsers."""

import pytest

from ipuaro_jupyter.languages.syntax_errors import new_syntax_errors, syntax_problems

METHODS = """class Till {
  open(day: string) {
    if (day) {
      this.log(day)
    }
    return `${day}`
  }
}
"""
FUNCTION = """def total(parcels):
    weight = 0
    for parcel in parcels:
        weight += parcel.weight
    return weight
"""


def lines(path, before, after):
    """The lines of the new errors."""
    found = new_syntax_errors(path, None if before is None else before.encode(), after.encode())
    return [problem.line for problem in found]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("    }\n    return", "    return", 3),  # the brace of the if
        ("log(day)", "log(day", 4),
        ("log(day)", "log day)", 4),
        ("    return", "    }\n    return", 6),
        ("(day: string)", "(day: 'string)", 2),
    ],
)
@pytest.mark.parametrize("name", ["a.ts", "a.tsx", "a.mts"])
def test_a_missing_sign_is_told_where_it_is(name, old, new, line):
    assert lines(name, METHODS, METHODS.replace(old, new)) == [line]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("    return", "return", 5),
        ("    return", "     return", 5),
        ("    return", "  return", 5),
        ("        weight +=", "    weight +=", 4),
        ("parcels:", "parcels", 3),
        ("(parcels)", "(parcels", 1),
        ("return weight", "return 'weight", 5),
    ],
)
def test_python_is_judged_by_its_compiler(old, new, line):
    assert lines("a.py", FUNCTION, FUNCTION.replace(old, new)) == [line]


def test_the_problem_names_line_and_reason():
    broken = FUNCTION.replace("parcels:", "parcels").encode()
    assert syntax_problems("a.py", FUNCTION.encode(), broken) == (
        "syntax error in line 3: expected ':'",
    )
    broken = METHODS.replace("log(day)", "log(day").encode()
    assert syntax_problems("a.ts", METHODS.encode(), broken) == (
        'syntax error in line 4: "(" is never closed',
    )
    told = 'syntax error in line 1: "1: const a = 1;" cannot be read'
    assert syntax_problems("a.ts", b"", b"1: const a = 1;\n") == (told,)


def test_of_many_errors_the_first_are_told():
    text = "".join(f"const a{number} = 'x\n" for number in range(20)).encode()
    told = syntax_problems("a.js", b"", text)
    assert len(told) == 6
    assert told[-1].endswith("more syntax errors")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", "const a = {\n  b: 1,\n;\nfunction f() {}\n"),
        ("a.py", "print 'Python 2'\ndef f():\n    pass\n"),
        ("a.py", "{{ cookiecutter.name }} = 1 +\n"),
        ("a.json", '{"a": }\n'),
        ("a.toml", "a =\n"),
    ],
)
@pytest.mark.parametrize("added", ["", "\n", "\n\n"])
def test_an_error_that_was_there_before_is_not_new_where_it_has_moved(path, text, added):
    assert lines(path, text, f"{added}{text}\n") == []
    assert lines(path, f"{added}{text}\n", text) == []


def test_beside_an_old_error_a_new_one_is_told():
    old = "const a = 'x\nfunction f() {\n  return 1\n}\n"
    assert lines("a.ts", old, old.replace("return 1", "return 'y")) == [3]
    python = "print 'Python 2'\ndef f():\n    return 1\n"
    assert lines("a.py", python, python.replace("    return 1", "return 1")) == [3]
    assert lines("a.py", python, python.replace("f():", "f(:")) == [2]


@pytest.mark.parametrize(
    "newer",
    [
        "type Name = str\n",
        "def first[T](items: list[T]) -> T:\n    return items[0]\n",
        "class Box[T]:\n    pass\n",
        "try:\n    pass\nexcept ValueError, TypeError:\n    pass\n",
        'name = f"{"x"}"\n',
    ],
)
def test_syntax_of_a_newer_python_is_no_error(newer):
    assert lines("a.py", "", newer) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        ("a.json", '{\n  "a": 1\n}\n', '{\n  "a": 1,\n}\n', 3),
        ("package.json", "{}\n", "{\n  // no\n}\n", 2),
        ("tsconfig.json", "{}\n", '{\n  // yes\n  "a": [1,],\n}\n', None),
        (".vscode/settings.json", None, '{\n  // yes\n  "a": 1\n}\n', None),
        ("a.json", "{ /* had one */ }\n", '{\n  // more\n  "a": 1\n}\n', None),
        ("tsconfig.json", "{}\n", '{\n  // yes\n  "a": 1 2\n}\n', 3),
        ("a.json5", "{}", "{a: 1}", None),
        ("a.ipynb", '{"cells": []}', '{"cells": [}', 1),
        ("pyproject.toml", "[a]\nb = 1\n", "[a]\nb = 1\nc = [\n", 3),
        ("pyproject.toml", "[a]\nb = 1\n", "[a]\nb = 1\nb = 2\n", 3),
        ("notes.md", "# a\n", "```\n(", None),
        ("run.sh", "echo\n", "if (\n", None),
        ("unknown.xyz", "", "((((", None),
    ],
)
def test_data_files_are_judged_by_their_parsers(path, old, new, line):
    found = lines(path, old, new)
    assert found == ([] if line is None else [line])


@pytest.mark.parametrize(
    "text",
    [
        "import type { A } from './a'\nexport type * from './b'\n",
        "interface A<in out B> { b: B }\n",
        "export default abstract class {}\n",
    ],
)
def test_syntax_that_a_grammar_does_not_know_is_no_error(text):
    assert lines("a.ts", "", text) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        ("a.py", "a = 1\nlazy import b\n", "a = 1\nlazy import c\n", None),
        ("a.py", "a = 1\n%matplotlib inline\n", "a = 1\n%matplotlib widget\n", None),
        ("a.py", "lazy import b\n", "lazy import c\nlazy import d\n", 2),
        ("a.py", "lazy import b\n", "lazy import (c\n", 1),
        ("a.py", "lazy import b\nx = 1\ny = 2\n", "lazy import b\nx = 1\ny = = 2\n", 3),
        ("a.ts", "let a = 1\nconst enum E {} as b;\n", "let a = 1\nconst enum F {} as b;\n", None),
    ],
)
def test_an_error_that_a_line_had_already_is_not_new_where_it_is_edited(path, old, new, line):
    assert lines(path, old, new) == ([] if line is None else [line])


def test_what_may_be_newer_syntax_is_no_error_even_if_the_grammar_does_not_know_it():
    newer = "def f[T=int](x: T): pass\n"
    assert lines("a.py", "", newer) == []
    assert lines("a.py", "", f"{newer}x = = 1\n") == [2]
    assert lines("a.py", "", newer.replace(")", "")) == [1]


@pytest.mark.parametrize("name", ["cspell", "biome", "other"])
def test_the_first_comment_of_a_json_file_is_no_error(name):
    assert lines(f"{name}.json", '{"a": 1}\n', '// why\n{"a": "//"}\n') == []
    assert lines("composer.json", '{"a": 1}\n', '// why\n{"a": 1}\n') == [1]
    assert lines(f"{name}.json", '{"a": 1}\n', '// why\n{"a": }\n') == [2]


def test_lines_are_counted_by_line_feeds_alone():
    assert lines("a.toml", "", "# a\u2028c\na = [\n") == [2]
    assert lines("a.py", "", "# a\u2028b\ntype A = int\n") == []


def test_types_in_a_javascript_file_are_errors_unless_it_has_some():
    flow = "/* @flow */\nfunction f(a: number) {}\n"
    assert lines("a.js", "function f(a) {}\n", "function f(a: number) {}\n") == [1]
    assert lines("a.js", flow, flow.replace("number", "string")) == []
    assert lines("a.js", "/* @flow */\n", flow) == []
    typed = "function f(a: number) {}\n"
    assert lines("a.js", typed, f"{typed}function g(b: number) {{}}\n") == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "x = " + "(" * 5000 + ")" * 5000),
        ("a.py", "x = " + "-" * 50_000 + "1"),
        ("a.json", "[" * 100_000),
        ("a.toml", "a = " + "[" * 100_000),
    ],
)
def test_deep_nesting_ends_and_breaks_nothing(path, text):
    assert len(lines(path, "", text)) <= 1


def test_what_is_no_text_or_too_large_is_not_judged():
    assert new_syntax_errors("a.py", b"", b"\xff(") == ()
    assert new_syntax_errors("a.py", b"", b"(\0") == ()
    assert new_syntax_errors("a.py", b"", b"(" + b"\n" * 1_000_000) == ()
    assert syntax_problems("a.py", b"", None) == ()


def test_minified_code_is_not_judged_and_large_python_by_the_grammar_alone():
    assert new_syntax_errors("a.js", b"", b"(" * 30_000) == ()
    large = b"value = 1\n" * 60_000
    assert new_syntax_errors("a.py", large, large + b"def f(:\n    pass\n") != ()


def test_a_warning_of_the_compiler_is_no_error():
    assert lines("a.py", "", 'x = "\\d"\nif x is 1:\n    pass\n') == []


def test_byte_order_mark_and_line_ends_are_no_errors():
    assert lines("a.py", "\ufeffa = 1\r\n", "\ufeffa = 1\r\nb = 2\r\n") == []
    assert lines("a.json", "\ufeff{}\r\n", '\ufeff{"a": 1}\r\n') == []


@pytest.mark.parametrize("name", ["a.tsx", "a.jsx"])
@pytest.mark.parametrize(
    "code",
    [
        "const a = <li>R&D, {cost() && 1} & co & </li>;",
        'const a = <a href="/q?x=1&y=2&z">{b & c} &nbsp;&amp; &</a>;',
        "const a = <>\n  Fish &\n  {chips()} & <b>&</b>\n</>;",
    ],
)
def test_a_bare_ampersand_in_jsx_is_valid(name, code):
    assert lines(name, None, code) == []


@pytest.mark.parametrize("name", ["a.tsx", "a.jsx"])
@pytest.mark.parametrize(
    "code", ["const a = <p>R&D {f(}</p>;", "const a = <p>R&D {f()}</q;", "x = & 1;"]
)
def test_an_error_beside_a_bare_ampersand_is_told(name, code):
    assert lines(name, None, code)


@pytest.mark.parametrize(
    "code",
    [
        "a = f'{\n  len(b)\n:>{w}} {c!r}' 'd'\n",
        "a = f'{b  # note\n}'\n",
        "a = f'{f'{b['c']}'}'\n",
        "def g():\n    return f\"{'\\n'.join(b)} {\n        c}\"\n",
    ],
)
def test_an_f_string_of_a_newer_python_is_valid(code):
    assert lines("a.py", None, code) == []


def test_an_error_beside_a_newer_f_string_is_told_in_its_line():
    assert lines("a.py", None, "a = f'{\n  b\n}'\nreturn 1\n") == [4]


RULES = "all: one\n\techo a\n\none:\n\ttrue\n"


@pytest.mark.parametrize(
    ("new", "found"),
    [
        ("all: one\n        echo b\n", [2]),
        ("all: one\n\techo a\n  @rm -f x\n", [3]),
        ("all: one\n\techo a \\\n    b\n", []),
        ("all: one\n  ifdef A\n\techo a\n  endif\n  B := 2\n", []),
        ("A = 1 \\\n  2\nB := x:y\n  $(info a)\n", []),
        (".RECIPEPREFIX = >\nall: one\n  echo a\n", []),
        ("define A\nall: one\n  echo\nendef\n", []),
    ],
)
def test_spaces_before_a_line_of_a_recipe_are_told(new, found):
    assert lines("Makefile", RULES, new) == found

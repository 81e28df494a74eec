"""The outputs are those of the programs: node 20, tsx 4, vitest 3, esbuild, tsc 5, pytest 9."""

import time

import pytest
from annotated import project_files

from ipuaro_jupyter.project.traces.printed_errors import ends_in_error, printed_errors

TSX = """\
/app/run.ts:2
async function main() { throw new Error("no total", { cause: e }); }
                              ^


Error: no total
    at main \x1b[90m(/app/\x1b[39mrun.ts:2:83\x1b[90m)\x1b[39m {
  [cause]: TypeError: Cannot read properties of undefined (reading 'value')
      at rate \x1b[90m(/app/\x1b[39msrc/rates.ts:5:26\x1b[90m)\x1b[39m
      at Order.get total [as total] (/app/src/rates.ts:9:32)
      at Array.map (<anonymous>)
      at async Order.later (file:///app/src/a%20b.ts?v=1:10:59)
      at Module._compile (node:internal/modules/cjs/loader:1521:14)
}

Node.js v20.20.2
"""
SOURCES = project_files("printed_errors")
VITEST = SOURCES["vitest.txt"]
PYTEST = SOURCES["pytest.txt"]
SHORT = """\
__________________________________ test_rate ___________________________________
test_shop.py:3: in test_rate
    assert rate("GBP") == 1
shop.py:2: in rate
    return {"USD": 1}[c]
E   KeyError: 'GBP'
"""
PYTHON = SOURCES["python.txt"]


def told(text):
    return [
        (one.headline, one.link, [(f.file, f.line, f.function) for f in one.frames])
        for one in printed_errors(text)
    ]


def test_an_error_of_node_with_its_cause():
    (outer, inner) = told(TSX)
    assert outer == ("Error: no total", "", [("/app/run.ts", 2, "main")])
    assert inner == (
        "TypeError: Cannot read properties of undefined (reading 'value')",
        "cause",
        [
            ("/app/src/a b.ts", 10, "Order.later"),
            ("/app/src/rates.ts", 9, "Order.total"),
            ("/app/src/rates.ts", 5, "rate"),
        ],
    )


def test_a_wrong_syntax_is_at_the_place_above_the_message():
    text = (
        "/app/bad.js:1\nlet x = ;\n        ^\n\nSyntaxError: Unexpected token ';'\n"
        "    at wrapSafe (node:internal/modules/cjs/loader:1427:18)\n"
    )
    assert told(text) == [("SyntaxError: Unexpected token ';'", "", [("/app/bad.js", 1, "")])]


def test_the_failures_of_vitest_come_in_their_order():
    total = [("a.test.ts", 3, ""), ("src/rates.ts", 9, "Order.total"), ("src/rates.ts", 5, "rate")]
    assert told(VITEST) == [
        ("TypeError: Cannot read properties of undefined (reading 'value')", "", total),
        ("AssertionError: expected 1 to be 2", "", [("a.test.ts", 6, "")]),
    ]


@pytest.mark.parametrize(
    ("text", "functions"), [(PYTEST, ("", "")), (SHORT, ("test_rate", "rate"))]
)
def test_the_failures_of_pytest(text, functions):
    frames = [("test_shop.py", 3, functions[0]), ("shop.py", 2, functions[1])]
    assert told(text) == [("KeyError: 'GBP'", "", frames)]


def test_an_error_of_python_with_its_cause():
    assert told(PYTHON) == [
        ("ValueError: no total", "", []),
        ("KeyError: 1", "cause", [("/app/shop.py", 2, "rate")]),
    ]
    (_, cause) = printed_errors(PYTHON)
    assert cause.frames[0].code == 'return {"USD": 1}[c]'


def test_a_message_may_have_bars():
    (error,) = told(PYTHON.partition("\nThe above")[0].replace("KeyError: 1", "TypeError: a | b"))
    assert error[0] == "TypeError: a | b"


def test_of_several_errors_the_last_comes_first():
    logged = (
        'Traceback (most recent call last):\n  File "/a.py", line 1, in f\n    g()\nOSError: no\n'
    )
    assert [one[0] for one in told(f"{logged}going on\n{PYTHON}")] == [
        "ValueError: no total",
        "KeyError: 1",
        "OSError: no",
    ]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("src/a.ts(10,5): error TS2322: Type 'x' is not assignable.", ("src/a.ts", 10, "")),
        ("src/a.ts:10:5 - error TS2322: Type 'x' is not assignable.", ("src/a.ts", 10, "")),
        ('/app/a.ts:3:10: ERROR: Unexpected ";"', ("/app/a.ts", 3, "")),
        ("\t/app/main.go:10 +0x1d", ("/app/main.go", 10, "")),
        ("thread 'main' panicked at src/main.rs:4:5:", ("src/main.rs", 4, "")),
        ("    at f (webpack://shop/./src/a.ts:10:5)", ("src/a.ts", 10, "f")),
        ("    at f (webpack-internal:///(rsc)/./src/a.ts:10:5)", ("src/a.ts", 10, "f")),
        ("    at http://localhost:5173/src/a.ts?t=1:10:5", ("src/a.ts", 10, "")),
        ("    at new Order (C:\\app\\a.ts:10:5)", ("C:\\app\\a.ts", 10, "Order")),
        ("File ~/shop.py:2, in rate(c)", ("~/shop.py", 2, "rate")),
    ],
)
def test_other_forms(line, place):
    ((_, _, frames),) = told(line)
    assert frames == [place]


@pytest.mark.parametrize(
    "text",
    ["", "all is well at 10:05:30", "see src/a.ts", "at noon", "    at Array.map (<anonymous>)"],
)
def test_an_output_without_an_error(text):
    assert told(text) == []


@pytest.mark.parametrize("text", [TSX, PYTHON])
def test_an_error_at_the_end_of_an_output_is_told_from_one_before_it(text):
    assert ends_in_error(text)
    assert not ends_in_error(text + "going on\n" * 10)


def test_a_long_output_is_read_soon():
    hostile = ["at " + "(" * 990, "File " + ":1" * 490, "a" * 990 + ".py:", " \u276f " + "x " * 480]
    started_s = time.process_time()
    printed_errors("\n".join(hostile * 25))
    assert time.process_time() - started_s < 2


@pytest.mark.parametrize(
    "text",
    [
        "src/a.ts:12:5:  const login = 1;\n",
        "foo.py:3:1: note: x\nSuccess: no issues found in 1 source file\n",
        "src/a.py:1:80: E501 line too long\n",
    ],
)
def test_what_searches_and_linters_print_ends_in_no_error(text):
    assert not ends_in_error(text)


ZOD = SOURCES["zod.txt"]
ASSERTED = SOURCES["asserted.txt"]


def test_the_message_of_many_lines_is_read_as_one():
    ((headline, _, frames),) = told(ZOD)
    assert headline.startswith('ZodError: [ { "code": "too_big", "message": "Too big: expected')
    assert frames[-1] == ("/app/run.ts", 9, "<anonymous>")


def test_what_pytest_has_found_wrong_is_the_message():
    ((headline, _, frames),) = told(ASSERTED)
    assert headline == "AssertionError: assert 2 == 3"
    assert frames == [("test_shop.py", 4, "")]

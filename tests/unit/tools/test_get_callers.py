"""Who calls a function: with depth, cycles, and what is no certain call apart."""

import pytest
from annotated import project_files

FILES = project_files("get_callers")


@pytest.fixture
def calls(shared):
    """Return a function from arguments to the output for FILES."""

    def ask(symbol, **more):
        result = shared("get_callers", {"symbol": symbol, **more})
        assert result.success, result
        return result.output

    return ask


def told(sites):
    return [f"{s.path.rpartition('/')[2]}:{s.line} {s.caller or '-'} {s.kind}" for s in sites]


def test_calls_are_found_under_every_name_and_told_from_values(calls):
    output = calls("parse")
    assert told(output.calls) == [
        "load.ts:3 load call",
        "load.ts:4 again call",
        "load.ts:9 - call",
        "parse.ts:4 Reader.read call",
        "parse.ts:9 Line.read call",
    ]
    assert told(output.values) == ["load.ts:6 each value"]
    assert output.total_calls == 5
    assert "Passed as a value, not called (1):\nsrc/load.ts:6 each  (value)" in output.text()


def test_callers_are_followed_back_and_a_cycle_is_marked(calls):
    output = calls("again", depth=4)
    assert [(site.caller, site.depth, site.is_cycle) for site in output.calls] == [
        ("recur", 1, False),
        ("again", 2, True),
    ]
    assert "  src/load.ts:4 again  (cycle)" in output.text()


def test_a_call_in_an_anonymous_function_is_one_of_the_function_around_it(calls):
    output = calls("load", depth=3)
    assert told(output.calls) == ["main.tsx:4 Job.run call", "main.tsx:4 Job.start call"]
    assert [site.depth for site in output.calls] == [1, 2]
    assert output.shape().lines == (
        "src/main.tsx:4 Job.run",
        "  src/main.tsx:4 Job.start",
    )


def test_a_class_is_called_where_objects_of_it_are_made(calls):
    assert told(calls("Reader").calls) == ["load.ts:7 open new"]
    assert told(calls("Reader.constructor").calls) == [
        "load.ts:7 open new",
        "parse.ts:8 Line.constructor super",
    ]


def test_elements_and_accessors_are_calls(calls):
    assert told(calls("Box").calls) == ["main.tsx:3 App element"]
    assert told(calls("Reader.size").calls) == ["load.ts:8 show read"]


def test_calls_through_a_base_say_so_and_unknown_ones_are_apart(calls):
    output = calls("Line.read")
    assert [(site.line, site.through) for site in output.calls] == [(8, "Reader.read")]
    assert told(output.by_name) == ["load.ts:11 maybe call"]
    assert "(through Reader.read)" in output.text()
    assert "By name only" in output.text()


def test_python_calls(calls):
    assert told(calls("work").calls) == [
        "tool.py:12 Base.go call",
        "tool.py:16 Base.size call",
        "use.py:13 all call",
        "use.py:13 all call",
    ]
    assert told(calls("work").values) == ["use.py:17 later value"]
    assert told(calls("mark").calls) == ["use.py:5 - decorator"]
    assert told(calls("Base.__init__").calls) == ["use.py:7 run call"]
    assert told(calls("Base.go").calls) == ["tool.py:21 Child.go call", "use.py:8 run call"]
    assert told(calls("Base.go").by_name) == ["use.py:18 later call"]
    assert told(calls("Base.size").calls) == ["use.py:9 run read"]


def test_depth_reaches_the_top_of_a_file(calls):
    output = calls("Base.go", depth=2)
    assert "  py/use.py:21 (top of the file)" in output.text()


def test_the_limit_counts_the_rest(calls):
    output = calls("parse", limit=2)
    assert (len(output.calls), output.total_calls) == (2, 5)
    assert "3 more calls" in output.text()


def test_an_unknown_symbol_is_an_error_that_names_similar_ones(shared):
    error = shared("get_callers", {"symbol": "pars"}).error
    assert error.type == "validation"
    assert "parse (src/parse.ts:1)" in error.suggestion
    error = shared("get_callers", {"symbol": "parse", "declared_in": "src/load.ts"}).error
    assert "src/parse.ts:1" in error.suggestion


INHERITED = project_files("get_callers, inherited")


@pytest.mark.parametrize(
    ("symbol", "callers"),
    [
        (
            "Base.__init__",
            [
                ("Leaf.__init__", "call", None),
                ("Own.__init__", "call", None),
                ("mid", "call", "Mid"),
            ],
        ),
        ("Base.constructor", [("Leaf.constructor", "super", None), ("mid", "new", "Mid")]),
    ],
)
def test_a_constructor_is_called_by_its_name_and_through_heirs(run, symbol, callers):
    found = run(INHERITED)("get_callers", {"symbol": symbol}).output.calls
    assert [(one.caller, one.kind, one.through) for one in found] == callers


@pytest.mark.parametrize(("symbol", "by"), [("__call__", "Python"), ("toString", "JavaScript")])
def test_calls_by_the_language_itself_are_told_as_not_looked_for(run, symbol, by):
    text = run(INHERITED)("get_callers", {"symbol": f"Base.{symbol}"}).text()
    assert f"{by} itself calls {symbol}, without its name: those calls are not looked for" in text

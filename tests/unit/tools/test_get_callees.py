"""What a function calls: with depth, cycles, and what is not known apart."""

import pytest
from annotated import project_files

FILES = project_files("get_callees")


@pytest.fixture
def calls(shared):
    """Return a function from arguments to the output for FILES."""

    def ask(symbol, **more):
        result = shared("get_callees", {"symbol": symbol, **more})
        assert result.success, result
        return result.output

    return ask


def told(sites):
    return [f"{site.line} {site.callee} {site.kind}" for site in sites]


def test_calls_of_the_project_are_told_from_others(calls):
    output = calls("main", declared_in="src/a.ts")
    assert told(output.calls) == [
        "4 helper call",
        "5 Box new",
        "6 Box.fill call",
        "12 main.inner call",
        "13 helper call",
    ]
    assert [(site.callee_path, site.callee_line) for site in output.calls[:2]] == [
        ("src/b.ts", 1),
        ("src/b.ts", 3),
    ]
    assert output.outside == ("console.log", "done (a value)", "outer", "….map")
    assert [(site.line, site.may_be) for site in output.by_name] == [
        (9, ("src/b.ts: Big.fill", "src/b.ts: Box.fill"))
    ]
    assert "1 call of the value of an expression" in output.text()


def test_callees_are_followed_and_a_cycle_is_marked(calls):
    output = calls("helper", depth=5)
    assert [(site.callee, site.depth, site.is_cycle) for site in output.calls] == [
        ("second", 1, False),
        ("helper", 2, True),
    ]
    assert output.text().count("(cycle)") == 1


def test_a_class_stands_for_its_constructor(calls):
    assert told(calls("Box").calls) == ["4 second call"]
    assert told(calls("Big").calls) == ["9 Box super"]
    output = calls("main", declared_in="src/a.ts", depth=2)
    assert "  src/b.ts:4 second -> src/b.ts:2" in output.text()


def test_the_rest_is_counted(calls):
    output = calls("main", declared_in="src/a.ts", limit=1)
    assert (len(output.calls), output.total_calls) == (1, 5)


def test_python_callees(calls):
    output = calls("main", declared_in="py/m.py", depth=2)
    assert [(site.line, site.callee, site.depth) for site in output.calls] == [
        (16, "mark", 1),
        (18, "Job", 1),
        (19, "Job.run", 1),
        (10, "Job.run", 2),
    ]
    assert output.outside == ("callback (a value)",)
    assert [site.may_be for site in output.by_name] == [("py/m.py: Job.run",)]
    assert calls("Job.run").outside == ("os.getcwd",)

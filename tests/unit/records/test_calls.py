"""How calls are told."""

from ipuaro_jupyter.records.calls import CallSite, CallTree


def site(**given):
    known = {"caller": "g", "path": "a.ts", "line": 2, "column": 3, "caller_line": 1, "callee": "f"}
    return CallSite(**(known | given))


def tree(**given):
    known = {
        "symbol": "f",
        "direction": "callers",
        "depth": 1,
        "declarations": ("a.ts:1",),
        "calls": (site(),),
        "total_calls": 1,
    }
    return CallTree(**(known | given))


def test_what_is_no_certain_call_stands_below_the_tree():
    shape = tree(by_name=(site(path="b.ts"),), total_by_name=1).shape()
    assert shape.title == "Callers of f: 1 call"
    assert any(line.endswith(":") for line in shape.lines)
    assert any("b.ts" in line for line in shape.lines)


def test_a_symbol_without_a_known_declaration_says_so():
    assert "No declaration of f is known here." in tree(declarations=()).text()


def test_a_call_is_listed_once_wherever_it_leads_from():
    """One function calls two of that name, and is called itself."""
    first = site(caller="g", callee_path="a.ts", callee_line=9)
    second = site(caller="g", line=5, callee_path="b.ts", callee_line=9)
    deeper = site(caller="h", path="c.ts", callee="g", callee_path="a.ts", callee_line=1, depth=2)
    text = tree(calls=(first, second, deeper), total_calls=3, depth=2).text()
    assert text.count("c.ts") == 1

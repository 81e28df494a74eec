import json

import pytest

from ipuaro_jupyter.index.binding.references import ReferenceFinder

FILES = {
    "src/tax.ts": "// vat(net)\nexport function vat(net: number) {\n  return net\n}\n",
    "src/bill.ts": "import { vat } from './tax'\nconst s = 'vat'\n"
    "export const t = `vat: ${vat(1)}`\n",
    "src/bill-old/x.ts": "console.log(vat)\n",
}
HEIR = "class Base:\n    def run(self): ...\nclass Heir(Base):\n    def run(self): ...\n"


def test_uses_are_identifiers_sorted_with_the_definition_flagged(run):
    output = run(FILES)("find_references", {"symbol": "vat"}).output
    found = [(u.path, u.line, u.column, u.is_definition) for u in output.references]
    assert ("src/bill.ts", 1, 10, False) in found
    assert ("src/bill.ts", 3, 26, False) in found
    assert ("src/tax.ts", 2, 17, True) in found
    assert output.total_references == 4
    assert found == sorted(found)


def test_a_name_that_leads_elsewhere_is_flagged(run):
    output = run(FILES)("find_references", {"symbol": "vat"}).output
    other = [u for u in output.references if u.path == "src/bill-old/x.ts"]
    assert [u.resolved for u in other] == [False]


def test_the_role_is_a_column_where_uses_differ_in_it(run):
    call = run(FILES)
    drawn = call("find_references", {"symbol": "vat"}).output.shape()
    assert drawn.columns == ("where", "column", "line", "role")
    assert {row[-1] for row in drawn.rows} == {"definition", "use", "same name"}
    alike = call("find_references", {"symbol": "vat", "path": "src/bill.ts"}).output.shape()
    assert alike.columns == ("where", "column", "line")
    assert alike.rows[0] == ("src/bill.ts:1", 10, "import { vat } from './tax'")
    assert call("find_references", {"symbol": "none"}).output.shape().rows == ()


def test_the_limit_cuts_the_list_but_not_the_count(run):
    result = run(FILES)("find_references", {"symbol": "vat", "limit": 1})
    assert result.output.total_references == 4
    assert len(result.output.references) == 1
    assert result.to_dict()["output"]["truncated"] is True
    assert "3 more" in result.text()


def test_the_path_is_a_boundary_and_must_exist(run):
    call = run(FILES)
    found = call("find_references", {"symbol": "vat", "path": "src/bill.ts"}).output
    assert {u.path for u in found.references} == {"src/bill.ts"}
    assert call("find_references", {"symbol": "vat", "path": "src/none"}).error.type == "file"


def test_a_name_that_is_nowhere_gets_the_closest_ones(run):
    call = run({"src/tax.ts": "export function echoed() {}\nechoed()\n"})
    output = call("find_references", {"symbol": "ecoed"}).output
    assert output.text().startswith(
        "Symbol: ecoed\nTotal references: 0\nNo code here has the name ecoed.\n"
        "Did you mean echoed (src/tax.ts:1)?"
    )
    assert output.shape().note == "Did you mean echoed (src/tax.ts:1)?"
    assert "Did you mean" not in call("find_references", {"symbol": "zzzz"}).text()
    assert "Did you mean" not in call("find_references", {"symbol": "echoed"}).text()


@pytest.mark.parametrize("symbol", ["vat", "Heir.run"])
def test_a_question_asked_again_is_answered_the_same(
    make_project, open_assistant, monkeypatch, symbol
):
    cells = [{"cell_type": "code", "source": source} for source in ("1", "a = 1\nvat\nb = 1")]
    notebook = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    root = make_project(
        FILES | {"n.ipynb": notebook, "crlf.js": "a\r\nvat.vat\r\nb\r\n", "p.py": HEIR}
    )
    assistant, asked = open_assistant(root, []), ("find_references", {"symbol": symbol})
    found = assistant.call(*asked)
    monkeypatch.setattr(ReferenceFinder, "of", None)
    again = assistant.call(*asked)
    assert again.output == found.output
    assert again.text() == found.text()
    cells = {use.cell for use in again.output.references}
    assert cells == ({None, 2} if symbol == "vat" else {None})
    assert again.output.overridden == (() if symbol == "vat" else ("p.py: Base.run",))


def test_nothing_found_is_an_empty_success(run):
    output = run(FILES)("find_references", {"symbol": "noSuch"}).to_dict()["output"]
    assert output["totalReferences"] == 0
    assert output["references"] == []


@pytest.mark.parametrize("symbol", ["", "  ", "()"])
def test_no_symbol_at_all_is_an_error(run, symbol):
    error = run(FILES)("find_references", {"symbol": symbol}).error
    assert error.type == "validation"


INSIDE = {
    "shop/tax.py": "def vat(net):\n    return net\n\n\nclass Bill:\n    rate = vat(1)\n\n"
    "    def total(self):\n        def part():\n            return vat(2)\n\n"
    "        return part() + vat(3)\n",
    "src/tax.ts": "export const duty = (n: number) => n\nexport class Toll {\n"
    "  paid() { return duty(1) }\n}\nduty(2)\n"
    "function a() { duty(3) } function b() { duty(4) }\n",
}


def test_each_use_says_which_function_it_is_in(run):
    call = run(INSIDE)
    output = call("find_references", {"symbol": "vat"}).output
    assert [(use.line, use.inside) for use in output.references] == [
        (1, ""),
        (6, "Bill"),
        (10, "Bill.total.part"),
        (12, "Bill.total"),
    ]
    assert ">   12:         return part() + vat(3)  (in Bill.total)" in output.text()
    assert output.shape().columns == ("where", "column", "line", "function", "role")
    assert output.shape().rows[2][3] == "Bill.total.part"
    told = call("find_references", {"symbol": "vat"}).to_dict()["output"]["references"]
    assert [use["inside"] for use in told] == ["", "Bill", "Bill.total.part", "Bill.total"]


def test_functions_that_share_a_line_are_not_told_apart(run):
    output = run(INSIDE)("find_references", {"symbol": "duty"}).output
    assert [(use.line, use.inside) for use in output.references] == [
        (1, ""),
        (3, "Toll.paid"),
        (5, ""),
        (6, ""),
        (6, ""),
    ]


def test_the_one_short_declaration_is_shown_whole_and_once(run):
    call = run(INSIDE)
    result = call("find_references", {"symbol": "Bill.total"})
    lines = INSIDE["shop/tax.py"].split("\n")[7:12]
    body = "\n".join(f"  {number:4d}: {line}" for number, line in enumerate(lines, 8))
    assert f"\n\nshop/tax.py:8\n{body}\n\nshop/tax.py (1 use)\n" in result.text()
    assert result.text().count("def total(self):") == 2  # in the whole, and as a use
    told = result.to_dict()["output"]["body"]
    assert (told["path"], told["start"], told["lines"]) == ("shop/tax.py", 8, lines)
    assert call("find_references", {"symbol": "vat", "path": "src"}).output.body.start == 1


def test_a_long_declaration_and_one_of_several_are_not_shown_whole(run):
    long = "def long():\n" + "    pass\n" * 40
    files = {"a.py": long, "b.py": "def two(): ...\n", "c.py": "def two(): ...\n"}
    call = run(files | {"d.py": "def just():\n" + "    pass\n" * 39})
    assert call("find_references", {"symbol": "long"}).output.body is None
    assert call("find_references", {"symbol": "two"}).output.body is None
    assert len(call("find_references", {"symbol": "just"}).output.body.lines) == 40
    chosen = call("find_references", {"symbol": "two", "declared_in": "c.py"}).output
    assert chosen.body.path == "c.py"


@pytest.mark.parametrize(
    "how", ["import type T = require('./hull')", "import T = require('./hull')"]
)
def test_a_type_that_is_required_is_used(run, how):
    files = {
        "hull.ts": "class Hull {\n  draw() { return 1 }\n}\nexport = Hull\n",
        "a.ts": f"{how}\nlet hull: T\n",
    }
    found = run(files)("find_references", {"symbol": "Hull"}).output.references
    assert {("a.ts", 1), ("a.ts", 2)} <= {(one.path, one.line) for one in found}

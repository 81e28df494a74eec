import sys

import pytest
from shells import cells, notebook, one_shell

__all__ = ["cells", "notebook", "one_shell"]

RATES = """\
RATES = {"USD": 1.0}


def rate(currency):
    return RATES[currency]


class Order:
    def total(self):
        return rate("GBP")
"""
FILES = {"shop.py": RATES}


@pytest.fixture
def shop(notebook, monkeypatch):
    """The open project, whose module the cells can import."""
    assistant = notebook(FILES)
    monkeypatch.syspath_prepend(str(assistant.root))
    yield assistant
    sys.modules.pop("shop", None)


def call(assistant, name="last_error", **arguments):
    return assistant.call(name, arguments, by_user=False)


def test_the_frames_are_places_of_the_project_and_of_cells(shop, cells):
    number = cells.run("import shop\nshop.Order().total()").execution_count
    found = call(shop).output
    assert (found.cell, found.error, found.later) == (number, "KeyError: 'GBP'", 0)
    assert [one.where for one in found.places] == [
        "shop.py:5",
        "shop.py:10",
        f"cell [{number}], line 2",
    ]
    assert [one.declared for one in found.places] == [
        "rate, lines 4-5",
        "Order.total, lines 9-10",
        "",
    ]
    assert ">    5\t    return RATES[currency]" in found.places[0].code
    assert f"cell [{number}]:2 → shop.py:10 Order.total → shop.py:5 rate" in found.text()
    assert call(shop).to_dict()["output"]["places"][0]["path"] == "shop.py"
    assert found.shape().rows[0] == ("shop.py:5", "rate", "")


def test_frames_outside_the_index_are_only_calls(shop, cells):
    cells.run("import json\njson.loads('{')")
    found = call(shop).output
    assert [one.path for one in found.places] == [None]
    assert "json/decoder.py" in found.calls[-1]


def test_what_led_to_the_error_is_told_with_its_places(shop, cells):
    cells.run(
        "import shop\ntry:\n    shop.rate('X')\nexcept KeyError as e:\n"
        "    raise ValueError('no total') from e"
    )
    found = call(shop).output
    assert found.error == "ValueError: no total"
    assert found.led_by == ("Raised from KeyError: 'X'",)
    assert [one.where for one in found.places[:2]] == ["cell [1], line 5", "shop.py:5"]


def test_a_function_of_an_earlier_cell_is_a_place_there(shop, cells):
    earlier = cells.run("def divide(a):\n    return a / 0").execution_count
    cells.run("divide(1)")
    (inner, _) = call(shop).output.places
    assert (inner.cell, inner.line, inner.function) == (earlier, 2, "divide")
    assert "return a / 0" in inner.code


def test_a_line_that_has_changed_since_is_not_shown_as_that_of_the_error(shop, cells):
    cells.run("import shop\nshop.rate('X')")
    file = shop.root / "shop.py"
    file.write_text(f"# new\n{file.read_text()}")
    place = call(shop).output.places[0]
    assert place.code == ""
    assert "has changed since: the line was return RATES[currency]" in place.note


def test_a_syntax_error_names_its_line(shop, cells):
    number = cells.run("x = 1\nif x\n    pass").execution_count
    found = call(shop).output
    assert found.error.startswith("SyntaxError: expected ':'")
    assert found.places[-1].where == f"cell [{number}], line 2"


def test_a_cell_that_was_repeated_without_an_error_is_forgotten(shop, cells):
    cells.run("one = 1 / zero")
    cells.run("two = 2")
    assert call(shop).output.later == 1
    cells.run("zero = 1")
    cells.run("one = 1 / zero")
    error = call(shop).error
    assert error.message == "No cell has failed, or it has run without an error since."


def test_a_command_that_tells_of_no_error_is_shown_with_the_end_of_its_output(shop, cells):
    cells.run("!seq 40; exit 2")
    found = call(shop).output
    assert found.error == "A command ended with exit status 2"
    if found.printed:  # IPython 9 keeps it
        assert found.text().endswith("Printed at the end:\n" + "\n".join(map(str, range(26, 41))))


def test_a_command_that_may_have_found_nothing_is_mentioned_only(shop, cells):
    number = cells.run("!exit 1").execution_count
    error = call(shop).error
    assert error.message == "No cell has failed, or it has run without an error since."
    told = f"A command ended with exit status 1 in cell [{number}], and told of no error."
    assert error.suggestion == told


def test_an_edited_cell_that_runs_is_forgotten_too(shop, cells):
    cells.run("1 / 0", cell_id="a")
    cells.run("1 / 1", cell_id="b")
    assert call(shop).success
    cells.run("1 / 2", cell_id="a")
    assert not call(shop).success


def test_cells_of_the_assistant_are_no_cells(shop, cells):
    cells.run("1 / 0")
    cells.run("%ipuaro nonsense")
    cells.run("%%ask\nWhy?")
    assert call(shop).output.error == "ZeroDivisionError: division by zero"


NODE = """\
/elsewhere/run.ts:1
throw e
^

TypeError: Cannot read properties of undefined (reading 'value')
    at rate (file://{root}/src/rates.ts:2:10)
    at main (../src/rates.ts:5:1)
    at node_modules/tool/index.js:1:1
"""
RUNS = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', {code!r}], check=True{more})"


def test_what_a_failed_command_has_printed_comes_first(notebook, cells):
    assistant = notebook(
        {"src/rates.ts": "export function rate() {\n  return R.x;\n}\n\nrate();\n"}
    )
    code = f"import sys; print({NODE.format(root=assistant.root)!r}, file=sys.stderr); sys.exit(3)"
    number = cells.run(RUNS.format(code=code, more=", capture_output=True")).execution_count
    found = call(assistant).output
    assert found.led_by == (
        "Printed: TypeError: Cannot read properties of undefined (reading 'value')",
    )
    assert [one.where for one in found.places] == [
        "src/rates.ts:2",
        "src/rates.ts:5",
        f"cell [{number}], line 2",
    ]
    assert found.places[0].declared == "rate, lines 1-3"
    assert "src/rates.ts:5 main → src/rates.ts:2 rate" in found.text()


def test_a_relative_path_that_may_mean_two_files_is_no_place(notebook, cells):
    assistant = notebook({"a/x.ts": "one()\n", "b/x.ts": "two()\n"})
    code = "import sys; sys.exit('Error: no\\n    at f (x.ts:1:1)\\n    at g (./a/x.ts:1:1)')"
    cells.run(RUNS.format(code=code, more=", capture_output=True"))
    places = call(assistant).output.places
    assert [one.path for one in places] == ["a/x.ts", None]


def test_what_was_printed_before_another_error_comes_last(shop, cells):
    number = cells.run(
        "import shop, traceback\ntry: shop.rate('X')\nexcept KeyError: traceback.print_exc()\n1 / 0"
    ).execution_count
    found = call(shop).output
    assert [one.where for one in found.places] == [f"cell [{number}], line 4", "shop.py:5"]
    assert "Printed: KeyError: 'X'" in found.text()


def test_the_traceback_of_another_process_is_read(shop, cells):
    cells.run(
        "import shop, traceback\nfrom concurrent.futures.process import _RemoteTraceback\n"
        "try: shop.rate('X')\nexcept KeyError: told = traceback.format_exc()\n"
        "raise ValueError from _RemoteTraceback(told)"
    )
    assert "shop.py:5" in [one.where for one in call(shop).output.places]


def test_without_a_notebook_the_error_says_so(run):
    tool = run(FILES)
    for name, arguments in (
        ("last_error", {}),
        ("inspect_value", {"name": "x"}),
        ("notebook_cells", {}),
    ):
        error = tool(name, arguments).error
        assert error.type == "validation"
        assert "kernel of a notebook, and there is none here" in error.message


COSTS = """\
def costs(parts):
    return sum(part() for part in parts)
"""


def test_a_line_is_one_place_however_many_frames_it_has(shop, cells):
    (shop.root / "parts.py").write_text(COSTS)
    cells.run("import parts\nparts.costs([None])")
    sys.modules.pop("parts", None)
    lines = [one.where for one in call(shop).output.places]
    assert lines.count("parts.py:2") == 1


def test_an_error_that_was_caught_and_printed_comes_behind_a_check_of_the_result(notebook, cells):
    assistant = notebook(
        {
            "main.ts": 'import { run } from "./lib";\nfunction same(a: any) {\n  throw 1;\n'
            "}\nsame(run());\n",
            "lib.ts": "export function run() {\n  try {\n    return lost();\n  } catch {}\n}\n",
        }
    )
    root = assistant.root
    told = (
        *("[lib] caught", "TypeError: lost is not a function", f"    at run ({root}/lib.ts:3:12)"),
        *("Error: no", f"    at same ({root}/main.ts:3:9)", f"    at {root}/main.ts:5:1"),
    )
    code = f"import sys; sys.exit({chr(10).join(told)!r})"
    cells.run(RUNS.format(code=code, more=", capture_output=True"))
    assert [one.where for one in call(assistant).output.places[:2]] == ["main.ts:3", "lib.ts:3"]


def test_the_errors_of_a_group_are_told_with_their_places(shop, cells):
    cells.run(
        "import shop\nfound = []\nfor name in 'AB':\n    try:\n        shop.rate(name)\n"
        "    except KeyError as e:\n        found.append(e)\n"
        "raise ExceptionGroup('all failed', [found[0], ExceptionGroup('again', [found[1]])])"
    )
    found = call(shop).output
    assert found.error == "ExceptionGroup: all failed (2 sub-exceptions)"
    assert found.led_by == (
        "One of them is KeyError: 'A'",
        "One of them is ExceptionGroup: again (1 sub-exception)",
        "One of them is KeyError: 'B'",
    )
    assert [one.where for one in found.places] == [
        "shop.py:5",
        "cell [1], line 5",
        "cell [1], line 8",
    ]
    assert "has changed since" not in found.text()


def test_the_notes_of_an_error_are_told(shop, cells):
    cells.run("e = ValueError('base')\ne.add_note('in row 3')\nraise e")
    assert call(shop).output.error == "ValueError: base\nin row 3"


def test_an_error_of_another_process_leads_to_its_place_there(shop, cells):
    trace = f'Traceback\n  File "{shop.root}/shop.py", line 5, in rate\n    return 1\nKeyError: 9'
    cells.run(f"far = Exception()\nfar.tb = {trace!r}\nraise KeyError(9) from far")
    assert call(shop).output.places[0].where == "shop.py:5"

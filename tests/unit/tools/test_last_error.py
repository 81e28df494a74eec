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
    assert found.shape().rows[0] == ("shop.py:5", "rate")


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
    assert "shop.py:5" in [one.where for one in found.places]


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

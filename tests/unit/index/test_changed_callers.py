"""The callers of what a change touches that no test covers."""

import pytest
from annotated import project_files

from ipuaro_jupyter.index.changed_callers import uncovered_callers
from ipuaro_jupyter.records.change import Change

PRICE = project_files("changed_callers")["price.ts"]
FILES = {
    "src/price.ts": PRICE,
    "src/shop.ts": 'import { price } from "./price";\nexport const a = price({ cents: 1 });\n',
    "src/page.ts": 'import { other } from "./price";\nexport const b = other();\nother();\n',
    "src/late.ts": 'import { Book } from "./price";\nnew Book().add({ cents: 2 });\n',
    "src/same.ts": "function price() {}\nprice();\n",
    "src/price.test.ts": 'import { price } from "./price";\nprice({ cents: 3 });\n',
    "src/shop.test.ts": 'import { a } from "./shop";\na;\n',
}


@pytest.fixture
def callers(make_project, open_index):
    """Give a function that replaces a text in src/price.ts."""
    index = open_index(make_project(FILES))

    def find(old, new, tests=()):
        before = PRICE.encode()
        after = None if new is None else PRICE.replace(old, new).encode()
        change = Change(path="src/price.ts", before=before, after=after)
        return uncovered_callers(index, [change], tests)

    return find


def test_callers_of_the_changed_function_alone(callers):
    assert callers("return 1;", "return 2;") == ("src/page.ts:2",)
    assert callers("return tariff.cents;", "return 2;") == ("src/shop.ts:2",)
    assert callers("return price(tariff);", "return 0;") == ("src/late.ts:2",)
    assert callers('name = "";', 'name = "x";') == ()


def test_a_caller_that_a_test_imports_is_covered(callers):
    assert callers("return tariff.cents;", "return 2;", ["src/shop.test.ts"]) == ()


def test_added_lines_belong_to_what_is_around_them(callers):
    assert callers("  return 1;", "  void 0;\n  return 1;") == ("src/page.ts:2",)


def test_a_file_that_goes_has_all_its_callers(callers):
    assert callers("", None) == ("src/late.ts:2", "src/page.ts:2", "src/shop.ts:2")


def test_what_is_new_has_none(make_project, open_index):
    index = open_index(make_project(FILES))
    created = Change(path="src/new.ts", before=None, after=b"export const a = 1;\n")
    notes = Change(path="notes.md", before=b"a", after=b"b")
    assert uncovered_callers(index, [created, notes], []) == ()

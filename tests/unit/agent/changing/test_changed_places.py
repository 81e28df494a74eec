"""Which declarations a request for a change may be about, and which requests are about more."""

import pytest

from ipuaro_jupyter.agent.changing.changed_places import ChangedPlaces

FILES = {
    "src/cart.py": '''class Cart:
    """A cart."""

    def __init__(self, prices):
        self.prices = prices

    def total(self):
        return sum(self.prices)

    @property
    def retry(self):
        return 3


LIMIT = 3


def solve(cart):
    return cart.total()
''',
    "src/other.py": "def solve(other):\n    return other\n",
    "tests/test_cart.py": "def test_total():\n    assert solve(Cart([1])) == 1\n",
    "web/app.ts": "export const total = (a: number) => {\n  return a\n}\n",
    "package.json": "{}\n",
}


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        ("Make `Cart.total` round", ["Cart.total src/cart.py:7"]),
        ("total() is wrong, fix it", ["Cart.total src/cart.py:7", "total web/app.ts:1"]),
        ("In web/app.ts, fix `total`", ["total web/app.ts:1"]),
        ("solve gives incorrect output: fix it", ["solve src/cart.py:18", "solve src/other.py:1"]),
        ("Fix the function solve in src/other.py", ["solve src/other.py:1"]),
        ("Add a retry to the total", []),
        ("Set `LIMIT` to 5", ["LIMIT src/cart.py:15"]),
        ("`prices` has to be a tuple, change that", ["Cart.__init__ src/cart.py:4"]),
        ("Let `solve` respect `LIMIT`", ["solve src/cart.py:18", "solve src/other.py:1"]),
        ("Fix it", []),
        ("Give `test_total` another price", ["test_total tests/test_cart.py:1"]),
        ("Fix the code: the test `test_total` fails with 'assert 2 == 1'", []),
        ("Test `test_total` fails: mend `solve` in src/cart.py", ["solve src/cart.py:18"]),
    ],
)
def test_what_is_named_exactly_is_found(project, request_, named):
    found = ChangedPlaces(project, request_).named()
    assert [one.told.replace("`", "") for one in found] == named


def test_names_that_are_referred_to_stand_in_for_none(project):
    [found] = ChangedPlaces(project, "Make it round").named(["Cart.total"])
    assert found.text.startswith("    def total(self):")


@pytest.mark.parametrize(
    "request_",
    [
        "Add a function that empties a cart",
        "Write unit tests for `solve`",
        "Create a module for carts",
        "Extract a helper method from `solve`",
        "Rename `solve` to `answer`",
        "Delete `solve`.",
        "Remove the function solve()",
        "Get rid of `Cart.total`",
        "Set the version in package.json to 2",
        "Fix cell 3",
        "Commit it",
        "Écris un test pour `solve`",
        "Удали `solve`",
        "请删除 `solve`",
    ],
)
def test_what_is_more_than_one_declaration_is_told(project, request_):
    assert ChangedPlaces(project, request_).is_elsewhere


@pytest.mark.parametrize(
    "request_",
    [
        "Add a docstring to the function solve",
        "Add a parameter `rate` to `Cart.total`",
        "Remove the sum from `Cart.total`",
        "Add type hints to all parameters of `solve`",
        "Implement `solve` without a loop",
        "Make `solve` return None for an empty cart",
        "Fix `solve` in src/cart.py",
        "Add error handling to the class Cart",
    ],
)
def test_what_changes_one_declaration_is_not(project, request_):
    assert not ChangedPlaces(project, request_).is_elsewhere


@pytest.mark.parametrize(
    ("request_", "using"),
    [
        ("Let `LIMIT` be a float everywhere", ["LIMIT"]),
        ("Use a tuple in every user of `LIMIT`", []),
        ("Let `solve` round everywhere", []),
    ],
)
def test_what_changes_everywhere_are_the_declarations_that_use_it(project, request_, using):
    places = ChangedPlaces(project, request_)
    assert places.is_everywhere
    assert not places.is_elsewhere
    assert [one.found.qualified for one in places.using()] == using


@pytest.mark.parametrize(
    ("request_", "is_list"),
    [
        ("Let `Cart.total` and `LIMIT` be floats", True),
        ("Make `Cart.total`, `solve`, and `LIMIT` floats", True),
        ("Let `Cart.total` respect `LIMIT`", False),
        ("Make `solve` faster", False),
    ],
)
def test_names_with_nothing_but_an_and_between_them_are_a_list(project, request_, is_list):
    assert ChangedPlaces(project, request_).is_list is is_list


@pytest.mark.parametrize(
    ("request_", "new"),
    [
        ("Add a method call(x) to Cart", "method"),
        ("Add class Parcel with an attribute x", "declaration"),
        ("Add a class attribute to Cart", ""),
        ("Add a method parameter to total", ""),
        ("Add module-level caching", ""),
        ("Write file contents to disk in solve", ""),
        ("Add error handling when function solve fails", ""),
        ("Add a docstring. Every function needs one", ""),
    ],
)
def test_a_part_of_something_is_nothing_new(project, request_, new):
    assert ChangedPlaces(project, request_).new == new

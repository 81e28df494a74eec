"""What of a reply is the new text of a declaration, and that it is spliced in byte by byte."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.agent.changing.written_text import written_text
from ipuaro_jupyter.index.declared_lines import Declarations
from ipuaro_jupyter.tools.replace_symbol import replacement
from ipuaro_jupyter.workspace.files.text_file import TextFile

CART = '''from functools import cache


class Cart:
    """A cart."""

    @cache
    def total(self, rate):
        """The sum."""
        return sum(self.prices) * rate

    def _sum(self):
        return 0


# What it costs.
def cost(cart):
    return cart.total(1)
'''
SHOP = """import { log } from './log'

/** Adds up. */
export const total = (prices) => {
  return prices.reduce((a, b) => a + b)
}

export class Shop {
  open(day) {
    return day
  }
}

const routes = {
  home() {
    return '/'
  },
  shop: () => '/shop',
}
"""
PACKAGES = ("jinja2", "markdown_it", "traitlets", "nbclient")


def place(path, data, name):
    data = data if isinstance(data, bytes) else data.encode()
    file = TextFile.of(path, data, 0o644)
    [found] = Declarations(path, data).named(name)
    return file, found


def spliced(path, data, name, reply):
    """Return the file with a reply spliced in, or what is wrong with that."""
    file, found = place(path, data, name)
    written = written_text(reply, file, found)
    return written.problem or replacement(file, written.text, found).after.decode()


def sources():
    """Return Python of published packages, and TypeScript and JavaScript of our projects."""
    for name in PACKAGES:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        yield from sorted(Path(spec.origin).parent.rglob("*.py"))
    yield from sorted((Path(__file__).parents[3] / "projects").rglob("*.[tj]s*"))


def declarations():
    """Return the declarations of the sources, each with its file."""
    found = []
    for path in sources():
        if path.suffix == ".json" or not path.is_file():
            continue
        file = TextFile.of(path.name, path.read_bytes(), 0o644)
        known = Declarations(path.name, file.data)
        lines = [one for name in known.names for one in known.exactly(name)]
        found += [(file, one) for one in lines if not one.problem and not is_field(file, one)]
    return found


def is_field(file, found):
    return file.lines[found.start - 1].strip().startswith(("self.", "cls.", "this."))


PUBLISHED = declarations()


def own_text(file, found):
    return "\n".join(file.lines[found.comments - 1 : found.end])


@given(st.sampled_from(PUBLISHED), st.sampled_from(("\n", "\r\n")))
def test_splicing_a_declaration_by_itself_changes_nothing(one, end):
    file, found = one
    data = file.data.replace(b"\r\n", b"\n").replace(b"\n", end.encode())
    file = TextFile.of(file.path, data, 0o644)
    written = written_text(f"Here:\n\n```python\n{own_text(file, found)}\n```\n", file, found)
    assert written.problem == ""
    assert replacement(file, written.text, found).after == data


@given(st.sampled_from(PUBLISHED))
def test_splicing_replaces_exactly_the_lines_of_the_declaration(one):
    file, found = one
    text = own_text(file, found)
    added = f"{text}  # new" if "\\" not in text[-2:] else text
    made = replacement(file, added, found)
    new = TextFile.of(file.path, made.after, 0o644)
    first, last = made.lines
    assert new.lines[: first - 1] == file.lines[: first - 1]
    assert new.lines[len(new.lines) - len(file.lines) + last :] == file.lines[last:]
    assert "\n".join(new.lines[first - 1 : last]) == added


@given(st.sampled_from(PUBLISHED))
def test_a_whole_file_is_cut_to_the_declaration(one):
    file, found = one
    same = Declarations(file.path, file.data).exactly(found.qualified)
    cut = written_text(file.text, file, found)
    if "```" not in file.text and len(same) == 1 and not cut.problem:
        assert replacement(file, cut.text, found).after == file.data


def test_the_old_text_may_stand_before_the_new_one():
    old, new = (f"```python\ndef cost(cart):\n    return cart.total({n})\n```\n" for n in (1, 2))
    after = CART.replace("total(1)", "total(2)")
    assert spliced("cart.py", CART, "cost", f"Now it is:\n{old}It should be:\n{new}") == after
    assert spliced("cart.py", CART, "cost", old) == CART


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("Cart.total", "def total(self, rate):\n    return 1"),
        ("Cart.total", "    def total(self, rate):\n        return 1"),
        ("Cart.total", "class Cart:\n    def total(self, rate):\n        return 1"),
        (
            "Cart.total",
            "import os\n\nclass Cart:\n    def total(self, rate):\n        return 1\n\n",
        ),
    ],
)
def test_decorators_and_indentation_are_kept_of_whatever_is_around(name, reply):
    after = spliced("cart.py", CART, name, f"```python\n{reply}\n```")
    old = '        """The sum."""\n        return sum(self.prices) * rate\n'
    assert after == CART.replace(old, "        return 1\n")


@pytest.mark.parametrize(
    ("name", "reply", "old", "new"),
    [
        (
            "total",
            "const total = () => 0",
            "export const total = (prices) => {\n  return prices.reduce((a, b) => a + b)\n}",
            "export const total = () => 0",
        ),
        ("Shop.open", "open(day) {\n  return 1\n}", "    return day", "    return 1"),
        (
            "Shop.open",
            "class Shop {\n  open(day) {\n    return 1\n  }\n}",
            "return day",
            "return 1",
        ),
        ("routes.home", "home() {\n  return '/a'\n}", "return '/'\n", "return '/a'\n"),
        ("routes.shop", "shop: () => '/b'", "'/shop'", "'/b'"),
        (
            "Shop",
            "export class Shop {}",
            "Shop {\n  open(day) {\n    return day\n  }\n}",
            "Shop {}",
        ),
    ],
)
def test_members_export_and_commas_are_placed_as_in_the_file(name, reply, old, new):
    assert spliced("shop.js", SHOP, name, f"```js\n{reply}\n```") == SHOP.replace(old, new)


def test_an_export_that_is_new_is_left_out_unless_it_is_asked_for():
    reply = "```js\nexport const routes = {}\n```"
    file, found = place("shop.js", SHOP, "routes")
    assert written_text(reply, file, found).text == "const routes = {}"
    assert written_text(reply, file, found, may_export=True).text == "export const routes = {}"


def test_a_remark_above_the_new_text_does_not_replace_the_comment():
    after = spliced(
        "cart.py", CART, "cost", "```py\n# Fixed version\ndef cost(cart):\n    return 2\n```"
    )
    assert after == CART.replace("return cart.total(1)", "return 2")


@pytest.mark.parametrize(
    "line",
    [
        "# ... rest unchanged",
        "# existing code",
        "# The rest of the function stays the same",
        "# … other code here …",
        "...",
        "# (previous implementation here)",
    ],
)
def test_a_part_is_refused_with_the_line_that_stands_for_the_rest(line):
    told = spliced(
        "cart.py", CART, "cost", f"```python\ndef cost(cart):\n    {line}\n    pass\n```"
    )
    assert told == f"`{line}` stands for a part that was left out. Write all of cost."


def test_a_line_like_that_in_the_file_itself_is_no_part():
    source = "def cost(cart):\n    # existing code\n    return 1\n"
    assert spliced("a.py", source, "cost", source.replace("1", "2")) == source.replace("1", "2")


@pytest.mark.parametrize(
    "reply", ["", "I cannot do that.", "```python\ndef other():\n    pass\n```"]
)
def test_a_reply_without_the_declaration_is_refused(reply):
    told = spliced("cart.py", CART, "cost", reply)
    assert told == "The reply does not hold cost, whole, in one code fence."


def test_a_helper_outside_of_the_declaration_is_refused():
    reply = "```python\ndef helper():\n    return 1\n\n\ndef cost(cart):\n    return helper()\n```"
    told = spliced("cart.py", CART, "cost", reply)
    assert told == "cost uses `helper`, which stands outside of it: put it inside of cost."


TILL = "class Shop:\n    def total(self, prices):\n        return self.rounded(sum(prices))\n"
TILL += "\n    def rounded(self, price):\n        return round(price, 2)\n"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (
            TILL.replace("self.rounded(sum(prices))", "self.cut(sum(prices))").replace(
                "def rounded", "def cut"
            ),
            "Shop.total uses `cut`, which stands outside of it: put it inside of Shop.total.",
        ),
        (
            TILL.replace("(sum(prices))", "(sum(prices), 3)")
            .replace("price)", "price, digits)")
            .replace("price, 2", "price, digits"),
            "It changes `Shop.rounded`, too: write Shop.total alone.",
        ),
    ],
    ids=["new", "changed"],
)
def test_another_method_that_it_needs_is_not_left_out_silently(reply, told):
    assert spliced("shop.py", TILL, "Shop.total", f"```python\n{reply}```") == told


def test_of_a_getter_and_a_setter_the_same_one_is_replaced():
    getter = "    @property\n    def x(self):\n        return 1\n"
    source = f"class A:\n{getter}\n    @x.setter\n    def x(self, to):\n        pass\n"
    file = TextFile.of("a.py", source.encode(), 0o644)
    _, setter = Declarations("a.py", file.data).exactly("A.x")
    written = written_text(source.replace("pass", "self.y = to"), file, setter)
    after = replacement(file, written.text, setter).after.decode()
    assert after == source.replace("pass", "self.y = to")

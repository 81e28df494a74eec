"""On which files the edits of a reply are placed, and what they make of these."""

import difflib

import pytest

from ipuaro_jupyter.agent.changing.changed_places import ChangedPlaces
from ipuaro_jupyter.agent.changing.placed_edits import placed_edits
from ipuaro_jupyter.agent.written_edits import written_edits
from ipuaro_jupyter.errors import ToolError

FILES = {
    "src/cart.py": '''"""Carts."""

LIMIT = 3


class Cart:
    """A cart."""

    def total(self):
        return sum(self.prices)

    def count(self):
        return len(self.prices)


def solve(cart):
    return cart.total()
''',
    "src/other.py": '"""Others."""\n\n\ndef solve(other):\n    return other\n',
    "web/app.ts": "export const total = (a: number) => {\n  return a\n}\n",
    "web/app.css": "p {\n  color: red;\n}\n",
    "README.md": "# Carts\n\nA text.\n",
    "web/all.css": "/* web/all.css */\np { color: red }\na { color: red }\n"
    + "b { color: red }\n" * 9,
    "src/size.py": """class Size:
    @property
    def width(self):
        return 1

    @width.setter
    def width(self, width):
        pass
""",
    ".env": "LEVEL=1\nMODE=2\n",
    ".env.example": "LEVEL=1\n",
}


def block(old, new):
    return f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def made(project, reply, request=""):
    """The files that a reply changes, by path."""
    [place] = ChangedPlaces(project, request).named() if request else [None]
    found = placed_edits(project, written_edits(reply), place)
    return {path: data.decode() for path, data in found.files.items()}


COUNT = ("return len(self.prices)", "return len(set(self.prices))")
SIZE = (f"    def size(self):\n        {COUNT[0]}", "    def size(self):\n        return 2")
MARKED = f"-        {COUNT[0]}\n+        {COUNT[1]}"
COUNTED = {"src/cart.py": FILES["src/cart.py"].replace(*COUNT)}


@pytest.mark.parametrize(
    "reply",
    [
        f"src/cart.py\n{block(*COUNT)}",
        f"cart.py\n{block(*COUNT)}",
        block(*(f"    def count(self):\n        {line}" for line in COUNT)),
        block(*COUNT),  # by the words in it
        f"```diff\n@@ -70,3 +70,3 @@ class Cart:\n{MARKED}\n```",
        f"*** Begin Patch\n*** Update File: cart.py\n@@ def count(self):\n{MARKED}\n*** End Patch",
        f"```python\nclass Cart:\n    def count(self):\n        {COUNT[1]}\n```",
        f"```python\n# src/cart.py\n{FILES['src/cart.py'].replace(*COUNT)}```",
        f"```python src/cart.py\nclass Cart:\n    def count(self):\n        {COUNT[1]}\n```",
    ],
)
def test_an_edit_is_placed_on_its_file(project, reply):
    assert made(project, reply) == COUNTED


def test_a_real_diff_of_two_files_gives_both(project):
    after = {
        path: FILES[path].replace("return", "return +") for path in ("src/other.py", "web/app.ts")
    }
    diff = [
        line
        for path, new in after.items()
        for line in difflib.unified_diff(
            FILES[path].splitlines(), new.splitlines(), f"a/{path}", f"b/{path}", lineterm=""
        )
    ]
    assert made(project, "\n".join(diff)) == after


def test_a_new_file_is_created(project):
    assert made(project, "```python src/new.py\nX = 1\n```") == {"src/new.py": "X = 1\n"}


def test_a_small_file_without_declarations_is_written_as_a_whole(project):
    new = FILES["web/app.css"].replace("red", "blue")
    assert made(project, f"web/app.css\n```css\n{new}```") == {"web/app.css": new}


def test_a_line_that_names_the_file_stays_where_the_file_has_it(project):
    new = FILES["web/all.css"].replace("p { color: red", "p { color: blue")
    assert made(project, f"```css\n{new}```") == {"web/all.css": new}


def test_a_name_with_a_dot_in_front_is_a_file(project):
    assert [*made(project, f".env\n{block('LEVEL=1', 'LEVEL=2')}")] == [".env"]


def test_the_declaration_that_is_asked_about_decides(project):
    reply = "```python\ndef solve(other):\n    return [other]\n```"
    [path] = made(project, reply, "Make `solve` in src/other.py return a list.")
    assert path == "src/other.py"


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("```python\ndef solve(x):\n    return 1\n```", "src/cart.py:16, src/other.py:4"),
        (f"src/cart.py\n{block('        return min(1)', 'x')}", "are not in src/cart.py"),
        (block("return min(self.max)", "x"), "which begin with `return min"),
        (f"src/none.py\n{block('a', 'b')}", "src/none.py"),
        (f"../../etc/passwd\n{block('a', 'b')}", "outside"),
        ("```python ../new.py\nX = 1\n```", "outside"),
        (f"src/cart.py\n{block('def solve(cart):', 'def solve(cart:')}", "syntax error"),
        ("```python src/cart.py\ndef solve(cart):\n    # ... existing code ...\n```", "left out"),
        ("web/all.css\n```css\np { color: blue }\n```", "neither the whole file"),
        (
            "```python\nclass Size:\n    @property\n    def width(self):\n        return 2\n```",
            "`Size.width` of src/size.py is declared several times",
        ),
        (f"src/cart.py\n{block(*COUNT)}{block(COUNT[0], '0')}", "Two edits change src/cart.py:13"),
        (f"src/cart.py\n{block(*SIZE)}", "begin with `def size(self):`, are not in"),
        ("```python src/cart.py\ndef other(cart):\n    return 1\n```", "neither the whole file"),
        (
            "*** Begin Patch\n*** Delete File: src/cart.py\n*** End Patch",
            "that is for delete_file",
        ),
    ],
)
def test_what_has_no_place_or_several_is_refused_with_the_reason(project, reply, problem):
    with pytest.raises(ToolError) as refused:
        made(project, reply)
    assert problem in refused.value.message


@pytest.mark.parametrize("reply", ["```python\nprint(1)\n```", "```python\nresult = total(1)\n```"])
def test_code_that_only_shows_a_use_changes_nothing(project, reply):
    assert made(project, reply) == {}


def test_what_is_there_already_changes_nothing(project):
    assert made(project, f"```python src/cart.py\n{FILES['src/cart.py']}```") == {}

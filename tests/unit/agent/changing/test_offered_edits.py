"""Which edits of an answer can be proposed: those that concern the project."""

import pytest

from ipuaro_jupyter.agent.changing.offered_edits import offered_edits, proposing_call
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.records.receipt import Receipt

CART = '''"""Carts."""


def total(cart):
    return sum(cart)


def size(cart):
    return len(cart)
'''
FILES = {
    "src/cart.py": CART,
    "src/other.py": "def solve(a):\n    return a\n",
    "src/third.py": "def solve(b):\n    return b\n",
    "web/app.ts": "export const total = (a: number) => {\n  return a\n}\n",
}
BLOCK = "<<<<<<< SEARCH\n    return len(cart)\n=======\n    return len(set(cart))\n>>>>>>> REPLACE"
DIFF = "--- a/src/cart.py\n+++ b/src/cart.py\n@@ -9 +9 @@\n-    return len(cart)\n+    return 0"
PATCH = (
    "*** Begin Patch\n*** Update File: src/cart.py\n@@ def size(cart):\n"
    "-    return len(cart)\n+    return 0\n*** End Patch"
)
FUNCTION = "```python\ndef size(cart):\n    return 0\n```"


def offered(project, text):
    return [(one.at, one.told) for one in offered_edits(project, text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"So:\n\n```\n{BLOCK}\n```\nThat is it.", [(2, "src/cart.py:9")]),
        (f"src/cart.py\n{BLOCK}", [(None, "src/cart.py:9")]),
        (f"So:\n```diff\n{DIFF}\n```", [(1, "src/cart.py:9")]),
        (PATCH, [(None, "src/cart.py:9")]),
        (f"One.\n\n{FUNCTION}", [(2, "src/cart.py:9")]),
        ("```python src/new.py\nA = 1\n```", [(0, "src/new.py")]),
        ("src/new.py\n```python\nA = 1\n```", [(1, "src/new.py")]),
        ("```python\ndef solve(c):\n    return c\n```", [(0, "several places")]),
        (
            f"```\nsrc/cart.py\n{BLOCK.replace('len(cart)', 'gone(cart)')}\n```",
            [(0, "src/cart.py")],
        ),
        (f"It is\n{FUNCTION}\nor\n```\n{BLOCK}\n```", [(6, "src/cart.py:9")]),
    ],
)
def test_an_edit_of_the_project_is_offered(project, text, found):
    assert offered(project, text) == found


def test_blocks_are_offered_one_by_one_with_the_file_that_stands_above_the_first(project):
    other = BLOCK.replace("len", "sum")
    text = f"src/cart.py\n```\n{BLOCK}\n```\nand\n```\n{other}\n```\nand\n{DIFF}"
    assert offered(project, text) == [
        (1, "src/cart.py:9"),
        (9, "src/cart.py:5"),
        (None, "src/cart.py:9"),
    ]
    assert len({one.id for one in offered_edits(project, text)}) == 3


@pytest.mark.parametrize(
    "text",
    [
        "No code.",
        "```python\nprint(total([1]))\n```",
        "```python\ndef example():\n    return 1\n```",
        "```sh\npip install cart\n```",
        "```python\ndef size(cart):\n    return len(cart)\n```",
        "```python\ndef size(cart):\n    ...\n```",
        "src/cart.py\n```python\nreturn sum(cart)\n```",
        "```python ../outside.py\nA = 1\n```",
        "```diff\n-old\n+new\n```",
        f"gone.py\n```\n{BLOCK}\n```",
        "```python\ndef size(cart):\n    return '[redacted:token:1a2b]'\n```",
    ],
)
def test_code_that_only_shows_something_is_not_offered(project, text):
    assert offered(project, text) == []


def test_one_of_two_edits_is_proposed(project):
    text = f"```\n{BLOCK}\n```\n```diff\n{DIFF}\n```"
    edits = offered_edits(project, text)
    kept = [Message(role="assistant", content=text, receipt=Receipt(edits=edits))]
    call = proposing_call(project, kept, ["2"])
    assert call.name == "edit_lines"
    assert call.arguments == {
        "path": "src/cart.py",
        "start": 9,
        "end": 9,
        "content": "    return 0\n",
    }

"""The examples of a function with a new text of it, in real programs in a real sandbox."""

import os
import shutil
import sys

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.project.examples import doc_examples
from ipuaro_jupyter.project.examples.doc_examples import DocExamples, examples_in
from ipuaro_jupyter.records.events import Noticed

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux")
    or (shutil.which("bwrap") is None and not os.environ.get("CI")),
    reason="bwrap is not installed",
)
HALF = 'def half(number):\n    """Half of it.\n\n    >>> half(4)\n    2.0\n    """\n'
RIGHT, WRONG = f"{HALF}    return number / 2\n", f"{HALF}    return number / 3\n"
ARROW = "def sum_of(a, b):\n    # sum_of(1, 2) -> 3\n    return 3\n"
TWICE = "/**\n * @example\n * twice(2) // => 4\n */\n"
BY_EVIDENCE = {"llm": {"way": "evidence", "samples": 2}, "commands": {"sandbox": "auto"}}


@pytest.fixture
def failed(make_project, open_workspace):
    """Run the examples of a function with a text of its file."""

    def run(path, text, name, *, files=(), after=None, **settings):
        root = make_project({path: text, **dict(files)})
        workspace = open_workspace(root, **({"sandbox": "auto"} | settings)).workspace
        examples = DocExamples(workspace, path, name=name, documentation=text)
        return examples.failed((after or text).encode())

    return run


@pytest.mark.parametrize(
    ("path", "text", "name", "told"),
    [
        ("a.py", RIGHT, "half", ""),
        ("a.py", WRONG, "half", f"half(4) gives {4 / 3}, not 2.0"),
        ("a.py", RIGHT.replace(">>> ", ""), "half", ""),
        ("a.py", f"import nowhere\n{WRONG}", "half", ""),
        ("a.py", RIGHT.replace("half(4)", "half(None)"), "half", "half(None) raises TypeError: "),
        ("a.py", f"{HALF.replace('2.0', '')}    return 3\n", "half", ""),
        (
            "a.py",
            WRONG.replace("half(4)\n    2.0", "half(4) == 2"),
            "half",
            "half(4) == 2 gives Fa",
        ),
        ("a.py", ARROW.replace("return 3", "return 4"), "sum_of", "sum_of(1, 2) gives 4, not 3"),
        ("a.py", ARROW, "sum_of", ""),
        ("a.py", ARROW.replace("3", "three", 1), "sum_of", ""),
        ("a.py", ARROW.replace("(1, 2)", "(1)"), "sum_of", "sum_of(1) raises TypeError: "),
        ("a.js", "// half(4) => 2\nconst half = (n) => n;\n", "half", "half(4) gives 4, not 2"),
        ("a.js", f"{TWICE}const twice = (n) => n * 2;\n", "twice", ""),
        ("a.js", f"{TWICE}function twice(n) {{ return n }}\n", "twice", "twice(2) gives 2, not 4"),
        ("a.mjs", f"{TWICE}export const twice = (n) => n + 1;\n", "twice", "twice(2) gives 3, not"),
        (
            "a.js",
            f"{TWICE}export const twice = (n) => no(n);\n",
            "twice",
            "twice(2) throws Referenc",
        ),
        ("a.js", "/* >>> pair()\n   (1, 2)\n */\nconst pair = () => [1, 2];\n", "pair", ""),
        ("a.js", "/* >>> pair() # two\n   [1]\n */\nconst pair = () => [1, 2];\n", "pair", ""),
        ("a.js", "// f() => {a: 1, b: 2}\nconst f = () => ({b: 2, a: 1})\n", "f", ""),
        ("a.js", "// f() => new Set([1])\nconst f = () => new Set([2])\n", "f", "f() gives [2], "),
        ("a.js", "// f() => NaN\nconst f = () => null\n", "f", 'f() gives null, not "NaN"'),
        ("a.js", "// f() => 3\nconst f = () => 4n\n", "f", 'f() gives "4", not 3'),
        ("a.js", "// failed(1) => 1\nconst failed = (n) => n\n", "failed", ""),
        (
            "a.js",
            "/*\nf('\u2028`${x}`\\\\') => 3\n*/\nconst f = () => 2\n",
            "f",
            "f('\u2028`${x}`\\\\') gives 2",
        ),
        ("-e.js", "// f() => 3\nconst f = () => 2\n", "f", "f() gives 2, not 3"),
        ("a.py", f"print('begin')\n{WRONG}", "half", f"half(4) gives {4 / 3}, not 2.0"),
        ("a.js", "/* >>> later()\n   1\n */\nasync function later() { return 2 }\n", "later", ""),
    ],
)
def test_examples_that_fail_are_told(failed, path, text, name, told):
    assert failed(path, text, name).startswith(told) if told else not failed(path, text, name)


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.py", f"{HALF}    import nowhere\n", "half"),
        ("a.py", f"{HALF}    import socket; socket.create_connection(('1.1.1.1', 53))\n", "half"),
        ("a.py", f"{HALF}    return open('data.csv').read()\n", "half"),
        ("a.py", f"{HALF}    import time; return time.time()\n", "half"),
        ("a.py", RIGHT.replace("half(4)", "half(order)"), "half"),
        ("a.py", WRONG.replace("half(4)", "await half(4)"), "half"),
        ("a.py", "def kind():\n    # kind() -> str\n    return 'a'\n", "kind"),
        ("a.py", "async def kind():\n    # kind() -> 3\n    return 'a'\n", "kind"),
        ("a.js", "// f() => 2\nconst f = () => require('nowhere')\n", "f"),
        ("a.js", "// f() => 2\nconst f = () => require('fs').readFileSync('none')\n", "f"),
        ("a.js", "/** @example\n * shop.f() // 2\n */\nconst f = () => 3\n", "f"),
        ("a.js", "function f() {\n  // to a@example.com\n  f.x = 1 // 2\n}\n", "f"),
        ("a.js", "// f() => 2\nconst f = () => 3\nconsole.log('Usage: a'); process.exit(4)\n", "f"),
    ],
)
def test_examples_that_cannot_tell_here_are_not_told(failed, path, text, name):
    """They need a network, a file, a package or a name that is not there, or are no code."""
    assert failed(path, text, name) == ""


@pytest.mark.parametrize(
    "after",
    [
        WRONG.replace("/ 3", "/ 4"),
        WRONG.replace("/ 3", "/ 4").replace("2.0", "1.0"),
        "def half(number):\n    return number / 4\n",
    ],
)
def test_a_new_text_does_not_hold_by_other_examples(failed, after):
    assert failed("a.py", WRONG, "half", after=after) == "half(4) gives 1.0, not 2.0"


@pytest.mark.parametrize(("result", "told"), [("2.0", "half(4) gives 1.0, not 2.0"), ("1.0", "")])
def test_an_example_that_held_may_be_changed_with_its_function(failed, result, told):
    after = RIGHT.replace("/ 2", "/ 4").replace("2.0", result)
    assert failed("a.py", RIGHT, "half", after=after) == told


def test_a_slow_import_is_not_the_function_s(failed, monkeypatch):
    monkeypatch.setattr(doc_examples, "_RUN_S", 1.0)
    assert failed("a.py", f"import time\ntime.sleep(9)\n{WRONG}", "half") == ""


def test_a_text_leaves_nothing_for_the_next_one(failed):
    """Nobody has looked at it, so it may not lead other commands either."""
    left = WRONG.replace("return", "open('/tmp/left', 'x'); return")
    assert "gives" in failed("a.py", left, "half")


@pytest.mark.parametrize("printed", ["[[1, 2, 3]]", "[1]", "{}", "[" * 100_000, "[[null, [], {}]]"])
def test_a_text_that_prints_results_of_its_own_breaks_nothing(failed, printed):
    text = f"import os, sys\nprint(sys.argv[1] + {printed!r}, flush=True)\nos._exit(0)\n{WRONG}"
    assert "not 2.0" not in failed("a.py", text, "half")


def test_memory_has_a_bound(failed):
    text = f"{HALF}    return b'x' * (5 << 30)\n"
    assert failed("a.py", text, "half") == "half(4) raises MemoryError: "


def test_a_method_of_a_package_is_found_by_its_imports(failed):
    method = WRONG.replace("half(4)", "Cart.half(4)").replace("/ 3", "/ RATE")
    inside = "".join(f"    {line}\n" for line in method.splitlines())
    text = f"from .rate import RATE\n\n\nclass Cart:\n    @staticmethod\n{inside}"
    files = {"shop/__init__.py": "", "shop/rate.py": "RATE = 8\n"}
    told = failed("shop/cart.py", text, "Cart.half", files=files.items())
    assert told == "Cart.half(4) gives 0.5, not 2.0"


def test_what_does_not_end_is_told(failed, monkeypatch):
    monkeypatch.setattr(doc_examples, "_RUN_S", 1.0)
    told = failed("a.py", HALF + "    while True: pass\n", "half")
    assert told == "It does not end within 1 s."


def test_without_a_sandbox_nothing_runs(failed):
    assert failed("a.py", WRONG, "half", sandbox="off") == ""


def test_where_nothing_is_approved_nothing_runs(failed):
    assert failed("a.py", WRONG, "half", approve="never") == ""


def test_keys_for_commands_are_not_passed_on(failed, monkeypatch):
    """Those that a user passes on are for commands that somebody has looked at."""
    monkeypatch.setenv("SHOP_TOKEN", "zK7qLw93TfYb2xVd")
    text = f"{HALF}    import os; return os.environ.get('SHOP_TOKEN')\n"
    told = failed("a.py", text, "half", pass_environment=("SHOP_*",))
    assert told == "half(4) gives , not 2.0"


def test_nothing_of_the_project_is_written(failed, tmp_path):
    text = WRONG.replace("return", "open('made', 'w').close(); return")
    assert "gives" in failed("a.py", text, "half")
    assert not (tmp_path / "project/made").exists()


def test_examples_are_those_with_a_result():
    told = "/**\n * @example\n * add(1, 2); // 3\n * add(1)\n * @returns {number} >>> x\n */"
    assert examples_in(told, "add") == [("add(1, 2)", "3")]


@pytest.fixture
def change(open_assistant, make_project):
    """Ask to mend a function; gives the text that is proposed, the requests and the notices."""

    def asked(*bodies):
        root = make_project({"a.py": WRONG})
        replies = [f"```python\n{HALF}    return {body}\n```" for body in bodies]
        model = ScriptedModel(replies)
        assistant = open_assistant(root, model, settings=BY_EVIDENCE, auto_apply=True)
        events = [*assistant.stream("`half` gives wrong output: fix it")]
        notices = [one.text for one in events if isinstance(one, Noticed)]
        return (root / "a.py").read_text().splitlines()[-1].strip(), model.requests, notices

    return asked


def test_an_example_that_fails_goes_back_once(change):
    text, [_, second], [notice] = change("number / 4", "number / 2")
    assert text == "return number / 2"
    assert "half(4) gives 1.0, not 2.0" in second.messages[-1].content
    assert "half(4) gives 1.0, not 2.0" in notice


def test_further_texts_are_tried_where_examples_tell(change):
    text, requests, _ = change("number / 4", "number / 5", "number / 6", "number / 2")
    assert text == "return number / 2"
    assert requests[2].messages == requests[0].messages


def test_the_first_is_proposed_where_none_holds_and_it_is_said(change):
    text, requests, notices = change(*(f"number / {n}" for n in (4, 5, 6, 7)))
    assert text == "return number / 4"
    assert len(requests) == 4
    assert "half(4) gives 1.0, not 2.0" in notices[-1]

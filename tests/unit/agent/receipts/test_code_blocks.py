"""What is wrong in the code blocks of an answer, and what is left alone."""

import tomllib
from pathlib import Path

import pytest

from ipuaro_jupyter.agent.receipts.receipt import receipt_of

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

FILES = {
    "src/dotenv/__init__.py": "from .main import load, set_key\n",
    "src/dotenv/main.py": "def load(path): ...\n\n\ndef set_key(path, key): ...\n",
    "src/dotenv/loose.py": "def __getattr__(name): ...\n",
    "src/dotenv/all.py": "from os import *\n",
    "src/utils/json.py": "def read(): ...\n",
    "web/ky.ts": "export function request() {}\nexport const retry = 1\n",
    "web/barrel.ts": "export * from './ky'\n",
    "web/a/same.ts": "export const one = 1\n",
    "web/b/same.ts": "export const one = 1\n",
}


@pytest.fixture(scope="module")
def project(opened):
    return opened("blocks", FILES)


@pytest.fixture
def told(project):
    """Return a function from the tag and the lines of a block to what is told of it."""

    def check(tag, *lines, after="", **about):
        answer = "\n".join(["See:", "", f"```{tag}", *lines, "```", after])
        receipt = receipt_of(answer, project.index, project.workspace, **about)
        assert {mark.at for mark in receipt.blocks} <= {2}
        return [str(mark) for mark in receipt.blocks]

    return check


@pytest.mark.parametrize(("tag", "lines", "line"), CASES["what_is_known_to_be_wrong_is_told"])
def test_what_is_known_to_be_wrong_is_told(told, tag, lines, line):
    assert told(tag, *lines) == [line]


@pytest.mark.parametrize(
    ("tag", "lines"),
    [
        ("python", ("from dotenv import main, load, set_key", "from dotenv.main import load")),
        ("python", ("from json import anything", "import requests", "requests.nothing()")),
        ("python", ("from dotenv.loose import any_name", "from dotenv.all import any_name")),
        ("python", ("from .main import nothing", "from elsewhere.main import nothing")),
        ("python", ("import dotenv.main as m", 's = "m.lode(1)"  # m.lode(2)')),
        ("python", ("from dotenv.main import fresh", "def fresh(): ...")),
        ("python", ("    return 1",)),
        ("python", ("else:", "    x = 1")),
        ("python", ("await load(1)",)),
        ("python", ("%pip install x",)),
        ("python", (">>> from dotenv.main import nothing",)),
        ("python", ("-from dotenv.main import nothing", "+from dotenv.main import load")),
        ("text", ("def f(:",)),
        ("", ("def f(:",)),
        ("ts", ('import { nothing } from "ky"', 'import { nothing } from "./barrel"')),
        ("ts", ('import { nothing } from "./same"', 'import { nothing } from "./elsewhere"')),
        ("ts", ("async go() {", "  return 1", "}")),
        ("ts", ("name: 1,", "more() {}, // done")),
        ("ts", ("const a = <b>(c: b) => c",)),
        ("js", ("const a = <div>{b}</div>",)),
        ("ts", ("function f() {", "  ...", "}")),
    ],
)
def test_what_is_not_known_to_be_wrong_is_left_alone(told, tag, lines):
    assert told(tag, *lines) == []


def test_names_that_the_user_wants_made_are_left_alone(told):
    line = "from dotenv.main import unset_key"
    assert told("python", line, wanted="Add unset_key to dotenv.main") == []
    assert told("python", line, after="```python\ndef unset_key(path): ...\n```") == []
    assert len(told("python", line)) == 1

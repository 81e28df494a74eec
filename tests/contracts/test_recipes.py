"""The recipes for contributors work: blocks that begin with a name are the files."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.checkout
PAGE = Path(__file__).parents[2] / "notebooks" / "contributing.md"
NAMED = re.compile(r"```\w+\n[#;] (\S+/\S+|\S+\.py)\n(.*?)```", re.DOTALL)
SCRIPT = 'greet() {\n  if [ -n "$1" ]; then echo hi; fi  # TODO: louder\n}\ngreet you\n'
USE = """
import ipuaro_jupyter as ipuaro

with ipuaro.start("app", model=ipuaro.ScriptedModel([])) as assistant:
    words = assistant.call("word_count", {"path": "run.sh"})
    print(words.text())
    print(words._repr_mimebundle_()["text/html"].rpartition("</style>")[2])
    print(assistant.call("get_function", {"path": "run.sh", "name": "greet"}).text())
    print(assistant.call("find_references", {"symbol": "greet"}).text())
"""
FORM = """
import os
import tomllib
from pathlib import Path
from ipuaro_jupyter.llm.text_calls import forms
from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply
from ipuaro_jupyter.tools import load_tools

forms.__path__.append(os.path.abspath("forms"))
schemas = [tool.schema for tool in load_tools()]
table = tomllib.loads(Path("tests/unit/llm/text_calls/call_forms.toml").read_text())
(sample,) = table["marked"].values()
found = parse_reply(sample["text"], schemas, aliases={}).calls
print([(call.name, call.arguments) for call in found] == [("get_lines", {"path": "a.ts"})])
"""
PROGRAM = """
import shutil
from pathlib import Path
from ipuaro_jupyter.workspace.commands import program
from ipuaro_jupyter.workspace.commands.command_policy import judge

shutil.copytree(program.PROGRAMS, "programs", dirs_exist_ok=True)
program.PROGRAMS = Path("programs")
for kind, commands in program.load(Path("programs/hugo.toml")).examples.items():
    for command in commands:
        verdict = judge(
            command,
            read_script=lambda name: None,
            find_program=lambda name, in_script: (),
            is_inside=lambda path: True,
            starts_code=lambda name: False,
        )
        print(kind, verdict.action)
"""


@pytest.fixture
def recipes(tmp_path):
    """The files of the recipes in a folder, and an application to try them on."""
    for name, text in NAMED.findall(PAGE.read_text(encoding="utf-8")):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    (tmp_path / "app").mkdir()
    (tmp_path / "app/run.sh").write_text(SCRIPT)
    return tmp_path


def ran(folder, *arguments):
    """Return what Python prints in a folder of recipes."""
    own = {f"IPUARO_{kind.upper()}": str(folder / kind) for kind in ("tools", "views", "languages")}
    own["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # a plugin may load for seconds
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_tool_a_view_and_a_language_are_a_file_or_a_folder_each(recipes):
    told = ran(recipes, "-c", USE)
    assert f"run.sh: {len(SCRIPT.split())} words\n" in told
    assert f"<p><b>{len(SCRIPT.split())}</b> words in <code>run.sh</code></p>" in told
    assert "run.sh:1-3 greet()" in told
    assert "Total references: 2" in told


def test_the_test_of_a_tool_passes(recipes):
    told = ran(recipes, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_word_count.py")
    assert "1 passed" in told


def test_a_form_of_call_is_a_file(recipes):
    assert ran(recipes, "-c", FORM) == "True\n"


def test_a_program_of_the_policy_is_a_file(recipes):
    told = set(ran(recipes, "-c", PROGRAM).splitlines())
    assert told == {"safe run", "denied deny", "asks ask"}


def test_a_model_is_an_object(recipes):
    assert ran(recipes, "model.py") == "You said: hello\n"

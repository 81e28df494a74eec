"""Text in cells that IPython really runs: the text arrives, and nothing in it runs."""

from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from ipuaro_jupyter.cell_text import (
    literal,
    literal_text,
    message_source,
    message_text,
    word_source,
)
from ipuaro_jupyter.notebook.commands import find_command
from ipuaro_jupyter.notebook.kernel_values import expanded, interpolate
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.sessions.ipynb import opened_notebook, read_notebook, write_notebook
from ipuaro_jupyter.sessions.recording import RecordedSession

HOSTILE = "`{ran.append(1)}` $`ran.append(2)` $ran {{x}} ${ran} '\"\\"
BMP = [chr(code) for code in range(1, 0x10000) if not 0xD800 <= code < 0xE000]


@pytest.fixture(scope="module")
def shell():
    """A shell whose ``%ipuaro`` and ``%%ask`` keep what they were given, read as ours read it."""
    config = Config()
    config.HistoryManager.enabled = False
    one = InteractiveShell(config=config, user_module=ModuleType("cells"))
    one.user_ns.update(ran=[], x="X", given=[])

    def ipuaro(line):
        command, _, rest = expanded(line, one.user_ns).strip().partition(" ")
        one.user_ns["given"].append(find_command(command).read(rest).path)

    def ask(line, cell=None):
        message, notices = interpolate((cell or line).strip("\n"), one.ev)
        one.user_ns["given"].append(message)
        assert notices == []

    ipuaro._ipython_magic_no_var_expand = ask._ipython_magic_no_var_expand = True
    one.register_magic_function(ipuaro, "line")
    one.register_magic_function(ask, "line_cell")
    return one


@pytest.fixture
def run(shell):
    """Run a cell and return what its magic was given."""

    def ran(source):
        shell.user_ns["given"].clear()
        assert shell.run_cell(source, store_history=False).success
        assert shell.user_ns["ran"] == []
        (given,) = shell.user_ns["given"]
        return given

    return ran


def start(word):
    return f"%ipuaro start {word_source(word)} --new"


def test_each_character_arrives_in_a_line(run):
    for begin in range(0, len(BMP), 997):
        word = "a" + "".join(BMP[begin : begin + 997]) + "b"
        assert run(start(word)) == word
    for character in map(chr, range(1, 128)):
        for word in (
            f"a{character}",
            f"./{character}{{x}}",
            f"$x{character}",
            f"./{character}$`x`",
        ):
            assert run(start(word)) == word


@settings(max_examples=60)
@given(st.text(st.characters(exclude_characters="\0"), min_size=1))
def test_any_word_is_one_word_in_a_line(shell, text):
    assert expanded(literal(text), {"x": 1}) == text
    assert literal_text(literal(text)) == text
    shell.user_ns["given"].clear()
    shell.run_cell(start(f"a{text}"), store_history=False)
    assert shell.user_ns["given"] == [f"a{text}"]


def test_each_character_arrives_in_a_message(run):
    for begin in range(0, len(BMP), 997):
        message = "a" + "".join(BMP[begin : begin + 997]) + "b"
        assert run(f"%%ask\n{message_source(message)}") == message
    for character in map(chr, range(1, 128)):
        for message in (f"a{character}b", f"a{character}`x`", f"$`x{character}`", f"$`{character}"):
            assert run(f"%%ask\n{message_source(message)}").strip("\n") == message.strip("\n")


@given(st.lists(st.sampled_from(["$`", "`", "$", "x", "chr(36)", "```", "\n", "~~~", " "])))
def test_any_message_comes_back(pieces):
    text = "".join(pieces)
    source = message_source(text)
    assert message_text(source) == text

    def value(expression):
        assert expression == "chr(36)"
        return "$"

    assert interpolate(source, value) == (text, [])


def test_an_export_runs_nothing_that_its_questions_or_names_hold(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    root = tmp_path / f"-{HOSTILE}\nran.append(3)\n#".replace("/", "")
    root.mkdir()
    text = f"Why {HOSTILE}?\n```\n{HOSTILE}\n```\n$`ran.append(4)`"
    messages = (Message(role="user", content=text), Message(role="assistant", content="So."))
    recorded = RecordedSession(
        session="s", title=HOSTILE, project=root.name, root=str(root), messages=messages
    )
    path = write_notebook(recorded, tmp_path / "talk.ipynb")
    assert read_notebook(path) == recorded
    cells = {cell.id: cell.source for cell in opened_notebook(path).cells}
    assert run(cells["turn-1"]) == text
    setup = cells["setup"].split("\n")
    assert len(setup) == 2
    assert run(setup[1]) == f"./{root.name}"

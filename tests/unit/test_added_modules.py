import os
from html import escape

import pytest
from annotated import project_files

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.settings.settings import Settings
from ipuaro_jupyter.tools import load_tools
from ipuaro_jupyter.views.drawing import mimebundle
from ipuaro_jupyter.views.live_data import TABLE_TYPE

SOURCES = project_files("added_modules")
TOOL = SOURCES["count_words.py"]
VIEW = SOURCES["draw_count.py"]


@pytest.fixture
def add(tmp_path, monkeypatch):
    """A function that puts a file into a folder which an environment variable names."""

    def put(variable, name, text):
        folder = tmp_path / variable
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text)
        monkeypatch.setenv(variable, str(folder))
        return folder / name

    return put


def test_a_file_alone_makes_a_tool_until_it_is_removed(add, make_project, open_assistant):
    file = add("IPUARO_TOOLS", "word_count.py", TOOL)
    root = make_project({"notes.md": "one two three"})
    assistant = open_assistant(root, [])
    result = assistant.call("word_count", {"path": "notes.md"})
    assert result.to_dict() == {"success": True, "output": {"path": "notes.md", "words": 3}}
    assert "words of a file" in assistant.tools.find("word_count").schema.description
    assert Settings.model_validate({"tools": {"enabled": ["word_count"]}}).tools.enabled
    file.unlink()
    assert load_tools().find("word_count") is None


def test_the_model_calls_an_added_tool(add, make_project, open_assistant):
    add("IPUARO_TOOLS", "word_count.py", TOOL)
    call = '<tool_call name="word_count"><path>notes.md</path></tool_call>'
    answer = open_assistant(make_project({"notes.md": "one two"}), [call, "Two."]).ask("How many?")
    assert answer.tool_calls[0].result.text() == "notes.md has 2 words."


def test_a_changed_file_is_the_tool_as_it_is_now(add):
    file = add("IPUARO_TOOLS", "word_count.py", TOOL)
    before = load_tools().find("word_count")
    assert load_tools().find("word_count") is before
    file.write_text(TOOL.replace("Count the words of a file.", "Tell how long it is."))
    os.utime(file, ns=(1, 1))
    assert load_tools().find("word_count").schema.description == "Tell how long it is."


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("word_count.py", "import nothing_of_that_name", "cannot be imported: ModuleNotFoundError"),
        ("word_count.py", "word_count = len", "holds no tool 'word_count': write a function"),
        ("counts.py", TOOL, "holds no tool 'counts': write a function"),
        ("get_lines.py", TOOL.replace("word_count", "get_lines"), "there is a tool 'get_lines'"),
    ],
)
def test_a_file_that_is_no_tool_is_named(add, name, text, told):
    file = add("IPUARO_TOOLS", name, text)
    with pytest.raises(SettingsError, match=told) as raised:
        load_tools()
    assert str(file) in str(raised.value)


def test_a_file_with_an_underscore_is_none_of_them(add):
    add("IPUARO_TOOLS", "_shared.py", "raise RuntimeError")
    assert load_tools().find("_shared") is None


@pytest.mark.parametrize("second", ["word_count", "Word_Count"])
def test_two_added_tools_of_one_name_are_refused(add, tmp_path, monkeypatch, second):
    first = add("IPUARO_TOOLS", "word_count.py", TOOL)
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / f"{second}.py").write_text(TOOL.replace("word_count", second))
    monkeypatch.setenv("IPUARO_TOOLS", f"{first.parent}{os.pathsep}{folder}")
    with pytest.raises(SettingsError, match=f"more/{second}.py .*there is a tool '{second}'"):
        load_tools()


@pytest.mark.parametrize("folder", ["tools", ".", "./tools", "~nobody-of-this-name/tools"])
def test_a_relative_folder_runs_nothing(make_project, monkeypatch, folder):
    root = make_project({"tools/evil.py": "raise RuntimeError", "evil.py": "raise RuntimeError"})
    monkeypatch.chdir(root)
    monkeypatch.setenv("IPUARO_TOOLS", folder)
    with pytest.raises(SettingsError) as raised:
        load_tools()
    assert f"IPUARO_TOOLS names {folder!r}, which is no absolute path" in str(raised.value)


def test_a_folder_may_begin_with_the_home(add, monkeypatch):
    monkeypatch.setenv("HOME", str(add("IPUARO_TOOLS", "word_count.py", TOOL).parent.parent))
    monkeypatch.setenv("IPUARO_TOOLS", "~/IPUARO_TOOLS")
    assert load_tools().find("word_count") is not None


def test_a_folder_that_is_missing_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("IPUARO_TOOLS", f"{tmp_path}{os.pathsep}{tmp_path / 'gone'}")
    with pytest.raises(SettingsError, match=r"IPUARO_TOOLS names .*gone.* no folder"):
        load_tools()


def test_a_file_alone_draws_the_results_of_a_tool(add, make_project, open_assistant):
    add("IPUARO_TOOLS", "word_count.py", TOOL)
    root = make_project({"notes.md": "one two three"})
    result = open_assistant(root, []).call("word_count", {"path": "notes.md"})
    assert mimebundle(result)["text/plain"] == "notes.md has 3 words."
    view = add("IPUARO_VIEWS", "word_count.py", VIEW)
    drawn = mimebundle(result)
    assert drawn["text/plain"] == "notes.md .... 3"
    assert "<b>notes.md .... 3</b>" in drawn["text/html"]
    assert result.text() == "notes.md has 3 words."
    view.unlink()
    assert mimebundle(result)["text/plain"] == "notes.md has 3 words."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def text(count):\n    return ''\n", "word_count.py (from IPUARO_VIEWS) lacks the funct"),
        ("def text(count", "cannot be imported: SyntaxError"),
        (VIEW.replace("count.path", "count.place"), "failed: AttributeError: 'Count' object has"),
        (VIEW.replace("count.words", "1 / 0"), "failed: ZeroDivisionError: division by zero"),
    ],
)
def test_a_view_that_fails_is_told_below_the_shape(add, make_project, open_assistant, text, told):
    add("IPUARO_TOOLS", "word_count.py", TOOL)
    add("IPUARO_VIEWS", "word_count.py", text)
    root = make_project({"notes.md": "one two three"})
    drawn = mimebundle(open_assistant(root, []).call("word_count", {"path": "notes.md"}))
    first, note = drawn["text/plain"].split("\n")
    assert first == "notes.md has 3 words."
    assert told in note
    assert "notes.md has 3 words." in drawn["text/html"]
    assert f'class="ipuaro-note">{escape(note)}</p>' in drawn["text/html"]


def test_the_note_about_a_view_is_not_covered_by_a_live_table(add, make_project, open_assistant):
    result = open_assistant(make_project({"a.ts": "// TODO: b\n"}), []).call("get_todos", {})
    assert TABLE_TYPE in mimebundle(result)
    add("IPUARO_VIEWS", "get_todos.py", "raise ValueError")
    assert set(mimebundle(result)) == {"text/plain", "text/html"}


def test_a_folder_of_views_that_is_missing_is_told_below_the_shape(
    make_project, open_assistant, monkeypatch, tmp_path
):
    result = open_assistant(make_project({"a.ts": "// TODO: b\n"}), []).call("get_todos", {})
    monkeypatch.setenv("IPUARO_VIEWS", str(tmp_path / "gone"))
    assert "a.ts" in mimebundle(result)["text/plain"]
    assert "gone', which is no folder. Mend it." in mimebundle(result)["text/html"].replace(
        "&#x27;", "'"
    )


def test_a_broken_view_spoils_no_other_tool(add, make_project, open_assistant):
    result = open_assistant(make_project({"a.ts": "// TODO: b\n"}), []).call("get_todos", {})
    before = mimebundle(result)
    add("IPUARO_VIEWS", "word_count.py", "def text(")
    assert mimebundle(result) == before


def test_a_result_of_a_stored_session_is_drawn_as_it_was_read(add, make_project, open_assistant):
    add("IPUARO_TOOLS", "word_count.py", TOOL)
    add("IPUARO_VIEWS", "word_count.py", VIEW)
    call = '<tool_call name="word_count"><path>notes.md</path></tool_call>'
    assistant = open_assistant(make_project({"notes.md": "one two"}), [call, "Two."])
    answer = assistant.ask("How many?")
    assert "<b>notes.md .... 2</b>" in mimebundle(answer.tool_calls[0].result)["text/html"]
    transcript = assistant.transcript()
    (called,) = transcript.turns[0].tool_calls
    assert mimebundle(called.result)["text/plain"] == "notes.md has 2 words."
    assert "notes.md has 2 words." in mimebundle(transcript)["text/html"]

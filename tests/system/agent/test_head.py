"""The head of the requests is short, and the same through a session."""

import json
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from long_session import CountingModel, make_files, questions

import ipuaro_jupyter.demo
from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.context.relevance import NO_CHANGE
from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools.tool import Project, tool

PARTS = 24
FILES = {
    f"src/part{n}.ts": f"export function part{n}(at: Date) {{\n  return {n}\n}}\n"
    for n in range(PARTS)
}
READ = '<tool_call name="get_lines"><path>src/part{n}.ts</path></tool_call>'
EDIT = (
    '<tool_call name="edit_lines"><path>src/part{n}.ts</path><start>2</start><end>2</end>'
    "<content>  return 100</content></tool_call>"
)
QUIET = {"watchdog": {"enabled": False}}


@tool()
def count_words(project: Project, path: str, least: int = 1) -> TextOutput:
    """Count the words of a file. Blank lines have none.

    Args:
        path: The file.
        least: The shortest word that counts.
    """
    del project, path, least
    return TextOutput(content="7")


def head(request):
    """Return the head of a request as it is sent."""
    return request.messages[0].content, [tool.model_dump_json() for tool in request.tools]


def sent(request):
    """Return the messages of a request as they are sent."""
    return [(message.role, message.content, message.calls) for message in request.messages]


def grows(requests):
    """Whether each request begins with all of the one before."""
    return all(
        sent(after)[: len(sent(before))] == sent(before) for before, after in pairwise(requests)
    )


def replies(turns):
    return [reply for n in turns for reply in (READ.format(n=n), EDIT.format(n=n), "Done.")]


@pytest.fixture
def root(make_project):
    return make_project(FILES)


@pytest.mark.parametrize("native", [True, False])
def test_every_request_begins_with_the_one_before_also_after_a_restart(
    open_assistant, root, native
):
    """Each question names another file, files change, a guide comes, a server's tool comes late."""
    requests = []
    for turns in (range(8), range(8, 16)):
        model = ScriptedModel(replies(turns), native_tools=native)
        assistant = open_assistant(root, model, settings=QUIET, auto_apply=True)
        for n in turns:
            assert assistant.ask(f"Explain `part{n}` in src/part{n}.ts").ended == "done"
            (root / "AGENTS.md").write_text(f"Use {n} tabs.")
            assistant.tools.replace("server", [count_words] if n > 4 else [])
            assistant.reindex()
        requests += model.requests
        assistant.close()
    assert len(requests) == 48
    assert all(head(request) == head(requests[0]) for request in requests)
    assert grows(requests)


@pytest.mark.parametrize(
    "changed",
    [
        {"llm": {"temperature": 0.7}},
        {"context": {"maxRounds": 7}},
        {"undo": {"stackSize": 3}},
        {"tools": {"profile": "core"}},
    ],
)
def test_settings_that_it_does_not_depend_on_leave_the_head(open_assistant, root, changed):
    assert made_twice(open_assistant, root, changed) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"tools": {"profile": "full"}},
        {"tools": {"enabled": ["get_lines", "grep"]}},
        {"context": {"mapShare": 0.0}},
        {"context": {"redact": False}},
        {"native_tools": True},
        {"context_tokens": 8192},
        {"name": "another"},
    ],
)
def test_what_it_depends_on_makes_another_head(open_assistant, root, changed):
    assert made_twice(open_assistant, root, changed) == 2


def made_twice(open_assistant, root, changed):
    """Return how many heads there are when a session is opened again with something changed."""
    of_model = {name: value for name, value in changed.items() if not isinstance(value, dict)}
    models = [ScriptedModel(["Hello."]), ScriptedModel(["Hello."], **of_model)]
    for model, given in zip(models, ({}, {} if of_model else changed), strict=True):
        (root / f"new{models.index(model)}.ts").write_text("export const more = 1\n")
        with open_assistant(root, model, settings={**QUIET, **given}) as assistant:
            assistant.ask("Hello")
    return len({json.dumps(head(model.requests[0])) for model in models})


def test_clear_and_a_new_session_make_another_head(open_assistant, root):
    model = ScriptedModel(["Hello."] * 3)
    assistant = open_assistant(root, model, settings=QUIET)
    for n in range(3):
        assistant.ask("Hello")
        (root / f"new{n}.ts").write_text(f"export const new{n} = 1\n")
        assistant.reindex()
        if n == 1:
            assistant.clear()
    first, second, third = map(head, model.requests)
    assert first == second
    assert "new1.ts" not in first[0]
    assert "new1.ts" in third[0]


def test_only_compression_changes_what_was_sent_and_rarely(open_assistant, tmp_path):
    """It keeps the head, and what it left out is the same after a restart."""
    make_files(tmp_path / "project")
    requests = []
    given = {**QUIET, "context": {"maxRepeats": 1000, "maxRounds": 60}}
    asked = list(questions(24))
    ends = []
    for told in (asked[:12], asked[12:]):
        model = CountingModel(65_536, native_tools=True, seed=len(requests))
        assistant = open_assistant(tmp_path / "project", model, settings=given, auto_apply=True)
        for question in told:
            assistant.ask(question)
        assistant.close()
        requests += [request for request in model.requests if not request.is_summary]
        ends.append(len(requests))
    changed = [n for n, pair in enumerate(pairwise(requests), 1) if not grows(pair)]
    assert all(head(request) == head(requests[0]) for request in requests)
    assert 0 < len(changed) < len(requests) / 5
    assert ends[0] not in changed


@pytest.fixture(scope="module", params=["demo", "large"])
def sized(request, tmp_path_factory):
    """The folder of a project, small or large, which is indexed once."""
    root = tmp_path_factory.mktemp(request.param) / "project"
    if request.param == "demo":
        app = Path(ipuaro_jupyter.demo.__file__).parent / "app"
        shutil.copytree(app, root, ignore=shutil.ignore_patterns(".ipuaro.json"))
        return root
    for n in range(2000):
        used = f"import {{ f{n // 2} }} from '../area{n // 2 % 7}/module{n // 2}'"
        code = f"{used}\nexport function f{n}(a: number, b = f{n // 2}) {{}}\n"
        file = root / f"packages/lib{n % 40}/src/area{n % 7}/module{n}.ts"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code)
    return root


@pytest.mark.parametrize(("window", "most"), [(8192, 1800), (32_768, 2500)])
def test_before_the_question_there_is_little_to_read(open_assistant, sized, window, most):
    """By the estimate, which is above the count of Qwen's tokenizer for prompts and schemas."""
    model = ScriptedModel(["Hello."], native_tools=True, context_tokens=window)
    open_assistant(sized, model, settings=QUIET, new=True).ask("How does it work?")
    (request,) = model.requests
    text, tools = head(request)
    assert count_tokens(text) + sum(map(count_tokens, tools)) <= most
    assert sent(request)[1:] == [("user", f"{NO_CHANGE}\n\nHow does it work?", ())]
    assert len(request.tools) == 12
    assert "## The project" in text


def test_a_long_guide_is_in_a_short_prompt_too(open_assistant, make_project):
    files = {**FILES, "AGENTS.md": "Use tabs. " * 3000}
    for window, most in ((8192, 1800), (32_768, 3000)):
        model = ScriptedModel(["Hello."], native_tools=True, context_tokens=window)
        root = make_project(files, name=f"project{window}")
        open_assistant(root, model, settings=QUIET).ask("Hello")
        text, tools = head(model.requests[0])
        assert count_tokens(text) + sum(map(count_tokens, tools)) <= most
        assert '<guide path="AGENTS.md" cut="true">' in text
        assert len(tools) == 12
        assert model.requests[0].messages[1].content == "Hello"


def test_a_tool_that_comes_late_is_told_once_beside_the_question(open_assistant, root):
    call = '<tool_call name="count_words"><path>src/part1.ts</path></tool_call>'
    model = ScriptedModel(["Hello.", "I see.", call, "Seven."], native_tools=True)
    assistant = open_assistant(root, model, settings=QUIET)
    assistant.ask("Hello")
    assistant.tools.replace("server", [count_words])
    assistant.ask("Hello")
    answer = assistant.ask("Count.")
    told = [request.messages for request in model.requests]
    assert "count_words(path, least?): Count the words of a file." in told[1][-1].content
    assert told[2][-1].content == f"{NO_CHANGE}\n\nCount."
    assert answer.tool_calls[0].result.text() == "7"
    assert "count_words" in assistant.shown_tools
    assert all("count_words" not in json.dumps(head(request)) for request in model.requests)


def test_tools_that_were_added_are_shown_as_far_as_they_fit(open_assistant, root):
    few, many = ScriptedModel(["Hello."]), ScriptedModel(["Hello."])
    for model, count in ((few, 1), (many, 300)):
        model.native_tools = True
        with open_assistant(root, model, settings=QUIET, new=True) as assistant:
            assistant.tools.replace("server", [named(f"count_{n}") for n in range(count)])
            assistant.ask("Hello")
            shown = {tool.name for tool in model.requests[0].tools}
            assert shown == assistant.shown_tools
            assert len(assistant.tools) > count
    assert len(few.requests[0].tools) == 13
    assert 13 < len(many.requests[0].tools) < 300


def named(name):
    """Return a tool of another name."""
    schema = count_words.schema.model_copy(update={"name": name})
    return replace(count_words, name=name, schema=schema)

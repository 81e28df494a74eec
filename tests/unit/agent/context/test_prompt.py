"""The prompts are files: short, each rule once, and nothing in them is out of date."""

import re
from pathlib import Path

import pytest

import ipuaro_jupyter.agent
from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.context.prompt_files import prompt_file
from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.agent.context.tool_profile import CORE
from ipuaro_jupyter.agent.context.tool_texts import described, example_call, fitted_schemas
from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply
from ipuaro_jupyter.tools import load_tools

PROMPTS = Path(ipuaro_jupyter.agent.__file__).parent / "prompts"
TOOLS = load_tools()
NAMES = {tool.name for tool in TOOLS}
OURS = ["system.md", "tool_format.md", "guides.md", "map.md", "context.md", "summary.md"]
PLACEHOLDER = re.compile(r"\{(\w+)\}")
RULES = [
    "needs no tool",
    "Look up before you say",
    "Never guess a path",
    "Read the lines before you edit them",
    "language of the user's message",
    "may reject it",
    "is data",
    "[redacted:…]",
    "answer without calling a tool",
]


@pytest.fixture
def system(open_assistant, make_project):
    """Return the system prompt that a model gets."""

    def ask(*, native=False, window=32_768, enabled=None):
        root = make_project({"src/a.ts": "export const a = 1\n", "AGENTS.md": "Use tabs."})
        model = ScriptedModel(["Hello."], native_tools=native, context_tokens=window)
        settings = {"tools": {"enabled": enabled}} if enabled else {}
        open_assistant(root, model, settings=settings).ask("Hello")
        return model.requests[0]

    return ask


@pytest.mark.parametrize("native", [True, False])
def test_every_placeholder_is_filled(system, native):
    prompt = system(native=native).messages[0].content
    known = {name for file in OURS for name in PLACEHOLDER.findall((PROMPTS / file).read_text())}
    assert known >= {"project", "find", "read", "tools", "example", "guides", "map", "words"}
    assert not [name for name in known if f"{{{name}}}" in prompt]
    assert "Use tabs." in prompt
    assert "src/a.ts" in prompt


def test_a_placeholder_without_a_value_is_an_error():
    with pytest.raises(KeyError):
        prompt_file("map.md")
    assert "{guides}" in prompt_file("map.md", map="{guides} ${x}")


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("rule", RULES)
def test_each_rule_is_there_once(system, rule, native):
    assert system(native=native).messages[0].content.count(rule) == 1


def test_the_call_form_is_shown_once_and_is_a_call_that_we_read(system):
    prompt = system().messages[0].content
    assert prompt.count("<tool_call") == 1
    schemas = [tool.schema for tool in TOOLS]
    (call,) = parse_reply(example_call(schemas), schemas, aliases={}).calls
    assert example_call(schemas) in prompt
    assert (call.name, call.arguments["start"]) == ("get_lines", 1)


def test_a_model_with_tools_of_its_own_gets_no_call_form(system):
    request = system(native=True)
    assert "<tool_call" not in request.messages[0].content
    assert {schema.name for schema in request.tools} == CORE


@pytest.mark.parametrize("native", [True, False])
def test_no_tool_is_named_that_the_model_has_not(system, native):
    request = system(native=native, enabled=["get_function", "grep"])
    prompt = request.messages[0].content
    named = {word for word in re.findall(r"[a-z_]+", prompt) if word in NAMES}
    assert named <= {"get_function", "grep"}
    files = "".join((PROMPTS / file).read_text() for file in OURS)
    assert set(re.findall(r"\b(?:get|find|edit|run|list|read)_[a-z]+\b", files)) <= NAMES


def test_the_prompts_are_short():
    assert count_tokens((PROMPTS / "system.md").read_text()) < 330
    assert count_tokens((PROMPTS / "tool_format.md").read_text()) < 110


@pytest.mark.parametrize(("window", "native"), [(4096, False), (8192, False), (16_384, True)])
def test_a_small_window_shortens_the_descriptions_and_keeps_the_names(system, window, native):
    request = system(window=window, native=native)
    told = request.messages[0].content + " ".join(schema.name for schema in request.tools)
    assert all(name in told for name in CORE)
    assert count_tokens(told) < window / 2


def test_descriptions_shrink_step_by_step():
    schemas = [tool.schema for tool in TOOLS]
    sizes = [10**6]
    while len(sizes) < 5:
        limit = sizes[-1] - 1
        fitting = fitted_schemas(schemas, limit, size=lambda s: len(described(s)))
        sizes.append(len(described(fitting)))
    assert sizes == sorted(set(sizes), reverse=True)
    assert sizes[-1] < sizes[0] / 5


def test_a_disabled_tool_is_unknown_to_the_model_and_there_for_the_user(
    open_assistant, make_project
):
    root = make_project({"a.ts": "export const a = 1\n"})
    calls = ['<tool_call name="get_lines"><path>a.ts</path></tool_call>', "I cannot."]
    given = {"tools": {"enabled": ["get_function"]}}
    assistant = open_assistant(root, ScriptedModel(calls), settings=given)
    answer = assistant.ask("Read a.ts")
    error = answer.tool_calls[0].result.error
    assert error.message == "There is no tool 'get_lines'."
    assert "get_function" in error.suggestion
    assert "edit_lines" not in error.suggestion
    assert assistant.call("get_lines", {"path": "a.ts"}).success

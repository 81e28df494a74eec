"""The tools that a model is shown: few for a small model, and others are served all the same."""

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.context.tool_profile import CORE
from ipuaro_jupyter.tools import load_tools, own_names

ALL = {tool.name for tool in load_tools() if not tool.in_notebook}
BILLION = 10**9
HIDDEN = {
    "get_todos": '<tool_call name="get_todos">\n</tool_call>',
    "list_dir": '<tool_call name="ls"><directory>src</directory></tool_call>',
    "delete_file": '<tool_call name="delete_file"><path>src/a.ts</path></tool_call>',
    "git_status": '{"name": "git_status", "arguments": {}}',
}


@pytest.fixture
def root(make_project):
    return make_project({"src/a.ts": "export const a = 1 // TODO: more\n"})


@pytest.fixture
def opened(open_assistant, root):
    """Return a function that says hello to a model of this window and size."""

    def say_hello(size, *, native, given):
        window, parameters = size
        model = ScriptedModel(
            ["Hello."], native_tools=native, context_tokens=window, parameter_count=parameters
        )
        assistant = open_assistant(root, model, settings={"tools": given})
        assistant.ask("Hello")
        return model, assistant

    return say_hello


def shown(model):
    """Return the names of the tools of the first request, passed or described."""
    request = model.requests[0]
    if request.tools:
        return {schema.name for schema in request.tools}
    text = request.messages[0].content.partition("## The tools\n")[2]
    return {name for name in ALL if f"### {name}\n" in text or f"\n{name}(" in text}


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize(
    ("size", "given", "names"),
    [
        ((32_768, None), {}, CORE),
        ((32_768, 7 * BILLION), {}, CORE),
        ((32_768, 15 * BILLION), {}, CORE),
        ((32_768, 15 * BILLION + 1), {}, ALL),
        ((16_384, 70 * BILLION), {}, CORE),
        ((16_385, 70 * BILLION), {}, ALL),
        ((8192, None), {"profile": "core"}, CORE),
        ((32_768, 70 * BILLION), {"profile": "core"}, CORE),
        ((32_768, None), {"profile": "full"}, ALL),
        ((32_768, None), {"enabled": ["get_todos", "bash"]}, {"get_todos", "bash"}),
        ((32_768, None), {"enabled": ["get_t*"], "profile": "core"}, {"get_todos"}),
        ((32_768, 70 * BILLION), {"enabled": ["grep"], "profile": "full"}, {"grep"}),
    ],
)
def test_the_window_and_the_size_of_the_model_decide(size, given, names, native, opened):
    model, assistant = opened(size, native=native, given=given)
    assert shown(model) == names
    assert assistant.shown_tools == names


def test_the_core_is_one_tool_for_each_job():
    assert len(CORE) <= 12
    assert CORE <= ALL < own_names()
    assert not CORE & {"bash", "python"}


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("name", HIDDEN)
def test_a_hidden_tool_that_is_called_is_served(open_assistant, root, native, name):
    model = ScriptedModel([HIDDEN[name], "Done."], native_tools=native)
    assistant = open_assistant(root, model, auto_apply=True)
    assistant.call("get_lines", {"path": "src/a.ts"}, by_user=False)
    answer = assistant.ask("Do it.")
    assert answer.text == "Done."
    (called,) = answer.tool_calls
    assert called.result.tool == name
    assert name not in shown(model)
    if name != "git_status":
        assert called.result.success
    assert assistant.call("get_todos", {}).success


def test_a_model_of_another_make_need_not_tell_its_size(open_assistant, root):
    class Plain:
        name = "plain"
        context_tokens = 32_768
        native_tools = True

        def __init__(self):
            self._model = ScriptedModel(["Hello."])
            self.requests = self._model.requests

        def chat(self, messages, *, tools, cancel):
            return self._model.chat(messages, tools=tools, cancel=cancel)

        def check(self):
            pass

        def prepare(self, cancel):
            pass

        def close(self):
            pass

    model = Plain()
    open_assistant(root, model).ask("Hello")
    assert shown(model) == CORE


def test_brief_tools_leave_out_what_is_rarely_needed_and_still_take_it(open_assistant, root):
    tools = {tool.name: tool for tool in load_tools()}
    for tool in tools.values():
        parameters = tool.brief.parameters
        assert set(parameters["required"]) <= set(parameters["properties"]), tool.name
        assert set(tool.rare) <= set(tool.schema.parameters["properties"]), tool.name
    assert "max_results" not in tools["grep"].brief.parameters["properties"]
    call = (
        '<tool_call name="grep"><pattern>TODO</pattern><max_results>1</max_results>'
        "<context_lines>0</context_lines></tool_call>"
    )
    answer = open_assistant(root, [call, "One."]).ask("Search.")
    assert answer.tool_calls[0].result.success

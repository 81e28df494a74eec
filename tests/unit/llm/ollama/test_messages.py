"""The conversation as Ollama gets it."""

from asking import HELLO, ask

from ipuaro_jupyter.records.chat import Message, ToolCall

CONVERSATION = [
    *HELLO,
    Message(
        role="assistant",
        content="I look.",
        calls=(
            ToolCall(name="get_lines", arguments={"path": "a.ts", "start": 2}, id="1"),
            ToolCall(name="git_status", arguments={}, id="2"),
        ),
        raw="<think>…</think>I look. …",
    ),
    Message(role="tool", content="2│ a", call_id="1", tool="get_lines", result={"success": True}),
    Message(role="tool", content="clean", call_id="2", tool="git_status"),
    Message(role="tool", content="Error (parse): cut off"),
]


def test_calls_and_results_are_sent_as_such_to_a_model_with_tools(ollama_server, open_model):
    ollama_server.replies.append(["ok"])
    ask(open_model(use_native_tools=True), CONVERSATION)
    *_, assistant, first, second, repair = ollama_server.asked("/api/chat")[0]["messages"]
    assert assistant["tool_calls"] == [
        {"function": {"name": "get_lines", "arguments": {"path": "a.ts", "start": 2}}},
        {"function": {"name": "git_status", "arguments": {}}},
    ]
    assert first == {"role": "tool", "content": "2│ a", "tool_name": "get_lines"}
    assert second["tool_name"] == "git_status"
    assert repair == {"role": "user", "content": "Error (parse): cut off"}


def test_calls_and_results_are_text_for_a_model_without_tools(ollama_server, open_model):
    """Roles take turns, and no message has the role "tool", which many templates drop."""
    ollama_server.replies.append(["ok"])
    ask(open_model(), CONVERSATION)
    system, user, assistant, results = ollama_server.asked("/api/chat")[0]["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert assistant == {
        "role": "assistant",
        "content": 'I look.\n<tool_call name="get_lines">\n<path>a.ts</path>\n<start>2</start>\n'
        '</tool_call>\n<tool_call name="git_status">\n</tool_call>',
    }
    assert results["role"] == "user"
    assert results["content"].startswith('<tool_result name="get_lines">\n2│ a\n</tool_result>')
    assert results["content"].endswith("Error (parse): cut off")


def test_thinking_goes_back_with_its_calls(ollama_server, open_model):
    ollama_server.replies.append(["ok"])
    thought = CONVERSATION[2].model_copy(update={"thinking": "I have to look."})
    ask(open_model(use_native_tools=True), [*CONVERSATION[:2], thought, *CONVERSATION[3:]])
    _, _, assistant, *_ = ollama_server.asked("/api/chat")[0]["messages"]
    assert assistant["thinking"] == "I have to look."

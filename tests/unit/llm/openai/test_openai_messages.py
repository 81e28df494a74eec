"""The conversation in the form that OpenAI-compatible servers take."""

from ipuaro_jupyter.llm.openai.openai_messages import to_openai
from ipuaro_jupyter.records.chat import Message, ToolCall

LOOK = ToolCall(name="get_lines", arguments={"path": "a.ts"}, id="3.n1")
TALK = [
    Message(role="system", content="Be short."),
    Message(role="system", content="Summary."),
    Message(role="user", content="Why?"),
    Message(role="assistant", content="I look.", calls=(LOOK,), thinking="hm"),
    Message(role="tool", content="1 x", call_id="3.n1", tool="get_lines"),
    Message(role="tool", content="Error (parse): no."),
]


def test_a_result_goes_with_its_call():
    sent = to_openai(TALK, native_tools=True)
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool", "user"]
    (call,) = sent[2]["tool_calls"]
    assert call["function"] == {"name": "get_lines", "arguments": '{"path": "a.ts"}'}
    assert sent[3] == {"role": "tool", "tool_call_id": call["id"], "content": "1 x"}


def test_ids_are_what_every_template_takes():
    """Mistral's take nine letters and digits only."""
    (call,) = to_openai(TALK, native_tools=True)[2]["tool_calls"]
    assert call["id"].isalnum()
    assert len(call["id"]) == 9


def test_thinking_goes_back_under_the_key_under_which_it_came():
    assert to_openai(TALK, native_tools=True, thinking_key="reasoning")[2]["reasoning"] == "hm"
    assert "hm" not in str(to_openai(TALK, native_tools=True))


def test_without_native_tools_the_roles_alternate():
    sent = to_openai(TALK, native_tools=False)
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "user"]
    assert sent[0]["content"] == "Be short.\n\nSummary."
    assert '<tool_call name="get_lines">' in sent[2]["content"]
    assert '<tool_result name="get_lines">' in sent[3]["content"]
    assert sent[3]["content"].endswith("\n\nError (parse): no.")

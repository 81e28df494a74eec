"""``%ipuaro start`` has the model read the start of the prompt, and says how much that was."""

NAME = "qwen2.5-coder:7b-instruct"


def test_starting_says_how_much_is_read_ahead(kernel, ollama_server):
    kernel.run(f"import os; os.environ['OLLAMA_HOST'] = {ollama_server.url!r}")
    kernel.run("%load_ext ipuaro_jupyter")
    started = kernel.run(f"%ipuaro start {kernel.root}")
    assert f"{NAME} is reading the start of the prompt ahead." in started.text
    told = [text for text in started.seen if "tokens ahead" in text]
    assert f"{NAME} has read 11 tokens ahead in" in (told or [_updated(kernel, started)])[0]
    assert "has read 11 tokens ahead" in kernel.run("%ipuaro status").text
    ollama_server.replies = [["It retries."]]
    assert "It retries." in kernel.run("%%ask\nWhat is it?").text
    ahead, question, *_ = ollama_server.asked("/api/chat")
    assert ahead["messages"][0] == question["messages"][0]


def _updated(kernel, ran):
    """The text of the next update of an output of a cell that has ended."""
    shown = [one["transient"] for one in ran.outputs if one.get("transient")]
    while True:
        message = kernel.client.get_iopub_msg(timeout=20)
        if message["msg_type"] == "update_display_data":
            assert message["content"]["transient"] in shown
            return message["content"]["data"]["text/plain"]


def test_a_model_that_cannot_be_asked_reads_nothing(kernel, unused_host):
    kernel.run(f"import os; os.environ['OLLAMA_HOST'] = {unused_host!r}")
    kernel.run("%load_ext ipuaro_jupyter")
    started = kernel.run(f"%ipuaro start {kernel.root}")
    assert "ollama serve" in started.text
    assert "ahead" not in started.text

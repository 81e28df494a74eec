"""Stop in every phase of a turn, in a real kernel whose model is a server that hangs.

| phase | what hangs | who tells of the phase |
|---|---|---|
| before the request | the server, asked for what the model can do | the server has been asked |
| loading | the server, before the first piece | "Loading the model" |
| thinking | the server, after a thought | the status after it |
| writing | the server, in the middle of the answer | the text itself |
| a read tool | the program that searches | "Running grep", and the program's process |
| a question to the index | nothing: it takes seconds | "Running find_references" |
| a command | the command that the user has applied | "Running run_command", after the decision |
| a decision | the user | the question is open |
| an error | the user, asked how to go on | "Waiting for your decision" |
| summarising | the server, asked to sum up what came before | "Summarising" |
"""

import time

import psutil
import pytest

# Far above what stopping takes on a busy machine, far below what the silence would take.
SOON_S = 6
MODEL = "qwen2.5-coder:7b-instruct"
SEARCH = (
    '<tool_call name="grep"><pattern>attempts</pattern>'
    "<search_type>ripgrep</search_type></tool_call>"
)
COMMAND = '<tool_call name="run_command"><command>sleep 60</command></tool_call>'
EDIT = (
    '<tool_call name="edit_lines"><path>src/retry.ts</path><start>2</start><end>2</end>'
    "<content>  const attempts = 5;</content></tool_call>"
)
USES = '<tool_call name="find_references"><symbol>Box.put</symbol><limit>100000</limit></tool_call>'
BOX = "export class Box { put(): Box { return this } }\n"
USER = "import { Box } from './box'\nconst box = new Box()\n" + "box.put()\n" * 500
LARGE = {"src/box.ts": BOX, **{f"src/m{number}.ts": USER for number in range(300)}}
LONG = ["".join(f"word word word {number:04} " for number in range(160))]


class Stopper:
    """Presses stop once ``is_there`` says of a message that the phase is there."""

    def __init__(self, kernel, is_there):
        self._kernel = kernel
        self._is_there = is_there
        self.pressed_s = None

    def __call__(self, message):
        content = message["content"]
        text = content.get("data", {}).get("text/plain", "")
        if self.pressed_s is None and self._is_there(message["msg_type"], text):
            self.pressed_s = time.monotonic()
            self._kernel.manager.interrupt_kernel()


def says(words):
    return lambda _kind, text: words in text


def asks(kind, _text):
    return kind == "comm_open"


@pytest.fixture
def server(ollama_server, ollama):
    """The server; `hang` is silence until it is left, `cut` ends the connection."""
    ollama_server.hang = ollama.Fault("hang")
    ollama_server.cut = ollama.Fault("disconnect")
    ollama_server.add_model(MODEL, context_length=4096)
    return ollama_server


@pytest.fixture
def talking(server, shared_kernel, project, recording):
    """A kernel whose model is that server's."""
    shared_kernel.serve(project, recording)
    shared_kernel.run("%reload_ext ipuaro_jupyter")
    shared_kernel.run(f"import os; os.environ['OLLAMA_HOST'] = {server.url!r}")
    ran = shared_kernel.run(f"%ipuaro start {project} --model {MODEL}")
    assert ran.reply["status"] == "ok", ran.text
    return shared_kernel


@pytest.fixture
def stop(talking, server):
    """Return a function that asks, stops when the phase is there, and returns what came of it."""

    def stop_it(is_there, decide=None):
        stopper = Stopper(talking, is_there)
        ran = talking.run("%%ask\nWrite tests for retry", decide=decide, on_message=stopper)
        assert stopper.pressed_s is not None, ran.text
        took_s = time.monotonic() - stopper.pressed_s
        assert took_s < SOON_S
        assert ran.reply["status"] == "error"
        assert "Stopped" in ran.text
        assert "Traceback" not in ran.text
        return ran

    yield stop_it
    server.faults.clear()
    server.replies[:] = [["Here I am."], ["Here I am."]]
    assert "Here I am." in talking.run("%%ask\nRename it.").text


def test_before_the_request(stop, server):
    server.faults["/api/show"] = server.hang
    stop(lambda _kind, _text: server.asked("/api/show"))


def test_loading(stop, server):
    server.replies.append([server.hang])
    stop(says("Loading the model"))


def test_thinking(stop, server):
    server.replies.append([0.5, {"thinking": "Let me see."}, server.hang])
    seen = []

    def is_thinking(_kind, text):
        seen.append(text)
        return "Thinking" in text and any("Loading the model" in one for one in seen)

    stop(is_thinking)


def test_writing(stop, server):
    server.replies.append(["Half an answer", server.hang])
    ran = stop(says("Half an answer"))
    assert "Half an answer" in ran.result()["text/plain"]


def test_a_read_tool(stop, server, *, talking, tmp_path, running_in):
    """Its program is gone, and the record says what it was asked."""
    slow = tmp_path / "bin/rg"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    talking.run("before = os.environ['PATH']")
    talking.run(f"os.environ['PATH'] = '{slow.parent}:' + before")
    server.replies.append([SEARCH])

    def searching():
        return [one for one in running_in(talking.root) if one.name() == "sleep"]

    ran = stop(lambda _kind, _text: searching())
    assert 'grep(pattern="attempts", search_type="ripgrep") \u2013 not done' in ran.text
    assert "1 tool call" in ran.result()["text/plain"]
    until_s = time.monotonic() + SOON_S
    while searching() and time.monotonic() < until_s:
        time.sleep(0.05)
    assert searching() == []
    talking.run("os.environ['PATH'] = before")


def test_a_question_to_the_index(stop, server, *, talking):
    """No thread of the kernel is busy with it after that."""
    for path, text in LARGE.items():
        (talking.root / path).write_text(text)
    talking.run("%ipuaro reindex")
    server.replies.append([USES])
    ran = stop(says("Running find_references"))
    assert 'find_references(symbol="Box.put", limit=100000) \u2013 not done' in ran.text
    kernel = psutil.Process(int(talking.run("os.getpid()").result()["text/plain"]))
    before = kernel.cpu_times()
    time.sleep(1)
    assert kernel.cpu_times().user - before.user < 0.3


def test_a_command(stop, server, *, talking, running_in):
    server.replies.append([COMMAND])

    def running():
        return [one for one in running_in(talking.root) if "sleep" in one.cmdline()]

    ran = stop(lambda _kind, _text: running(), decide={"action": "apply", "text": None})
    assert 'run_command(command="sleep 60") \u2013 not done' in ran.result()["text/plain"]


def test_a_decision(stop, server, talking):
    server.replies.append([EDIT])
    stop(asks)
    assert "attempts = 3" in (talking.root / "src/retry.ts").read_text()


def test_an_error_that_asks_how_to_go_on(stop, server):
    server.replies.append([server.cut])
    stop(says("Waiting for your decision"))


def test_summarising(stop, server, talking):
    for _ in range(2):
        server.replies.append(LONG)
        assert talking.run("%%ask\nRename it.").reply["status"] == "ok"
    server.replies.append([server.hang])
    stop(says("Summarising"))
    assert not server.replies, "the summary was not asked for"

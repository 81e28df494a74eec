"""Real kernels, and a front end that answers their widgets as a browser would."""

import json
import os
import time
from queue import Empty

import pytest
from jupyter_client.manager import KernelManager

from ipuaro_jupyter.notebook.open_project import OpenProject

RETRY = """\
export async function retry(task: () => Promise<void>) {
  const attempts = 3;
  for (let i = 0; i < attempts; i++) await task();
}
"""
EDIT = """\
I will raise it.
<tool_call name="edit_lines">
<path>src/retry.ts</path>
<start>2</start>
<end>2</end>
<content>  const attempts = 5;</content>
</tool_call>
"""
TURNS = {
    "Explain": ["It **retries** three times."],
    "Explain?": ["It **retries** three times."],
    "Change two places": [
        '<tool_call name="get_lines"><path>src/retry.ts</path></tool_call>',
        '<tool_call name="edit_lines"><path>src/retry.ts</path><start>1</start><end>0</end>'
        "<content>// one\n// two</content></tool_call>\n" + EDIT,
        "Both are changed.",
    ],
    "Raise it": [EDIT, "It retries five times now."],
    "Read it": [
        '<tool_call name="get_lines"><path>src/retry.ts</path></tool_call>',
        "I have read it.",
    ],
    "Talk": ["".join(f"word word {number} " for number in range(1000))],
    "Talk for minutes": ["".join(f"word word {number} " for number in range(20_000))],
}


class Ran:
    """What came of a cell: its reply and the outputs that are left of it."""

    def __init__(self):
        self.reply = {}
        self.outputs = []
        self.seen = []
        self.elapsed_s = 0.0
        self._clear = False

    @property
    def text(self):
        """All text of the outputs."""
        parts = [one.get("data", {}).get("text/plain", one.get("text", "")) for one in self.outputs]
        errors = [line for one in self.outputs for line in one.get("traceback", [])]
        return "\n".join([*parts, *errors]).rstrip("\n")

    @property
    def types(self):
        return [one["type"] for one in self.outputs]

    def result(self):
        (found,) = [one for one in self.outputs if one["type"] == "execute_result"]
        return found["data"]

    def take(self, message):
        kind, content = message["msg_type"], message["content"]
        if kind == "clear_output":
            self._clear = True
            if not content["wait"]:
                self.outputs, self._clear = [], False
        elif kind == "update_display_data":
            for one in self.outputs:
                if one.get("transient") == content["transient"]:
                    one.update(data=content["data"])
            self.seen.append(content["data"].get("text/plain", ""))
        elif kind in {"display_data", "execute_result", "error", "stream"}:
            if self._clear:
                self.outputs, self._clear = [], False
            self.outputs.append({"type": kind, **content})
            self.seen.append(content.get("data", {}).get("text/plain", ""))


class Kernel:
    """A kernel with a project, and whoever sits in front of it."""

    def __init__(self, folder):
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel(cwd=str(folder), env=dict(os.environ))
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(60)

    def serve(self, root, recording):
        """Say which project `begin` opens."""
        self.root = root
        self.recording = recording

    @property
    def start_line(self):
        return f"%ipuaro start {self.root} --model recorded:{self.recording}"

    def begin(self, *options):
        """Load the extension and open the project."""
        ran = self.run("%load_ext ipuaro_jupyter")
        assert (ran.reply["status"], ran.outputs) == ("ok", [])
        ran = self.run(" ".join([self.start_line, *options]))
        assert ran.reply["status"] == "ok", ran.text
        return ran

    def send(self, code, *, allow_stdin=True):
        return self.client.execute(code, allow_stdin=allow_stdin)

    def run(self, code, *, allow_stdin=True, decide=None, on_message=None):
        """Run a cell to its end.

        Args:
            code: The cell.
            allow_stdin: What the front end says about answering.
            decide: What the front end answers to each question, after "ready"; None draws none.
            on_message: Called with each message.
        """
        return self.collect(
            self.send(code, allow_stdin=allow_stdin), decide=decide, on_message=on_message
        )

    def collect(self, message_id, *, decide=None, on_message=None, timeout_s=60):
        ran, started_s, idle = Ran(), time.monotonic(), False
        while not (idle and ran.reply):
            assert time.monotonic() - started_s < timeout_s, f"still running: {ran.text}"
            try:
                message = self.client.get_iopub_msg(timeout=0.05)
            except Empty:
                message = None
            if message is not None and message["parent_header"].get("msg_id") == message_id:
                idle = idle or message["content"].get("execution_state") == "idle"
                if message["msg_type"] == "comm_open" and decide is not None:
                    self._answer(message["content"], decide)
                ran.take(message)
                if on_message is not None:
                    on_message(message)
            if not ran.reply:
                ran.reply = self._reply(message_id)
        ran.elapsed_s = time.monotonic() - started_s
        return ran

    def _reply(self, message_id):
        try:
            reply = self.client.get_shell_msg(timeout=0.01)
        except Empty:
            return {}
        return reply["content"] if reply["parent_header"].get("msg_id") == message_id else {}

    def _answer(self, opened, decide):
        state = opened["data"].get("state", {})
        kind = "decision" if "apply_word" in state else "remedy" if "options" in state else None
        if kind is None:
            return
        for content in ({"type": "ready"}, {"type": kind, **decide}):
            data = {"method": "custom", "content": content}
            message = {"comm_id": opened["comm_id"], "data": data}
            self.client.shell_channel.send(self.client.session.msg("comm_msg", message))

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def recording(request, tmp_path):
    """A recording of the ``TURNS`` of the test's module, or of those that most have."""
    path = tmp_path / "recording.json"
    said = getattr(request.module, "TURNS", TURNS)
    turns = [{"message": message, "replies": replies} for message, replies in said.items()]
    path.write_text(json.dumps({"version": 1, "turns": turns}))
    return path


@pytest.fixture
def project(make_project):
    return make_project({"src/retry.ts": RETRY})


@pytest.fixture
def open_project(project, recording):
    """The open project, whose edits need no answer."""
    opened = OpenProject()
    opened.open(str(project), model=f"recorded:{recording}", auto_apply=True)
    yield opened
    opened.close()


@pytest.fixture
def kernel(project, recording):
    """A kernel of its own, which knows nothing yet."""
    opened = Kernel(project.parent)
    opened.serve(project, recording)
    yield opened
    opened.stop()


@pytest.fixture
def second_kernel(project, recording):
    """Another kernel for the same project."""
    opened = Kernel(project.parent)
    opened.serve(project, recording)
    yield opened
    opened.stop()


@pytest.fixture(scope="module")
def shared_kernel(tmp_path_factory):
    opened = Kernel(tmp_path_factory.mktemp("kernel"))
    opened.run("%load_ext ipuaro_jupyter")
    yield opened
    opened.stop()


@pytest.fixture
def started(shared_kernel, project, recording):
    """A kernel that other tests have used, with this test's project open."""
    shared_kernel.serve(project, recording)
    shared_kernel.run("%reload_ext ipuaro_jupyter")
    ran = shared_kernel.run(shared_kernel.start_line)
    assert ran.reply["status"] == "ok", ran.text
    return shared_kernel

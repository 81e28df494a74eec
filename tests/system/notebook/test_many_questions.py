"""A turn with more questions than a cell has outputs that JupyterLab shows."""

import json

import pytest

from ipuaro_jupyter.notebook.live import MOST_BESIDE

LIMIT = 50
"""JupyterLab hides the outputs of a cell that come after so many; see `slots`."""
MANY = 30
CALL = (
    '<tool_call name="edit_lines"><path>src/retry.ts</path><start>2</start><end>1</end>'
    "<content>  // number {number}</content></tool_call>"
)


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "recording.json"
    calls = [CALL.format(number=number) for number in range(10, 10 + MANY)]
    pairs = [f"Next.\n{one}\n{other}" for one, other in zip(calls[::2], calls[1::2], strict=True)]
    turns = [
        {"message": "All at once", "replies": ["\n".join(calls), "All done."]},
        {"message": "Two by two", "replies": [*pairs, "All done."]},
    ]
    path.write_text(json.dumps({"version": 1, "turns": turns}))
    return path


class Outputs:
    """The outputs of a running cell, as a front end has them."""

    def __init__(self):
        self.texts = []
        self.most = 0
        self._clears = False

    def take(self, message):
        kind, content = message["msg_type"], message["content"]
        if kind == "clear_output":
            self._clears = True
        elif kind in {"display_data", "execute_result", "stream"}:
            if self._clears:
                self.texts, self._clears = [], False
            self.texts.append(content.get("data", {}).get("text/plain", ""))
            self.most = max(self.most, len(self.texts))


@pytest.mark.parametrize("message", ["All at once", "Two by two"])
def test_every_question_of_a_long_turn_is_among_the_outputs_that_are_shown(
    started, project, message
):
    shown = Outputs()
    ran = started.run(f"%%ask\n{message}", decide={"action": "apply"}, on_message=shown.take)
    assert ran.reply["status"] == "ok", ran.text
    written = (project / "src/retry.ts").read_text()
    assert all(f"  // number {number}\n" in written for number in range(10, 10 + MANY))
    assert MANY // 2 < shown.most < LIMIT
    assert len(ran.outputs) == 1
    assert f"{MANY} tool calls" in ran.result()["text/plain"]


def test_what_was_decided_stays_in_one_output_where_no_record_follows(started):
    shown = Outputs()
    ran = started.run("%%ask ;\nAll at once", allow_stdin=False, on_message=shown.take)
    assert MOST_BESIDE <= shown.most < LIMIT
    (left,) = ran.outputs
    assert left["data"]["text/plain"].count("anybody to ask") == MANY

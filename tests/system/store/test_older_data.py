"""What version 0.1 has kept is read by this one: settings, session, undo, approval, notebook."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tarfile

import data_of_0_1 as older
import pytest

OPENED = """\
import json, sys
import ipuaro_jupyter as ipuaro
from ipuaro_jupyter.store.embedded import stop

told = {}
with ipuaro.start(sys.argv[1], model=ipuaro.ScriptedModel(["Yes."])) as assistant:
    told["settings"] = [assistant.settings.llm.model, assistant.settings.undo.stack_size]
    told["approve"] = assistant.approve
    told["notices"] = assistant.notices
    (session,) = assistant.sessions()
    told["session"] = [session.title, session.messages, session.id == assistant.session.id]
    (turn,) = assistant.transcript().turns
    told["turn"] = [turn.question, turn.text, [one.call.name for one in turn.tool_calls]]
    told["decisions"] = [one.proposal.kind for one in assistant.decisions()]
    told["inputs"] = assistant.inputs()
    told["undone"] = assistant.undo().success
    told["answer"] = assistant.ask("And now?").text
stop()
print(json.dumps(told))
"""


@pytest.fixture
def kept(tmp_path):
    """The folder of 0.1 as it was left; one test at a time has it."""
    with (tmp_path.parent.parent / "older.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert not older.PLACE.exists(), f"{older.PLACE} is there already: remove it"
        with tarfile.open(older.ARCHIVE) as archive:
            archive.extractall(older.PLACE.parent, filter="data")
        yield older.PLACE
        shutil.rmtree(older.PLACE)


def run(*command):
    return subprocess.run(
        command,
        env=os.environ | {"IPUARO_HOME": str(older.HOME)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=120,
        check=False,
    )


def test_a_project_of_0_1_goes_on(kept):
    file = older.PROJECT / "src/rate.ts"
    assert file.read_text() == older.AFTER
    ran = run(sys.executable, "-c", OPENED, str(older.PROJECT))
    assert ran.returncode == 0
    told = json.loads(ran.stdout)
    assert told["settings"] == [older.SETTINGS["llm"]["model"], 7]
    assert told["approve"] == "edits"  # which the user had approved
    assert told["notices"] == []
    assert told["session"] == [older.QUESTION, 6, True]
    assert told["turn"] == [older.QUESTION, older.ANSWER, ["get_lines", "edit_lines"]]
    assert told["decisions"] == ["settings", "edit"]
    assert told["inputs"] == [older.QUESTION]
    assert told["undone"]
    assert file.read_text() == older.BEFORE
    assert told["answer"] == "Yes."
    del kept


def test_a_notebook_of_0_1_is_replayed_and_checked(kept):
    (older.PROJECT / "src/rate.ts").write_text(older.BEFORE)
    for options in ([], ["--check"]):
        ran = run(
            *(sys.executable, "-m", "ipuaro_jupyter.cli", "replay", *options),
            *(str(older.NOTEBOOK), "--project", str(older.PROJECT), "--trust"),
        )
        assert ran.returncode == 0, ran.stdout.decode()
    run(sys.executable, "-c", "from ipuaro_jupyter.store.embedded import stop; stop()")
    del kept

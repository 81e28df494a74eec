"""What version 0.1 leaves in a user's folder and in a notebook, kept as an archive.

    python tests/support/data_of_0_1.py

was run once, by version 0.1.0, and must not be run again: later versions have to read what it has
written. The archive is unpacked at `PLACE`, because a project is known by where it is.
"""

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

ARCHIVE = Path(__file__).with_suffix(".tar.gz")
PLACE = Path("/tmp/ipuaro-data-of-0.1")
HOME, PROJECT, NOTEBOOK = PLACE / "home", PLACE / "project", PLACE / "session.ipynb"
BEFORE = "export function rate(kg: number): number {\n  return kg * 2;\n}\n"
AFTER = BEFORE.replace("* 2", "* 3")
QUESTION = "Make the rate three times the weight."
ANSWER = "The rate is three times the weight now."
EDIT = (
    '<tool_call name="edit_lines"><path>src/rate.ts</path><start>2</start><end>2</end>'
    "<content>  return kg * 3;</content></tool_call>"
)
READ = '<tool_call name="get_lines"><path>src/rate.ts</path></tool_call>'
SETTINGS = {"llm": {"model": "a-model-of-0.1"}, "undo": {"stackSize": 7}}
OF_PROJECT = {"approve": "edits"}
LEFT_OUT = ("server.log", "server.pid", "socket", "keeper.log")


def make() -> None:
    """Do what a user does, and keep what is left."""
    os.environ["IPUARO_HOME"] = str(HOME)
    import ipuaro_jupyter as ipuaro  # noqa: PLC0415 - it reads the environment
    from ipuaro_jupyter.store.embedded import stop  # noqa: PLC0415 - the same

    if ipuaro.__version__ != "0.1.0" or PLACE.exists():
        sys.exit(f"{ARCHIVE.name} is made by version 0.1.0 alone, and without {PLACE}")
    (PROJECT / "src").mkdir(parents=True)
    (PROJECT / "src/rate.ts").write_text(BEFORE)
    (PROJECT / ".ipuaro.json").write_text(json.dumps(OF_PROJECT))
    HOME.mkdir()
    (HOME / "settings.json").write_text(json.dumps(SETTINGS))
    subprocess.run(["git", "init", "-q", PROJECT], check=True, timeout=60)
    model = ipuaro.ScriptedModel([READ, EDIT, ANSWER])
    with ipuaro.start(PROJECT, model=model, confirm=lambda _: True) as assistant:
        assistant.ask(QUESTION)
        assistant.export(NOTEBOOK)
    stop()
    with tarfile.open(ARCHIVE, "w:gz") as archive:
        archive.add(PLACE, PLACE.name, filter=_kept)


def _kept(one: tarfile.TarInfo) -> tarfile.TarInfo | None:
    one.uid = one.gid = 0
    one.uname = one.gname = ""
    is_file = one.isfile() or one.isdir()
    return one if is_file and Path(one.name).name not in LEFT_OUT else None


if __name__ == "__main__":
    make()

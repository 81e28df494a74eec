"""A kernel that is killed while a symbol is renamed in many files."""

import os
import signal
import subprocess
import sys

import pytest

import ipuaro_jupyter

FILES = 200
RENAME = """
import sys
import ipuaro_jupyter
import killed_changes
root, at, steps = sys.argv[1:]
killer = killed_changes.Killer(int(at) if at else None)
model = ipuaro_jupyter.ScriptedModel([])
with ipuaro_jupyter.start(root, model=model, confirm=lambda _: True) as assistant:
    assistant.call("find_references", {"symbol": "vat"})
    killer.arm()
    result = assistant.call("rename_symbol", {"symbol": "vat", "to": "tax"})
    assert result.success, result.text()
    open(steps, "w").write(str(killer.count))
"""


def texts(name):
    uses = {
        f"use{number}.ts": f"import {{ {name} }} from './a'\n{name}({number})\n"
        for number in range(FILES - 1)
    }
    return {"a.ts": f"export const {name} = 1\n", **uses}


def write(root):
    root.mkdir(exist_ok=True)
    for path, text in texts("vat").items():
        (root / path).write_text(text)


def read(root):
    return {path.name: path.read_text() for path in root.glob("*.ts")}


def rename(root, at):
    """Rename in another process, which is killed at a step, if that is given."""
    steps = root.parent / "steps"
    done = subprocess.run(
        [sys.executable, "-c", RENAME, str(root), "" if at is None else str(at), str(steps)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
        timeout=300,
    )
    return done.returncode, steps


@pytest.mark.usefixtures("ipuaro_home")
def test_every_file_is_old_or_every_file_is_new_after_the_next_start(tmp_path):
    root = tmp_path / "project"
    write(root)
    code, steps = rename(root, None)
    assert (code, read(root)) == (0, texts("tax"))
    count = int(steps.read_text())
    for part in (0.3, 0.5, 0.7, 0.9):
        write(root)
        code, _ = rename(root, int(count * part))
        assert code == -signal.SIGKILL
        with ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([])):
            assert read(root) in (texts("vat"), texts("tax")), part

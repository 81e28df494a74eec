"""What the process that runs a model says when it cannot."""

import os
import subprocess
import sys
from pathlib import Path

from ipuaro_jupyter.llm.local.server_folder import ServerFolder
from ipuaro_jupyter.llm.local.server_process import Orders


def test_a_runtime_that_cannot_be_loaded_is_told(tmp_path: Path) -> None:
    broken = "raise ImportError('libgomp.so.1: cannot open shared object file')\n"
    (tmp_path / "xllamacpp.py").write_text(broken)
    (tmp_path / "server").mkdir()
    folder = ServerFolder(tmp_path / "server")
    folder.begin("key")
    orders = Orders(str(folder.path), "none.gguf", str(tmp_path), 2048, 1.0, 1.0, 0)
    module = "ipuaro_jupyter.llm.local.server_process"
    done = subprocess.run(
        [sys.executable, "-m", module, *orders.arguments()],
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    assert done.returncode == 1
    assert folder.failure.startswith("The runtime of local models cannot be loaded: libgomp.so.1:")
    assert folder.failure.endswith("Debian's package of it is libgomp1.")

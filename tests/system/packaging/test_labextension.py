"""The extension of live views is found by JupyterLab where an installed wheel puts it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jupyterlab_server.config import get_federated_extensions

CHECKOUT = Path(__file__).parents[3]
pytestmark = [pytest.mark.checkout, pytest.mark.slow]


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory):
    """Jupyter's folder of an environment into which the wheel was installed."""
    prefix = tmp_path_factory.mktemp("prefix")
    pip = [sys.executable, "-m", "pip", "-q", "install", "--no-deps", "--ignore-installed"]
    subprocess.run([*pip, "--prefix", prefix, CHECKOUT], check=True, timeout=240)
    return prefix / "share/jupyter"


def test_jupyterlab_lists_it_as_enabled_and_ok(jupyter, tmp_path):
    environment = {**os.environ, "JUPYTER_PATH": str(jupyter), "HOME": str(tmp_path)}
    listed = subprocess.run(
        [sys.executable, "-m", "jupyterlab.labextensions", "list"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    told = listed.stdout + listed.stderr
    (line,) = [line for line in told.splitlines() if "ipuaro-views" in line]
    assert "enabled" in line
    assert "OK" in line


def test_all_that_it_loads_is_there(jupyter):
    found = get_federated_extensions([str(jupyter / "labextensions")])["ipuaro-views"]
    build = found["jupyterlab"]["_build"]
    folder = Path(found["ext_path"])
    assert (folder / build["load"]).is_file()
    assert (jupyter.parents[1] / "etc/ipython/ipython_config.json").is_file()
    style = (folder / "static/style.js").read_text("utf-8")
    sheets = [f"{name}.css" for name in json.loads(re.search(r"of (\[.*?\])", style)[1])]
    assert "beside.css" in sheets
    for name in ("mime.js", "plugins.js", "questions/widgets.js", *sheets):
        assert (folder / "static" / name).is_file(), name
    assert (folder / "schemas/ipuaro-views/errors.json").is_file()
    assert json.loads((folder / "install.json").read_text())["packageName"] == "ipuaro-jupyter"

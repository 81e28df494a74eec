"""The pictures of the README, made of the demo's application: one cell each.

They land in ``artefacts`` as ``guide-….png``; those of the repository are in ``notebooks/images``.
"""

import json
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
ARTEFACTS = Path(__file__).parent / "artefacts"
DEMO = files("ipuaro_jupyter.demo")
RECORDING = json.loads(DEMO.joinpath("recording.json").read_text(encoding="utf-8"))
LOGIN, FIX = (turn["message"] for turn in RECORDING["turns"])
LARGEST_BYTES = 150_000


@pytest.fixture
def front_end():
    return "lab"


@pytest.fixture
def project(lab):
    """The application beside the notebooks, so that its name is short."""
    shutil.copytree(str(DEMO.joinpath("app")), lab.root / "parcels", dirs_exist_ok=True)
    return "parcels"


@pytest.fixture
def recording(lab):
    (lab.root / "parcels.json").write_text(json.dumps(RECORDING))
    return "parcels.json"


def taken(page, number, name, *, last=None):
    """Keep a picture of a cell, or of the cells up to the last; return how large it is."""
    ARTEFACTS.mkdir(exist_ok=True)
    path = ARTEFACTS / f"guide-{name}.png"
    page.page.set_viewport_size({"width": 900, "height": 1500})
    page.page.evaluate("window.jupyterapp.shell.collapseLeft()")
    page.page.mouse.move(0, 0)
    first, last = (page.cell(one).bounding_box() for one in (number, last or number))
    clip = first | {"height": last["y"] + last["height"] - first["y"]}
    page.page.screenshot(path=path, clip=clip)
    return path.stat().st_size


def test_an_answer_of_the_index_and_one_of_the_model(sheet):
    page = sheet("%%ask\nWho calls trackingLink?", f"%%ask\n{LOGIN}", "")
    page.run(2, 3)
    assert "2 calls" in page.text(2)
    assert "three checks" in page.text(3)
    page.start(4)
    assert taken(page, 2, "ask", last=3) < LARGEST_BYTES


def test_a_proposal(sheet):
    page = sheet(f"%%ask\n{FIX}")
    page.start(2)
    reject = page.outputs(2).get_by_role("button", name="Reject", exact=True)
    reject.wait_for()
    assert taken(page, 2, "proposal") < LARGEST_BYTES
    reject.click()
    page.wait(2)


def test_a_rename(sheet):
    page = sheet("%tool rename_symbol symbol=Message.subject to=title")
    page.start(2)
    outputs = page.outputs(2)
    outputs.get_by_role("checkbox", name="By name only").wait_for()
    assert taken(page, 2, "rename") < LARGEST_BYTES
    outputs.get_by_role("button", name="Reject", exact=True).click()
    page.wait(2)


def test_a_graph(sheet):
    page = sheet("%ipuaro graph src/notifications", "")
    page.run(2)
    page.start(3)
    files = page.outputs(2).get_by_label("Files", exact=True)
    files.select_option(label="src/parcels/tracking.ts (cycle)")
    page.outputs(2).get_by_text("Dependents (").wait_for()
    assert "src/notifications" in page.text(2)
    assert taken(page, 2, "graph") < LARGEST_BYTES


def test_a_table_of_complexity(sheet):
    page = sheet("%ipuaro complexity --limit 6", "")
    page.run(2)
    page.start(3)
    assert ".ts" in page.text(2)
    assert taken(page, 2, "complexity") < LARGEST_BYTES

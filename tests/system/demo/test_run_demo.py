"""The whole demo, from the command line, in an empty folder."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import uuid
from pathlib import Path

import nbformat
import psutil
import pytest
from demo_runs import DEMO, cells_of, run_demo, told
from nbformat.v4 import new_output
from ollama_server import OllamaServer, is_beside
from waiting import until

import ipuaro_jupyter
from ipuaro_jupyter.demo.folder import shipped_notebook

STORE = re.compile(r"valkey|redis-server|keeper")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_it_works_a_second_time_in_the_same_folder(first):
    folder, lines = first
    again = told(run_demo(cwd=folder))
    assert again[3:] == lines[3:]
    assert sorted(path.name for path in folder.iterdir()) == ["ipuaro-demo"]


def test_it_works_in_a_folder_of_the_users_choice(tmp_path):
    lines = told(run_demo(tmp_path / "a folder", cwd=tmp_path))
    assert lines[-1] == f"notebook: {tmp_path / 'a folder' / 'quickstart.ipynb'}"


def test_a_folder_of_somebody_else_is_refused_in_one_line(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    done = run_demo(tmp_path, cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "was not made by the demo" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_model_that_cannot_be_reached_is_told_in_one_line(tmp_path):
    done = run_demo(
        "--model", "qwen2.5-coder:7b", cwd=tmp_path, env={"OLLAMA_HOST": "http://127.0.0.1:9"}
    )
    assert done.returncode == 4
    assert len(done.stderr.splitlines()) == 1
    assert "ollama" in done.stderr.lower()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def ollama_server():
    """The server of the models' tests, which speaks Ollama's API."""
    server = OllamaServer()
    server.start()
    yield server
    server.stop()


def test_a_model_of_ollama_is_asked_the_same_questions_and_need_not_edit(tmp_path, ollama_server):
    ollama_server.add_model("small:1b")
    ollama_server.replies += [[f"Answer {number}."] for number in range(2)]
    lines = told(
        run_demo("--model", "small:1b", cwd=tmp_path, env={"OLLAMA_HOST": ollama_server.url})
    )
    assert lines[1] == "Answered 4 of 4 questions, by the index and small:1b."
    assert lines[3:5] == ["Applied on disk: no edit.", "Undone: there was nothing to undo."]
    chats = [
        chat["options"]
        for chat in ollama_server.asked("/api/chat")
        if not is_beside(chat["messages"][-1]["content"])
    ]
    assert sum(options.get("num_predict") != 1 for options in chats) == 2  # one is read ahead


def test_what_is_no_models_name_is_refused(tmp_path):
    done = run_demo("--model", "small; import os", cwd=tmp_path)
    assert done.returncode == 2
    assert "no model's name" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_with_lab_it_becomes_jupyterlab_with_the_notebook(tmp_path):
    settings = {"ServerApp": {"open_browser": False, "allow_root": True, "port": 0}}
    (tmp_path / "jupyter_server_config.json").write_text(json.dumps(settings))
    process = subprocess.Popen(
        [*DEMO, "here", "--lab"],
        cwd=tmp_path,
        env=os.environ | {"JUPYTER_CONFIG_DIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        printed = iter(process.stdout.readline, "")
        assert any(line.startswith("notebook: ") for line in printed)
        assert any("Serving notebooks from local directory" in line for line in printed)
        assert psutil.Process(process.pid).cmdline()[1:] == [
            "-P",
            "-m",
            "jupyterlab",
            str(tmp_path / "here" / "quickstart.ipynb"),
        ]
    finally:
        process.kill()  # JupyterLab that logs just now may not hear that it is to end
        process.communicate(timeout=60)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_on_the_way_it_leaves_nothing_running(tmp_path, number):
    mark = uuid.uuid4().hex
    process = subprocess.Popen(
        DEMO,
        cwd=tmp_path,
        env=os.environ | {"IPUARO_TEST_MARK": mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: any("ipykernel" in name for name in running(mark)))
    time.sleep(1.5)  # into the cells
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert out == ""
    assert f"partial notebook: {tmp_path / 'ipuaro-demo' / 'quickstart.ipynb'}" in err
    until(lambda: [name for name in running(mark) if not STORE.search(name)] == [])


def running(mark):
    """Return the command lines of the processes that the marked one has started."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("IPUARO_TEST_MARK") == mark:
                found.append(" ".join(process.cmdline()))
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
    return found


@pytest.fixture
def installed(tmp_path):
    """Return a function that installs the package with a changed notebook; gives PYTHONPATH."""

    def install(change):
        package = tmp_path / "site" / "ipuaro_jupyter"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(Path(ipuaro_jupyter.__file__).parent, package, ignore=ignored)
        notebook = nbformat.reads(shipped_notebook().decode(), as_version=4)
        for number, cell in enumerate(c for c in notebook.cells if c.cell_type == "code"):
            cell.execution_count = number + 1
            cell.outputs = [new_output("stream", text="COPIED, not run\n")]
        change(notebook)
        nbformat.write(notebook, package / "demo" / "quickstart.ipynb")
        return {"PYTHONPATH": str(tmp_path / "site")}

    return install


def test_shipped_outputs_do_not_pass_for_an_execution(tmp_path, installed):
    """The last question is taken out: the shipped outputs tell of it, the disk does not."""

    def take_out_the_question(notebook):
        cell = next(cell for cell in notebook.cells if cell.id == "ask-edit")
        cell.source = "print('nothing is asked')"

    env = installed(take_out_the_question)
    done = run_demo("here", cwd=tmp_path, env=env)
    assert done.returncode == 1
    assert "the edit was not applied on disk" in done.stderr
    assert "COPIED" not in (tmp_path / "here" / "quickstart.ipynb").read_text()


def test_a_cell_that_fails_is_named_and_the_notebook_saved(tmp_path, installed):
    def break_it(notebook):
        cell = next(cell for cell in notebook.cells if cell.id == "start")
        cell.source = "%ipuaro start missing"

    done = run_demo("here", cwd=tmp_path, env=installed(break_it))
    assert done.returncode == 1
    assert done.stdout == ""
    assert "Cell 3 failed: ProjectError: 'missing' does not exist" in done.stderr
    saved = tmp_path / "here" / "quickstart.ipynb"
    assert f"partial notebook: {saved}" in done.stderr
    assert "COPIED" not in saved.read_text()
    assert any(o.output_type == "error" for c in cells_of(saved) for o in c.get("outputs", ()))


@pytest.mark.parametrize("name", ["recorded:x.json", "-x", "a b"])
def test_a_model_that_is_no_name_is_refused(tmp_path, name):
    done = run_demo(f"--model={name}", cwd=tmp_path)
    assert done.returncode == 2
    assert "no model's name" in done.stderr

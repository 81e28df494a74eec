"""The commands that set a project up: init, doctor, open, completion."""

import json
import os
import signal
import subprocess
import time
import urllib.request

import jsonschema
import nbformat
import pytest

from ipuaro_jupyter.cli.checkup import check_all


def test_init_writes_settings_that_are_valid_by_their_own_schema(ipuaro, tmp_path):
    done = ipuaro("init", tmp_path)
    assert done.returncode == 0, done.stderr
    settings = json.loads((tmp_path / ".ipuaro.json").read_text())
    schema = json.loads((tmp_path / settings["$schema"]).read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(settings, schema)
    assert settings["approve"] == "ask"


@pytest.mark.parametrize(
    "wrong", [{"aprove": "ask"}, {"approve": "maybe"}, {"llm": {"contextWindow": 5}}, {"undo": 3}]
)
def test_the_schema_refuses_what_the_settings_refuse(ipuaro, tmp_path, wrong):
    ipuaro("init", tmp_path)
    schema = json.loads((tmp_path / ".ipuaro.schema.json").read_text())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema)
    (tmp_path / ".ipuaro.json").write_text(json.dumps(wrong))
    done = ipuaro("init", tmp_path)
    assert done.returncode == 2
    assert ".ipuaro.json" in done.stderr


def test_init_keeps_settings_that_are_there(ipuaro, tmp_path):
    mine = '{"approve": "never"}\n'
    (tmp_path / ".ipuaro.json").write_text(mine)
    assert "kept" in ipuaro("init", tmp_path).stdout
    assert (tmp_path / ".ipuaro.json").read_text() == mine
    assert (tmp_path / ".ipuaro.schema.json").exists()


def test_init_tells_which_keys_do_not_count(ipuaro, tmp_path):
    (tmp_path / ".ipuaro.json").write_text('{"approve": "all"}')
    done = ipuaro("init", tmp_path)
    assert done.returncode == 0
    assert "these keys of it do not count: approve" in done.stderr


def test_init_says_that_there_is_no_such_folder(ipuaro, tmp_path):
    done = ipuaro("init", tmp_path / "none")
    assert done.returncode == 2
    assert "none" in done.stderr


@pytest.fixture
def checks(ipuaro):
    """Return a function that returns the exit status of doctor, and what it found by name."""

    def find(*arguments, env=None):
        done = ipuaro("doctor", "--json", *arguments, env=env)
        return done.returncode, {check["name"]: check for check in json.loads(done.stdout)}

    return find


def test_doctor_finds_what_works_and_says_how_to_get_a_model(checks, tmp_path):
    status, found = checks(tmp_path, env={"OLLAMA_HOST": "127.0.0.1:9"})
    assert status == 4
    for name in ("Python", "ipykernel", "jupyterlab", "JupyterLab has ipuaro-views", "store"):
        assert found[name]["state"] == "ok", found[name]
    assert found["model"]["state"] == "missing"
    assert "ollama serve" in found["model"]["remedy"]


def test_doctor_succeeds_where_the_model_answers_and_programs_are_missing(
    checks, tmp_path, ollama_server
):
    status, found = checks(tmp_path, env={"OLLAMA_HOST": ollama_server.url, "PATH": ""})
    assert found["model"]["state"] == "ok", found["model"]
    assert {found[name]["state"] for name in ("git", "rg")} == {"missing"}
    assert status == 0


def test_doctor_fails_with_the_remedy_where_the_store_cannot_be_reached(checks, tmp_path):
    status, found = checks(tmp_path, env={"IPUARO_REDIS_URL": "redis://127.0.0.1:9/0"})
    assert status == 1
    assert found["store"]["state"] == "wrong"
    assert "redis-server" in found["store"]["remedy"]


def test_doctor_fails_where_the_settings_are_wrong(checks, tmp_path):
    (tmp_path / ".ipuaro.json").write_text('{"aprove": "ask"}')
    status, found = checks(tmp_path)
    assert status == 1
    assert "approve" in found["settings"]["remedy"]


@pytest.mark.parametrize(("name", "said"), [("none", "does not exist"), ("a.txt", "is a file")])
def test_doctor_fails_where_there_is_no_folder(checks, tmp_path, name, said):
    (tmp_path / "a.txt").write_text("")
    status, found = checks(tmp_path / name)
    assert status == 1
    assert found["project"]["state"] == "wrong"
    assert said in found["project"]["remedy"]
    assert "settings" not in found


@pytest.mark.parametrize("variable", ["IPUARO_TOOLS", "IPUARO_VIEWS", "IPUARO_LANGUAGES"])
def test_doctor_looks_at_what_the_user_has_added(tmp_path, monkeypatch, variable):
    none = {check.name for check in check_all(str(tmp_path / "none"))}
    assert variable not in none
    found = {}
    for folder in (tmp_path, tmp_path / "gone"):
        monkeypatch.setenv(variable, str(folder))
        found |= {
            folder: {check.name: check for check in check_all(str(tmp_path / "none"))}[variable]
        }
    assert found[tmp_path].state == "ok"
    assert found[tmp_path / "gone"].state == "wrong"
    assert "which is no folder" in found[tmp_path / "gone"].remedy


def test_doctor_tells_what_is_wrong_with_a_language(tmp_path, monkeypatch):
    (tmp_path / "quay").mkdir()
    (tmp_path / "quay" / "language.toml").write_text('name = "quay"\ncolour = 3\n')
    monkeypatch.setenv("IPUARO_LANGUAGES", str(tmp_path))
    (told,) = [c for c in check_all(str(tmp_path / "none")) if c.name == "IPUARO_LANGUAGES"]
    assert told.state == "wrong"
    assert "unknown keys colour" in told.remedy


def test_doctor_tells_a_person_the_same(ipuaro, tmp_path):
    told = ipuaro("doctor", tmp_path, env={"OLLAMA_HOST": "127.0.0.1:9"}).stdout
    assert "ok       Python" in told
    assert "ollama serve" in told


def test_a_folder_alone_opens_a_notebook_for_it_in_jupyterlab(program, tmp_path):
    project, runtime = tmp_path / "app", tmp_path / "runtime"
    project.mkdir()
    with subprocess.Popen(
        [program, project, "--no-browser", "--allow-root"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "JUPYTER_RUNTIME_DIR": str(runtime)},
        start_new_session=True,
    ) as server:
        try:
            served = _contents(runtime, within_s=90)
        finally:
            os.killpg(server.pid, signal.SIGKILL)
    assert [entry["name"] for entry in served] == ["ipuaro.ipynb"]
    notebook = nbformat.read(project / "ipuaro.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert "%load_ext ipuaro_jupyter" in notebook.cells[1].source


def _contents(runtime, *, within_s):
    """Return what the server lists, as soon as it is there."""
    until_s = time.monotonic() + within_s
    while time.monotonic() < until_s:
        for info in runtime.glob("jpserver-*.json"):
            try:
                server = json.loads(info.read_text())
                url = f"{server['url']}api/contents?token={server['token']}"
                with urllib.request.urlopen(url, timeout=5) as answer:
                    return json.load(answer)["content"]
            except (OSError, ValueError):
                pass
        time.sleep(0.1)
    pytest.fail("JupyterLab does not answer")


def test_what_is_neither_command_nor_folder_is_told_with_the_closest(ipuaro):
    done = ipuaro("indx")
    assert done.returncode == 2
    assert "'index'" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(ipuaro, shell):
    assert "_IPUARO_COMPLETE" in ipuaro("completion", shell).stdout


@pytest.fixture
def offered(ipuaro):
    """Return a function that returns what bash is told behind a line."""

    def complete(line, folder):
        words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
        env = {"_IPUARO_COMPLETE": "bash_complete", **words}
        return ipuaro(env=env, cwd=folder).stdout.split()

    return complete


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ipuaro do", ["plain,doctor", "plain,documents"]),
        ("ipuaro inde", ["plain,index"]),
        ("ipuaro pr", ["dir,pr"]),
        ("ipuaro documents/a", ["dir,documents/a"]),
        ("ipuaro index pr", ["dir,pr"]),
        ("ipuaro open pr", ["dir,pr"]),
        ("ipuaro doctor ", ["dir,"]),
        ("ipuaro ask --project pr", ["dir,pr"]),
        ("ipuaro tool get_lines --project pr", ["dir,pr"]),
        ("ipuaro tool get_l", ["plain,get_lines"]),
        ("ipuaro --ver", ["plain,--version"]),
    ],
)
def test_the_shell_is_offered_commands_tools_and_folders(offered, tmp_path, line, told):
    for name in ("documents/api", "project", ".git"):
        (tmp_path / name).mkdir(parents=True)
    assert offered(line, tmp_path) == told


def test_the_shell_is_offered_commands_and_folders_for_nothing(offered, tmp_path):
    for name in ("documents", ".git"):
        (tmp_path / name).mkdir()
    told = offered("ipuaro ", tmp_path)
    assert {"plain,ask", "plain,documents"} <= set(told)
    assert "plain,.git" not in told

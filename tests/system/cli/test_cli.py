import json
import signal
import subprocess

import pytest

import ipuaro_jupyter


@pytest.fixture
def project(make_project):
    return make_project(
        {"src/a.ts": "export const a = 1\n", "src/b.ts": "import { a } from './a'\n"}
    )


def test_a_tool_prints_its_result_as_json(ipuaro, project):
    done = ipuaro("tool", "get_dependents", '{"path": "src/a.ts"}', "--project", project)
    assert done.returncode == 0, done.stderr
    output = json.loads(done.stdout)["output"]
    assert [d["path"] for d in output["dependents"]] == ["src/b.ts"]


def test_a_failing_tool_has_exit_status_1(ipuaro, project):
    done = ipuaro("tool", "get_lines", '{"path": "none.ts"}', "--project", project)
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["type"] == "file"


@pytest.mark.parametrize("more", [(), ("--help",)])
def test_a_removed_tool_is_told_with_what_to_do_instead(ipuaro, project, more):
    done = ipuaro("tool", "find_unused_exports", *more, cwd=project)
    assert (done.returncode, done.stdout) == (0, "")
    told = "ipuaro tool find_unused_exports no longer exists and is ignored: knip, vulture"
    assert done.stderr.startswith(told)


def test_without_yes_an_edit_is_rejected_with_yes_applied(ipuaro, project):
    edit = json.dumps({"path": "src/a.ts", "start": 1, "end": 1, "content": "export const a = 2"})
    refused = ipuaro("tool", "edit_lines", edit, cwd=project)
    assert refused.returncode == 1
    error = json.loads(refused.stdout)["error"]
    assert error["type"] == "cancelled"
    assert error["suggestion"].endswith(": --yes allows it.")
    assert ipuaro("tool", "edit_lines", edit, "--yes", cwd=project).returncode == 0
    assert (project / "src/a.ts").read_text() == "export const a = 2\n"


def test_yes_does_not_write_a_syntax_error_where_nobody_can_be_asked(ipuaro, project):
    edit = json.dumps({"path": "src/a.ts", "start": 1, "end": 1, "content": "export const a = ("})
    before = (project / "src/a.ts").read_text()
    refused = ipuaro("tool", "edit_lines", edit, "--yes", cwd=project)
    assert refused.returncode == 1
    assert "syntax error" in json.loads(refused.stdout)["error"]["message"]
    assert (project / "src/a.ts").read_text() == before


@pytest.mark.parametrize("text", ["{", "[1]", "3"])
def test_arguments_that_are_no_object_are_refused(ipuaro, project, text):
    done = ipuaro("tool", "get_lines", text, "--project", project)
    assert done.returncode == 2
    assert "JSON" in done.stderr


def test_index_writes_one_object_per_file(ipuaro, project, tmp_path):
    dump = tmp_path / "dump.jsonl"
    done = ipuaro("index", project, "--dump", dump)
    assert done.returncode == 0, done.stderr
    assert "2 files" in done.stdout
    first, second = map(json.loads, dump.read_text().splitlines())
    assert (first["path"], second["path"]) == ("src/a.ts", "src/b.ts")
    assert second["imports"] == [
        {"from": "./a", "line": 1, "kind": "import", "resolved": "src/a.ts"}
    ]
    assert first["dependents"] == ["src/b.ts"]
    assert first["exports"] == ["a"]


@pytest.mark.parametrize(
    "arguments",
    [("index", "."), ("tool", "get_todos"), ("ask", "Hello", "--model", "recorded:none.json")],
)
def test_what_does_not_count_of_the_settings_is_told(ipuaro, project, arguments):
    (project / ".ipuaro.json").write_text('{"approve": "all"}')
    (project / "none.json").write_text('{"version": 1, "turns": []}')
    told = ipuaro(*arguments, cwd=project).stderr
    assert "these keys of it do not count: approve" in told


def test_index_prints_what_it_holds_as_json(ipuaro, project):
    (project / "latin.ts").write_bytes(b"// \xe9")
    done = ipuaro("index", project, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["files"], report["edges"], report["languages"]) == (2, 1, {"typescript": 2})
    assert list(report["skipped"]) == ["latin.ts"]


def test_index_says_what_was_read_this_time(ipuaro, project):
    for path in project.rglob("*.ts"):  # unlike those of other tests, whose facts may be known
        path.write_text(f"{path.read_text()}// what was read this time\n")
    assert "; 2 parsed in " in ipuaro("index", project).stdout
    assert "; 0 parsed in " in ipuaro("index", project).stdout
    (project / "src/main.ts").write_text("export const changed = 1;\n")
    report = json.loads(ipuaro("index", project, "--json").stdout)
    assert (report["parsed"], report["known"]) == (1, 0)


def test_index_tells_how_far_it_is_and_what_it_leaves_out(ipuaro, project):
    (project / "big.js").write_text("var a = 1;\n" * 100_000)
    (project / "latin.ts").write_bytes(b"// \xe9")
    done = ipuaro("index", project, "--full")
    assert done.returncode == 0, done.stderr
    told = done.stderr.splitlines()
    assert told[:2] == ["Looking for files", "Reading files: 0 of 4 files (0 %)"]
    assert "Linking imports: 0 of 3 files (0 %)" in told
    assert told.count("Looking for files") == 2, "once to open it, once in full"
    assert "skipped latin.ts: not UTF-8 text (byte 3 is 0xe9)" in told
    assert "only the lines of big.js: Not analysed: larger than 1 MB." in told


POISON = """\
import sys

if "ipuaro_jupyter.index.storage.worker" in sys.orig_argv:
    import time
    from ipuaro_jupyter.index.extract import parse

    parse.parse_file = lambda path, data: time.sleep(60)
"""


def test_names_of_files_cannot_draw_on_the_terminal(ipuaro, project):
    (project / "\x1b[2Jevil.ts").write_bytes(b"// \xe9")
    done = ipuaro("index", str(project))
    assert "skipped [U+001B][2Jevil.ts" in done.stderr
    assert "\x1b" not in done.stderr


def test_index_that_is_stopped_says_so_and_leaves_what_was_there(
    ipuaro, program, project, tmp_path, monkeypatch
):
    assert ipuaro("index", project).returncode == 0
    (tmp_path / "sitecustomize.py").write_text(POISON)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (project / "src/large.ts").write_text("export const large = 1\n" * 2000)
    command = [program, "index", project]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        while b"Reading files" not in running.stderr.readline():
            assert running.poll() is None, "it was over before it could be stopped"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert err.splitlines()[-1] == b"ipuaro: stopped"
    assert out == b""
    (project / "src/large.ts").unlink()
    assert "2 files" in ipuaro("index", project).stdout


@pytest.mark.parametrize("root", ["missing", "file.txt"])
def test_a_root_that_is_no_folder_is_one_clear_sentence(ipuaro, tmp_path, root):
    (tmp_path / "file.txt").write_text("x")
    done = ipuaro("index", tmp_path / root)
    assert done.returncode == 2
    assert done.stderr.startswith("ipuaro: ")
    assert "folder" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_server_that_refuses_is_a_storage_error(ipuaro, project, monkeypatch, tmp_path):
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("IPUARO_HOME", str(tmp_path / "home"))
    settings = {"redis": {"url": "redis://127.0.0.1:1/0"}}
    (tmp_path / "home/settings.json").write_text(json.dumps(settings))
    done = ipuaro("index", project)
    assert done.returncode == 3
    assert "redis://127.0.0.1:1/0" in done.stderr


def test_a_dump_that_cannot_be_written_is_one_sentence(ipuaro, project, tmp_path):
    done = ipuaro("index", project, "--dump", tmp_path / "none/d.jsonl")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr


def test_export_writes_the_latest_session_or_a_named_one(ipuaro, project, tmp_path, open_assistant):
    first = open_assistant(project, ["It is 1."])
    first.ask("What is a?")
    second = open_assistant(project, ["It imports a."], new=True)
    second.ask("And b?")
    done = ipuaro("export", tmp_path / "latest.ipynb", "--project", project)
    assert done.returncode == 0, done.stderr
    assert f"session {second.session.id}, 2 messages\n" in done.stdout
    assert "It imports a." in (tmp_path / "latest.ipynb").read_text()
    named = ("export", first.session.id[:-1], tmp_path / "first.ipynb")
    assert ipuaro(*named, cwd=project).returncode == 0
    first.export(tmp_path / "live.ipynb")
    assert (tmp_path / "first.ipynb").read_bytes() == (tmp_path / "live.ipynb").read_bytes()


def test_export_says_what_cannot_be_written(ipuaro, project, tmp_path, open_assistant):
    file = tmp_path / "a.ipynb"
    none = ipuaro("export", file, "--project", project)
    assert (none.returncode, "no sessions yet" in none.stderr) == (2, True)
    open_assistant(project, ["It is 1."]).ask("What is a?")
    file.write_text("precious")
    refused = ipuaro("export", file, "--project", project)
    assert (refused.returncode, "--force" in refused.stderr) == (2, True)
    assert file.read_text() == "precious"
    assert ipuaro("export", file, "--project", project, "--force").returncode == 0
    assert ipuaro("export", "none", file, "--project", project).returncode == 2
    assert ipuaro("export", "a", "b", "c", cwd=project).returncode == 2


READS = '<tool_call name="get_lines"><path>src/a.ts</path></tool_call>'


def test_replay_has_exit_status_0_without_and_1_with_differences(
    ipuaro, project, tmp_path, open_assistant
):
    assistant = open_assistant(project, [READS, "It is 1."])
    assistant.ask("What is a?")
    talk = assistant.export(tmp_path / "talk.ipynb")
    assistant.close()
    same = ipuaro("replay", talk, "--project", project)
    assert same.returncode == 0, same.stderr
    assert "1 question, 1 tool call, no difference" in same.stdout
    (project / "src/a.ts").write_text("export const a = 2\n")
    told = ipuaro("replay", talk, "--project", project)
    assert told.returncode == 1
    assert "export const a = 2" in told.stdout
    plain = ipuaro("replay", talk, "--json", cwd=project)
    assert plain.returncode == 1
    assert json.loads(plain.stdout)["differences"] == 1


def test_replay_check_has_exit_status_1_when_an_answer_is_no_longer_true(
    ipuaro, project, tmp_path, open_assistant
):
    assistant = open_assistant(project, ["`a` is declared in src/a.ts:1."])
    assistant.ask("What is a?")
    talk = assistant.export(tmp_path / "talk.ipynb")
    assistant.close()
    same = ipuaro("replay", "--check", talk, "--project", project)
    assert same.returncode == 0, same.stderr
    assert "0 of 1 answer no longer true" in same.stdout
    (project / "src/a.ts").write_text("// moved\n" * 9 + "export const a = 1\n")
    told = ipuaro("replay", "--check", talk, "--project", project)
    assert told.returncode == 1
    assert "src/a.ts:1: these lines are now at line 10" in told.stdout
    plain = ipuaro("replay", "--check", talk, "--json", cwd=project)
    assert (plain.returncode, json.loads(plain.stdout)["untrue"]) == (1, 1)
    (tmp_path / "none.ipynb").write_text("{}")
    assert ipuaro("replay", "--check", tmp_path / "none.ipynb", cwd=project).returncode == 2


def test_replay_of_what_is_no_recording_has_exit_status_2(ipuaro, project, tmp_path):
    (tmp_path / "a.ipynb").write_text("{}")
    for file in ("a.ipynb", "none.ipynb"):
        done = ipuaro("replay", tmp_path / file, "--project", project)
        assert done.returncode == 2
        assert done.stderr.startswith("ipuaro: ")
    assert ipuaro("replay", tmp_path / "a.ipynb", "--project", tmp_path / "no").returncode == 2


def test_replay_without_a_store_has_exit_status_3(
    ipuaro, project, tmp_path, open_assistant, monkeypatch
):
    assistant = open_assistant(project, [READS, "It is 1."])
    assistant.ask("What is a?")
    talk = assistant.export(tmp_path / "talk.ipynb")
    assistant.close()
    monkeypatch.setenv("IPUARO_REDIS_URL", "redis://127.0.0.1:1/0")
    assert ipuaro("replay", talk, "--project", project).returncode == 3


def test_version_and_help(ipuaro):
    assert ipuaro_jupyter.__version__ in ipuaro("--version").stdout
    assert "demo" in ipuaro("--help").stdout

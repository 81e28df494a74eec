"""What is typed by mistake, or by who knows the notebook, and streams that are not as usual."""

import json
import os
import pty
import select
import subprocess

import pytest


@pytest.fixture
def folder(tmp_path):
    """A folder with a file and a project."""
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "a.ts").write_text("export const a = 1\n")
    (tmp_path / "file.txt").write_text("text")
    turns = [{"message": "Read it", "replies": ["It is \u2192 one."]}]
    (tmp_path / "recording.json").write_text(json.dumps({"version": 1, "turns": turns}))
    return tmp_path


@pytest.fixture
def typed(program, folder):
    """Return what comes of a line of the shell, "ipuaro" being the program."""

    def run(line, **env):
        return subprocess.run(
            ["bash", "-c", f'ipuaro() {{ "{program}" "$@"; }}; {line}'],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
            cwd=folder,
            env={**os.environ, **env},
        )

    return run


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ipuaro file.txt", "ipuaro: 'file.txt' is a file; give the folder of a project."),
        ("ipuaro ./gone/", "ipuaro: './gone/' does not exist; give the folder of a project."),
        ("ipuaro forget file.txt", "ipuaro: 'file.txt' is a file; give the folder of a project."),
        ("ipuaro forget app --json", "ipuaro: --json is for the list of all projects"),
        ("ipuaro todos", "In a notebook it is %ipuaro todos, here ipuaro ask /todos."),
        ("ipuaro undo", "it is %ipuaro undo, here ipuaro ask /undo --session ID."),
        ("ipuaro load", "it is %ipuaro sessions load, here ipuaro ask MESSAGE --session ID."),
        ("ipuaro help app", "There is no command 'app'. Did you mean 'acp'?"),
        ("ipuaro $(printf %0300d)", "There is no command and no folder '000"),
        ("ipuaro index $(printf %0300d)", "000' cannot be read: File name too long."),
        ("ipuaro '~nobody-at-all/app'", "/app' does not exist; give the folder of a project."),
        ("ipuaro open --port 9 app", "ipuaro: Write the folder first: ipuaro open app, or ."),
        ("ipuaro app --no-browser .", "ipuaro: Write the folder first: ipuaro open app ., or ."),
        ("ipuaro open gone/ --no-browser", "'gone/' does not exist; give the folder of a"),
        ("ipuaro nonsense", "There is no command and no folder 'nonsense'. There are: acp, ask,"),
        ("ipuaro tool get_lines path=a.ts", """Write one with the parameters: '{"path": """),
        ("IPUARO_HOME=$PWD/file.txt ipuaro index app", "settings.json cannot be read: Not a dir"),
        ("printf '\\xff' | ipuaro ask -", "ipuaro: Standard input is no text"),
    ],
)
def test_what_is_wrong_is_told_in_the_last_line(typed, line, told):
    done = typed(line, PYTHONIOENCODING="utf-8")
    assert done.returncode == 2
    assert told in done.stderr.decode().splitlines()[-1]
    assert done.stdout == b""


@pytest.mark.usefixtures("permissions_count")
@pytest.mark.parametrize(
    ("command", "path", "told"),
    [
        ("forget", "app", b"ipuaro: 'app' cannot be read: Permission denied.\n"),
        ("forget", "app/src", b"app/src/.ipuaro.json cannot be read: Permission denied."),
        ("index", "app/src", b"ipuaro: 'app/src' cannot be read: Permission denied.\n"),
        ("", "app/src", b"ipuaro: 'app/src' cannot be read: Permission denied.\n"),
    ],
)
def test_a_folder_that_cannot_be_read_is_told(typed, folder, command, path, told):
    (folder / "app/src").mkdir()
    (folder / "app").chmod(0)
    done = typed(f"ipuaro {command} {path}")
    (folder / "app").chmod(0o755)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_help_is_a_command_too(typed, folder):
    (folder / "help").mkdir()
    assert typed("ipuaro help").stdout == typed("ipuaro --help").stdout
    assert b"Usage: ipuaro ask" in typed("ipuaro help ask").stdout


def test_help_after_the_name_of_a_tool_is_about_that_tool(typed):
    told = typed("ipuaro tool edit_lines --help").stdout.decode()
    assert told.startswith("edit_lines(path, start, end, content)\n")
    assert "  start (integer) " in told
    general = typed("ipuaro tool --help").stdout
    assert general.startswith(b"Usage: ipuaro tool [OPTIONS] NAME [JSON]\n")
    assert typed("ipuaro tool no_such_tool -h").stdout == general
    assert b"Missing argument NAME" in typed("ipuaro tool").stderr


def test_options_of_jupyterlab_may_come_without_a_folder(typed, folder):
    assert typed("ipuaro open --version").stdout == typed("ipuaro open . --version").stdout
    assert (folder / "ipuaro.ipynb").exists()
    value = typed("ipuaro app --notebook-dir app --version")
    assert value.stdout == typed("ipuaro open . --version").stdout


ASK = "ipuaro ask Read it --project app --model recorded:recording.json"


def test_of_several_folders_the_first_is_opened_and_told_what_to_do_instead(typed, folder):
    (folder / "a web").mkdir()
    done = typed("ipuaro open server=app site='a web' --version")
    assert done.stdout == typed("ipuaro open . --version").stdout
    assert done.stderr.decode() == (
        "Only app is opened, not site=a web: several folders no longer open as one project; open "
        "the folder that holds them all; git works in each repository in it.\n"
    )
    assert (folder / "app/ipuaro.ipynb").exists()
    assert not (folder / "a web/ipuaro.ipynb").exists()


@pytest.mark.parametrize(
    "command",
    [
        "init app other",
        "tool git_status --project app --project other",
        "index app other",
        "doctor app other",
        "mcp app other",
    ],
)
def test_further_folders_are_no_error_of_any_command(typed, folder, command):
    (folder / "other").mkdir()
    done = typed(f"ipuaro {command}")
    assert done.stderr.count(b"Only app is opened, not other: ") == 1
    assert b"not a folder" not in done.stderr
    assert done.returncode in {0, 1, 4}, "what the command itself found"


def test_of_several_folders_none_is_forgotten(typed, folder):
    typed("ipuaro index app")
    done = typed("ipuaro forget app other --yes")
    assert done.returncode == 0
    assert done.stderr.startswith(b"Nothing was dropped")
    assert str(folder / "app") in typed("ipuaro forget").stdout.decode()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_may_be_closed(typed, closed):
    done = typed(f"{ASK} {closed}")
    assert done.returncode == 0, done.stderr
    told = b"Done \xc2\xb7 " in done.stderr
    assert told == ("2>&-" not in closed)
    said = b"" if ">&-" in closed.replace("2>&-", "") else "It is \u2192 one.\n".encode()
    assert done.stdout == said


def test_letters_that_standard_output_does_not_know_are_replaced(typed):
    done = typed(ASK, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert done.stdout == b"It is ? one.\n"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_json_says_what_there_is_in_any_encoding(typed, folder, encoding):
    (folder / "app/a.ts").write_text("// \u2192")
    get_lines = """ipuaro tool get_lines '{"path": "a.ts"}' --project app"""
    done = typed(get_lines, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert "// \u2192" in str(json.loads(done.stdout))


def test_a_client_of_mcp_that_ends_at_once_is_no_fault(typed):
    done = typed("ipuaro mcp app")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_mcp_that_is_typed_in_a_terminal_says_what_it_waits_for(program, folder):
    master, slave = pty.openpty()
    command = [program, "mcp", "app"]
    with subprocess.Popen(
        command, cwd=folder, stdin=slave, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as running:
        try:
            assert select.select([running.stderr], [], [], 60)[0], "it says nothing"
            assert b"waits for another assistant" in running.stderr.readline()
        finally:
            running.kill()
            os.close(master)
            os.close(slave)

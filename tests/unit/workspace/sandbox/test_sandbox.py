import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.sandbox import seatbelt
from ipuaro_jupyter.workspace.sandbox.confinement import stricter
from ipuaro_jupyter.workspace.sandbox.sandbox import Sandbox, SandboxState

ALWAYS = "#!/bin/sh\nexit 0\n"


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Give a function that writes a program bwrap, the only one on the PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def write(text):
        (folder / "bwrap").write_text(text)
        (folder / "bwrap").chmod(0o755)
        return str(folder / "bwrap")

    return write


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    return root


def confined(sandbox, **options):
    root = sandbox.project
    return sandbox.confined(
        ["ls"], root=root, cwd=root, variables={"TMPDIR": "/here", "GOCACHE": "/mine"}, **options
    )


def test_sandbox_that_is_off_confines_nothing(project):
    sandbox = Sandbox("off", project)
    assert confined(sandbox) is None
    assert str(sandbox.state) == (
        'none for commands, because the setting "commands.sandbox" is "off"; a command that runs '
        "can do what you can do"
    )


def test_missing_program_confines_nothing(project, programs):
    del programs
    sandbox = Sandbox("auto", project, platform="linux")
    assert confined(sandbox) is None
    assert "bwrap is not installed" in sandbox.state.why


def test_required_sandbox_that_is_missing_refuses(project, programs):
    del programs
    sandbox = Sandbox("required", project, platform="linux")
    with pytest.raises(ToolError, match="bwrap is not installed") as caught:
        confined(sandbox)
    assert not caught.value.recoverable
    assert str(sandbox.state).endswith("; none runs")


def test_other_systems_have_none(project):
    assert Sandbox("auto", project, platform="win32").state.why == "there is none for win32"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "#!/bin/sh\necho denied >&2; exit 1\n",
            "bwrap does not work here: denied",
        ),
        ("#!/bin/sh\nexit 4\n", "bwrap does not work here: exit code 4"),
        ("#!/nowhere\n", "bwrap does not work here: Cannot run "),
    ],
)
def test_program_that_does_not_work_confines_nothing(project, programs, text, why):
    programs(text)
    state = Sandbox("auto", project, platform="linux").state
    assert state.program is None
    assert state.why.startswith(why)


def test_command_is_started_by_the_program(project, programs):
    program = programs(ALWAYS)
    sandbox = Sandbox("auto", project, platform="linux")
    made = confined(sandbox)
    assert made.argv[0] == program
    assert made.argv[-1] == "ls"
    assert dict(made.variables) == {
        "TMPDIR": "/tmp",
        "GOCACHE": "/mine",
        "npm_config_cache": "/tmp/npm",
        "UV_CACHE_DIR": "/tmp/uv",
        "PIP_CACHE_DIR": "/tmp/pip",
    }
    assert confined(sandbox, network=True).variables["DENO_DIR"] == "/tmp/deno"
    assert str(sandbox.state) == (
        "bwrap: commands write only in the project, see no keys, and have no network unless you "
        "allow it"
    )


def test_failure_is_told_by_the_output(project, programs):
    programs(ALWAYS)
    sandbox = Sandbox("auto", project, platform="linux")
    assert confined(sandbox).failure(["", "Connection refused"], 1).is_network
    assert confined(sandbox, network=True).failure(["", "Connection refused"], 1) is None


def test_darwin_uses_its_own_program(project):
    """It is not there, so that only its absence can be seen here."""
    sandbox = Sandbox("auto", project, platform="darwin")
    assert isinstance(sandbox.state, SandboxState)
    assert confined(sandbox) is None or confined(sandbox).argv[1] == "-p"


def test_settings_are_copied_without_keys_once(project, tmp_path):
    settings = tmp_path / "rc"
    settings.write_text("a=1\n_auth=abc\n")
    folder = Sandbox("auto", project).folder
    copy = folder.copy(settings)
    assert copy.read_text() == "a=1\n"
    assert folder.copy(settings) == copy
    assert not copy.is_relative_to(folder.temporary)


def test_stricter_of_two_modes():
    assert stricter("off", "auto") == stricter("auto", "off") == "auto"
    assert stricter("required", "auto") == "required"


def test_a_copy_sees_the_project_that_it_has_links_to(project, programs, tmp_path):
    programs(ALWAYS)
    copy = tmp_path / "copy"
    copy.mkdir()
    sandbox = Sandbox("auto", project, platform="linux")
    made = sandbox.confined(["ls"], root=copy, cwd=copy, variables={})
    assert f" --ro-bind {project} {project} " in " ".join(made.argv)
    assert f" --ro-bind {project} {project} " not in " ".join(confined(sandbox).argv)


def test_darwin_gives_its_program_a_profile(project, programs, monkeypatch):
    monkeypatch.setattr(seatbelt, "PROGRAM", programs(ALWAYS))
    made = confined(Sandbox("auto", project, platform="darwin"))
    assert made.argv[:2] == (seatbelt.PROGRAM, "-p")
    assert str(project) in made.argv[2]
    assert made.argv[3:] == ("ls",)

import pytest

from ipuaro_jupyter.workspace.sandbox.failures import sandbox_failure


def failure(output, exit_code=1, *, network=False, darwin=False):
    return sandbox_failure([output], exit_code, network=network, darwin=darwin)


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("bwrap: Can't mkdir x", "it could not be started in the sandbox: bwrap: Can't mkdir x"),
        (
            "a\ntouch: cannot touch 'x':  Read-only file system\nb",
            "it may write only in the project: touch: cannot touch 'x': Read-only file system",
        ),
        (
            "Error: EROFS: open '/x'",
            "it may write only in the project: Error: EROFS: open '/x'",
        ),
        ("curl: (6) Could not resolve host: a.b", None),
        ("connect ECONNREFUSED 127.0.0.1:5432", None),
        (
            "git@h: Permission denied (publickey).",
            "your keys are not there: git@h: Permission denied (publickey).",
        ),
        (
            "error: could not lock config file .git/config: File exists",
            (
                "it may not change the settings of git: "
                "error: could not lock config file .git/config: File exists"
            ),
        ),
        (
            "mv: cannot move 'sub' to 'other': Device or resource busy",
            (
                "it may not move a git directory, nor files in or out of the folders around one: "
                "mv: cannot move 'sub' to 'other': Device or resource busy"
            ),
        ),
        (
            "Bad owner or permissions on /etc/ssh/ssh_config.d/a.conf\nfatal: no remote",
            (
                "files of the system seem to belong to somebody else there: "
                "Bad owner or permissions on /etc/ssh/ssh_config.d/a.conf"
            ),
        ),
        (
            "Cannot connect to the Docker daemon at unix:///var/run/docker.sock",
            (
                "other programs are out of its reach: "
                "Cannot connect to the Docker daemon at unix:///var/run/docker.sock"
            ),
        ),
    ],
)
def test_output_tells_what_was_denied(output, why):
    found = failure(output)
    assert found is not None
    assert found.is_network == (why is None)
    assert found.why == (why or f"it has no network: {output}")


def test_success_is_no_failure():
    assert failure("Read-only file system", 0) is None


def test_other_failures_are_not_the_sandbox_s():
    assert failure("AssertionError: 1 != 2") is None
    assert failure("nothing-is: command not found", 127) is None
    assert failure("/nowhere/at/all: No such file or directory", 127) is None


def test_network_that_was_there_is_no_reason():
    assert failure("Connection refused", network=True) is None


def test_refused_connection_counts_where_an_output_ends():
    """A failing test may have printed it, so that each run of it would ask for the network."""
    told = "connect ECONNREFUSED 127.0.0.1:5432"
    assert failure(f"{told}\n--- end ---\n1 failed\nin 1 s\nsee above\n") is None
    dump = f"Error: {told}\n    at x {{\n  code: 'ECONNREFUSED'\n  port: 1\n}}\n\nNode.js v20.1\n"
    assert failure(dump).is_network
    found = sandbox_failure([told, "1\n2\n3\n4\n"], 1, network=False, darwin=False)
    assert found.is_network
    assert failure("getaddrinfo EAI_AGAIN a.b\n1\n2\n3\n4\n").is_network


def test_darwin_has_one_name_for_all():
    assert failure("touch: x: Operation not permitted") is None
    assert failure("touch: x: Operation not permitted", darwin=True) is not None


def test_program_that_is_there_outside_is_named(tmp_path):
    program = tmp_path / "tool"
    program.touch()
    assert failure(f"bash: {program}: No such file or directory", 127).why == (
        f"{program} is out of its reach"
    )


def test_long_line_is_cut_at_what_tells():
    found = failure("x" * 5000 + " EROFS: read-only" + " y" * 5000)
    assert found.why.startswith("it may write only in the project: EROFS: read-only y")
    assert len(found.why) < 300

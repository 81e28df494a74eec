from pathlib import Path

from ipuaro_jupyter.workspace.sandbox.confinement import Confinement
from ipuaro_jupyter.workspace.sandbox.seatbelt import probe_argv, profile, seatbelt_argv

HOME = Path("/Users/me")
CONFINEMENT = Confinement(
    cwd=HOME / "app",
    writable=(HOME / "app",),
    protected=(HOME / "app/.git",),
    hidden=(HOME / ".ssh", HOME / 'a "b" \\c'),
    replaced={HOME / ".npmrc": Path("/private/tmp/copy")},
    temporary=Path("/private/var/folders/x/tmp"),
    network=False,
    pinned=(HOME / "app/a",),
    fixed=(HOME / "app/.git/commondir",),
)


def test_profile_says_what_is_denied():
    """The last rule that fits holds, so inner places come after outer ones."""
    assert profile(CONFINEMENT).splitlines() == [
        "(version 1)",
        "(allow default)",
        "(deny file-write*)",
        "(deny appleevent-send)",
        "(deny lsopen)",
        '(deny mach-lookup (global-name "com.apple.SecurityServer"))',
        (
            '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") '
            '(literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/dtracehelper"))'
        ),
        '(allow file-write* (subpath "/private/var/folders/x/tmp"))',
        '(deny file-read* file-write* (subpath "/Users/me/.ssh"))',
        '(deny file-read* file-write* (subpath "/Users/me/a \\"b\\" \\\\c"))',
        '(deny file-read* file-write* (subpath "/Users/me/.npmrc"))',
        '(allow file-read* file-write* (subpath "/Users/me/app"))',
        '(deny file-write-unlink (literal "/Users/me/app/a"))',
        '(deny file-write* (subpath "/Users/me/app/.git"))',
        '(deny file-write* (literal "/Users/me/app/.git/commondir"))',
        "(deny network*)",
    ]


def test_network_is_left_when_allowed():
    allowed = Confinement(
        cwd=HOME,
        writable=(),
        protected=(),
        hidden=(),
        replaced={},
        temporary=HOME / "tmp",
        network=True,
    )
    assert "network" not in profile(allowed)


def test_command_comes_after_the_profile():
    argv = seatbelt_argv("/usr/bin/sandbox-exec", ["ls", "-l"], CONFINEMENT)
    assert argv == ["/usr/bin/sandbox-exec", "-p", profile(CONFINEMENT), "ls", "-l"]


def test_probe_uses_the_same_rules():
    assert set(probe_argv()[2].splitlines()) <= set(profile(CONFINEMENT).splitlines())

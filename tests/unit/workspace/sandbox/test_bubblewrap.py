import os
import tempfile
from pathlib import Path

import pytest

from ipuaro_jupyter.workspace.sandbox import bubblewrap
from ipuaro_jupyter.workspace.sandbox.bubblewrap import bwrap_argv, find_bwrap, probe_argv
from ipuaro_jupyter.workspace.sandbox.confinement import Confinement


@pytest.fixture
def confine(tmp_path):
    """Give a function that makes a confinement to the folder ``project``."""
    project = tmp_path / "project"
    project.mkdir()

    def confine_now(**options):
        whole = {
            "cwd": project,
            "writable": (project,),
            "protected": (),
            "hidden": (),
            "replaced": {},
            "temporary": tmp_path / "kept/tmp",
            "network": False,
        }
        return Confinement(**(whole | options))

    return confine_now


def argv_of(confinement, **variables):
    return bwrap_argv("/usr/bin/bwrap", ["ls", "-l"], confinement, variables)


def triples(argv):
    return list(zip(argv, argv[1:], argv[2:], strict=False))


def place_of(argv, *words):
    return triples(argv).index(words)


def test_command_comes_last_in_its_folder(confine, tmp_path):
    argv = argv_of(confine())
    assert argv[0] == "/usr/bin/bwrap"
    assert argv[-5:] == ["--chdir", str(tmp_path / "project"), "--", "ls", "-l"]
    assert {"--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net"} <= {*argv}


def test_network_is_left_when_allowed(confine):
    assert "--unshare-net" not in argv_of(confine(network=True))


def test_everything_is_read_only_but_the_project(confine, tmp_path):
    argv, project = argv_of(confine()), str(tmp_path / "project")
    assert place_of(argv, "--ro-bind", "/", "/") < place_of(argv, "--bind", project, project)


def test_inner_places_come_later(confine, tmp_path):
    keys = tmp_path / "project/keys"
    inner, git = keys / "app", keys / "app/.git"
    git.mkdir(parents=True)
    argv = argv_of(
        confine(writable=(inner, tmp_path / "project"), hidden=(keys,), protected=(git,))
    )
    order = [
        place_of(argv, "--bind", str(tmp_path / "project"), str(tmp_path / "project")),
        argv.index(str(keys)) - 1,
        place_of(argv, "--bind", str(inner), str(inner)),
        place_of(argv, "--ro-bind", str(git), str(git)),
        len(argv) - 1 - argv[::-1].index(str(keys)),
    ]
    assert order == sorted(order)
    assert argv[order[-1] - 1] == "--remount-ro"


def test_hidden_file_is_an_empty_one_and_a_replaced_one_another(confine, tmp_path):
    key, settings = tmp_path / "key", tmp_path / "settings"
    key.touch()
    settings.touch()
    argv = argv_of(confine(hidden=(key,), replaced={settings: tmp_path / "other"}))
    assert ("--ro-bind", str(tmp_path / "kept/empty"), str(key)) in triples(argv)
    assert ("--ro-bind", str(tmp_path / "other"), str(settings)) in triples(argv)


def test_programs_among_the_temporary_files_stay(confine):
    """A virtual environment in /tmp has its libraries beside its programs."""
    folder = Path("/tmp/ipuaro-test-programs") / str(os.getpid())
    (folder / "bin").mkdir(parents=True)
    try:
        argv = argv_of(confine(), PATH=f"{folder}/bin:/usr/bin", PYTHONPATH="")
    finally:
        (folder / "bin").rmdir()
        folder.rmdir()
    assert ("--ro-bind", str(folder), str(folder)) in triples(argv)
    assert ("--ro-bind", f"{folder}/bin", f"{folder}/bin") in triples(argv)
    assert ("--ro-bind", "/usr", "/usr") not in triples(argv)


@pytest.fixture
def in_tmp():
    """A folder in /tmp, which another one takes the place of."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


def test_links_to_programs_stay(confine, tmp_path, in_tmp):
    (in_tmp / "programs/bin").mkdir(parents=True)
    (in_tmp / "one").symlink_to("./other/../programs")
    (in_tmp / "other").mkdir()
    (in_tmp / "two").symlink_to(in_tmp / "one/bin")
    path = f"{in_tmp}/two:{in_tmp}/missing:relative"
    (tmp_path / "kept/tmp").mkdir(parents=True)
    argv = argv_of(confine(), PATH=path)
    bound = place_of(argv, "--ro-bind", f"{in_tmp}/programs/bin", f"{in_tmp}/programs/bin")
    assert place_of(argv, "--symlink", f"{in_tmp}/one/bin", f"{in_tmp}/two") > bound
    assert ("--symlink", "other/../programs", f"{in_tmp}/one") in triples(argv)


def test_link_that_stayed_or_cannot_be_made_is_left(confine, tmp_path, in_tmp):
    (in_tmp / "programs").mkdir()
    (in_tmp / "link").symlink_to("programs")
    confined = confine(temporary=tmp_path / "kept/tmp")
    kept = confined.temporary / in_tmp.relative_to("/tmp")
    kept.mkdir(parents=True)
    (kept / "link").symlink_to("programs")
    assert "--symlink" not in argv_of(confined, PATH=f"{in_tmp}/link")
    (kept / "link").unlink()
    assert "--symlink" in argv_of(confined, PATH=f"{in_tmp}/link")
    kept.rmdir()
    kept.symlink_to(tmp_path)
    assert "--symlink" not in argv_of(confined, PATH=f"{in_tmp}/link")


def test_links_among_what_runs_stay(confine, monkeypatch, in_tmp):
    """On NixOS the folder of programs is /run/current-system/sw/bin, and the first is a link."""
    (in_tmp / "store/bin").mkdir(parents=True)
    (in_tmp / "current-system").symlink_to("store")
    monkeypatch.setattr(bubblewrap, "_RUNNING", (str(in_tmp),))
    monkeypatch.setattr(bubblewrap, "_TEMPORARY", ())
    argv = argv_of(confine(), PATH=f"{in_tmp}/current-system/bin")
    assert ("--symlink", "store", f"{in_tmp}/current-system") in triples(argv)
    argv = argv_of(confine(), PATH=f"{in_tmp}/current-system/bin", VIRTUAL_ENV=str(in_tmp))
    assert "--symlink" in argv


def test_links_in_what_is_seen_are_not_made(confine, in_tmp):
    (in_tmp / "programs").mkdir()
    (in_tmp / "link").symlink_to("programs")
    assert "--symlink" not in argv_of(confine(), PATH=f"{in_tmp}/link", VIRTUAL_ENV=str(in_tmp))
    assert "--symlink" not in argv_of(confine(), PATH="/usr/bin")


def test_sockets_of_others_are_empty_files(confine, tmp_path, monkeypatch):
    project, keys = tmp_path / "project", tmp_path / "keys"
    keys.mkdir()
    outside, own, agent = tmp_path / "outside", project / "own", project / "agent"
    listed = [outside, own, agent, keys / "hidden", Path("/tmp/gone")]
    monkeypatch.setattr(bubblewrap, "_TEMPORARY", ("/tmp",))
    monkeypatch.setattr(bubblewrap, "listed_sockets", lambda: listed)
    monkeypatch.setattr(bubblewrap, "named_sockets", lambda _variables: [agent])
    argv = argv_of(confine(hidden=(keys,)), HOME=str(tmp_path))
    empty = str(tmp_path / "kept/empty")
    hidden = {place for place in listed if ("--ro-bind", empty, str(place)) in triples(argv)}
    assert hidden == {outside, agent}


def test_probe_asks_for_what_commands_need():
    assert {"--unshare-pid", "--unshare-net", "--proc", "--dev"} <= {*probe_argv("bwrap")}


@pytest.mark.parametrize(("user", "is_held"), [(0, True), (1000, False)])
def test_root_does_not_set_the_kernel(confine, monkeypatch, user, is_held):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    for argv in (probe_argv("bwrap"), argv_of(confine())):
        assert (("--ro-bind", "/proc/sys", "/proc/sys") in triples(argv)) == is_held
        assert (("--ro-bind-try", "/proc/meminfo", "/proc/meminfo") in triples(argv)) == is_held
        assert not {"/proc/1", "/proc/self", "/proc/mounts"} & {*argv}


def test_program_of_the_project_is_not_found(tmp_path):
    inside, outside = tmp_path / "project/bin", tmp_path / "bin"
    for folder in (inside, outside):
        folder.mkdir(parents=True)
        (folder / "bwrap").touch(mode=0o755)
    path = f"relative:{inside}:{outside}"
    assert find_bwrap(path, tmp_path / "project") == str(outside / "bwrap")
    assert find_bwrap(f"{inside}", tmp_path / "project") is None


def test_devices_for_computing_are_there(confine, monkeypatch):
    monkeypatch.setattr(bubblewrap, "_GRAPHICS", ("/dev/null", "/dev/none"))
    found = triples(argv_of(confine()))
    assert ("--dev-bind", "/dev/null", "/dev/null") in found
    assert not any("/dev/none" in words for words in found)


def test_packages_that_are_a_link_are_there(confine, tmp_path):
    installed = tmp_path / "installed"
    installed.mkdir()
    confinement = confine()
    (confinement.cwd / "node_modules").symlink_to(installed)
    assert ("--ro-bind", str(installed), str(installed)) in triples(argv_of(confinement))

import socket

import pytest

from ipuaro_jupyter.workspace.sandbox import bubblewrap


@pytest.fixture
def bound(tmp_path, monkeypatch):
    """Give a function that makes a socket in a folder with a short path."""
    monkeypatch.chdir(tmp_path)

    def bind(name):
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(name)
        return tmp_path / name

    return bind


def test_sockets_with_a_path_are_listed(tmp_path, monkeypatch, bound):
    first, second = bound("a socket"), bound("b")
    listed = tmp_path / "unix"
    row = "0000000000000000: 00000002 00000000 00010000 0001 01 12345"
    rows = ("Num       RefCount Protocol Flags    Type St Inode Path", row, f"{row} @abstract")
    rows += (f"{row} {first}", f"{row} {second}", f"{row} /missing", "")
    listed.write_text("\n".join(rows))
    monkeypatch.setattr(bubblewrap, "_LISTED", listed)
    assert bubblewrap.listed_sockets() == [first, second]


def test_no_list_has_no_sockets(tmp_path, monkeypatch):
    monkeypatch.setattr(bubblewrap, "_LISTED", tmp_path / "missing")
    assert bubblewrap.listed_sockets() == []


def test_sockets_that_variables_name_are_found(tmp_path, bound):
    docker, agent = bound("docker"), bound("agent")
    variables = {"DOCKER_HOST": f"unix://{docker}", "SSH_AUTH_SOCK": str(agent)}
    assert bubblewrap.named_sockets(variables) == [docker, agent]
    assert bubblewrap.named_sockets({"DOCKER_HOST": "tcp://host:2375"}) == []
    assert bubblewrap.named_sockets({"SSH_AUTH_SOCK": str(tmp_path)}) == []

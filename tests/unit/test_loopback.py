import pytest

from ipuaro_jupyter.loopback import host_name, is_loopback


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::"])
def test_this_machine(host):
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["localhost.example.org", "127.example.org", "10.0.0.1", "ollama", "::2", ""]
)
def test_other_machines(host):
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("http://127.0.0.1:11434", "127.0.0.1"),
        ("gpu.example:11434/x", "gpu.example"),
        ("[::1]:80", "::1"),
        ("http://[", ""),
        ("", ""),
    ],
)
def test_the_host_in_an_address(address, name):
    assert host_name(address) == name

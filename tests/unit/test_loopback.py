import pytest

from ipuaro_jupyter.loopback import is_loopback


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::"])
def test_this_machine(host):
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["localhost.example.org", "127.example.org", "10.0.0.1", "ollama", "::2", ""]
)
def test_other_machines(host):
    assert not is_loopback(host)

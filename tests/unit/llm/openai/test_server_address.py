"""An address as users write it."""

import pytest

from ipuaro_jupyter.llm.openai import is_one_server
from ipuaro_jupyter.llm.openai.server_address import ServerAddress


@pytest.mark.parametrize(
    ("host", "api", "root"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
        ("localhost:1234/", "http://localhost:1234/v1", "http://localhost:1234"),
        ("HTTP://[::1]:80/v1/", "http://[::1]/v1", "http://[::1]"),
        ("llm.example", "https://llm.example/v1", "https://llm.example"),
        (
            "https://openrouter.ai/api/v1/chat/completions",
            "https://openrouter.ai/api/v1",
            "https://openrouter.ai/api",
        ),
        ("https://x.example/v1beta/openai", *["https://x.example/v1beta/openai"] * 2),
        (" http://me:pass@x.example ", "http://x.example/v1", "http://x.example"),
    ],
)
def test_the_api_is_found(host, api, root):
    address = ServerAddress.at(host)
    assert (address.api, address.root) == (api, root)


@pytest.mark.parametrize(
    ("host", "other", "same"),
    [
        ("https://x.example", "x.example:443/v1", True),
        ("https://X.example/a", "https://x.example/b", True),
        ("https://x.example", "http://x.example", False),
        ("https://x.example", "https://x.example:8443", False),
        ("https://x.example", "https://x.example.evil.example", False),
        ("https://x.example", "https://x.example@evil.example", False),
        ("https://x.example", "https://evil.example\\@x.example", False),
        ("https://x.example", "", False),
        ("", "", False),
    ],
)
def test_servers_are_told_apart(host, other, same):
    assert is_one_server(host, other) == same
    assert is_one_server(other, host) == same

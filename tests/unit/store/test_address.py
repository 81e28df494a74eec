"""Redis URLs."""

import tomllib
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store.address import masked, parsed, ping_command

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

PASSWORDS = st.text().map(lambda text: f"sécret/@?{text}§tail")


@pytest.mark.parametrize(("url", "shown"), CASES["masked_hides_the_password_alone"])
def test_masked_hides_the_password_alone(url: str, shown: str) -> None:
    assert masked(url) == shown


@given(PASSWORDS)
def test_masked_hides_any_password(password: str) -> None:
    for word in (quote(password, safe=""), password):
        for url in (f"redis://u:{word}@h:1/0", f"redis://{word}@h", f"u:{word}@h"):
            shown = masked(url)
            assert "cret" not in shown
            assert "tail" not in shown


@given(PASSWORDS.filter(lambda password: "&" not in password))
def test_masked_hides_any_password_among_the_options(password: str) -> None:
    for word in (quote(password, safe=""), password):
        for place in ("unix:///s", "redis://h/0"):
            shown = masked(f"{place}?db=1&password={word}")
            assert "cret" not in shown
            assert "tail" not in shown


@pytest.mark.parametrize(
    "url",
    [
        "redis://localhost",
        "redis://",
        "redis://[::1]:6379/3",
        "rediss://u:p@host:6380/0",
        "unix:///run/redis.sock?db=2",
    ],
)
def test_check_accepts_what_redis_understands(url: str) -> None:
    assert parsed(url).url == url


@pytest.mark.parametrize("url", CASES["check_refuses_and_says_what_is_allowed"])
def test_check_refuses_and_says_what_is_allowed(url: str) -> None:
    with pytest.raises(StorageError, match=r"redis\.url is no usable address.*unix:///") as caught:
        parsed(url)
    assert "cret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_ping_command_can_be_pasted() -> None:
    assert ping_command("redis://:pw@h:1/0") == "redis-cli -u 'redis://:***@h:1/0' ping"
    assert ping_command("unix:///my%20run/r.sock") == "redis-cli -s '/my run/r.sock' ping"

"""Which values are hidden from the model, and which are not."""

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.agent.redaction import PLACEHOLDER, Redaction, redaction_key

HIDE = Redaction(b"k" * 32)
CASES = tomllib.loads((Path(__file__).parent / "secrets.toml").read_text())


def plain(text):
    """Return a made-up secret: it is written with a sign inside, so that scanners pass it over."""
    return text.replace("·", "")


B64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"


@pytest.mark.parametrize(("kind", "around", "secret"), CASES["secrets"])
def test_a_secret_is_hidden_and_all_else_stays(kind, around, secret):
    secret = plain(secret)
    hidden = HIDE.text(around.replace("§§", secret))
    assert secret not in hidden
    assert re.fullmatch(
        re.escape(around).replace("§§", rf"\[redacted:{kind}:[0-9a-f]{{4}}\]"), hidden
    ), hidden


@pytest.mark.parametrize("text", CASES["stays"])
def test_what_only_looks_like_a_secret_stays(text):
    assert HIDE.text(plain(text)) == plain(text)


PEM = "\n".join(
    ["-----BEGIN RSA PRIVATE KEY-----", *([B64] * 4), "x9kQ2vLm==", "-----END RSA PRIVATE KEY-----"]
)


@pytest.mark.parametrize(
    "shown",
    [
        PEM,
        "\n".join(f"{n:>5}\t{line}" for n, line in enumerate(PEM.split("\n"), 1)),
        "\n".join(f"+{line}" for line in PEM.split("\n")),
        "\n".join(f"    {line}" for line in PEM.split("\n")[:3]),
        'key = "' + PEM.replace("\n", "\\n") + '"',
        "\n".join(f"{n:>5}\t{line}" for n, line in enumerate(PEM.split("\n")[1:-1], 2)),
        "const key = `\n" + PEM + "`\nconst more = 1",
    ],
)
def test_a_private_key_is_hidden_line_by_line(shown):
    hidden = HIDE.text(shown)
    assert B64 not in hidden
    assert hidden.count("\n") == shown.count("\n")
    assert "redacted:private-key" in hidden
    for line in shown.split("\n"):
        if B64 not in line and "x9kQ" not in line:
            assert line in hidden


def test_a_certificate_is_public():
    text = PEM.replace("RSA PRIVATE KEY", "CERTIFICATE")
    assert HIDE.text(text) == text


def test_equal_secrets_are_equal_and_the_key_matters():
    text = 'password = "hunter2"\nother_password = "hunter2"\nthird_password = "hunter3"'
    first, second, third = PLACEHOLDER.findall(HIDE.text(text))
    assert first == second != third
    assert Redaction(b"other key" * 3).text(text) != HIDE.text(text)


def test_the_key_is_the_users_own_and_stays(tmp_path):
    key = redaction_key(tmp_path / "home")
    assert redaction_key(tmp_path / "home") == key
    assert (tmp_path / "home/redaction.key").stat().st_mode & 0o077 == 0
    assert redaction_key(tmp_path / "elsewhere") != key


def test_plain_data_is_hidden_field_by_field():
    data = {"lines": ["password = 'hunter2'", 3, None], "password": "hunter2", "ok": True}
    hidden = HIDE.value(data)
    assert "hunter2" not in str(hidden)
    assert hidden["lines"][1:] == [3, None]
    assert PLACEHOLDER.fullmatch(hidden["password"])
    assert hidden["ok"] is True


def test_texts_that_follow_each_other_are_lines_of_one():
    hidden = HIDE.value(["a\nb", "password: >-", "  letmein", ""])
    assert [*hidden[:2], hidden[3]] == ["a\nb", "password: >-", ""]
    assert PLACEHOLDER.fullmatch(hidden[2].strip())


@pytest.mark.parametrize("shown", ["⟨letmein⟩", "let⟨me⟩in", "⟨let⟩m⟨ein⟩"])
def test_what_a_search_marks_is_hidden_and_equal_to_what_it_does_not_mark(shown):
    hidden = HIDE.text(f"▶   12│ DB_PASSWORD={shown}\n  13│ DB_PASSWORD=letmein")
    marked, unmarked = PLACEHOLDER.findall(hidden)
    assert marked == unmarked
    assert "let" not in hidden


def test_nothing_is_hidden_when_it_is_switched_off():
    text = 'password = "hunter2"'
    assert Redaction(b"k", enabled=False).text(text) == text


PIECES = st.sampled_from(
    [
        *(around.replace("§§", plain(secret)) for _, around, secret in CASES["secrets"]),
        *(plain(secret) for _, _, secret in CASES["secrets"]),
        *map(plain, CASES["stays"]),
        *PEM.split("\n"),
        *("password", "=", ":", '"', "'", "\\", "://", "@", "\n", " ", "[redacted:", ":1a2b]", "İ"),
        *("⟨", "⟩", ">-", "|\n  ", "value: ", "{", "}", "📁 .env:1\n", "📁 de.json:1\n", "KEY="),
    ]
)


@given(
    st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=12).map("".join),
    st.sampled_from(["", ".env", "i18n/de.json"]),
)
def test_hiding_twice_is_hiding_once_and_lines_stay_lines(text, path):
    hidden = HIDE.text(text, path)
    assert HIDE.text(hidden, path) == hidden
    assert hidden.count("\n") == text.count("\n")
    assert hidden.count("\r") == text.count("\r")

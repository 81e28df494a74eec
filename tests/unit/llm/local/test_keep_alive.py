"""The durations for which a model is kept."""

import pytest

from ipuaro_jupyter.llm.local.keep_alive import keep_alive_s


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30m", 1800),
        ("1h30m", 5400),
        ("1.5h", 5400),
        ("90", 90),
        ("90s", 90),
        ("0", 5),
        ("100ms", 5),
        ("-1", -1),
        ("-1m", -1),
        (None, 1800),
        ("soon", 1800),
        ("", 1800),
        ("5 m", 1800),
    ],
)
def test_duration_is_read(text: str | None, seconds: float) -> None:
    assert keep_alive_s(text) == seconds

"""What a message may have changed."""

import pytest

from ipuaro_jupyter.agent.questions.wish import wish_of


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ("Where is `fee` used?", "question"),
        ("Thanks", "talk"),
        ("Run the tests", "run"),
        ("Rename `fee` to `price`", "change"),
        ("Inspect and adjust", "change"),
        ("Blorp", "unsure"),
        ("/edit what about the fee?", "change"),
        ("/edit\nwhat about the fee?", "change"),
        (" /edit it", "change"),
        ("/editing is slow, why?", "question"),
    ],
)
def test_a_message_wants_what_it_says(message, wish):
    assert wish_of(message, "") == wish


@pytest.mark.parametrize(
    ("answer", "wish"),
    [
        ("The fee is 2.\n\nShall I make it 3?", "change"),
        ("\u8fd9\u662f 2\u3002\u8981\u6539\u6210 3 \u5417\uff1f", "change"),
        ("Why 2? Nobody knows.\n\nIt is 2.", "unsure"),
        ("", "unsure"),
    ],
)
def test_a_short_assent_is_a_change_after_an_offer(answer, wish):
    assert wish_of("Yes, do it", answer) == wish

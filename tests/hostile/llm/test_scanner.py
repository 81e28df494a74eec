"""A model that repeats itself until its window is full is read in time."""

import time

import pytest
from endless_replies import ENDLESS, NESTED, fed

from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply

TEXTS = {**ENDLESS, **{f"nested {name}": text(3000) for name, text in NESTED.items()}}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.timeout(120)
def test_a_model_that_goes_on_and_on_is_read_in_time(schemas, aliases, text):
    """A token is a few letters."""
    began = time.process_time()
    parser, _ = fed(schemas, aliases, text, size=8)
    assert time.process_time() - began < 20
    assert parser.reply == parse_reply(text, schemas, aliases=aliases)

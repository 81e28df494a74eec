"""How much evidence a model gets by how fast it reads."""

from ipuaro_jupyter.agent.answering.reading_speed import ReadingSpeed


def test_the_size_follows_the_speed_within_bounds():
    speed = ReadingSpeed()
    assert speed.tokens_within(20) == 1500
    speed.note(1800, 20)  # 90 a second
    assert speed.tokens_within(20) == 1500
    assert speed.tokens_within(1) == 800
    assert speed.tokens_within(600) == 3000


def test_a_fixed_size_is_that_size_however_fast_it_reads():
    speed = ReadingSpeed()
    speed.note(1800, 20)
    speed.fixed = 400
    assert speed.tokens_within(600) == 400


def test_a_short_prompt_says_nothing():
    speed = ReadingSpeed()
    speed.note(100, 0.01)
    assert speed.tokens_within(20) == 1500

import pytest

from ipuaro_jupyter.agent.context.calibration import Calibration


def test_a_server_that_counts_only_what_is_new_does_not_mislead():
    calibration = Calibration()
    for guessed, counted in [(4000, 4100), (4500, 380), (5000, 450), (6000, 4900), (6500, 300)]:
        calibration.learn(guessed, counted, window=32_768)
    assert 1.05 <= calibration.factor <= 1.2


def test_counts_of_whole_prompts_correct_the_guess_both_ways():
    dense, sparse = Calibration(), Calibration()
    for guessed in range(1000, 9000, 1000):
        dense.learn(guessed, round(1.4 * guessed), window=32_768)
        sparse.learn(guessed, round(0.9 * guessed), window=32_768)
    assert 1.4 <= dense.factor <= 1.5
    assert 0.9 <= sparse.factor <= 0.95


def test_a_prompt_that_filled_the_window_was_perhaps_cut_off():
    calibration = Calibration()
    calibration.learn(4000, 4096, window=4096)
    assert calibration.factor > 1.25


def learned(*counts, window=32_768):
    """Return a calibration that has learned (guessed, counted), and what it said of each."""
    calibration = Calibration()
    return calibration, [calibration.learn(*count, window=window) for count in counts]


def test_without_counts_a_guess_is_made_a_little_larger():
    assert Calibration().factor == 1.1


def test_a_small_request_teaches_nothing():
    assert learned((149, 596))[0].factor == 1.1
    assert learned((150, 300))[0].factor == pytest.approx(2 * 1.03)
    calibration, told = learned((149, 1000), (150, 300))
    assert told == [True, True]
    assert calibration.factor == pytest.approx(2 * 1.03), "nor does it look as if counts shrank"


def test_a_count_that_is_far_too_small_is_of_a_part():
    assert learned((1000, 599))[1] == [False]
    assert learned((1000, 600))[1] == [True]


def test_a_count_that_shrinks_while_the_prompt_does_not_is_of_a_part():
    assert learned((4000, 4000), (4000, 3999))[1] == [True, False]
    assert learned((4000, 4000), (4000, 4000))[1] == [True, True]
    assert learned((4000, 4000), (3999, 3900))[1] == [True, True]


def test_few_counts_do_not_make_guesses_smaller():
    low = [(guessed, round(0.9 * guessed)) for guessed in (1000, 2000, 3000, 4000)]
    assert learned(*low[:3])[0].factor == 1.1
    assert learned(*low)[0].factor == pytest.approx(0.9 * 1.03)
    assert learned((900, 90), *low)[0].factor == 1.1, "nor do any once one was of a part"


def test_the_factor_stays_within_bounds():
    assert learned(*((1000 + n, 610 + n) for n in range(8)))[0].factor == 0.85
    assert learned((1000, 9000))[0].factor == 4.0


def test_only_the_latest_counts_matter_and_of_those_the_highest():
    counts = [(1000, 2000), *((2000 + n, 2400 + 2 * n) for n in range(12))]
    assert learned(*counts[:12])[0].factor == pytest.approx(2 * 1.03)
    assert learned(*counts)[0].factor == pytest.approx(1.03 * 2422 / 2011)


def test_a_prompt_of_nearly_the_whole_window_counts_as_cut_off():
    assert learned((4000, 970), (5000, 3973), window=4096)[1] == [False, True]
    assert learned((4000, 3973), window=4096)[0].factor == 1.1
    assert learned((4000, 3974), window=4096)[0].factor == pytest.approx(1.1 * 1.25 * 1.03)
    assert learned((2000, 4000), window=4096)[0].factor == pytest.approx(2 * 1.25 * 1.03)

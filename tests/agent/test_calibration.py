from ipuaro_jupyter.agent.calibration import Calibration


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

from ipuaro_jupyter.index.binding.closure import Closure


def test_states_of_a_circle_share_what_is_found_and_are_looked_at_once():
    onward = {0: [1, 2], 1: [2], 2: [1, 3], 3: [4], 4: [3], 5: [0, 5]}
    looked = []

    def look(state):
        looked.append(state)
        return {chr(97 + state)}, onward[state]

    closure = Closure(look, most=10)
    assert closure.of(1) == set("bcde")
    assert closure.of(2) is closure.of(1)
    assert closure.of(0) == set("abcde")
    assert closure.of(5) == set("abcdef")
    assert closure.of(4) == set("de")
    assert sorted(looked) == [0, 1, 2, 3, 4, 5]


def test_what_is_kept_stays_bounded():
    looked = []

    def look(state):
        looked.append(state)
        return {state}, [state + 1] if state % 10 else []

    closure = Closure(look, most=15)
    assert [max(closure.of(state)) for state in (1, 11, 21)] == [10, 20, 30]
    looked.clear()
    closure.of(21)
    closure.of(1)
    assert looked == list(range(1, 11))

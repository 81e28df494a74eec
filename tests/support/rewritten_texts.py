"""Texts that are hard to compare."""

import random

WORDS = ["a", "b", "foo", "bar", "(", ")", "x1", "y2", "+", ",", "this", "that"]


def rewritten(kind):
    """Return a text and another one that is made to be hard to compare."""
    chosen = random.Random(kind)
    if kind == "long lines":
        made = ["\n".join(" ".join(chosen.choices(WORDS, k=700)) for _ in range(60)) for _ in "01"]
        return made[0], made[1]
    if kind == "many lines":
        numbers = [[f'"v": {chosen.random()}' for _ in range(1500)] for _ in "01"]
        made = ["\n{\n]\n,\n}\nsame\n".join(one) for one in numbers]
        return made[0], made[1]
    short = chosen.choices("0123456789", k=20_000)
    return "\n".join(short), "\n".join("z" if chosen.random() < 0.01 else one for one in short)

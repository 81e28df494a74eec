"""How far calls are followed from an error to what was changed."""

import pytest

from ipuaro_jupyter.index.relations import changes_reached
from ipuaro_jupyter.index.relations.changed_lines import ChangedLine
from ipuaro_jupyter.index.relations.changes_reached import ChangesReached, TouchedFile
from ipuaro_jupyter.index.relations.failed_frames import FailedFrame

CODE = """\
def fail():
    raise OSError

def top():
    one()
    two()
    three()
    fail()

def one():
    deep()

def two():
    deep()

def three():
    deep()

def deep():
    return 4
"""


@pytest.mark.parametrize(("most", "distance"), [(3, 3), (2, None), (1, None)])
def test_no_call_is_followed_once_enough_are(make_index, monkeypatch, most, distance):
    """The functions of the frames count, too, even where they alone are more."""
    monkeypatch.setattr(changes_reached, "_MOST_FOLLOWED", most)
    monkeypatch.setattr(changes_reached, "_LONGEST_S", 60.0)
    index, _ = make_index({"a.py": CODE})
    lines = CODE.splitlines()
    frames = [
        FailedFrame("a.py", lines.index(f"    {at}") + 1) for at in ("raise OSError", "fail()")
    ]
    deep = lines.index("    return 4") + 1
    changed = TouchedFile("a.py", [ChangedLine(deep, frozenset())], "lately")
    [found] = index.ask(lambda asked: ChangesReached(asked).of(frames, [changed]))
    assert (found.qualified, found.distance) == ("deep", distance)

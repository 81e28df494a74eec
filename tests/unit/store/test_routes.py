"""What may be sent twice."""

import pytest

from ipuaro_jupyter.store.batch import Batch
from ipuaro_jupyter.store.routes import is_repeatable


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("GET", "a"), True),
        (("get", "a"), True),
        (("SET", "a", b"NX"), True),
        (("SET", "a", b"1", "PX", 5), True),
        (("SET", "a", b"1", "NX"), False),
        (("INCRBY", "a", 1), False),
        (("EVAL", "return 1", 0), False),
        (("BLPOP", "a", 1), False),
        (("LTRIM", "a", 1, -1), False),
    ],
)
def test_commands_that_do_the_same_twice_are_told_from_others(
    command: tuple[object, ...], *, expected: bool
) -> None:
    assert is_repeatable(command) is expected


def test_renaming_is_not_repeated() -> None:
    """The second time there is nothing to rename, and what there is would be deleted."""
    batch = Batch()
    batch.move("new", "old")
    batch.rpush("list", b"1")
    assert not any(map(is_repeatable, batch.commands))

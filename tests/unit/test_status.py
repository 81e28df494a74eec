"""The state of the assistant in words."""

import pytest

from ipuaro_jupyter.sessions.session import SessionInfo
from ipuaro_jupyter.status import Status

PATH = "/home/ada/models/coder.gguf"


@pytest.mark.parametrize("problem", [None, f"There is no file {PATH}: pull it."])
def test_the_path_of_weights_is_told_once(problem):
    told = Status(
        project="shop",
        root="/shop",
        model=f"gguf:{PATH}",
        model_problem=problem,
        files=1,
        symbols=1,
        edges=0,
        skipped=0,
        index_seconds=0.1,
        session=SessionInfo(id="1"),
        approve="ask",
        store="unix:///store",
    )
    assert "\nModel: coder.gguf (" in str(told)
    assert str(told).count(PATH) == 1

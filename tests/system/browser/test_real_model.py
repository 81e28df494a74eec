"""A real model answers in a real JupyterLab: slowly, unwisely, and as any other."""

import re

import pytest
from real_weights import weights

__all__ = ["weights"]

ANSWER_MS = 300_000  # reading the prompt, on a processor that others use too
pytestmark = [pytest.mark.browser, pytest.mark.long]
START = """\
%ipuaro start {project} --model gguf:{weights}
"""


@pytest.mark.parametrize("front_end", ["lab"], indirect=True)
def test_a_real_model_answers(sheet, project, weights, picture):
    start = START.format(project=project, weights=weights)
    page = sheet(start, "%%ask\nWhat is the capital of France? Answer in one sentence.")
    page.run(2)
    page.start(3)
    page.wait(3, timeout_ms=ANSWER_MS)
    answer = page.text(3)
    picture(page, "real-model")
    assert re.search(r"\d[\d,]* tokens", answer)
    assert not re.search(r"tool_call|<\|im_|\{\"name\"", answer)

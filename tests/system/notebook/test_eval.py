"""``%ipuaro eval``."""

import json

import pytest

ANSWER = "`retry` is in `src/retry.ts:1-4`; `stop()` is in `src/halt.ts`."


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "recording.json"
    turns = [{"message": "Where?", "replies": [ANSWER]}]
    path.write_text(json.dumps({"version": 1, "turns": turns}))
    return path


def test_in_a_kernel_the_findings_are_a_value(started):
    assert started.run("%ipuaro eval").types == ["error"]
    started.run("%%ask\nWhere?")
    ran = started.run("%ipuaro eval --no-review")
    assert ran.types == ["execute_result"]
    assert "src/halt.ts" in ran.result()["text/html"]
    found = started.run("print([(f.named, f.verdict) for f in _.findings])").text
    assert "('retry in src/retry.ts:1-4', 'ok')" in found
    assert "('src/halt.ts', 'wrong')" in found


def test_in_a_kernel_a_model_that_cannot_be_asked_is_told(started):
    started.run("%%ask\nWhere?")
    ran = started.run("%ipuaro eval")
    assert ran.types == ["execute_result"]
    assert "src/halt.ts" in ran.text
    assert "The model has not reviewed the rest: This is a recording" in ran.text

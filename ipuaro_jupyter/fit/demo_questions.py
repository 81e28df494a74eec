"""Questions about the demo's code, and what a right answer to each holds."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from ipuaro_jupyter.records.record import Record


class FitQuestion(Record):
    """A question about the demo.

    Attributes:
        text: As a user asks it.
        of: The declaration that answers it, as "path:name".
        right: Regular expressions, all of which a right answer holds, in upper or lower case.
    """

    text: str
    of: str
    right: tuple[str, ...]

    def is_answered_by(self, answer: str) -> bool:
        """Whether an answer is right."""
        return all(re.search(pattern, answer, re.IGNORECASE) for pattern in self.right)


@cache
def questions() -> tuple[FitQuestion, ...]:
    """All questions."""
    text = files("ipuaro_jupyter.fit").joinpath("demo_questions.toml").read_text("utf-8")
    return tuple(FitQuestion.model_validate(one) for one in tomllib.loads(text)["question"])

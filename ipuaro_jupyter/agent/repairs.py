"""Replies that cannot be used: what the model is told, and how it is asked again."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from ipuaro_jupyter.agent.model_requests import AskedFor
from ipuaro_jupyter.agent.reply import Reply
from ipuaro_jupyter.records.outputs import ToolFailure, ToolResult

ConstrainCalls = Literal["repair", "always", "never"]

_IN_WORDS = 1  # repairs before the reply is constrained
_WRONG_NAMES = ("validation", "parse", "file")
_EMPTY = "Your reply was empty. Answer the question, or call a tool."
_THOUGHTS = "Your reply held thoughts only, and no answer: it was empty. Answer, or call a tool."
_CUT_OFF = (
    "Your reply was cut off because it was too long. Go on exactly where it ends, without "
    "repeating anything, and be brief."
)
_CUT_CALL = (
    "The reply was cut off because it was too long. Make smaller calls: fewer lines at once."
)
_TOO_LONG = "The model's answer was cut off because it was too long."


class Unusable(NamedTuple):
    """What is said about a reply that cannot be used.

    Attributes:
        problems: To the model, a message each.
        notice: To the user.
        limit: To the user when there were too many.
        goes_on: Whether the reply is the beginning of an answer.
    """

    problems: tuple[str, ...]
    notice: str
    limit: str
    goes_on: bool = False


class Repairs:
    """The repairs of a turn: the first is told in words, later ones are constrained.

    So is the reply after two in a row that were of no use, such as calls of what does not exist.

    Args:
        mode: When replies are constrained.
        can_constrain: Whether the model takes a schema.
    """

    def __init__(self, mode: ConstrainCalls, *, can_constrain: bool) -> None:
        self._mode = mode if can_constrain else "never"
        self._unusable = 0
        self._wrong_in_a_row = 0
        self._next = AskedFor(is_constrained=self._mode == "always")

    @property
    def next(self) -> AskedFor:
        """What the next request asks for."""
        return self._next

    def note(self, reply: Reply) -> Unusable | None:
        """Note a reply; return what is wrong with it, None when it can be used."""
        problems = tuple(f"Error (parse): {problem}" for problem in reply.errors)
        think = None
        if problems:
            limit = f"The model's replies could not be used: {reply.errors[0]}"
            told = f"The model was told what was wrong with its reply: {reply.errors[0]}"
            repair = Unusable((*problems, *([_CUT_CALL] if reply.cut_off else [])), told, limit)
        elif reply.calls or (reply.text.strip() and not reply.cut_off):
            self._next = AskedFor(is_constrained=self._constrains(unusable=False))
            return None
        elif reply.text.strip():
            self._next = AskedFor(is_constrained=self._mode == "always")
            return Unusable((_CUT_OFF,), f"{_TOO_LONG} It is asked to go on.", _TOO_LONG, True)  # noqa: FBT003 - named above
        else:
            thought = reply.thought or bool(reply.raw.strip())
            think = False if thought else None
            repair = Unusable(
                (f"Error (parse): {_THOUGHTS if thought else _EMPTY}",),
                "The model's reply was empty; it is asked again.",
                "The model's replies could not be used: they were empty.",
            )
        self._unusable += 1
        self._wrong_in_a_row += 1
        self._next = AskedFor(is_constrained=self._constrains(unusable=True), think=think)
        return repair

    def note_results(self, results: Iterable[ToolResult]) -> None:
        """Note the results of a reply's calls."""
        failures = [_names_nothing(result.error) for result in results]
        if failures:
            self._wrong_in_a_row = self._wrong_in_a_row + 1 if all(failures) else 0
            self._next = self._next._replace(is_constrained=self._constrains(unusable=False))

    def _constrains(self, *, unusable: bool) -> bool:
        if self._mode != "repair":
            return self._mode == "always"
        return (unusable and self._unusable > _IN_WORDS) or self._wrong_in_a_row > _IN_WORDS


def _names_nothing(error: ToolFailure | None) -> bool:
    """Whether a call has failed because of its name or its arguments."""
    return error is not None and error.recoverable and error.type in _WRONG_NAMES

"""Remarks for the model on calls that it has made before."""

from ipuaro_jupyter.agent.limits import Earlier
from ipuaro_jupyter.records.chat import Message

_SHORT = 400  # characters of a result that is sent again
_SAME_ABOVE = (
    "You have made this very call before in this turn, and its result is still the same: see above."
    " Do not repeat it: answer, or look for something else."
)
_SAME = (
    "[You have made this very call before in this turn, with the same result. Do not repeat it: "
    "answer, or try something else.]"
)
_CHANGED = "[You have made this very call before in this turn; its result has changed since.]"


def remarked(message: Message, earlier: Earlier, *, is_above: bool) -> Message:
    """The result of a call that was made before, with a remark on that.

    Args:
        message: The result.
        earlier: The call before.
        is_above: Whether the model still has the earlier result, so that it need not be sent again.
    """
    if earlier.is_same and is_above and len(message.content) > _SHORT:
        return message.model_copy(update={"content": _SAME_ABOVE})
    remark = _SAME if earlier.is_same else _CHANGED
    return message.model_copy(update={"content": f"{message.content}\n\n{remark}"})

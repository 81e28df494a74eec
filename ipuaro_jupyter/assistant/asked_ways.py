"""Messages that say how they are to be answered: "/explain …" and "/dig …"."""

import re
from typing import Literal

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.sessions.session import Session

Asked = Literal["question", "explain", "dig"]

WAYS: dict[str, str] = {
    "explain": "has the model word what the index has found, for the last question or another one.",
    "dig": "has the model look further with tools, for the last question or another one.",
}
_TYPED = re.compile(r"/(explain|dig)(?:\s+(.*))?", re.DOTALL)


def asked_way(message: str, session: Session) -> tuple[Asked, str]:
    """How a message is to be answered, and the question itself.

    Raises:
        SettingsError: It means the last question, and there is none.
    """
    typed = _TYPED.fullmatch(message.strip())
    if typed is None:
        return "question", message
    last = (one.content for one in reversed(session.messages) if one.role == "user")
    question = (typed[2] or "").strip() or next(last, "")
    if not question:
        raise SettingsError(f"There is no question yet: write /{typed[1]} QUESTION.")
    return ("explain" if typed[1] == "explain" else "dig"), question

"""Messages that say how they are to be answered: "/explain …", "/dig …", and "/edit" alone."""

import re
from typing import Literal

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.sessions.session import Session

Asked = Literal["question", "explain", "dig"]

WAYS: dict[str, str] = {
    "explain": "has the model word what the index has found, for the last question or another one.",
    "dig": "has the model look further with tools, for the last question or another one.",
    "edit": "asks for a change, also where the message, or the last one, reads like a question.",
}
_TYPED = re.compile(r"/(explain|dig)(?:\s+(.*))?|/(edit)", re.DOTALL)


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
    name = typed[1] or typed[3]
    if not question:
        raise SettingsError(f"There is no question yet: write /{name} and what it is about.")
    if name == "edit":
        return "question", f"/edit {question}"
    return ("explain" if name == "explain" else "dig"), question

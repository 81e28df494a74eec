"""Asking a model of the test server, and stopping it."""

import threading
import time

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.records.chat import Message

NAME = "qwen2.5-coder:7b-instruct"
HELLO = [Message(role="system", content="Be short."), Message(role="user", content="Hello")]


def ask(model, messages=HELLO, *, tools=(), cancel=None, **wishes):
    """Return all chunks of a reply."""
    return list(model.chat(messages, tools=tools, cancel=cancel or CancelToken(), **wishes))


def text(chunks):
    """Return the text of a reply."""
    return "".join(chunk.text for chunk in chunks)


def cancelling(token, wanted):
    """Set the token soon after ``wanted()`` is true; return how to learn for how long it is set."""
    set_at = []

    def cancel():
        while not wanted():
            time.sleep(0.01)
        time.sleep(0.1)
        set_at.append(time.monotonic())
        token.cancel()

    threading.Thread(target=cancel).start()
    return lambda: time.monotonic() - set_at[0]

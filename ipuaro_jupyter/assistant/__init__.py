"""The assistant for one project: the one place where the rooms are joined.

Start reading in ``assistant.py``. Data goes one way: files → workspace → index → tools → loop →
events. Three callables lead back: the user's decision, the stop button, and the notification of a
change.
"""

from ipuaro_jupyter.assistant.assistant import Assistant
from ipuaro_jupyter.assistant.opening import parse_reply, start

__all__ = ["Assistant", "parse_reply", "start"]

"""Running a recorded session again: the model's replies are repeated, the tools run for real.

`replay` reads an exported notebook, sends its messages to an assistant whose model gives the
recorded replies and whose user makes the recorded decisions, and compares the result of every call
with the recorded one. It asks no questions. By default it runs in a copy of the project as it is
now (see `workspace.scratch` for the limits of its isolation). In the copy, files that the session
changed are restored to their state before it, where this machine still knows that and they have not
been changed since; so is HEAD, when the latest commits are the session's.

`check_answers` runs nothing: it tells which answers of a saved notebook are no longer true.
"""

from ipuaro_jupyter.replay.run_replay import replay
from ipuaro_jupyter.replay.still_true import check_answers

__all__ = ["check_answers", "replay"]

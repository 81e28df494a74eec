"""A recorded session run again: the model's replies are given again, the tools run for real.

`replay` reads a notebook that an export wrote, sends its messages to an assistant whose model gives
the recorded replies and whose user gives the recorded answers, and compares the result of every
call with the recorded one. Nothing asks. By default it happens in a copy of the project as it is
now (see `workspace.scratch` for what that does not hold apart), in which the files that the session
itself has changed are put back to what it had found, where this machine still knows them and nobody
has changed them since; so is HEAD, when the latest commits are the session's.
"""

from ipuaro_jupyter.replay.run_replay import replay

__all__ = ["replay"]

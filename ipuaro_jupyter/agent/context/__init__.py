"""The messages of a request: the session and a new message in, what fits the window out.

Doors: ``context_window`` (the messages of a request), ``prompt`` and ``overview`` (the system
prompt and its map), ``calibration`` and ``tokens`` (the length of texts), ``prompt_files``, and
``answer_mentions`` (paths and symbols that a text mentions).
"""

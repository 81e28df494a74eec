"""What the model is sent: the session and the question in, messages within the window out.

Doors: ``context_window`` (the messages of a request), ``prompt`` and ``overview`` (the system
prompt and its map), ``calibration`` and ``tokens`` (how long a text is), ``prompt_files``, and
``answer_mentions`` (paths and symbols that a text mentions).
"""

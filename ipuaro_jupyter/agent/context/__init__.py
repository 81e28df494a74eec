"""The messages of a request: the session and a new message in, what fits the window out.

Doors: ``context_window`` (the messages of a request), ``head`` (system prompt and tools, the same
through a session), ``tool_profile`` (the tools that a model is shown), ``relevance`` (what goes
beside a question), ``calibration`` and ``tokens`` (the length of texts), ``prompt_files``,
``answer_mentions`` (paths and symbols that a text mentions), and ``question_mentions`` (what a
question mentions with ``@``).
"""

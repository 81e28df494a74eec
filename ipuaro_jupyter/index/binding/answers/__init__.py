"""The answers to questions about uses, and keeping them, here and on the server.

Doors: ``uses`` (an answer, and what it holds for), ``kept_lines`` (the lines it shows); for the
cache also ``kept_answers`` and ``answers_on_server``.
"""

"""Command policy: the text of a shell command in, a verdict (denied, safe or ask) out.

Parses shell syntax into the commands that would run and judges each on its arguments; runs nothing.
Doors: ``command_policy`` (the verdict), ``programs`` (what a program may do) and
``command_outline`` (the words of a question about a command).
"""

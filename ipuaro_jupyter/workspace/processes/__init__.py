"""Child processes: argv in, output and exit status out, each in a process group of its own.

Doors: ``processes`` (run to the end), ``jobs`` (in the background), ``piped`` (programs that talk
through pipes), ``both_ends`` (output that keeps its head and tail), ``environment`` (what a child
may see) and ``reliance`` (whether a command reads a changed file). ``supervisor`` runs as a script
and ties a child's process tree to the kernel.
"""

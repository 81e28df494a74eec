"""Child processes: argv in, output and exit status out, each in a process group of its own.

Doors: ``subprocesses`` (run to the end), ``jobs`` (in the background), ``stdio_program`` (programs
that talk through pipes), ``head_tail`` (output that keeps its head and tail), ``environment`` (what
a child may see) and ``relied_files`` (whether a command reads a changed file). ``supervisor`` runs
as a script and ties a child's process tree to the kernel.
"""

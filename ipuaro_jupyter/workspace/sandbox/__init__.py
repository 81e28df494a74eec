"""The sandbox of commands, where the system has one: bubblewrap on Linux, sandbox-exec on macOS.

Doors: ``sandbox`` (whether there is one, and commands in it), ``network_needs`` (which commands are
of no use without a network), ``confinement`` (what a command may do in one) and ``failures`` (why
one may have failed there).
"""

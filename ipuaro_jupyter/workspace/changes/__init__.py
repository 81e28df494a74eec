"""Changes: a proposed change in, its diff, undo entry and reversal out.

Doors: ``proposed`` (a change as the user sees it), ``undo`` (the stack) and ``undoing`` (taking a
change back).
"""

"""Changes: a proposed change in, its diff, undo entry and reversal out.

Doors: ``change_proposal`` (a change as the user sees it), ``undo_stack`` (the stack) and
``undo_changes`` (taking a change back).
"""

"""Changes: a proposed change in; its diff, undo entry and reversal out.

Doors: ``change_proposal`` (a change as the user sees it), ``change_writer`` (checking and writing
one), ``undo_stack`` (the stack) and ``undo_changes`` (undoing a change).
"""

"""Changes: a proposed change in; its diff, undo entry and reversal out.

Doors: ``change_proposal`` (a change as the user sees it), ``change_set`` (changes of several files
as one), ``change_writer`` (checking and writing them), ``line_moves`` (the arithmetic of line
numbers), ``reply_edits`` (what one reply of the model has edited), ``undo_stack`` (the stack) and
``undo_changes`` (undoing a change).
"""

"""Changes: a proposed change in; its diff, undo entry and reversal out.

Doors: ``change_proposal`` (a change as the user sees it), ``change_set`` (changes of several files
as one), ``decided_problems`` (what speaks against the text that is decided on), ``file_part`` (a
part of a file that is asked about), ``line_moves`` (the arithmetic of line numbers),
``project_changes`` (checking, writing, undoing and redoing them), ``reply_edits`` (what one reply
of the model has edited), ``undo_stack`` (the stack), ``undo_changes`` (what was undone) and
``forgotten`` (what a project leaves behind).
"""

"""Change sets: several files in one question, and the part of them that is chosen.

Doors: ``change_set`` (the files drawn), ``merged_lines`` (changes of one file from several places)
and ``set_choice`` (which are chosen, and that in words).
"""

"""Git: the project's repository in; its state, listing and commits out.

Doors: ``repository`` (status, diff, commit), ``git_files`` (listing and ignore rules) and
``git_program`` (the environment git runs in).
"""

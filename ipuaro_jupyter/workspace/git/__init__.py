"""Git: the project's repository in; its state, listing and commits out.

Doors: ``repository`` (status, diff, commit), ``repositories`` (all of a project), ``compared``
(files in two versions), ``git_files`` (listing and ignore rules), ``git_program`` (the environment
git runs in), ``own_repository`` (whether it is the project's) and ``late_changes`` (what was
changed lately).

GitPython answers what it reads from the folder ``.git`` itself, in a thirtieth of the time that it
takes to start git: where the repository is and, once git has accepted it as one of its user, which
commit is the last. For all other questions it starts git too, but without our limits: variables
that lead git elsewhere count, programs that a repository's settings name run, and the user cannot
stop it. So we run git ourselves there, and where GitPython cannot read (sha256, reftable). That is
also the faster way: one ``git status`` tells what takes GitPython four commands and an index parsed
in Python.
"""

"""Checks of a proposed change: the project's type checkers and tests, run in a copy of it.

The changes and the files that they reach go in; a `CheckReport` comes out.

Doors: ``check_plan`` (what a check runs), ``check_run`` (running it), ``baselines`` (results
without the change, kept), ``reach`` (the files and tests that a change reaches) and
``check_settings``.
"""

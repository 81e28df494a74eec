"""What declarations have to do with one another: who calls whom, who implements what.

Everything here reads one state of the index, a `LookupState`. Doors: ``callers`` and ``callees``
(calls, followed to any depth), ``users`` (uses of any kind), ``implementations`` (subclasses,
objects of a type, overrides), ``value_sources`` (what made the values of a line that failed),
``changed_lines`` and ``changes_reached`` (what was changed of the code that an error leads to),
``failed_frames`` (where an error was) and ``error_messages`` (what its message says).
"""
